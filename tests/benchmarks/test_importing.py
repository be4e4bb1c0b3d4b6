"""Benchmarks use names that exist."""

from importlib import import_module
from pathlib import Path

import pytest

import benchmarks

NAMES = sorted(path.stem for path in Path(benchmarks.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_can_be_imported_without_other_packages(name):
    import_module(f"benchmarks.{name}")
