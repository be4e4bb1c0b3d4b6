"""The marked points of a desk: common rules and given thresholds, with held-out values.

A second model is compared with the first at the highest micro F of each.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import averaged_records, count_matched, micro_draws
from labelwise._parallel import n_threads_for
from labelwise._tuning import (
    CrossFitted,
    Problem,
    Request,
    cross_fitted,
    decisions_at,
    held_out_frontiers,
    random_folds,
    solve,
)
from labelwise._validation import check_random_state
from labelwise.decisions import Thresholds, micro_frontier
from labelwise.measures import Counts, f_measure, precision, recall
from labelwise.reports.desk._desk import Desk

# Folds of held-out values, and those behind "auto" amounts, are those of `labelwise tune`, which
# has this seed by default.
SEED = 0
N_DRAWS = 200
CONFIDENCE = 0.95
# Intervals over fewer units would say nothing.
_LEAST_UNITS = 20
MEASURES = {"precision": precision, "recall": recall, "f": f_measure}
# Points of the rival's frontier that are drawn.
_MOST_DRAWN = 600
# Cells up to which thresholds for sample F are searched, which has no frontier.
_MOST_BY_SAMPLE = 2**19


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


def decided_by(problem: Problem, thresholds: np.ndarray) -> sparse.csc_array:
    """Decide all samples by thresholds without limits."""
    return _as_decisions(decisions_at(problem.scores, thresholds))


def decisions_of(problem: Problem, thresholds: Thresholds) -> sparse.csc_array:
    """Decide all samples by thresholds, with at most as many labels as they allow."""
    return _as_decisions(thresholds.decide(problem.scores))


def _as_decisions(found: Any) -> sparse.csc_array:
    decided = sparse.csc_array(found, dtype=bool)
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
    told = "The given decisions, which have no thresholds."
    given = [] if desk.decided is None else [desk.decided]
    points = [MarkedPoint("decided", "given", told, decided) for decided in given]
    points += [
        _given(problem, number, name, given, name in desk.tuned_here)
        for number, (name, given) in enumerate(desk.thresholds.items())
    ]
    points.append(_default_cut(problem))
    fold_thresholds = None
    for key, (result, unseen) in _tuned(problem).items():
        decided = decisions_of(problem, result)
        points.append(
            MarkedPoint(
                key,
                *_words(key, result),
                decided,
                result.values,
                result,
                None if unseen is None else unseen.decided,
                is_optimistic=True,
            )
        )
        if key == "exact" and unseen is not None:
            fold_thresholds = unseen.thresholds
    frontiers = held_out_frontiers(problem, random_folds(problem, SEED))
    return Marked(points, fold_thresholds, frontiers)


def _tuned(problem: Problem) -> dict[str, tuple[Thresholds, CrossFitted | None]]:
    """Return the thresholds of each rule that applies, and decisions by those of other folds."""
    options: dict[str, dict[str, Any]] = {"exact": {}, "shared": {"shared": True}}
    if problem.n_fold_units > 1 and problem.support.any():
        options |= {"shrink": {"shrink": "auto"}, "fbr": {"fbr": "auto"}}
    options["macro-f"] = {"maximize": "macro-f"}
    if problem.n_samples * problem.n_labels <= _MOST_BY_SAMPLE:
        options["sample-f"] = {"maximize": "sample-f"}
    requests = {key: Request(**given) for key, given in options.items()}
    # What all requests need is computed once, before threads ask for it.
    _ = problem.fold_units, problem.ranking, problem.hit_positions
    with ThreadPoolExecutor(max(1, n_threads_for(len(requests)))) as pool:
        found = pool.map(lambda request: _tuned_and_again(problem, request), requests.values())
        return dict(zip(requests, found, strict=True))


def _tuned_and_again(problem: Problem, request: Request) -> tuple[Thresholds, CrossFitted | None]:
    return solve(problem, request, SEED), cross_fitted(problem, request, SEED)


def _words(key: str, result: Thresholds) -> tuple[str, str]:
    """Return the name of a tuned point and a sentence on it."""
    names = {"shrink": "shrunk", "fbr": "FBR", "macro-f": "macro F", "sample-f": "sample F"}
    name = names.get(key, key)
    if key == "macro-f":
        return name, "Each label at its own best threshold: the highest macro F on these samples."
    if key == "sample-f":
        return name, "The highest mean F of the samples that a search found."
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
    problem: Problem,
    number: int,
    name: str,
    thresholds: Thresholds | np.ndarray,
    is_tuned_here: bool,
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
    if not is_tuned_here and not _were_tuned_on(problem, thresholds, decided):
        told = f"The given thresholds, tuned on {thresholds.evidence.n_samples:,} other samples."
        return MarkedPoint(key, name or "given", told, *known)
    told = "The given thresholds, tuned on these samples."
    request = thresholds.evidence.request or _request_of(thresholds)
    unseen = None
    if request is not None:
        unseen = cross_fitted(problem.with_top(request.max_rank), request, SEED)
    held_out = None if unseen is None else unseen.decided
    return MarkedPoint(key, name or "given", told, *known, held_out, is_optimistic=True)


def _were_tuned_on(problem: Problem, tuned: Thresholds, decided: sparse.csc_array) -> bool:
    """Return whether thresholds were tuned on these samples: all their counts are the same."""
    return (
        not tuned.evidence.adapted
        and tuned.evidence.n_samples == problem.n_samples
        and np.array_equal(tuned.evidence.support, problem.support)
        and np.array_equal(tuned.evidence.decided, problem.everyone @ decided)
    )


def _request_of(tuned: Thresholds) -> Request | None:
    """Return what thresholds of an older file, or of a model, were tuned for.

    Return None if it is not known in full (costs, a function of the caller).
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
    return Request(maximize=measure, average=tuned.evidence.average, **options)


def measured(problem: Problem, decided: sparse.csc_array, seed: Any) -> dict[str, Any]:
    """Return the counts of all labels together, and intervals of precision, recall and F."""
    by_sample = counts_by_sample(problem, decided)
    found: dict[str, Any] = {"counts": [int(np.sum(part)) for part in by_sample], "intervals": None}
    if problem.n_units >= _LEAST_UNITS:
        drawn = draws(by_sample, problem.groups, seed)
        found["intervals"] = {name: middle(rate(drawn)) for name, rate in MEASURES.items()}
    return found


def counts_by_sample(problem: Problem, decided: sparse.csc_array) -> Counts:
    """Return the counts of each sample, times its weight."""
    found = count_matched(problem.Y, decided, "sample")
    return Counts(*(problem.everyone * part for part in found))


def draws(by_sample: Counts, groups: np.ndarray | None, seed: Any) -> Counts:
    """Draw samples, or groups of them, with replacement; the same seed draws the same ones."""
    if groups is not None:
        unit = np.unique(groups, return_inverse=True)[1]
        by_sample = Counts(*(np.bincount(unit, part) for part in by_sample))
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
    best, unseen = _tuned_and_again(rival, request)
    if held_out is None or unseen is None:
        ours = decided_by(problem, solve(problem, request, SEED).values)
        theirs = decided_by(rival, best.values)
    else:
        ours, theirs = held_out, unseen.decided
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
    frontier = micro_frontier(problem.scores, problem.Y, sample_weight=problem.weights)
    last = len(frontier) - 1
    places = np.unique(np.linspace(0, last, min(_MOST_DRAWN, last + 1)).round().astype(np.intp))
    return {"decided": frontier.decided[places].tolist(), "hits": frontier.hits[places].tolist()}


def _differences(
    problem: Problem, ours: sparse.csc_array, theirs: sparse.csc_array, seed: Any
) -> dict[str, list[float | None]]:
    """Return, for each measure, ours minus theirs, and the interval over the same drawn samples."""
    by_sample = [counts_by_sample(problem, decided) for decided in (ours, theirs)]
    drawn = [draws(counts, problem.groups, seed) for counts in by_sample]
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
        "ours": problem.counts_of_decisions(ours, "label"),
        "theirs": problem.counts_of_decisions(theirs, "label"),
    }
    return {
        f"{who}_{name}": np.asarray(rate(found), dtype=np.float64)
        for who, found in counts.items()
        for name, rate in MEASURES.items()
    }
