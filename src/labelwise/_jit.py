"""The decorator of all kernels: `numba.njit`, which also works without a writable cache."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as ``numba.njit`` does, without its cache if no folder is writable.

    numba stores compiled code beside the source file, in the user's cache folder, or in the folder
    that the environment variable NUMBA_CACHE_DIR names. If it can write to none of them, as in
    a container with a read-only file system, ``numba.njit(cache=True)`` raises an error.

    Parameters
    ----------
    **options : object
        Options of ``numba.njit``, such as ``cache=True`` and ``nogil=True``.

    Returns
    -------
    callable
        The decorator.
    """
    # A wrapper for callers in C, whom no kernel has, would only add to the compile time.
    options = {"no_cfunc_wrapper": True, **options}

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError:
            if not options.get("cache"):
                raise
            _warn_once()
            return numba.njit(**{**options, "cache": False})(function)

    return compiled


@cache
def _warn_once() -> None:
    warnings.warn(
        "numba finds no writable folder for compiled code, so that every process compiles again "
        "what it uses, for some seconds; set the environment variable NUMBA_CACHE_DIR to a folder "
        "that can be written to.",
        stacklevel=3,
    )
