"""The marked points of a desk: common rules and given thresholds, with held-out values."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._parallel import n_threads_for
from labelwise._validation import check_random_state
from labelwise.decisions import (
    Problem,
    Request,
    Thresholds,
    check_request,
    solve,
    solve_with_folds,
)
from labelwise.measures import (
    Counts,
    Resampling,
    count_matched,
    f_measure,
    micro_draws,
    precision,
    recall,
)
from labelwise.reports.desk._desk import Desk
from labelwise.splitting import assign_checked

N_FOLDS = 5
N_DRAWS = 200
CONFIDENCE = 0.95
# Intervals over fewer units would say nothing.
_LEAST_UNITS = 20
MEASURES = {"precision": precision, "recall": recall, "f": f_measure}


class MarkedPoint(NamedTuple):
    """Thresholds with a name; `held_out` has decisions by thresholds of other folds."""

    key: str
    name: str
    note: str
    values: np.ndarray
    result: Thresholds | None = None
    held_out: sparse.csc_array | None = None


@dataclass(frozen=True)
class Folds:
    """A fold for each row of a problem, the same whenever they are drawn with the same seed."""

    problem: Problem
    numbers: np.ndarray

    @classmethod
    def of(cls, problem: Problem, random_state: Any) -> Folds:
        """Assign the units of a problem to random folds.

        Stratified folds would have the label shares that were tuned for, which new rows need not
        have.
        """
        n_folds = min(N_FOLDS, problem.n_fold_units)
        if n_folds < 2:
            return cls(problem, np.zeros(problem.n_samples, dtype=np.intp))
        random = check_random_state(random_state)
        numbers = assign_checked(
            problem.Y, n_folds, method="random", groups=problem.fold_units, random_state=random
        )
        return cls(problem, numbers)

    def tuned(self, request: Request, seed: int) -> tuple[Thresholds, np.ndarray | None]:
        """Tune on all rows and, if there are folds, without each of them."""
        if np.unique(self.numbers).size < 2:
            return solve(self.problem, request, seed), None
        return solve_with_folds(self.problem, request, self.numbers, seed)

    def decisions(self, thresholds: np.ndarray) -> sparse.csc_array:
        """Decide each row by the thresholds of the other folds."""
        scores = self.problem.scores
        _, row_fold = np.unique(self.numbers, return_inverse=True)
        if not sparse.issparse(scores):
            return sparse.csc_array(scores >= thresholds[row_fold])
        stored = sparse.csr_array(scores)
        rows = np.repeat(row_fold, np.diff(stored.indptr))
        reached = stored.data >= thresholds[rows, stored.indices]
        decided = sparse.csr_array((reached, stored.indices, stored.indptr), shape=stored.shape)
        decided.eliminate_zeros()
        return sparse.csc_array(decided)


def decided_by(problem: Problem, thresholds: np.ndarray) -> sparse.csc_array:
    """Decide all rows by the same thresholds."""
    return Folds(problem, np.zeros(problem.n_samples, dtype=np.intp)).decisions(thresholds[None])


def decisions_of(problem: Problem, point: MarkedPoint) -> sparse.csc_array:
    """Decide all rows by the thresholds of a point, with at most as many labels as they allow."""
    if point.result is None:
        return decided_by(problem, point.values)
    decided = sparse.csc_array(point.result.decide(problem.scores), dtype=bool)
    decided.eliminate_zeros()
    return decided


class Marked(NamedTuple):
    """The points of a desk, and the thresholds of the exact optimum over folds."""

    points: list[MarkedPoint]
    fold_thresholds: np.ndarray | None  # of shape (n_folds, n_labels)


def marked_points(desk: Desk) -> Marked:
    """Tune the common rules for micro F, and measure each of them on held-out folds too."""
    folds = Folds.of(desk.problem, desk.seed)
    points = [_default_cut(desk.problem)]
    fold_thresholds = None
    for key, (result, by_fold) in _tuned(desk.problem, folds, desk.seed).items():
        held_out = None if by_fold is None else folds.decisions(by_fold)
        points.append(MarkedPoint(key, *_words(key, result), result.values, result, held_out))
        fold_thresholds = by_fold if key == "exact" else fold_thresholds
    points += [_given(number, *item) for number, item in enumerate(desk.thresholds.items())]
    return Marked(points, fold_thresholds)


def _tuned(
    problem: Problem, folds: Folds, seed: int
) -> dict[str, tuple[Thresholds, np.ndarray | None]]:
    """Return the thresholds of each rule that applies, and those without each fold."""
    options: dict[str, dict[str, Any]] = {"exact": {}, "shared": {"shared": True}}
    if problem.n_fold_units > 1 and problem.support.any():
        options |= {"shrink": {"shrink": "auto"}, "fbr": {"fbr": "auto"}}
    requests = {key: check_request(given, problem.n_labels) for key, given in options.items()}
    # What all requests need is computed once, before threads ask for it.
    _ = problem.fold_units, problem.ranking, problem.hit_positions
    with ThreadPoolExecutor(max(1, n_threads_for(len(requests)))) as pool:
        found = pool.map(lambda request: folds.tuned(request, seed), requests.values())
        return dict(zip(requests, found, strict=True))


def _words(key: str, result: Thresholds) -> tuple[str, str]:
    """Return the name of a tuned point and a sentence on it."""
    name = {"exact": "exact", "shared": "shared", "shrink": "shrunk", "fbr": "FBR"}[key]
    if key == "exact":
        return name, "The highest micro F that any thresholds reach on these rows."
    if key == "shared":
        return name, "One threshold for all labels, the best one for micro F."
    amount = result.shrink if key == "shrink" else result.fbr
    if not amount:
        return name, "No amount is better than 0 on held-out folds: the same as exact."
    if key == "shrink":
        return name, f"Rare labels lean on the curve of all labels, by {amount:g} (shrinkage)."
    return name, f"Labels whose F is below {amount:g} get a higher threshold."


def _default_cut(problem: Problem) -> MarkedPoint:
    """Return the cut that most programs use: 0.5 for probabilities, 0 for other scores."""
    cut = 0.5 if are_probabilities(problem) else 0.0
    told = f"Every label is decided from a score of {cut:g}, without tuning."
    return MarkedPoint("default", f"cut at {cut:g}", told, np.full(problem.n_labels, cut))


def are_probabilities(problem: Problem) -> bool:
    """Return whether all scores are between 0 and 1."""
    stored = problem.scores.data if sparse.issparse(problem.scores) else problem.scores
    return bool(stored.size) and bool(stored.min() >= 0) and bool(stored.max() <= 1)


def _given(number: int, name: str, thresholds: Thresholds | np.ndarray) -> MarkedPoint:
    values = thresholds if isinstance(thresholds, np.ndarray) else thresholds.values
    result = thresholds if isinstance(thresholds, Thresholds) else None
    guarantee = None if result is None else result.guarantee
    if result is None or guarantee is None:
        return MarkedPoint(
            f"given{number}", name or "given", "Given by the caller.", values, result
        )
    told = guarantee.lines(result.label_names)[0].capitalize() + "."
    return MarkedPoint(f"given{number}", name or "certified", told, values, result)


def measured(problem: Problem, decided: sparse.csc_array, seed: Any) -> dict[str, Any]:
    """Return the counts of all labels together, and intervals of precision, recall and F."""
    by_sample = count_matched(problem.Y, decided, "sample")
    found: dict[str, Any] = {"counts": [int(np.sum(part)) for part in by_sample], "intervals": None}
    if problem.n_units >= _LEAST_UNITS:
        drawn = draws(by_sample, seed)
        found["intervals"] = {name: middle(rate(drawn)) for name, rate in MEASURES.items()}
    return found


def draws(by_sample: Counts, seed: Any) -> Counts:
    """Draw rows with replacement; the same seed draws the same rows."""
    return micro_draws(by_sample, Resampling(N_DRAWS, CONFIDENCE, check_random_state(seed)))


def middle(values: np.ndarray) -> list[float | None]:
    """Return the percentiles that enclose the middle share; None if a draw has no value."""
    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(values, [tail, 1 - tail])
    return [float(end) if np.isfinite(end) else None for end in ends]
