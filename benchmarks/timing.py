"""How benchmarks measure: the fastest of several runs, and the most memory of one."""

import time
import tracemalloc
from collections.abc import Callable


def fastest(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the seconds of the fastest run; other work on the machine only ever adds."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def most_memory(call: Callable[[], object]) -> int:
    """Return the bytes that a run had allocated at its height."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
