"""Ten folds beside iterative-stratification and scikit-multilearn-ng, in one process.

The sizes are those of delicious (the real labels, where the benchmark sets are at hand) and of
bookmarks (generated labels with as long a tail). Everybody is warmed up first; what the first call
costs, with and without compiled kernels on disk, is measured in processes of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.speedups import record
from benchmarks.timing import fastest, most_memory
from labelwise.data import load
from labelwise.splitting import assign, split_quality

HOME = Path(os.environ.get("LABELWISE_DATA", Path(__file__).parents[2] / "shared" / "datasets"))
N_FOLDS = 10
FIRST_CALL = """
import time
import numpy as np
start = time.perf_counter()
from labelwise.splitting import assign
assign(np.eye(50, dtype=int), 10, method={method!r}, random_state=0)
print(time.perf_counter() - start)
"""


def make_labels(n_samples: int, n_labels: int, n_positives: int, seed: int = 0) -> sparse.csc_array:
    """Return labels with a long tail, as many positives as asked for."""
    random = np.random.default_rng(seed)
    frequency = 1 / np.arange(5, n_labels + 5)
    n_drawn = int(1.5 * n_positives)
    labels = random.choice(n_labels, size=n_drawn, p=frequency / frequency.sum())
    cells = np.unique(random.integers(n_samples, size=n_drawn) * n_labels + labels)
    cells = random.permutation(cells)[:n_positives]
    place = (cells // n_labels, cells % n_labels)
    return sparse.csc_array((np.ones(cells.size, bool), place), shape=(n_samples, n_labels))


def delicious() -> sparse.csc_array:
    """Return the labels of delicious, or generated ones of its size."""
    if (HOME / "index.json").is_file():
        return load("delicious", data_home=HOME).Y
    return make_labels(16_105, 983, 306_000)


def peers(Y: np.ndarray) -> dict[str, Callable[[], object]]:
    """Return how each peer makes ten folds of dense labels; those not installed are left out."""
    X = np.zeros((len(Y), 1))
    found: dict[str, Callable[[], object]] = {}
    try:
        from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

        theirs = MultilabelStratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
        found["iterative-stratification"] = lambda: list(theirs.split(X, Y))
    except ImportError:
        pass
    try:
        from skmultilearn.model_selection import IterativeStratification

        folds = IterativeStratification(n_splits=N_FOLDS, order=1)
        found["scikit-multilearn-ng"] = lambda: list(folds.split(X, Y))
    except ImportError:
        pass
    return found


def compare(name: str, Y: sparse.csc_array, console: Console) -> None:
    """Print the times for one label matrix, sparse and dense, beside those of the peers."""
    dense = Y.toarray().astype(np.int8)
    seconds = {
        f"labelwise {method}, {kind}": fastest(
            lambda method=method, labels=labels: assign(  # type: ignore[misc]
                labels, N_FOLDS, method=method, random_state=0
            ),
            repeats,
        )
        for method, kind, labels, repeats in (
            ("iterative", "sparse labels", Y, 30),
            ("iterative", "dense labels", dense, 10),
            ("balanced", "sparse labels", Y, 3),
        )
    }
    ours = next(iter(seconds.values()))
    for peer, call in peers(dense).items():
        seconds[peer] = fastest(call, 2)
        record(f"iterative folds of {name} / {peer}", ours, seconds[peer])
    table = Table(
        title=f"{N_FOLDS} folds, {name}: {Y.shape[0]:,} x {Y.shape[1]:,}, {Y.nnz:,} positives"
    )
    for column in ("who", "seconds", "times ours"):
        table.add_column(column, justify="left" if column == "who" else "right")
    for who, taken in seconds.items():
        table.add_row(who, f"{taken:.4f}", f"{taken / ours:.0f}")
    console.print(table)


def large(console: Console) -> None:
    """Print times and memory for a million rows."""
    table = Table(title="a million rows, 5 million positives, sparse labels")
    for column in ("labels", "method", "seconds", "MB at most", "LD"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for n_labels in (1_000, 100_000):
        Y = make_labels(1_000_000, n_labels, 5_000_000)
        for method in ("random", "iterative", "balanced"):

            def call(method: str = method, Y: sparse.csc_array = Y) -> np.ndarray:
                return assign(Y, N_FOLDS, method=method, random_state=0)

            seconds, memory = fastest(call, 2), most_memory(call) / 1e6
            found = split_quality(Y, call(), N_FOLDS)
            cells = (f"{n_labels:,}", method, f"{seconds:.2f}", f"{memory:.0f}", f"{found.ld:.3g}")
            table.add_row(*cells)
    console.print(table)


def first_calls(console: Console) -> None:
    """Print what the first call of a process costs, import included."""
    for method in ("iterative", "balanced"):
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", FIRST_CALL.format(method=method)]
            compiled, loaded = (
                float(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
                for _ in range(2)
            )
        console.print(
            f"first call of {method}: {compiled:.1f} s when kernels are compiled for the first "
            f"time, {loaded:.1f} s in every later process"
        )


def main() -> None:
    """Run everything and print the tables."""
    console = Console(width=100)
    warm = make_labels(300, 20, 600)
    for method in ("iterative", "balanced"):
        assign(warm, N_FOLDS, method=method, random_state=0)
    for call in peers(warm.toarray().astype(np.int8)).values():
        call()
    start = time.perf_counter()
    compare("delicious", delicious(), console)
    compare("as bookmarks", make_labels(87_856, 208, 178_000), console)
    large(console)
    first_calls(console)
    console.print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
