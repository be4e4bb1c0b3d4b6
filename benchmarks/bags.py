"""Maxima of bags beside one reading of the scores: 5 million instances, 50 labels."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.speedups import record
from benchmarks.timing import fastest
from labelwise.learners.bags._bag_scores import bag_maxima

N_INSTANCES, N_LABELS = 5_000_000, 50
MEAN_SIZES = (1, 3, 10, 1000, N_INSTANCES)
REPEATS = 9
PEER_SIZE = 10  # numpy takes seconds at any


def bag_starts(mean_size: int, seed: int = 0) -> np.ndarray:
    """Return where bags of 1 to twice the mean size begin, the last one taking what is left."""
    sizes = np.random.default_rng(seed).integers(1, 2 * mean_size, N_INSTANCES // mean_size)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return np.append(starts[starts < N_INSTANCES], N_INSTANCES)


def main() -> None:
    """Print the seconds of a sum, of the maxima and of numpy's, which is run once."""
    table = Table("dtype", "mean bag", title=f"{N_INSTANCES:,} x {N_LABELS} scores (seconds)")
    for heading in ("scores.sum()", "bag maxima", "times", "np.maximum.reduceat"):
        table.add_column(heading, justify="right")
    for dtype in (np.float32, np.float64):
        scores = np.random.default_rng(0).random((N_INSTANCES, N_LABELS), dtype=dtype)
        for size in MEAN_SIZES:
            starts = bag_starts(size)
            last = min(99, starts.size - 1)
            expected = np.maximum.reduceat(scores[: starts[last]], starts[:last], axis=0)
            np.testing.assert_array_equal(bag_maxima(scores, starts)[:last], expected)
            read = fastest(scores.sum, REPEATS)
            ours = fastest(lambda s=scores, b=starts: bag_maxima(s, b), REPEATS)
            numbers = [f"{number:.3f}" for number in (read, ours, ours / read)]
            if size == PEER_SIZE:
                peer = fastest(lambda s=scores, b=starts: np.maximum.reduceat(s, b[:-1], axis=0), 1)
                record(f"bag maxima / reduceat, {np.dtype(dtype).name}", ours, peer)
                numbers.append(f"{peer:.3f}")
            table.add_row(np.dtype(dtype).name, str(size), *numbers)
    Console().print(table)


if __name__ == "__main__":
    main()
