"""Settings shared by all tests."""

import numba
import pytest
from hypothesis import settings

from labelwise.splitting.stratification import _search
from tests.benchmark_sets import ABSENT, FACTS, HOME

# The first call of a kernel compiles: no deadline. Same examples in every run.
settings.register_profile("labelwise", deadline=None, derandomize=True)
settings.load_profile("labelwise")


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


@pytest.fixture(scope="session", autouse=True)
def few_trials_without_compiled_kernels():
    """Half a million swaps take a second when compiled, and an hour when not."""
    if numba.config.DISABLE_JIT:
        _search.MOST_TRIALS = 50
