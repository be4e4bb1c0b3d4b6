"""The micro-F optimum beside a plain sort, Algorithm 1 and peers, and how time grows.

The sizes are those of mediamill (30,993 x 101) and delicious (16,105 x 983), with labels as rare
as theirs; the scores are those of a fair model. labelwise sorts labels in a thread for each core;
all others run in one.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.growth import show_growth
from benchmarks.speedups import record
from benchmarks.timing import fastest, most_memory
from labelwise.decisions import (
    best_thresholds,
    confidence_interval,
    micro_frontier,
    scan_thresholds,
)
from labelwise.measures import count, f_measure, micro

SIZES = ((30_993, 101, 4.38), (16_105, 983, 19.02))
GROWTH = {
    "samples": [(n, 30, 2.0) for n in (1_000, 10_000, 100_000, 1_000_000)],
    "labels": [(2_000, n, 4.0) for n in (10, 100, 1_000, 10_000)],
    "positives": [(100_000, 30, cardinality) for cardinality in (0.01, 0.1, 1.0, 10.0)],
}
# Labels that LibMultiLabel's loop is timed on; the rest is taken to cost the same.
N_TIMED = 3


def make_scores(
    n_samples: int, n_labels: int, cardinality: float, dtype: Any = np.float64, seed: int = 0
) -> tuple[np.ndarray, sparse.csc_array]:
    """Return the probabilities of a fair model, and a truth with a long tail of labels."""
    random = np.random.default_rng(seed)
    share = 1 / np.arange(5, n_labels + 5)
    share = np.minimum(share * cardinality / share.sum(), 0.8)
    Y = random.random((n_samples, n_labels)) < share
    logits = np.log(share) + 1.2 * random.standard_normal(Y.shape) + 2.0 * Y
    return (1 / (1 + np.exp(-logits))).astype(dtype), sparse.csc_array(Y)


def frank_wolfe(scores: np.ndarray, Y: sparse.csc_array) -> tuple[float, float] | None:
    """Return the seconds and the value of xCOLUMNs, None if it is not installed."""
    try:
        from xcolumns.frank_wolfe import find_classifier_using_fw
        from xcolumns.metrics import micro_f1_score_on_conf_matrix
    except ImportError:
        return None
    truth = Y.toarray().astype(np.float64)

    def decide() -> np.ndarray:
        found = find_classifier_using_fw(
            truth, scores, micro_f1_score_on_conf_matrix, k=0, skip_tn=True, seed=0
        )
        return np.asarray(found.predict(scores, seed=0)) > 0.5

    seconds = fastest(decide, 1)
    return seconds, float(micro(f_measure, count(Y, decide())))


def one_label_at_a_time(scores: np.ndarray, Y: sparse.csc_array) -> tuple[float, float] | None:
    """Return the seconds of LibMultiLabel's scan, None if it is not installed.

    The scan is part of training; a model that gives back the scores takes the place of its own.
    It is timed on a few labels, so that there is no value.
    """
    try:
        from libmultilabel.linear import linear
    except ImportError:
        return None
    linear._do_train = lambda *_: np.matrix([[1.0]])
    stats = {"tp": 0, "fp": 0, "fn": 0, "labels": 0}

    def scan() -> None:
        for j in range(N_TIMED):
            truth = 2 * Y[:, [j]].toarray().ravel().astype(np.int64) - 1
            linear._micromacro_one_label(truth, sparse.csr_matrix(scores[:, [j]]), "", stats)

    return fastest(scan, 1) * Y.shape[1] / N_TIMED, np.nan


def compare(n_samples: int, n_labels: int, cardinality: float, dtype: Any) -> None:
    """Print the times and values at one size."""
    scores, Y = make_scores(n_samples, n_labels, cardinality, dtype)
    start = time.perf_counter()
    value = best_thresholds(scores, Y).value
    cold = time.perf_counter() - start
    ours = fastest(lambda: best_thresholds(scores, Y), 9)
    dense = Y.toarray()
    rows: dict[str, tuple[float, float] | None] = {
        "best_thresholds": (ours, value),
        "best_thresholds, Y dense": (fastest(lambda: best_thresholds(scores, dense)), value),
        "numpy.argsort(axis=0)": (fastest(lambda: np.argsort(scores, axis=0)), np.nan),
        "Algorithm 1, vectorised": scanned(scores, Y, None),
        "one scan of it (Fan and Lin)": scanned(scores, Y, 1),
        "xCOLUMNs, Frank-Wolfe": frank_wolfe(scores, Y),
        "LibMultiLabel's scan": one_label_at_a_time(scores, Y),
    }
    size = f"{n_samples:,} x {n_labels} scores, {np.dtype(dtype).name}"
    table = Table("", title=f"Thresholds for micro F, {size} (fastest of several runs)")
    for heading in ("seconds", "times ours", "micro F"):
        table.add_column(heading, justify="right")
    for name, found in rows.items():
        if found is None:
            table.add_row(name, "not installed", "", "")
            continue
        seconds, reached = found
        shown = "" if np.isnan(reached) else f"{reached:.4f}"
        table.add_row(name, f"{seconds:.3f}", f"{seconds / ours:.2f}", shown)
        if name not in ("best_thresholds", "best_thresholds, Y dense"):
            record(f"best_thresholds, {size} / {name}", ours, seconds)
    Console().print(table)
    share = most_memory(lambda: best_thresholds(scores, Y)) / scores.nbytes
    print(f"First call {cold:.2f} s; memory beside the scores {share:.2f} times their size.")


def scanned(scores: np.ndarray, Y: sparse.csc_array, max_scans: int | None) -> tuple[float, float]:
    """Return the seconds and the value of Algorithm 1."""
    value = scan_thresholds(scores, Y, max_scans=max_scans).thresholds.value
    return fastest(lambda: scan_thresholds(scores, Y, max_scans=max_scans), 3), value


def grow() -> None:
    """Show how the time grows over three decades of samples, labels and positives."""
    calls: dict[str, Callable[..., Any]] = {
        "best_thresholds": best_thresholds,
        "macro": partial(best_thresholds, maximize="macro-f"),
        "micro_frontier": micro_frontier,
    }
    problems = {what: [make_scores(*size) for size in sizes] for what, sizes in GROWTH.items()}
    curves = {
        (name, what): {size: partial(call, *problem) for size, problem in by_size(what, found)}
        for what, found in problems.items()
        for name, call in calls.items()
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has no positives")
        show_growth("Thresholds", curves)


def by_size(
    what: str, problems: list[tuple[np.ndarray, sparse.csc_array]]
) -> Iterator[tuple[int, tuple[np.ndarray, sparse.csc_array]]]:
    """Give each problem with what grows in it."""
    for scores, Y in problems:
        size = {"samples": Y.shape[0], "labels": Y.shape[1], "positives": Y.nnz}[what]
        yield int(size), (scores, Y)


def intervals() -> None:
    """Print the time of 200 bootstrap draws."""
    scores, Y = make_scores(*SIZES[0])
    for average in ("micro", "macro"):
        seconds = fastest(
            lambda average=average: confidence_interval(
                best_thresholds(scores, Y, maximize=f"{average}-f"), scores, Y, random_state=0
            ),
            1,
        )
        print(f"200 bootstrap draws at 30,993 x 101, {average}: {seconds:.1f} s.")


def certified() -> None:
    """Print the time of certified thresholds beside the plain optimum."""
    scores, Y = make_scores(*SIZES[0])
    best_thresholds(scores, Y, min_precision=0.8, guarantee=0.95, random_state=0)
    plain = fastest(lambda: best_thresholds(scores, Y), 9)
    guaranteed = fastest(
        lambda: best_thresholds(scores, Y, min_precision=0.8, guarantee=0.95, random_state=0), 9
    )
    record("best_thresholds, guarantee=0.95, 30,993 x 101 / plain optimum", guaranteed, plain)
    print(
        f"min_precision=0.8 with guarantee=0.95 at 30,993 x 101: {guaranteed:.3f} s, "
        f"{guaranteed / plain:.1f} times the plain optimum."
    )


def main() -> None:
    """Compare at both sizes and in both precisions, then grow."""
    for size in SIZES:
        for dtype in (np.float64, np.float32):
            compare(*size, dtype)
    certified()
    grow()
    intervals()


if __name__ == "__main__":
    main()
