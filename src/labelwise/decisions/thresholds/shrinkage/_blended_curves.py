"""Blends of each label's own curve with the pooled curve, for micro and for macro averages."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts, counts_of, hulls_of, n_cells
from labelwise.decisions.thresholds.objectives._choice import first_best, first_best_of_each
from labelwise.decisions.thresholds.shrinkage._pooled_curve import PooledCurve
from labelwise.measures import Counts, Measure, macro


class MicroPath(NamedTuple):
    """Intervals of each label's scores in falling order, with two estimates of the chance of a hit.

    An interval has the scores between two successive thresholds. The first interval of each label
    lies above all scores and is empty.
    """

    starts: np.ndarray
    labels: np.ndarray
    decided: np.ndarray  # number of scores in the interval
    hits: np.ndarray  # positives among them
    thresholds: np.ndarray
    own: np.ndarray  # chance by the isotonic curve of the label
    common: np.ndarray  # chance by the isotonic curve of all labels
    n_positive: Any
    n_cells: Any

    def at(self, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the thresholds at which the blended chance falls below the best common limit.

        Weights 0 give the micro optimum, weights 1 the best common threshold.
        """
        weight = weights[self.labels]
        chances = (1 - weight) * self.own + weight * self.common
        order = np.argsort(-chances, kind="stable")
        decided, hits = (np.cumsum(part[order]) for part in (self.decided, self.hits))
        values = measure(counts_of(decided, hits, self.n_positive, self.n_cells))
        # Intervals of equal chance are decided together or not at all.
        ends = np.diff(chances[order], append=-1.0) < 0
        limit = chances[order][first_best(np.where(ends, values, np.nan))]
        n_taken = np.bincount(self.labels[chances >= limit], minlength=weights.size)
        return np.asarray(self.thresholds[self.starts[:-1] + n_taken - 1])


def micro_path(cuts: Cuts, pool: PooledCurve) -> MicroPath:
    """Return the intervals between the vertices of each label's hull and of the pooled hull."""
    hulls = hulls_of(cuts)
    n_labels, common = hulls.positives.size, pool.vertices[1:]
    labels = np.concatenate((hulls.labels, np.tile(np.arange(n_labels), common.size)))
    columns = (
        (hulls.lows, np.repeat(pool.thresholds[common], n_labels)),
        (hulls.thresholds, np.repeat(pool.thresholds[common], n_labels)),
        (hulls.decided, pool.decided[common].ravel()),
        (hulls.hits, pool.hits[common].ravel()),
        (np.ones(hulls.lows.size, dtype=bool), np.zeros(common.size * n_labels, dtype=bool)),
    )
    lows, thresholds, decided, hits, is_own = (np.concatenate(pair) for pair in columns)
    # If both have a vertex at one score, the label's own comes last and is used.
    order = np.lexsort((is_own, -lows, labels))
    labels, lows, is_own = labels[order], lows[order], is_own[order]
    is_first = np.diff(labels, prepend=-1) > 0
    in_piece, hits_in_piece = (
        np.where(is_first, 0, np.diff(part[order], prepend=0)) for part in (decided, hits)
    )
    return MicroPath(
        np.concatenate((np.flatnonzero(is_first), [labels.size])),
        labels,
        in_piece,
        hits_in_piece,
        thresholds[order],
        _own_chances(hulls, labels, is_own),
        pool.chances[pool.next_below(lows)],
        hulls.positives.sum().item(),
        n_cells(hulls.positives, hulls.n_samples),
    )


def _own_chances(hulls: Cuts, labels: np.ndarray, is_own: np.ndarray) -> np.ndarray:
    """Return the slope of the label's hull edge that each interval lies on; 0 below the last."""
    run, rise = (np.diff(part, prepend=0) for part in (hulls.decided, hulls.hits))
    run[hulls.starts[:-1]] = rise[hulls.starts[:-1]] = 1  # chance 1 above all scores
    slopes = np.append(rise / run, 0.0)
    n_own_before = np.cumsum(is_own) - is_own
    is_past = n_own_before >= hulls.starts[labels + 1]
    return np.where(is_past, 0.0, slopes[n_own_before])


class CandidateCuts(NamedTuple):
    """Possible cuts of labels, with estimates from the pooled curve."""

    starts: np.ndarray
    labels: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    thresholds: np.ndarray
    expected: np.ndarray  # expected hits by the pooled chances
    average: np.ndarray  # macro average if all labels had this threshold


class MacroPath(NamedTuple):
    """The cuts of each label, and the common thresholds of all labels."""

    own: CandidateCuts
    common: CandidateCuts
    positives: np.ndarray
    expected_positives: np.ndarray
    n_samples: np.ndarray  # of each label

    def at(self, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the threshold of each label with the highest blend of two values.

        The first is the label's own value with its hits blended with the expected hits, the second
        is the macro average at the same threshold. Weights 0 give the macro optimum, weights 1 the
        best common threshold.
        """
        found = []
        for places in (self.own, self.common):
            values = self._blended(places, weights, measure)
            best = first_best_of_each(values, places.starts)
            found.append((values[best], places.thresholds[best]))
        (own, own_thresholds), (common, common_thresholds) = found
        is_common = (common > own) | (weights == 1)
        return np.asarray(np.where(is_common, common_thresholds, own_thresholds))

    def _blended(self, places: CandidateCuts, weights: np.ndarray, measure: Measure) -> np.ndarray:
        weight = weights[places.labels]
        hits = (1 - weight) * places.hits + weight * places.expected
        positives = (1 - weights) * self.positives + weights * self.expected_positives
        totals = (total[places.labels] for total in (positives, self.n_samples))
        counts = counts_of(places.decided, hits, *totals)
        # Rounding must not make an empty count negative.
        value = measure(Counts(*(np.maximum(part, 0.0) for part in counts)))
        return np.asarray((1 - weight) * value + weight * places.average)


def macro_path(cuts: Cuts, pool: PooledCurve, measure: Measure) -> MacroPath:
    """Return the cuts of each label and the common thresholds, with pooled estimates."""
    n_common, n_labels = pool.decided.shape
    average = np.asarray(macro(measure, pool.counts, undefined="skip"))
    expected = pool.expected_hits
    labels = cuts.labels
    # The last common threshold that is not below the lowest decided score.
    above = np.searchsorted(-pool.thresholds, -cuts.lows, side="right") - 1
    more = cuts.decided - pool.decided[above, labels]
    own = CandidateCuts(
        cuts.starts,
        labels,
        cuts.decided,
        cuts.hits,
        cuts.thresholds,
        expected[above, labels] + pool.chances[above + 1] * more,
        average[above],
    )
    common = CandidateCuts(
        np.arange(n_labels + 1) * n_common,
        np.repeat(np.arange(n_labels), n_common),
        pool.decided.T.ravel(),
        pool.hits.T.ravel(),
        np.tile(pool.thresholds, n_labels),
        expected.T.ravel(),
        np.tile(average, n_labels),
    )
    n_samples = np.broadcast_to(cuts.n_samples, n_labels)
    return MacroPath(own, common, cuts.positives, expected[-1], n_samples)
