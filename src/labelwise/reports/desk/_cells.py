"""Single cells of a problem, a score of a sample for a label: histograms, and cells worth a look.

The score and reliability plots show a histogram of each label. Worth a look are cells nearest to
the cut, and those whose labels are probably wrong, as `find_label_errors` ranks them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._error_chances import chances_of_errors
from labelwise._tuning import Problem

# Cells of a block of labels, whether a sparse matrix stores them or not.
_TOGETHER = 2**22
N_BINS = 20
# Samples of each list, and of one label in a list.
MOST_ROWS, MOST_OF_LABEL = 40, 4
# Samples on either side, in the order of scores, with which a cell is compared.
N_BESIDE = 5


class ScoredCells(NamedTuple):
    """Scores with their samples and labels; `truth` is whether the sample has the label."""

    first: int  # the first label of the block
    n_labels: int
    scores: np.ndarray
    rows: np.ndarray
    labels: np.ndarray  # counted from `first`
    truth: np.ndarray


def cells_of(problem: Problem) -> Iterator[ScoredCells]:
    """Yield the stored cells of blocks of labels, label after label."""
    step = max(1, _TOGETHER // problem.n_samples)
    columns = sparse.csc_array(problem.scores) if sparse.issparse(problem.scores) else None
    for first in range(0, problem.n_labels, step):
        last = min(first + step, problem.n_labels)
        truth = problem.Y[:, first:last].toarray()
        if columns is None:
            scores = problem.scores[:, first:last].T
            rows = np.broadcast_to(np.arange(problem.n_samples), scores.shape)
            labels = np.broadcast_to(np.arange(last - first)[:, None], scores.shape)
            parts = (scores.ravel(), rows.ravel(), labels.ravel(), truth.T.ravel())
        else:
            block = columns[:, first:last]
            labels = np.repeat(np.arange(last - first), np.diff(block.indptr))
            parts = (block.data, block.indices, labels, truth[block.indices, labels])
        yield ScoredCells(first, last - first, *parts)


class ScoreBins(NamedTuple):
    """Equal-width bins of the scores of each label between its lowest and its highest score.

    Arrays of shape (n_labels, N_BINS), apart from the ends of the ranges.
    """

    low: np.ndarray
    high: np.ndarray
    n_rows: np.ndarray
    n_positive: np.ndarray
    mean: np.ndarray  # mean score of each bin, 0 for an empty one


def score_bins(problem: Problem) -> ScoreBins:
    """Count the scores of each label, and its positives, in bins."""
    blocks = (_of_block(cells, problem.everyone[cells.rows]) for cells in cells_of(problem))
    return ScoreBins(*(np.concatenate(part) for part in zip(*blocks, strict=True)))


def _of_block(cells: ScoredCells, weights: np.ndarray) -> ScoreBins:
    low = np.full(cells.n_labels, np.inf)
    high = np.full(cells.n_labels, -np.inf)
    np.minimum.at(low, cells.labels, cells.scores)
    np.maximum.at(high, cells.labels, cells.scores)
    empty = np.isinf(low)
    low[empty] = high[empty] = 0.0
    width = np.where(high > low, high - low, 1.0)
    place = ((cells.scores - low[cells.labels]) / width[cells.labels] * N_BINS).astype(np.intp)
    key = cells.labels * N_BINS + np.clip(place, 0, N_BINS - 1)
    size = cells.n_labels * N_BINS
    n_rows, n_positive = (
        np.bincount(key[part], weights[part], size).astype(np.int64)
        for part in (slice(None), cells.truth)
    )
    total = np.bincount(key, weights * cells.scores, size)
    mean = total / np.maximum(n_rows, 1)
    shape = (cells.n_labels, N_BINS)
    return ScoreBins(low, high, *(part.reshape(shape) for part in (n_rows, n_positive, mean)))


class NotableCells(NamedTuple):
    """Cells of a list, the most notable first."""

    rows: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    truth: np.ndarray
    strength: np.ndarray
    chance: np.ndarray  # that the truth is wrong
    n_beside: np.ndarray  # samples next to the cell in the order of scores, without the cell itself
    positives_beside: np.ndarray  # those of them that have the label


class RankedLabel(NamedTuple):
    """Cells of one label in the order of rising score."""

    label: int
    scores: np.ndarray
    rows: np.ndarray
    truth: np.ndarray
    chance: np.ndarray  # that the truth is wrong, see `labelwise.deployment.find_label_errors`

    def at(self, places: np.ndarray, strength: np.ndarray) -> NotableCells:
        """Return some of the cells, with their strength."""
        labels = np.full(places.size, self.label)
        first = np.maximum(places - N_BESIDE, 0)
        stop = np.minimum(places + N_BESIDE + 1, self.scores.size)
        n_before = np.concatenate(([0], np.cumsum(self.truth)))
        truth = self.truth[places]
        return NotableCells(
            self.rows[places],
            labels,
            self.scores[places],
            truth,
            strength,
            self.chance[places],
            stop - first - 1,
            n_before[stop] - n_before[first] - truth,
        )


class NotableRows(NamedTuple):
    """Lists of cells; see the functions that find them."""

    unexpected: NotableCells
    missed: NotableCells
    nearest: dict[str, NotableCells]


def notable_rows(problem: Problem, points: Mapping[str, np.ndarray]) -> NotableRows:
    """Find the lists of samples; `points` has thresholds by name, whose cuts they are near."""
    unexpected, missed = [], []
    near: dict[str, list[NotableCells]] = {name: [] for name in points}
    for ranked in _ranked_labels(problem):
        unexpected.append(unexpected_negatives(ranked))
        missed.append(missed_positives(ranked))
        spread = float(np.std(ranked.scores)) if ranked.scores.size else 0.0
        for name, thresholds in points.items():
            near[name].append(nearest(ranked, float(thresholds[ranked.label]), spread or 1.0))
    return NotableRows(
        _first("chance", unexpected, least=0.0),
        _first("chance", missed, least=0.0),
        {name: _first("strength", parts, least=-np.inf) for name, parts in near.items()},
    )


def unexpected_negatives(ranked: RankedLabel) -> NotableCells:
    """Return the negatives with the highest scores.

    The strength is the share of the label's positives with a lower score. One is added to the
    number of positives, so that labels with few of them do not come first.
    """
    positives = ranked.scores[ranked.truth]
    places = np.flatnonzero(~ranked.truth)[-MOST_OF_LABEL:]
    below = np.searchsorted(positives, ranked.scores[places], side="left")
    return ranked.at(places, below / (positives.size + 1))


def missed_positives(ranked: RankedLabel) -> NotableCells:
    """Return the positives with the lowest scores; the strength is the share of negatives above."""
    negatives = ranked.scores[~ranked.truth]
    places = np.flatnonzero(ranked.truth)[:MOST_OF_LABEL]
    not_above = np.searchsorted(negatives, ranked.scores[places], side="right")
    return ranked.at(places, (negatives.size - not_above) / (negatives.size + 1))


def nearest(ranked: RankedLabel, threshold: float, spread: float) -> NotableCells:
    """Return the cells nearest to a threshold; the strength is the negative distance in spreads."""
    if not np.isfinite(threshold):
        return ranked.at(np.zeros(0, dtype=np.intp), np.zeros(0))
    first_above = int(np.searchsorted(ranked.scores, threshold, side="left"))
    around = slice(max(0, first_above - MOST_OF_LABEL), first_above + MOST_OF_LABEL)
    places = np.arange(ranked.scores.size)[around]
    strength = -np.abs(ranked.scores[places] - threshold) / spread
    best = np.argsort(-strength, kind="stable")[:MOST_OF_LABEL]
    return ranked.at(places[best], strength[best])


def _ranked_labels(problem: Problem) -> Iterator[RankedLabel]:
    for cells in cells_of(problem):
        ends = np.searchsorted(cells.labels, np.arange(cells.n_labels + 1))
        for j in range(cells.n_labels):
            part = slice(ends[j], ends[j + 1])
            order = np.argsort(cells.scores[part], kind="stable")
            columns = (cells.scores[part], cells.rows[part], cells.truth[part])
            scores, rows, truth = (column[order] for column in columns)
            chance = chances_of_errors(scores, truth)
            yield RankedLabel(cells.first + j, scores, rows, truth, chance)


def _first(by: str, parts: list[NotableCells], least: float) -> NotableCells:
    """Return the first cells of all labels by chance or strength, of strength above `least`."""
    found = NotableCells(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    order = np.lexsort((found.labels, found.rows, -found.strength, -getattr(found, by)))
    order = order[found.strength[order] > least][:MOST_ROWS]
    return NotableCells(*(part[order] for part in found))
