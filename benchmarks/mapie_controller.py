"""Guarantees for means of rows beside MAPIE's multi-label controller, on the same draws.

MAPIE has one threshold for all labels, from a grid of 100, and needs labels in every row: rows
without labels are left out. It uses all rows for calibration; labelwise uses half of them to choose
thresholds. Rows without decisions have precision 0 for MAPIE and none for labelwise: with a limit
of 0.8, MAPIE certifies nothing here.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from labelwise.decisions import best_thresholds
from labelwise.measures import count, macro, precision, recall

if TYPE_CHECKING:
    from benchmarks.guarantees import Truth

N_ROWS = 500
LEVEL = 0.95
# What is asked for, with the arguments of both.
TASKS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "precision 0.7": (
        {"min_precision": 0.7, "guarantee": LEVEL},
        {"risk": "precision", "method": "ltt", "target_level": 0.7, "confidence_level": LEVEL},
    ),
    "recall 0.8": (
        {"min_recall": 0.8, "guarantee": LEVEL},
        {
            "risk": "recall",
            "method": "rcps",
            "rcps_bound": "bernstein",
            "target_level": 0.8,
            "confidence_level": LEVEL,
        },
    ),
    "expected recall 0.8": (
        {"min_recall": 0.8, "guarantee": "expectation"},
        {"risk": "recall", "method": "crc", "target_level": 0.8},
    ),
}
MAPIE_HEAD = [
    "| asked | labels | by | draws | broken | refused | precision | recall | seconds |",
    "|---|---|---|--:|--:|--:|--:|--:|--:|",
]


def mapie_lines(truths: list[Truth], n_draws: int) -> list[str]:
    """Return the rows of the table, and print them."""
    lines = []
    for words, (ours, theirs) in TASKS.items():
        for truth in truths:
            for by, tuner in (("labelwise", our_tuner(ours)), ("MAPIE", mapie_tuner(theirs))):
                shown = row(truth, tuner, n_draws, ours)
                lines.append(f"| {words} | {truth.population.name} | {by} | {n_draws} | {shown} |")
                print(lines[-1], flush=True)
    return lines


Decide = Callable[[np.ndarray], np.ndarray]
Tuner = Callable[[np.ndarray, np.ndarray], Decide | None]


def our_tuner(options: dict[str, Any]) -> Tuner:
    """Return a function that tunes by labelwise; None if nothing can be certified."""

    def tune(scores: np.ndarray, Y: np.ndarray) -> Decide | None:
        try:
            return best_thresholds(scores, Y, maximize="sample-f", **options).decide
        except ValueError:
            return None

    return tune


def mapie_tuner(options: dict[str, Any]) -> Tuner:
    """Return a function that tunes by MAPIE; None if nothing can be certified."""
    from mapie.risk_control import MultiLabelClassificationController

    def tune(scores: np.ndarray, Y: np.ndarray) -> Decide | None:
        controller = MultiLabelClassificationController(lambda given: given, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            controller.calibrate(scores, Y.astype(int))
        # The threshold is NaN if no test passes.
        if np.isnan(controller.best_predict_param).any():
            return None
        return lambda given: controller.predict(given)[:, :, 0]

    return tune


def row(truth: Truth, tuner: Tuner, n_draws: int, asked: dict[str, Any]) -> str:
    """Return the cells of one row: broken and refused draws, mean rates and seconds."""
    random = np.random.default_rng(0)
    has_labels = truth.Y.any(axis=1)
    new_scores, new_Y = truth.scores[has_labels], truth.Y[has_labels]
    found, seconds = [], []
    for _ in range(n_draws):
        scores, Y = truth.population.draw(2 * N_ROWS, random)
        kept = np.flatnonzero(Y.any(axis=1))[:N_ROWS]
        start = time.process_time()
        decide = tuner(scores[kept], Y[kept])
        seconds.append(time.process_time() - start)
        if decide is not None:
            counts = count(new_Y, decide(new_scores), by="sample")
            found.append([macro(rate, counts, "skip") for rate in (precision, recall)])
    if not found:
        return f"- | {n_draws} | - | - | {np.median(seconds):.3f}"
    rates = np.array(found)
    limits = [asked.get("min_precision", 0.0), asked.get("min_recall", 0.0)]
    n_broken = np.count_nonzero(np.less(rates, limits).any(axis=1))
    means = " | ".join(f"{value:.3f}" for value in rates.mean(axis=0))
    refused = n_draws - len(found)
    return f"{n_broken} | {refused} | {means} | {np.median(seconds):.3f}"
