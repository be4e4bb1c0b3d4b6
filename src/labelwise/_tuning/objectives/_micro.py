"""The highest micro average: on the micro frontier, with the certificate that proves it.

Large dense scores are not sorted as a whole. Any thresholds reach some value, and this value gives
a lower bound of the λ that certifies the optimum, at which every label maximises ``hits -
λ·decisions``. A label with P positives that decides d then has ``P - λ·d >= 0``, so that d is at
most P / λ: lower scores do not matter. If some threshold of the label has a positive ``hits -
λ·decisions``, d is smaller. The few cuts that are left contain the optimum, in two thirds of the
time that all cuts take on one thread (`make bench`, 16,105 x 983, beside micro_frontier).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise._curves import (
    Curves,
    Cuts,
    FrontierSteps,
    RowCurves,
    SortedHits,
    count_reaching,
    cuts_of,
    cuts_of_columns,
    frontier_steps,
    gather_reaching,
    halfway,
    hull_slack,
    hulls_of,
    joined,
)
from labelwise._sorting import sort_pieces
from labelwise._tuning.objectives._choice import Choice, choice_at, first_best
from labelwise._tuning.objectives._linear_fractional import (
    certificate_of,
    least_certificate,
    none_is_higher,
)
from labelwise._tuning.objectives._off_frontier import OffFrontier
from labelwise._validation import take_columns


def best_micro(curves: Curves, rule: MicroRule) -> Choice:
    """Find the highest micro average: by few scores, on the frontier, or by a search off it."""
    chosen = best_of_few(curves, rule) or rule(curves.frontier_cuts())
    if chosen.gap is not None:
        return chosen
    search = OffFrontier(curves, curves.cuts_of_all(), rule.measure)
    return search.best() if search.can_prove else chosen


@dataclass(frozen=True)
class MicroRule:
    """Choose the point of the micro frontier with the highest value and the fewest decisions.

    A quotient of linear functions of hits and decisions has its maximum over all threshold vectors
    on the frontier: at the optimum every label maximises ``hits - λ·decisions`` by itself for a
    common λ, and so lies on its hull. This also proves Property 1 of Pillai et al. (ICPR 2012).
    """

    measure: Measure
    needs_every_cut = False

    def __call__(self, cuts: Cuts) -> Choice:
        """Choose one cut for each label; the gap is None without a proof of the optimum."""
        steps = frontier_steps(hulls_of(cuts))
        values = np.asarray(self.measure(steps.counts), dtype=np.float64)
        step = first_best(values)
        chosen = choice_at(steps.hulls, steps.places(step), values[step])
        if step and steps.slopes[0] == steps.slopes[step - 1]:
            chosen = self._first_on_line(cuts, steps, chosen)
        slope = certificate_of(self.measure, chosen.value, steps.n_positive, steps.n_cells)
        if slope is None or not none_is_higher(self.measure, chosen.value, steps.counts):
            return chosen
        return chosen._replace(gap=0.0, certificate=slope)

    def _first_on_line(self, cuts: Cuts, steps: FrontierSteps, best: Choice) -> Choice:
        """Return the cut with the fewest decisions if the best one is on the frontier's first line.

        On this line precision is the same at all points but the first, which has no decisions.
        Among points of equal value, a cut of a single label has the fewest decisions.
        """
        # No slope is higher than the first; equal quotients of integers are equal as floats.
        least = steps.slopes[0] * (1 - hull_slack(cuts.hits))
        is_on_line = cuts.hits / np.where(cuts.decided > 0, cuts.decided, 1) >= least
        place = np.flatnonzero(is_on_line)[np.argmin(cuts.decided[is_on_line])]
        decided, hits = cuts.decided[place], cuts.hits[place]
        value = self.measure(counts_of(decided, hits, steps.n_positive, steps.n_cells))
        if decided >= best.decided.sum() or first_best([value, best.value]) > 0:
            return best
        places = cuts.starts[:-1].copy()
        places[np.searchsorted(cuts.starts, place, side="right") - 1] = place
        return choice_at(cuts, places, value)


# Rows from which the ranks of scores are estimated.
_N_SAMPLED = 1024
# Sorting fewer scores than this takes less time than pruning them.
_FEW = 2**16


class ScoreSample(NamedTuple):
    """The scores of all positives, and those of some rows sorted upwards for each label."""

    hit_labels: np.ndarray  # labels of all positives, in rising order
    hits: np.ndarray  # their scores
    rows: np.ndarray  # of shape (n_labels, n_sampled_rows)

    def hits_from(self, floors: np.ndarray) -> SortedHits:
        """Return the scores of the positives that are at least the floor of their label."""
        kept = self.hits >= floors[self.hit_labels]
        ends = np.cumsum(np.bincount(self.hit_labels[kept], minlength=floors.size))
        starts = np.concatenate(([0], ends))
        return SortedHits(starts, sort_pieces(self.hits[kept], starts))

    def scores_at(self, ranks: np.ndarray) -> np.ndarray:
        """Return the sampled score at a rank of each label: inf at rank 0, -inf beyond the last."""
        n_labels, n_rows = self.rows.shape
        place = n_rows - np.clip(ranks, 1, n_rows).astype(np.int64)
        found = self.rows[np.arange(n_labels), place]
        found = np.where(ranks < 1, np.inf, np.where(ranks > n_rows, -np.inf, found))
        return found.astype(self.rows.dtype)


class SlopeBound(NamedTuple):
    """A lower bound of the optimal λ, and a reached ``hits - λ·decisions`` of each label."""

    slope: float
    gains: np.ndarray


def best_of_few(curves: Curves, rule: MicroRule) -> Choice | None:
    """Return the optimum found on pruned cuts.

    Return None if pruning cannot prove the optimum, or if sorting all scores is cheaper.
    """
    if not isinstance(curves, RowCurves) or curves.weights is not None:
        return None
    problem, scores = curves, curves.scores
    is_plain = isinstance(scores, np.ndarray) and scores.flags.c_contiguous
    is_large = problem.n_samples >= 4 * _N_SAMPLED and scores.size >= _FEW
    if not (is_plain and is_large and problem.support.any()):
        return None
    sample = _sample_scores(problem, _N_SAMPLED)
    bound = _slope_bound(problem, rule, sample)
    if bound is None:
        return None
    choice = rule(_pruned_cuts(problem, sample, bound))
    # Without a certificate, a cut that was pruned may be better.
    return None if choice.certificate is None else _with_thresholds(problem, choice)


def _sample_scores(problem: RowCurves, n_rows: int) -> ScoreSample:
    """Return the scores of all positives and of at least `n_rows` evenly spaced rows."""
    rows = np.sort(problem.scores[:: problem.n_samples // n_rows].T, axis=1)
    return ScoreSample(*problem.hit_scores, rows)


def _slope_bound(problem: RowCurves, rule: MicroRule, sample: ScoreSample) -> SlopeBound | None:
    """Return the bound that follows from deciding each label about as often as it is positive."""
    share = problem.support / problem.n_samples
    thresholds = sample.scores_at(np.round(share * sample.rows.shape[1]))
    decided = count_reaching(problem.scores, thresholds)
    is_hit = sample.hits >= thresholds[sample.hit_labels]
    hits = np.bincount(sample.hit_labels[is_hit], minlength=problem.n_labels)
    n_positive, n_cells = int(problem.support.sum()), problem.n_samples * problem.n_labels
    value = rule.measure(counts_of(decided.sum(), hits.sum(), n_positive, n_cells))
    slope = least_certificate(rule.measure, float(value), n_positive, n_cells)
    if slope is None:
        return None
    return SlopeBound(slope, np.maximum(0.0, hits - slope * decided))


def _pruned_cuts(problem: RowCurves, sample: ScoreSample, bound: SlopeBound) -> Cuts:
    """Return cuts that contain the optimal ones for every λ that is not below the bound."""
    most = (problem.support - bound.gains) / bound.slope
    expected = most * sample.rows.shape[1] / problem.n_samples
    # Three standard deviations more than expected: few labels have to be sorted as a whole.
    floors = sample.scores_at(np.ceil(expected + 3 * np.sqrt(expected) + 3))
    floors[problem.support == 0] = np.inf
    sizes = count_reaching(problem.scores, floors)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    kept = sort_pieces(gather_reaching(problem.scores, floors, starts), starts)
    hits = sample.hits_from(floors)
    cuts = cuts_of_columns(kept, starts, hits, problem.support, problem.n_samples)
    gains = np.maximum.reduceat(cuts.hits - bound.slope * cuts.decided, cuts.starts[:-1])
    # A lower cut has more decisions than scores were kept, and at most all positives as hits.
    is_enough = problem.support - bound.slope * (sizes + 1) < gains - 1e-9
    whole = np.flatnonzero(~is_enough & (sizes < problem.n_samples))
    if not whole.size:
        return cuts
    every = cuts_of(take_columns(problem.scores, whole), problem.Y[:, whole])
    found = [cuts.of_labels(j, j + 1)[1:5] for j in range(problem.n_labels)]
    for place, j in enumerate(whole.tolist()):
        found[j] = every.of_labels(place, place + 1)[1:5]
    return joined(found, problem.support, problem.n_samples)


def _with_thresholds(problem: RowCurves, choice: Choice) -> Choice:
    """Correct the thresholds of labels that decide all their kept scores, but not all samples.

    The next lower score was pruned, so that the cut does not know where halfway is.
    """
    thresholds = choice.thresholds.copy()
    n_samples = problem.n_samples
    for j in np.flatnonzero(np.isneginf(thresholds) & (choice.decided < n_samples)):
        column = np.sort(problem.scores[:, j])
        place = n_samples - choice.decided[j]
        thresholds[j] = halfway(column[place : place + 1], column[place - 1 : place])[0]
    return choice._replace(thresholds=thresholds)
