"""Rows in blocks, worked on by as many threads as there are cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

# Numbers that a thread takes at a time: few enough to stay in its cache between two passes.
_TOGETHER = 2**17


def for_row_blocks(
    work: Callable[[slice], None], n_rows: int, row_size: int, together: int = _TOGETHER
) -> None:
    """Call `work` with slices that cover all rows; each is to write its own rows only.

    A slice has about `together` numbers: more of them for work of one pass, which is done before
    a thread has been told of the next slice.

    Kernels let go of the interpreter, so threads are enough, and what rows they get does not
    change what they write. The error of the first block that fails is raised.
    """
    from joblib import cpu_count

    step = max(1, together // max(1, row_size))
    blocks = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
    n_threads = min(len(blocks), cpu_count())
    if n_threads < 2:
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(work, blocks):
            pass
