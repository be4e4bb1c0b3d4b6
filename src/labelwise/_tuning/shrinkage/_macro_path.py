"""Blends of each label's own curve with the pooled curve, for macro averages."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from labelwise._counts import Counts, Measure, counts_of, measured, ratio
from labelwise._curves import ROUNDING, Cuts
from labelwise._tuning.objectives._choice import first_best_of_each
from labelwise._tuning.shrinkage._pooled_curve import (
    CommonSteps,
    PooledCurve,
    n_at_or_above,
)

# Number of candidates that are evaluated at a time.
_TOGETHER = 2**20


class CandidateCuts(NamedTuple):
    """Possible cuts of labels, with the hits that the pooled curve expects."""

    starts: np.ndarray
    labels: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    expected: np.ndarray  # expected hits by the pooled chances

    def of_labels(self, first: int, last: int) -> tuple[CandidateCuts, slice]:
        """Return the cuts of the labels from `first` to `last` - 1, and where they are."""
        start, end = self.starts[first], self.starts[last]
        mine = slice(start, end)
        parts = (part[mine] for part in self[2:])
        return CandidateCuts(
            self.starts[first : last + 1] - start, self.labels[mine] - first, *parts
        ), mine


class MacroPath(NamedTuple):
    """The cuts of each label, and the common thresholds of all labels.

    Successive common thresholds that decide the same samples of a label are one candidate, which
    `first_places` and `last_places` enclose.
    """

    own: CandidateCuts
    own_thresholds: np.ndarray
    own_average: np.ndarray  # macro average if all labels had the threshold of a cut
    common: CandidateCuts
    first_places: np.ndarray
    last_places: np.ndarray
    thresholds: np.ndarray  # common thresholds
    average: np.ndarray  # macro average at each
    positives: np.ndarray
    expected_positives: np.ndarray
    n_samples: np.ndarray  # of each label

    def at(self, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the threshold of each label with the highest blend of two values.

        The first is the label's own value with its hits blended with the expected hits, the second
        is the macro average at the same threshold. Weights 0 give the macro optimum, weights 1 the
        best common threshold.
        """
        # Some labels at a time, since the values of all candidates take several times their memory.
        sizes = self.common.starts + self.own.starts
        firsts = np.searchsorted(sizes, np.arange(0, sizes[-1], _TOGETHER), side="right") - 1
        bounds = np.append(np.unique(firsts), weights.size)
        return np.concatenate(
            [
                self._of_labels(first, last)._at(weights[first:last], measure)
                for first, last in pairwise(bounds.tolist())
            ]
        )

    def _of_labels(self, first: int, last: int) -> MacroPath:
        """Return the path of the labels from `first` to `last` - 1."""
        own, cuts = self.own.of_labels(first, last)
        common, runs = self.common.of_labels(first, last)
        return self._replace(
            own=own,
            own_thresholds=self.own_thresholds[cuts],
            own_average=self.own_average[cuts],
            common=common,
            first_places=self.first_places[runs],
            last_places=self.last_places[runs],
            positives=self.positives[first:last],
            expected_positives=self.expected_positives[first:last],
            n_samples=self.n_samples[first:last],
        )

    def _at(self, weights: np.ndarray, measure: Measure) -> np.ndarray:
        values = self._blended(self.own, weights, measure)
        weight = weights[self.own.labels]
        values = (1 - weight) * values + weight * self.own_average
        best = first_best_of_each(values, self.own.starts)
        common, places = self._best_common(weights, measure)
        is_common = (common > values[best]) | (weights == 1)
        return np.asarray(np.where(is_common, self.thresholds[places], self.own_thresholds[best]))

    def _blended(self, cuts: CandidateCuts, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the values of labels with their hits blended with the expected hits."""
        weight = weights[cuts.labels]
        hits = (1 - weight) * cuts.hits + weight * cuts.expected
        positives = (1 - weights) * self.positives + weights * self.expected_positives
        totals = (total[cuts.labels] for total in (positives, self.n_samples))
        counts = counts_of(cuts.decided, hits, *totals)
        # Rounding must not make an empty count negative.
        return np.asarray(measure(Counts(*(np.maximum(part, 0.0) for part in counts))))

    def _best_common(self, weights: np.ndarray, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """Return the highest blended value of each label at a common threshold, and its place.

        Within a candidate only the macro average differs, and the blend rises with it. As in
        `first_best_of_each`, the first of values that are equal but for rounding is taken.
        """
        starts, labels = self.common.starts, self.common.labels
        own = (1 - weights[labels]) * self._blended(self.common, weights, measure)
        tables = RangeMaxima(self.average), RangeMaxima(-self.average)
        ends = self.first_places, self.last_places
        high, low = (
            own + weights[labels] * sign * table.highest(*ends)
            for sign, table in zip((1, -1), tables, strict=True)
        )
        usable = ~np.isnan(high) & ~np.isneginf(high)
        highest = np.maximum.reduceat(np.where(usable, high, -np.inf), starts[:-1])
        sizes = [np.where(np.isfinite(part), np.abs(part), 0.0) for part in (high, low)]
        magnitude = np.maximum.reduceat(np.maximum(*sizes), starts[:-1])
        enough = highest - ROUNDING * magnitude
        is_enough = usable & (high >= enough[labels])
        is_enough[starts[:-1][~np.logical_or.reduceat(usable, starts[:-1])]] = True
        found = np.flatnonzero(is_enough)
        run = found[np.searchsorted(found, starts[:-1])]
        return self._first_enough(tables[0], own[run], weights, enough, run)

    def _first_enough(
        self,
        table: RangeMaxima,
        own: np.ndarray,
        weights: np.ndarray,
        enough: np.ndarray,
        run: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the value and the place of the first threshold of a candidate that is enough."""
        first, low, high = self.first_places[run], self.first_places[run] - 1, self.last_places[run]
        while (high - low > 1).any():
            middle = np.maximum((low + high) // 2, first)
            reaches = ~(own + weights * table.highest(first, middle) < enough)
            low, high = np.where(reaches, low, middle), np.where(reaches, middle, high)
        return own + weights * self.average[high], high


def macro_path(cuts: Cuts, pool: PooledCurve, measure: Measure) -> MacroPath:
    """Return the cuts of each label and the common thresholds, with pooled estimates."""
    steps = pool.steps
    average, expected = _averages_and_expected(cuts, pool, steps, measure)
    labels = cuts.labels
    # The last common threshold that is not below the lowest decided score.
    above = n_at_or_above(pool.thresholds, cuts.lows) - 1
    step = steps.last_at(labels, above)
    more = cuts.decided - np.append(steps.decided, 0)[step]
    own_expected = np.append(expected, 0.0)[step] + pool.chances[above + 1] * more
    own = CandidateCuts(cuts.starts, labels, cuts.decided, cuts.hits, own_expected)
    n_labels, n_places = cuts.positives.size, pool.thresholds.size
    at_end = steps.last_at(np.arange(n_labels), np.full(n_labels, n_places - 1))
    common, first_places, last_places = _runs(steps, expected, n_labels, n_places)
    return MacroPath(
        own,
        cuts.thresholds,
        average[above],
        common,
        first_places,
        last_places,
        pool.thresholds,
        average,
        cuts.positives,
        np.append(expected, 0.0)[at_end],
        np.broadcast_to(cuts.n_samples, n_labels),
    )


def _runs(
    steps: CommonSteps, expected: np.ndarray, n_labels: int, n_places: int
) -> tuple[CandidateCuts, np.ndarray, np.ndarray]:
    """Return the candidates of each label at common thresholds, with their first and last places.

    The first candidate of each label decides no sample.
    """
    starts = np.searchsorted(steps.labels, np.arange(n_labels + 1)) + np.arange(n_labels + 1)
    at = np.arange(steps.labels.size) + steps.labels + 1

    def with_none(part: np.ndarray) -> np.ndarray:
        both = np.zeros(starts[-1], dtype=part.dtype)
        both[at] = part
        return both

    labels = np.repeat(np.arange(n_labels), np.diff(starts))
    first_places = with_none(steps.places)
    last_places = np.append(first_places[1:], 0) - 1
    last_places[starts[1:] - 1] = n_places - 1
    columns = (with_none(part) for part in (steps.decided, steps.hits, expected))
    return CandidateCuts(starts, labels, *columns), first_places, last_places


def _averages_and_expected(
    cuts: Cuts, pool: PooledCurve, steps: CommonSteps, measure: Measure
) -> tuple[np.ndarray, np.ndarray]:
    """Return the macro average at each common threshold, and the expected hits of each step.

    From one threshold to the next, only the labels with a step change.
    """
    totals = cuts.positives, np.broadcast_to(cuts.n_samples, cuts.positives.size)
    nothing = np.zeros(cuts.positives.size, dtype=cuts.decided.dtype)
    values = np.array(measured(measure, counts_of(nothing, nothing, *totals)), dtype=np.float64)
    of_steps = (total[steps.labels] for total in totals)
    reached = measured(measure, counts_of(steps.decided, steps.hits, *of_steps))
    more = steps.more
    order = np.argsort(steps.places.astype(np.uint16), kind="stable")
    bounds = np.searchsorted(steps.places[order], np.arange(pool.thresholds.size + 1))
    average, hits = np.empty(pool.thresholds.size), np.zeros(cuts.positives.size)
    expected = np.empty(steps.labels.size)
    for place in range(pool.thresholds.size):
        here = order[bounds[place] : bounds[place + 1]]
        labels = steps.labels[here]
        values[labels] = reached[here]
        hits[labels] += more[here] * pool.chances[place]
        expected[here] = hits[labels]
        is_defined = ~np.isnan(values)
        average[place] = ratio(np.where(is_defined, values, 0).sum(), is_defined.sum(), np.nan)
    return average, expected


class RangeMaxima:
    """Maxima of all stretches of an array whose length is a power of two; NaN is left out.

    Parameters
    ----------
    values : ndarray
        The numbers.
    """

    def __init__(self, values: np.ndarray) -> None:
        levels = [np.where(np.isnan(values), -np.inf, values)]
        width = 1
        while 2 * width <= values.size:
            before = levels[-1]
            after = np.append(before[width:], np.full(width, -np.inf))
            levels.append(np.maximum(before, after))
            width *= 2
        self._table = np.stack(levels)
        self._level = np.frexp(np.arange(1, values.size + 1))[1] - 1

    def highest(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return the largest value from each first to each last place; -inf if there is none."""
        level = self._level[last - first]
        two = self._table[level, first], self._table[level, last - (1 << level) + 1]
        return np.asarray(np.maximum(*two))
