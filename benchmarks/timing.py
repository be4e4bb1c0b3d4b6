"""How benchmarks measure: the fastest of several runs, and the most memory of one."""

import time
import tracemalloc
from collections.abc import Callable


def fastest(
    call: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the seconds of the fastest run; other work on the machine only ever adds."""
    seconds = []
    for _ in range(repeats):
        start = clock()
        call()
        seconds.append(clock() - start)
    return min(seconds)


def most_memory(call: Callable[[], object]) -> int:
    """Return the bytes that a run had allocated at its height."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
