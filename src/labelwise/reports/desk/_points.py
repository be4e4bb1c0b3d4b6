"""The marked points of a desk: common rules and given thresholds, with held-out values.

A second model is compared with the first at the highest micro F of each.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import averaged_records, count_matched, micro_draws
from labelwise._parallel import n_threads_for
from labelwise._tuning import (
    Problem,
    Request,
    cross_fitted,
    held_out_frontiers,
    random_folds,
    solve,
    solve_with_folds,
)
from labelwise._validation import check_random_state
from labelwise.decisions import Thresholds, micro_frontier
from labelwise.measures import Counts, f_measure, precision, recall
from labelwise.reports.desk._desk import Desk

N_DRAWS = 200
CONFIDENCE = 0.95
# Intervals over fewer units would say nothing.
_LEAST_UNITS = 20
MEASURES = {"precision": precision, "recall": recall, "f": f_measure}
# Points of the rival's frontier that are drawn.
_MOST_DRAWN = 600


class MarkedPoint(NamedTuple):
    """Decisions with a name, and the thresholds that they come from.

    `held_out` has decisions by thresholds of other folds. Without it, the decisions on these
    samples are what to expect on new samples, unless `is_optimistic`: the thresholds were tuned on
    these samples.
    """

    key: str
    name: str
    note: str
    decided: sparse.csc_array  # bool
    values: np.ndarray | None = None  # None for decisions without thresholds
    result: Thresholds | None = None
    held_out: sparse.csc_array | None = None
    is_optimistic: bool = False


@dataclass(frozen=True)
class Folds:
    """A fold for each sample of a problem."""

    problem: Problem
    numbers: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> Folds:
        """Return the random folds by which all held-out values of thresholds are measured."""
        return cls(problem, random_folds(problem, 0))

    def tuned(self, request: Request, seed: int) -> tuple[Thresholds, np.ndarray | None]:
        """Tune on all samples and, if there are folds, without each of them."""
        if np.unique(self.numbers).size < 2:
            return solve(self.problem, request, seed), None
        return solve_with_folds(self.problem, request, self.numbers, seed)

    def decisions(self, thresholds: np.ndarray) -> sparse.csc_array:
        """Decide each sample by the thresholds of the other folds."""
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
    """Decide all samples by the same thresholds."""
    return Folds(problem, np.zeros(problem.n_samples, dtype=np.intp)).decisions(thresholds[None])


def decisions_of(problem: Problem, thresholds: Thresholds) -> sparse.csc_array:
    """Decide all samples by thresholds, with at most as many labels as they allow."""
    decided = sparse.csc_array(thresholds.decide(problem.scores), dtype=bool)
    decided.eliminate_zeros()
    return decided


class Marked(NamedTuple):
    """The points of a desk, the given ones first, and what folds say about tuned thresholds."""

    points: list[MarkedPoint]
    fold_thresholds: np.ndarray | None  # of the exact optimum, of shape (n_folds, n_labels)
    frontiers: list[Any]  # of all folds but one, as `held_out_frontiers` returns them

    def point(self, key: str) -> MarkedPoint:
        """Return the point with a key."""
        return next(point for point in self.points if point.key == key)


def marked_points(desk: Desk) -> Marked:
    """Tune the common rules for micro F, and measure each of them on held-out folds too."""
    problem = desk.problem
    folds = Folds.of(problem)
    told = "The given decisions, which have no thresholds."
    given = [] if desk.decided is None else [desk.decided]
    points = [MarkedPoint("decided", "given", told, decided) for decided in given]
    points += [
        _given(problem, number, *item, desk.seed)
        for number, item in enumerate(desk.thresholds.items())
    ]
    points.append(_default_cut(problem))
    fold_thresholds = None
    for key, (result, by_fold) in _tuned(problem, folds, desk.seed).items():
        held_out = None if by_fold is None else folds.decisions(by_fold)
        decided = decisions_of(problem, result)
        points.append(
            MarkedPoint(
                key,
                *_words(key, result),
                decided,
                result.values,
                result,
                held_out,
                is_optimistic=True,
            )
        )
        fold_thresholds = by_fold if key == "exact" else fold_thresholds
    return Marked(points, fold_thresholds, held_out_frontiers(problem, folds.numbers))


def _tuned(
    problem: Problem, folds: Folds, seed: int
) -> dict[str, tuple[Thresholds, np.ndarray | None]]:
    """Return the thresholds of each rule that applies, and those without each fold."""
    options: dict[str, dict[str, Any]] = {"exact": {}, "shared": {"shared": True}}
    if problem.n_fold_units > 1 and problem.support.any():
        options |= {"shrink": {"shrink": "auto"}, "fbr": {"fbr": "auto"}}
    requests = {key: Request(**given) for key, given in options.items()}
    # What all requests need is computed once, before threads ask for it.
    _ = problem.fold_units, problem.ranking, problem.hit_positions
    with ThreadPoolExecutor(max(1, n_threads_for(len(requests)))) as pool:
        found = pool.map(lambda request: folds.tuned(request, seed), requests.values())
        return dict(zip(requests, found, strict=True))


def _words(key: str, result: Thresholds) -> tuple[str, str]:
    """Return the name of a tuned point and a sentence on it."""
    name = {"exact": "exact", "shared": "shared", "shrink": "shrunk", "fbr": "FBR"}[key]
    if key == "exact":
        return name, "The highest micro F that any thresholds reach on these samples."
    if key == "shared":
        return name, "One threshold for all labels, the best one for micro F."
    amount = result.evidence.shrink if key == "shrink" else result.evidence.fbr
    if not amount:
        return name, "No amount is better than 0 on held-out folds: the same as exact."
    if key == "shrink":
        return name, f"Rare labels lean on the curve of all labels, by {amount:g} (shrinkage)."
    return name, f"Labels whose F is below {amount:g} get a higher threshold."


def _default_cut(problem: Problem) -> MarkedPoint:
    """Return the cut that most programs use: 0.5 for probabilities, 0 for other scores."""
    cut = 0.5 if are_probabilities(problem) else 0.0
    told = f"Every label is decided from a score of {cut:g}, without tuning."
    values = np.full(problem.n_labels, cut)
    return MarkedPoint("default", f"cut at {cut:g}", told, decided_by(problem, values), values)


def are_probabilities(problem: Problem) -> bool:
    """Return whether all scores are between 0 and 1."""
    stored = problem.scores.data if sparse.issparse(problem.scores) else problem.scores
    return bool(stored.size) and bool(stored.min() >= 0) and bool(stored.max() <= 1)


def _given(
    problem: Problem, number: int, name: str, thresholds: Thresholds | np.ndarray, seed: int
) -> MarkedPoint:
    key = f"given{number}"
    if not isinstance(thresholds, Thresholds):
        decided, told = decided_by(problem, thresholds), "The given thresholds."
        return MarkedPoint(key, name or "given", told, decided, thresholds)
    decided = decisions_of(problem, thresholds)
    known = (decided, thresholds.values, thresholds)
    if thresholds.evidence.guarantee is not None:
        told = thresholds.evidence.guarantee.lines(thresholds.label_names)[0].capitalize() + "."
        return MarkedPoint(key, name or "certified", told, *known)
    if not _were_tuned_on(problem, thresholds, decided):
        told = f"The given thresholds, tuned on {thresholds.evidence.n_samples:,} other samples."
        return MarkedPoint(key, name or "given", told, *known)
    told = "The given thresholds, tuned on these samples."
    return MarkedPoint(
        key, name or "given", told, *known, _tuned_again(problem, thresholds, seed), True
    )


def _were_tuned_on(problem: Problem, tuned: Thresholds, decided: sparse.csc_array) -> bool:
    """Return whether thresholds were tuned on these samples: all their counts are the same."""
    return (
        not tuned.evidence.adapted
        and tuned.evidence.n_samples == problem.n_samples
        and np.array_equal(tuned.evidence.support, problem.support)
        and np.array_equal(tuned.evidence.decided, np.diff(decided.indptr))
    )


def _tuned_again(problem: Problem, tuned: Thresholds, seed: int) -> sparse.csc_array | None:
    """Decide each sample by thresholds that other folds give for the same request.

    Return None if the request is not known in full (costs, a function of the caller), or if other
    folds do not meet its constraints.
    """
    options: dict[str, Any] = {
        "beta": tuned.evidence.beta,
        "shared": tuned.evidence.shared,
        "shrink": 0.0 if tuned.evidence.shared else tuned.evidence.shrink,
        "fbr": tuned.evidence.fbr,
    }
    for check in tuned.evidence.constraints:
        # A whole number limits all decisions, a decimal number those of a sample.
        is_total = check.name == "max_decisions"
        options[check.name] = int(check.limit) if is_total else check.limit
    functions = {one.function.__name__: one.function for one in averaged_records().values()}
    if tuned.evidence.measure not in functions or tuned.max_rank is not None:
        return None
    measure = functions[tuned.evidence.measure]
    request = Request(maximize=measure, average=tuned.evidence.average, **options)
    found = cross_fitted(problem, request, seed, random_folds(problem, 0))
    return None if found is None else found.decided


def measured(problem: Problem, decided: sparse.csc_array, seed: Any) -> dict[str, Any]:
    """Return the counts of all labels together, and intervals of precision, recall and F."""
    by_sample = count_matched(problem.Y, decided, "sample")
    found: dict[str, Any] = {"counts": [int(np.sum(part)) for part in by_sample], "intervals": None}
    if problem.n_units >= _LEAST_UNITS:
        drawn = draws(by_sample, seed)
        found["intervals"] = {name: middle(rate(drawn)) for name, rate in MEASURES.items()}
    return found


def draws(by_sample: Counts, seed: Any) -> Counts:
    """Draw samples with replacement; the same seed draws the same samples."""
    return micro_draws(by_sample, N_DRAWS, check_random_state(seed))


def middle(values: np.ndarray) -> list[float | None]:
    """Return the percentiles that enclose the middle share; None if a draw has no value."""
    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(values, [tail, 1 - tail])
    return [float(end) if np.isfinite(end) else None for end in ends]


def compare_models(
    problem: Problem, held_out: sparse.csc_array | None, rival: Problem, seed: Any
) -> dict[str, Any]:
    """Return what the page says about a second model, at the highest micro F of each.

    Values and differences are those of held-out decisions, with the same folds and the same drawn
    samples for both models. Without folds, the decisions of the thresholds tuned on all samples
    count.
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
        "best": [int(best.evidence.decided.sum()), int(rival.counts(best.values).tp.sum())],
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
    """Return, for each measure, ours minus theirs, and the interval over the same drawn samples."""
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
    return {
        f"{who}_{name}": np.asarray(rate(found), dtype=np.float64)
        for who, found in counts.items()
        for name, rate in MEASURES.items()
    }
