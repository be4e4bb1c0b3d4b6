"""Constraints on precision, recall and the number of decisions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions._chosen import Chosen, first_best
from labelwise.decisions._cuts import Cuts, counts_of
from labelwise.decisions._walk import Walk
from labelwise.measures import Counts, precision, recall
from labelwise.measures._counts import Measure


class Limits(NamedTuple):
    """What decisions must keep to; None where they are free."""

    min_precision: float | None = None
    min_recall: float | None = None
    max_decisions: int | None = None  # in total

    @property
    def are_set(self) -> bool:
        """Whether there is any."""
        return any(limit is not None for limit in self)

    def __str__(self) -> str:
        given = self._asdict().items()
        return ", ".join(f"{name}={limit}" for name, limit in given if limit is not None)


NO_LIMITS = Limits()


def check_limits(min_precision: Any, min_recall: Any, max_decisions: Any, n_samples: int) -> Limits:
    """Return checked constraints; a decimal number of decisions is a mean per sample."""
    for name, rate in (("min_precision", min_precision), ("min_recall", min_recall)):
        if rate is not None and not (_is_number(rate) and 0 <= rate <= 1):
            raise ValueError(f"{name} must be between 0 and 1, got {rate!r}.")
    most = max_decisions
    if most is not None and not (_is_number(most) and 0 <= most < np.inf):
        raise ValueError(
            "max_decisions must be a whole number in total or a decimal number as mean per "
            f"sample, not negative, got {most!r}."
        )
    if isinstance(most, float | np.floating):
        # 0.7 must allow 7 decisions on 10 samples, whatever 0.7 * 10 rounds to.
        most = int(most * n_samples * (1 + 1e-12))
    return Limits(min_precision, min_recall, most)


def within(limits: Limits, counts: Counts) -> np.ndarray:
    """Tell which counts keep to the limits; precision without decisions keeps to none."""
    kept = np.ones(np.shape(counts.tp), dtype=bool)
    if limits.min_precision is not None:
        kept &= np.asarray(precision(counts) >= limits.min_precision)
    if limits.min_recall is not None:
        kept &= np.asarray(recall(counts) >= limits.min_recall)
    if limits.max_decisions is not None:
        kept &= np.asarray(counts.tp + counts.fp <= limits.max_decisions)
    return kept


def allowed_steps(walk: Walk, limits: Limits) -> np.ndarray:
    """Tell after which edges of the walk the constraints are kept; refuse if there are none."""
    allowed = within(limits, walk.counts)
    if not allowed.any():
        raise ValueError(_why_not(walk, limits))
    return allowed


def ends_of_allowed(walk: Walk, limits: Limits) -> Counts:
    """Return the counts, not all whole, at both ends of what the constraints leave of the walk.

    Precision falls and recall rises along its concave line, so that one piece is left. Nothing
    allowed lies above this piece: a measure that is a quotient of linear functions, rising with
    the hits, is nowhere higher than at the allowed vertices and these two ends.
    """
    decided, hits = walk.decided.astype(np.float64), walk.hits.astype(np.float64)
    least = 0.0 if limits.min_recall is None else limits.min_recall * walk.n_positive
    most = limits.max_decisions
    last = decided[-1] if most is None else min(decided[-1], most)
    if limits.min_precision is not None:
        last = min(last, _last_precise(walk, limits.min_precision))
    # Hits are whole: the ends move inwards to whole numbers of them.
    tp = np.array([np.ceil(least - 1e-9), np.floor(np.interp(last, decided, hits) + 1e-9)])
    fp = np.interp(tp, hits, decided) - tp
    fn = walk.n_positive - tp
    return Counts(tp, fp, fn, walk.n_cells - tp - fp - fn)


def raised_within(cuts: Cuts, start: Chosen, measure: Measure, limits: Limits) -> Chosen:
    """Move single labels to other cuts while that is allowed and better.

    The frontier knows only hulls: where a constraint lies inside an edge, cuts below the hull can
    use what the last vertex leaves free.
    """
    thresholds, decided, hits = (part.copy() for part in start[:3])
    n_cells, n_positive = cuts.n_samples * decided.size, cuts.positives.sum()
    value, is_better = start.value, True
    while is_better:
        is_better = False
        for j in range(decided.size):
            mine = slice(cuts.starts[j], cuts.starts[j + 1])
            counts = counts_of(
                decided.sum() - decided[j] + cuts.decided[mine],
                hits.sum() - hits[j] + cuts.hits[mine],
                n_positive,
                n_cells,
            )
            values = np.where(within(limits, counts), measure(counts), np.nan)
            best = first_best(values)
            if values[best] > value:
                value, is_better = values[best], True
                place = cuts.starts[j] + best
                thresholds[j], decided[j] = cuts.thresholds[place], cuts.decided[place]
                hits[j] = cuts.hits[place]
    return Chosen(thresholds, decided, hits, float(value))


def _last_precise(walk: Walk, min_precision: float) -> float:
    """Return the decisions, not whole, at which precision along the walk falls below the least."""
    step = int(np.flatnonzero(walk.hits[1:] >= min_precision * walk.decided[1:])[-1]) + 1
    if step == walk.slopes.size:
        return float(walk.decided[-1])
    spare = walk.hits[step] - min_precision * walk.decided[step]
    return float(walk.decided[step] + max(0.0, spare) / (min_precision - walk.slopes[step]))


def _why_not(walk: Walk, limits: Limits) -> str:
    """Return what the refusal of constraints says."""
    if walk.n_positive == 0:
        return f"{limits} cannot be met: Y has no positives."
    highest = {
        "min_precision": walk.slopes[0] if walk.slopes.size else 0.0,
        "min_recall": walk.hits[-1] / walk.n_positive,
    }
    for name, reached in highest.items():
        limit = getattr(limits, name)
        if limit is not None and reached < limit:
            return f"{name}={limit} cannot be met on these data, the highest is {reached:.4g}."
    return f"{limits} are not met together anywhere on the micro frontier."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
