"""Histograms of the scores of each label, for the score and reliability plots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions import Problem
from labelwise.reports.desk._cells import ScoredCells, cells_of

N_BINS = 20


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
    blocks = map(_of_block, cells_of(problem))
    return ScoreBins(*(np.concatenate(part) for part in zip(*blocks, strict=True)))


def _of_block(cells: ScoredCells) -> ScoreBins:
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
    n_rows = np.bincount(key, minlength=size)
    total = np.bincount(key, weights=cells.scores, minlength=size)
    n_positive = np.bincount(key[cells.truth], minlength=size)
    mean = total / np.maximum(n_rows, 1)
    shape = (cells.n_labels, N_BINS)
    return ScoreBins(low, high, *(part.reshape(shape) for part in (n_rows, n_positive, mean)))
