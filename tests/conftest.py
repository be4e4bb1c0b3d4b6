"""Settings shared by all tests."""

import os
import signal
from pathlib import Path

import numba
import pytest
from hypothesis import settings

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

# Tests of whole programs take hours without compiled kernels, and test no kernel by itself.
TESTS_OF_PROGRAMS = ("benchmarks", "cli", "experiments", "studies", "saving")
TESTS_OF_PAGES = ("test_coming_from.py", "test_guide.py", "test_quick_start.py", "test_recipes.py")
# CPU seconds after which another test is given up as too large for plain Python.
LONGEST_IN_PLAIN_PYTHON = 10


def pytest_configure(config):
    """Let integers wrap around in plain Python as in compiled kernels, without a warning."""
    if numba.config.DISABLE_JIT:
        wraps = "ignore:overflow encountered in scalar:RuntimeWarning"
        config.addinivalue_line("filterwarnings", wraps)


def pytest_collection_modifyitems(items):
    """Skip tests of whole programs if kernels are plain Python."""
    if not numba.config.DISABLE_JIT:
        return
    folders = [Path(__file__).parent / name for name in TESTS_OF_PROGRAMS]
    for item in items:
        is_page = item.path.name in TESTS_OF_PAGES
        if is_page or any(folder in item.path.parents for folder in folders):
            item.add_marker(pytest.mark.skip(reason="takes hours without compiled kernels"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Skip a test that goes on for too long, with its fixtures, if kernels are plain Python."""
    if not numba.config.DISABLE_JIT:
        return

    def give_up(*_):
        pytest.skip(f"takes more than {LONGEST_IN_PLAIN_PYTHON} s without compiled kernels")

    signal.signal(signal.SIGPROF, give_up)
    # Again every second, because the test may catch all exceptions.
    signal.setitimer(signal.ITIMER_PROF, LONGEST_IN_PLAIN_PYTHON, 1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown():
    """End the limit before fixtures are torn down."""
    signal.setitimer(signal.ITIMER_PROF, 0)


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
        _balanced.MOST_TRIALS = 50
