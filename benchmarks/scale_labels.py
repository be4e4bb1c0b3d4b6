"""Half a million labels: time and memory of each step on CSR scores, best_at_k, and assign.

``LABELWISE_LABELS`` sets the sizes, rows x labels with 20 scores a row, "100000x50000,..." (three
sizes up to 1000000x500000 by default), ``LABELWISE_AT_K`` those of `best_at_k` beside xCOLUMNs
("20000x4000" by default, with 30 probabilities a row; "100000x20000" takes minutes), and
``LABELWISE_ASSIGN`` the rows of `assign`. CPU seconds are shown beside seconds: on a machine with
other work, they are nearer to its speed.
"""

from __future__ import annotations

import math
import os
import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.speedups import record
from labelwise.decisions import Thresholds, best_at_k, best_thresholds, micro_frontier
from labelwise.measures import evaluate
from labelwise.splitting import assign

SIZES = "100000x50000,300000x150000,1000000x500000"
# A call that takes as long is not repeated.
_MANY_SECONDS = 10


class Cost(NamedTuple):
    """Seconds, CPU seconds of all threads, and peak resident memory of the process in GB."""

    seconds: float
    cpu: float
    gigabytes: float


def cost_of(call: Callable[[], Any]) -> tuple[Any, Cost]:
    """Call once, and return the result with its cost."""
    seconds, cpu = time.perf_counter(), time.process_time()
    found = call()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return found, Cost(time.perf_counter() - seconds, time.process_time() - cpu, peak)


def least_cost_of(call: Callable[[], Any]) -> Cost:
    """Return the cost of the quickest of three calls, or of one call of many seconds."""
    costs = [cost_of(call)[1]]
    if costs[0].seconds < _MANY_SECONDS:
        costs += [cost_of(call)[1] for _ in range(2)]
    return min(costs, key=lambda cost: cost.seconds)


def sizes_from(variable: str, default: str) -> list[tuple[int, int]]:
    """Return pairs of rows and labels from the environment."""
    parts = (size.split("x") for size in os.environ.get(variable, default).split(","))
    return [(int(rows), int(labels)) for rows, labels in parts]


def rare_labels(n_labels: int, exponent: float) -> np.ndarray:
    """Return cumulative shares of labels by a power law."""
    shares = 1 / np.arange(1, n_labels + 1) ** exponent
    return np.cumsum(shares / shares.sum())


def scored(n_rows: int, n_labels: int, per_row: int = 20) -> tuple[Any, Any]:
    """Return CSR scores and labels; half of the rows have a positive without a score."""
    random, shares = np.random.default_rng(0), rare_labels(n_labels, 0.8)
    labels = np.searchsorted(shares, random.random(n_rows * per_row)).clip(max=n_labels - 1)
    values = random.random(labels.size, dtype=np.float32)
    starts = np.arange(0, labels.size + 1, per_row, dtype=np.int32)
    scores = sparse.csr_array((values, labels.astype(np.int32), starts), (n_rows, n_labels))
    scores.sum_duplicates()
    rows = np.repeat(np.arange(n_rows), np.diff(scores.indptr))
    is_positive = random.random(scores.nnz) < 0.7 * scores.data**3
    others = np.flatnonzero(random.random(n_rows) < 0.5)
    absent = np.searchsorted(shares, random.random(others.size)).clip(max=n_labels - 1)
    cells = np.append(rows[is_positive], others), np.append(scores.indices[is_positive], absent)
    Y = sparse.csr_array((np.ones(cells[0].size, dtype=bool), cells), shape=(n_rows, n_labels))
    return scores, Y


def steps(scores: Any, Y: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Return what is measured on scores and labels, by name."""
    path = folder / "thresholds.json"
    tuned = best_thresholds(scores, Y)
    return {
        "micro-f": lambda: best_thresholds(scores, Y),
        "macro-f": lambda: best_thresholds(scores, Y, maximize="macro-f"),
        "frontier": lambda: micro_frontier(scores, Y),
        "decide": lambda: tuned.decide(scores),
        "evaluate": lambda: evaluate(Y, scores=scores, decided=tuned.decide(scores)),
        "print": lambda: repr(tuned),
        "save": lambda: tuned.save(path),
        "load": lambda: Thresholds.load(path),
        "shrink auto": lambda: best_thresholds(scores, Y, shrink="auto", random_state=0),
        "macro, fbr auto": lambda: best_thresholds(
            scores, Y, maximize="macro-f", fbr="auto", random_state=0
        ),
    }


def show_steps() -> None:
    """Measure each step at each size, and print how times grow with the scores."""
    table = Table("rows x labels", "step", title="CSR scores, 20 a row")
    for heading in ("seconds", "CPU", "GB", "growth"):
        table.add_column(heading, justify="right")
    before: dict[str, tuple[int, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for call in steps(*scored(300, 50), Path(folder)).values():
            call()  # compiles
        for size in sizes_from("LABELWISE_LABELS", SIZES):
            scores, Y = scored(*size)
            for name, call in steps(scores, Y, Path(folder)).items():
                cost = least_cost_of(call)
                growth = ""
                if name in before:
                    n_scores, cpu = before[name]
                    growth = f"{math.log(cost.cpu / cpu) / math.log(scores.nnz / n_scores):.2f}"
                before[name] = scores.nnz, cost.cpu
                shown = (f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", f"{cost.gigabytes:.1f}", growth)
                table.add_row(f"{size[0]:,} x {size[1]:,}", name, *shown)
    Console(width=110).print(table)


def show_at_k() -> None:
    """Maximise expected macro F at 3 beside xCOLUMNs."""
    from xcolumns.block_coordinate import predict_using_bc_with_0approx
    from xcolumns.metrics import binary_f1_score_on_conf_matrix

    for n_rows, n_labels in [(200, 50), *sizes_from("LABELWISE_AT_K", "20000x4000")]:
        random, shares = np.random.default_rng(0), rare_labels(n_labels, 0.5)
        labels = np.searchsorted(shares, random.random((n_rows, 30))).clip(max=n_labels - 1)
        cells = random.beta(0.5, 2.0, labels.size), labels.ravel(), np.arange(n_rows + 1) * 30
        proba = sparse.csr_array(cells, shape=(n_rows, n_labels))
        proba.sum_duplicates()
        proba.data = np.minimum(proba.data, 1.0)
        best, ours = cost_of(lambda p=proba: best_at_k(p, 3, maximize="macro-f"))
        (_, notes), peer = cost_of(
            lambda p=proba: predict_using_bc_with_0approx(
                sparse.csr_matrix(p), binary_f1_score_on_conf_matrix, 3, seed=0, return_meta=True
            )
        )
        if n_rows > 200:  # the first call compiles
            size = f"{n_rows:,} x {n_labels:,}"
            print(
                f"{size}: best_at_k {best.value:.5f} in {ours.cpu:.2f} s (CPU), at most "
                f"{best.gap:.1g} below the best; xCOLUMNs {notes['utilities'][-1]:.5f} in "
                f"{peer.cpu:.1f} s, {peer.cpu / ours.cpu:.0f} times as long"
            )
            record(f"best_at_k, macro F at 3, {size} / xCOLUMNs", ours.cpu, peer.cpu)


def show_assign() -> None:
    """Assign rows with 1,000 labels, 4.9 positives a row, to ten folds.

    A pass over the labels is a conversion of the matrix from columns to rows, which reads and
    writes each positive once.
    """
    before = None
    rows = [int(n) for n in os.environ.get("LABELWISE_ASSIGN", "500000,5000000").split(",")]
    for n_rows in [1000, 450_000, *rows]:
        random, shares = np.random.default_rng(0), rare_labels(1000, 0.8)
        labels = np.searchsorted(shares, random.random(5 * n_rows)).clip(max=999)
        cells = np.repeat(np.arange(n_rows), 5), labels
        Y = sparse.csc_array((np.ones(labels.size, dtype=bool), cells), shape=(n_rows, 1000))
        cost = least_cost_of(lambda Y=Y: assign(Y, 10, method="iterative", random_state=0)).cpu
        if n_rows in rows:  # smaller calls compile
            passes = cost / least_cost_of(Y.tocsr).cpu
            growth = f", {cost / before:.1f} times as long" if before else ""
            size = f"{n_rows:,} rows, {Y.nnz:,} positives"
            print(f"assign: {size}: {cost:.2f} s, {passes:.1f} passes over the labels{growth}")
            before = cost


def main() -> None:
    """Show the steps on CSR scores, `best_at_k` beside xCOLUMNs, and `assign`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        show_steps()
        show_at_k()
        show_assign()
