"""Rows worth a look: nearest to the cut, and with scores that contradict their labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions import Problem
from labelwise.reports.desk._cells import Cells, cells_of

# Rows of each list, and of one label in a list.
MOST_ROWS, MOST_OF_LABEL = 40, 4


class Found(NamedTuple):
    """Cells of a list, the most notable first."""

    rows: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    truth: np.ndarray
    strength: np.ndarray


def contradictions(problem: Problem) -> dict[str, Found]:
    """Find scores that contradict the truth most: "unexpected" negatives, "missed" positives.

    The strength of a negative is the share of the label's positives with a lower score, that of a
    positive the share of negatives with a higher score. One is added to the number of positives or
    negatives, so that labels with few of them do not come first.
    """
    found: dict[str, list[Found]] = {"unexpected": [], "missed": []}
    for cells in cells_of(problem):
        strength = _strength(cells)
        for name, wanted in (("unexpected", ~cells.truth), ("missed", cells.truth)):
            found[name].append(_best(cells, np.where(wanted, strength, -1.0)))
    return {name: _joined(parts) for name, parts in found.items()}


def nearest(problem: Problem, thresholds: np.ndarray) -> Found:
    """Find the cells nearest to the threshold of their label, in standard deviations of scores."""
    parts = []
    for cells in cells_of(problem):
        cut = thresholds[cells.first : cells.first + cells.n_labels]
        with np.errstate(invalid="ignore"):
            distance = np.abs(cells.scores - cut[cells.labels]) / _spread(cells)[cells.labels]
        parts.append(_best(cells, np.where(np.isfinite(distance), -distance, -np.inf)))
    return _joined(parts, least=-np.inf)


def _spread(cells: Cells) -> np.ndarray:
    """Return the standard deviation of the scores of each label, 1 if they are all the same."""
    count = np.maximum(np.bincount(cells.labels, minlength=cells.n_labels), 1)
    mean = np.bincount(cells.labels, cells.scores, cells.n_labels) / count
    square = (cells.scores - mean[cells.labels]) ** 2
    spread = np.sqrt(np.bincount(cells.labels, square, cells.n_labels) / count)
    return np.where(spread > 0, spread, 1.0)


def _strength(cells: Cells) -> np.ndarray:
    """Return how much each cell contradicts its truth, see `contradictions`."""
    strength = np.empty(cells.scores.size)
    ends = np.searchsorted(cells.labels, np.arange(cells.n_labels + 1))
    for start, end in zip(ends[:-1], ends[1:], strict=True):
        scores, truth = cells.scores[start:end], cells.truth[start:end]
        with_it, without = np.sort(scores[truth]), np.sort(scores[~truth])
        below = np.searchsorted(with_it, scores, side="left") / (with_it.size + 1)
        above = (without.size - np.searchsorted(without, scores, side="right")) / (without.size + 1)
        strength[start:end] = np.where(truth, above, below)
    return strength


def _best(cells: Cells, strength: np.ndarray) -> Found:
    """Return the strongest cells of each label."""
    ends = np.searchsorted(cells.labels, np.arange(cells.n_labels + 1))
    places = []
    for start, end in zip(ends[:-1], ends[1:], strict=True):
        most = min(MOST_OF_LABEL, end - start)
        if most:
            places.append(start + np.argpartition(-strength[start:end], most - 1)[:most])
    chosen = np.concatenate(places) if places else np.zeros(0, dtype=np.intp)
    return Found(
        cells.rows[chosen],
        cells.labels[chosen] + cells.first,
        cells.scores[chosen],
        cells.truth[chosen],
        strength[chosen],
    )


def _joined(parts: list[Found], least: float = 0.0) -> Found:
    """Return the strongest cells of all blocks whose strength is above `least`."""
    found = Found(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    order = np.lexsort((found.labels, found.rows, -found.strength))[:MOST_ROWS]
    order = order[found.strength[order] > least]
    return Found(*(part[order] for part in found))
