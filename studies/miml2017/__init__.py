"""MIML-perf (2017): labels of bags from models of instances."""
