"""`evaluate` beside scikit-learn's functions for the same measures, in one process.

The data have the size of bookmarks, 87,856 rows and 208 labels with two labels a row. One call of
`evaluate` finds all of the peer's measures and about forty more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn import metrics

from benchmarks.speedups import record
from benchmarks.timing import fastest, most_memory
from labelwise.measures import Evaluation, evaluate

SHAPE = (87_856, 208)
CARDINALITY = 1.9


def make_outcome(dtype: Any, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a truth with a long tail of labels, probabilities as a model gives them, decisions.

    Every row has a label: on rows without, the conventions differ.
    """
    random = np.random.default_rng(seed)
    frequency = 1 / np.arange(5, SHAPE[1] + 5)
    frequency *= CARDINALITY / frequency.sum()
    Y = random.random(SHAPE) < frequency
    empty = np.flatnonzero(~Y.any(axis=1))
    Y[empty, random.choice(SHAPE[1], empty.size, p=frequency / frequency.sum())] = True
    logits = np.log(frequency) + 1.2 * random.standard_normal(SHAPE) + 2.5 * Y
    scores = (1 / (1 + np.exp(-logits))).astype(dtype)
    return Y.astype(np.int8), scores, (scores >= 0.2).astype(np.int8)


def peers(Y: np.ndarray, scores: np.ndarray, decided: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Return scikit-learn's functions under our names for the measures."""
    return {
        "coverage": lambda: metrics.coverage_error(Y, scores) - 1,
        "ranking-loss": lambda: metrics.label_ranking_loss(Y, scores),
        "sample-average-precision": lambda: metrics.label_ranking_average_precision_score(
            Y, scores
        ),
        "macro-average-precision": lambda: metrics.average_precision_score(Y, scores),
        "micro-auc": lambda: metrics.roc_auc_score(Y, scores, average="micro"),
        "micro-f": lambda: metrics.f1_score(Y, decided, average="micro"),
        "macro-f": lambda: metrics.f1_score(Y, decided, average="macro", zero_division=1),
        "sample-f": lambda: metrics.f1_score(Y, decided, average="samples", zero_division=1),
        "hamming-loss": lambda: metrics.hamming_loss(Y, decided),
    }


def compare(dtype: Any) -> None:
    """Print the times for scores of one precision, and check that the values are the same."""
    Y, scores, decided = make_outcome(dtype)

    def ours() -> Evaluation:
        return evaluate(Y, scores=scores, decided=decided)

    start = time.perf_counter()
    found = ours()
    cold = time.perf_counter() - start
    total = print_peers(Y, scores, decided, found)
    warm, memory = fastest(ours, 7), most_memory(ours) / scores.nbytes
    record(f"evaluate, {scores.dtype} / scikit-learn's measures", warm, total)
    print(
        f"evaluate, {len(found)} measures: {warm:.3f} s, {total / warm:.0f} times as fast; ", end=""
    )
    print(f"first call {cold:.2f} s; memory beside the scores {memory:.2f} times their size.")


def print_peers(Y: np.ndarray, scores: np.ndarray, decided: np.ndarray, found: Evaluation) -> float:
    """Print the time of each of the peer's functions and return their sum."""
    size = f"{Y.shape[0]:,} x {Y.shape[1]} scores, {scores.dtype}"
    table = Table("measure", title=f"Evaluating {size} (seconds, faster of two runs)")
    table.add_column("scikit-learn", justify="right")
    total = 0.0
    for name, peer in peers(Y, scores, decided).items():
        values: list[float] = []
        total += (spent := fastest(lambda p=peer, v=values: v.append(p()), 2))
        # scikit-learn sums some curves in single precision.
        np.testing.assert_allclose(found[name], values[0], rtol=1e-6)
        table.add_row(name, f"{spent:.3f}")
    table.add_row("all of these", f"{total:.3f}", style="bold")
    Console().print(table)
    return total


def main() -> None:
    """Compare in both precisions."""
    for dtype in (np.float64, np.float32):
        compare(dtype)


if __name__ == "__main__":
    main()
