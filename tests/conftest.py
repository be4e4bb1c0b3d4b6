"""Settings shared by all tests."""

import os
from pathlib import Path

# One thread for a product or a boosted tree: the workers of pytest use all cores, and threads that
# wait for each other take time from them. NumPy and scikit-learn read it when they are loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numba
import numpy as np
import pytest
from hypothesis import settings

from labelwise import _jit
from labelwise.splitting import _balanced
from tests.benchmark_sets import ABSENT, FACTS, HOME

# The first call of a kernel compiles: no deadline. "fixed" has the same examples in every run,
# "random" draws new ones, and prints how to repeat a failure.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True, database=None)
PROFILE = os.environ.get("LABELWISE_EXAMPLES", "fixed")
settings.load_profile(PROFILE)
if numba.config.DISABLE_JIT:
    settings.register_profile("plain Python", settings.get_profile(PROFILE), max_examples=15)
    settings.load_profile("plain Python")

# Tests of whole programs and of benchmark sets take hours without compiled kernels, and test no
# kernel by itself. Single tests of this kind are marked as COMPILED_ONLY (tests/kernels.py).
TESTS_OF_PROGRAMS = ("benchmarks", "cli", "experiments", "studies", "saving")
TESTS_OF_PAGES = (
    *("README.md", "test_coming_from.py", "test_guide.py", "test_quick_start.py"),
    *("test_readme_commands.py", "test_recipes.py", "test_benchmark_sets.py"),
)


def pytest_configure(config):
    """Let integers wrap around in plain Python as in compiled kernels, without a warning."""
    if numba.config.DISABLE_JIT:
        wraps = "ignore:overflow encountered in scalar:RuntimeWarning"
        config.addinivalue_line("filterwarnings", wraps)


def pytest_collection_modifyitems(items):
    """Skip tests of whole programs and of benchmark sets if kernels are plain Python."""
    if not numba.config.DISABLE_JIT:
        return
    folders = [Path(__file__).parent / name for name in TESTS_OF_PROGRAMS]
    for item in items:
        is_large = item.path.name in TESTS_OF_PAGES or "benchmark_home" in item.fixturenames
        if is_large or any(folder in item.path.parents for folder in folders):
            item.add_marker(pytest.mark.skip(reason="takes hours without compiled kernels"))


@pytest.fixture(scope="session")
def benchmark_home():
    """The folder of benchmark sets, or a skip that says where it was looked for."""
    if not FACTS:
        pytest.skip(ABSENT)
    return HOME


@pytest.fixture(autouse=True)
def environment_of_the_tests(monkeypatch):
    """`labelwise.cli.main` sets this for the processes that a command starts, and for no others."""
    monkeypatch.setenv("PYTHONSAFEPATH", "")


@pytest.fixture(autouse=True)
def numbers_of_numpy():
    """``random_state=None`` draws from numpy's generator: every run of a test draws the same."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture(autouse=True)
def compiled_kernels(monkeypatch):
    """Small inputs, which Python would take, are given to compiled kernels too."""
    monkeypatch.setattr(_jit, "FEW_STEPS", 0)


@pytest.fixture(scope="session", autouse=True)
def few_trials_without_compiled_kernels():
    """Half a million swaps take a second when compiled, and an hour when not."""
    if numba.config.DISABLE_JIT:
        _balanced.MOST_TRIALS = 50
