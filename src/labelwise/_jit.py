"""The decorator of all kernels: `numba.njit`, which also works without a writable cache.

`KernelCache` depends on methods of numba that are not public. It is used with the releases of numba
that it was tested with; with others, numba's own cache is used, which loads more slowly.
`tests/test_jit.py` fails as soon as numba's own cache loads as quickly, and the class can then go.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, wraps
from types import FunctionType
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

# Releases of numba with which `KernelCache` was tested, on all kernels.
_LOADABLE = ("0.68.",)
# Steps in Python after which `compiled_if_worth` compiles.
FEW_STEPS = 2**16


class KernelCache(FunctionCache):
    """numba's cache of compiled code, without preparing the compiler before code is loaded.

    Before it loads compiled code, numba registers every function that code to be compiled may call,
    and imports scipy.linalg, which takes 0.2 s in each process. Compiled code needs only the
    functions that allocate memory. A kernel that is not in the cache is compiled as always: the
    compiler registers the functions itself.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature; None if the cache does not have it."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def njit(*, inner: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as ``numba.njit`` does, without its cache if no folder is writable.

    numba stores compiled code beside the source file, in the user's cache folder, or in the folder
    that the environment variable NUMBA_CACHE_DIR names. If it can write to none of them, as in a
    container with a read-only file system, ``numba.njit(cache=True)`` raises an error.

    An `inner` function is called only by other kernels. It cannot be called from Python, which
    saves a sixth of the compile time, and is stored with the kernels that call it.
    """
    # A wrapper for callers in C, whom no kernel has, would only add to the compile time.
    options = {"no_cfunc_wrapper": True, "no_cpython_wrapper": inner, **options}
    caches = options.pop("cache", False)

    def compiled(function: Callable[..., Any]) -> Any:
        kernel = numba.njit(**options)(function)
        if caches and kernel is not function:
            _enable_cache(kernel, function)
        return kernel

    return compiled


def compiled_if_worth(count_steps: Callable[..., int]) -> Callable[[Any], Callable[..., Any]]:
    """Run a kernel as a Python function as long as compiling it would take longer.

    It is compiled when all calls in this process together have more than `FEW_STEPS` steps, which
    take about 0.05 s in Python; compiling takes 0.2 to 1 s. `count_steps` takes the arguments of
    the kernel. Other kernels cannot call such a kernel.
    """

    def chosen(kernel: Any) -> Callable[..., Any]:
        n_steps = 0

        @wraps(kernel, updated=())
        def call(*arguments: Any) -> Any:
            nonlocal n_steps
            n_steps += count_steps(*arguments)
            return (kernel if n_steps > FEW_STEPS else _in_python(kernel))(*arguments)

        return call

    return chosen


@cache
def _in_python(kernel: Any) -> Callable[..., Any]:
    """Return the Python function of a kernel, which calls those of other kernels."""
    function: Any = getattr(kernel, "py_func", kernel)
    known = function.__globals__
    called = {name: known[name] for name in function.__code__.co_names if name in known}
    others = {name: _in_python(one) for name, one in called.items() if hasattr(one, "py_func")}
    return FunctionType(function.__code__, known | others)


def _enable_cache(kernel: Any, function: Callable[..., Any]) -> None:
    try:
        if numba.__version__.startswith(_LOADABLE):
            kernel._cache = KernelCache(function)
        else:
            kernel.enable_caching()
    except RuntimeError:
        _warn_once()


@cache
def _warn_once() -> None:
    warnings.warn(
        "numba finds no writable folder for compiled code, so that every process compiles again "
        "what it uses, for some seconds; set the environment variable NUMBA_CACHE_DIR to a folder "
        "that can be written to.",
        stacklevel=3,
    )
