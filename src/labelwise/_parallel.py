"""Run functions on blocks of rows in threads, and share large values between joblib tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# Values in a block: few enough to stay in the cache of a core between two passes.
_TOGETHER = 2**17


class Shared:
    """A large value that many joblib tasks read, and that must not change.

    joblib's dask backend sends an argument to the workers once, instead of with each task, if it
    can be referenced weakly and its size is more than a kilobyte. Tuples and lists cannot.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __sizeof__(self) -> int:
        return 2**20


def for_row_blocks(
    work: Callable[[slice], None], n_rows: int, row_size: int, together: int = _TOGETHER
) -> None:
    """Call `work` with slices that cover all rows, in threads.

    Kernels release the interpreter lock, so threads run in parallel. The result does not depend on
    the number of threads, because a call writes only its own rows. The error of the first block
    that fails is raised. A block has at most `together` values: work that makes a single pass needs
    larger blocks, since otherwise starting a block takes longer than the work.
    """
    n_blocks = -(-n_rows // max(1, together // max(1, row_size)))
    step = max(1, -(-n_rows // max(1, n_blocks)))  # blocks of equal size
    blocks = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
    n_threads = n_threads_for(len(blocks))
    if n_threads < 2:
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(work, blocks):
            pass


def in_threads(function: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
    """Call a function with each item in threads; yield the results in the order of the items."""
    n_threads = n_threads_for(len(items))
    return map(function, items) if n_threads < 2 else _from_pool(function, items, n_threads)


def _from_pool(
    function: Callable[[Any], Any], items: Sequence[Any], n_threads: int
) -> Iterator[Any]:
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, items)


def n_threads_for(n_blocks: int) -> int:
    """Return the number of threads; joblib counts the cores, and is imported only if needed."""
    if n_blocks < 2:
        return n_blocks
    from joblib import cpu_count

    return min(n_blocks, int(cpu_count()))


def has_lost_scheduler(error: BaseException) -> bool:
    """Return whether an error of a dask future says that the scheduler is gone, without dask."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"CommClosedError", "CancelledError", "FutureCancelledError"})
