"""Load all public names before doctests are collected: doctest finds classes in loaded modules."""

import importlib

import labelwise

for stage in {name for name in dir(labelwise) if not name.startswith("_")} - {*labelwise.__all__}:
    package = importlib.import_module(f"labelwise.{stage}")
    for name in package.__all__:
        getattr(package, name)
