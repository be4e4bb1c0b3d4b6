"""Load all public names before doctests are collected: doctest finds classes in loaded modules."""

import importlib

import labelwise

for stage in labelwise._PACKAGES:
    package = importlib.import_module(f"labelwise.{stage}")
    for name in package.__all__:
        getattr(package, name)
