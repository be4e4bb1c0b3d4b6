"""Calls of kernels that have no wrapper for Python."""

from functools import cache

import numba


@cache
def from_python(kernel):
    """A function that can be called from Python, for a kernel that only kernels call."""
    return numba.njit(lambda *arguments: kernel(*arguments))
