"""Two models side by side: frontiers, the paired difference, and labels won and lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise.decisions import Problem, Request, micro_frontier, solve
from labelwise.measures import count_matched, f_measure, precision, recall
from labelwise.reports.desk._points import (
    MEASURES,
    Folds,
    decided_by,
    draws,
    measured,
    middle,
)

# Points of the rival's frontier that are drawn.
_MOST_DRAWN = 600


def compare_models(
    problem: Problem, held_out: sparse.csc_array | None, rival: Problem, seed: Any
) -> dict[str, Any]:
    """Return what the page says about a second model, at the highest micro F of each.

    Values and differences are those of held-out decisions, with the same folds and the same drawn
    rows for both models. Without folds, the decisions of the thresholds tuned on all rows count.
    """
    request = Request()
    folds = Folds.of(rival)
    best, by_fold = folds.tuned(request, seed)
    if held_out is None or by_fold is None:
        ours = decided_by(problem, solve(problem, request, seed).values)
        theirs = decided_by(rival, best.values)
    else:
        ours, theirs = held_out, folds.decisions(by_fold)
    return {
        "frontier": _curve(rival),
        "best": [int(best.decided.sum()), int(rival.counts(best.values).tp.sum())],
        "ours": measured(problem, ours, seed),
        "theirs": measured(rival, theirs, seed),
        "difference": _differences(problem, ours, theirs, seed),
        "labels": _by_label(problem, ours, theirs),
    }


def _curve(problem: Problem) -> dict[str, list[int]]:
    """Return points of the frontier, all of them if there are few."""
    frontier = micro_frontier(problem.scores, problem.Y)
    last = len(frontier) - 1
    places = np.unique(np.linspace(0, last, min(_MOST_DRAWN, last + 1)).round().astype(np.intp))
    return {"decided": frontier.decided[places].tolist(), "hits": frontier.hits[places].tolist()}


def _differences(
    problem: Problem, ours: sparse.csc_array, theirs: sparse.csc_array, seed: Any
) -> dict[str, list[float | None]]:
    """Return, for each measure, ours minus theirs, and the interval over the same drawn rows."""
    by_sample = [count_matched(problem.Y, decided, "sample") for decided in (ours, theirs)]
    drawn = [draws(counts, seed) for counts in by_sample]
    found = {}
    for name, rate in MEASURES.items():
        totals = [rate(type(counts)(*map(np.sum, counts))) for counts in by_sample]
        change = float(totals[0] - totals[1])
        ends = middle(rate(drawn[0]) - rate(drawn[1]))
        found[name] = [change if np.isfinite(change) else None, *ends]
    return found


def _by_label(
    problem: Problem, ours: sparse.csc_array, theirs: sparse.csc_array
) -> dict[str, np.ndarray]:
    """Return precision, recall and F of each label, ours and theirs."""
    counts = {
        "ours": count_matched(problem.Y, ours, "label"),
        "theirs": count_matched(problem.Y, theirs, "label"),
    }
    rates = {"precision": precision, "recall": recall, "f": f_measure}
    return {
        f"{who}_{name}": np.asarray(rate(found), dtype=np.float64)
        for who, found in counts.items()
        for name, rate in rates.items()
    }
