"""Kernels in tests: calls of those without a wrapper, and tests that need them compiled."""

from functools import cache

import numba
import pytest

# What only a long search, large data or many draws can show.
COMPILED_ONLY = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="takes hours without compiled kernels"
)


@cache
def from_python(kernel):
    """A function that can be called from Python, for a kernel that only kernels call."""
    return numba.njit(lambda *arguments: kernel(*arguments))
