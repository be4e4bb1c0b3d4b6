"""Searches are cut short where kernels run as plain Python."""

import numba
import pytest

from labelwise.splitting import _search


@pytest.fixture(scope="session", autouse=True)
def few_trials_without_compiled_kernels():
    """Half a million swaps take a second when compiled, and an hour when not."""
    if numba.config.DISABLE_JIT:
        _search.MOST_TRIALS = 50
