"""Ranks of positives for weighted samples: sums of weights instead of numbers of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._measuring._ranks import stored_places


class WeightedPositives(NamedTuple):
    """The distinct scores of each ranking, best first, with the weight that lies above them.

    Positives that share a score are one entry, and all numbers are sums of weights; otherwise as
    in `RankedPositives`. A ranking is a column ("label") or the whole matrix ("all").
    """

    ranking: np.ndarray  # the ranking that each distinct score belongs to
    hits: np.ndarray  # weight of the positives with this score
    hits_at_least: np.ndarray  # weight of the positives with this score or a greater one
    misses_above: np.ndarray  # weight of the negatives with a greater score
    misses_at_least: np.ndarray  # the same with this score among them
    n_positives: np.ndarray  # weight of the positives of each ranking
    n_negatives: np.ndarray  # weight of the negatives of each ranking

    @property
    def at_least(self) -> np.ndarray:
        """Weight of the samples with this score or a greater one."""
        return np.asarray(self.hits_at_least + self.misses_at_least)

    def total(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted sum over the positives of each ranking."""
        return np.bincount(self.ranking, self.hits * values, minlength=self.n_positives.size)


class _WeightedCells(NamedTuple):
    """Scores of whole rankings, with the weights of the positives and negatives that have them."""

    ranking: np.ndarray
    scores: np.ndarray
    hits: np.ndarray
    misses: np.ndarray


def find_weighted_places(
    Y: sparse.csc_array,
    scores: Any,
    by: str,
    weights: np.ndarray,
    missing: sparse.csc_array | None = None,
) -> WeightedPositives:
    """Return the places in the rankings of each label ("label") or of all cells ("all").

    Weights are above 0. A sample of weight w counts as w samples. In sparse scores, absent ones
    are tied below all that are present, except those of cells without truth (`missing`), which are
    in no ranking. O(c log c) for c cells, of sparse scores those that are stored.
    """
    from labelwise._measuring._ranks_kernels import running_sums

    parts = (
        iter([_stored_cells(Y, scores, weights, missing)])
        if sparse.issparse(scores)
        else _dense_cells(Y, scores, weights)
    )
    n_rankings = Y.shape[1]
    if by == "all":
        joined = _WeightedCells(*map(np.concatenate, zip(*parts, strict=True)))
        parts, n_rankings = iter([joined._replace(ranking=np.zeros_like(joined.ranking))]), 1
    ranked = [_ranked(cells) for cells in parts]
    found = _WeightedCells(*map(np.concatenate, zip(*ranked, strict=True)))
    hits, misses = (running_sums(found.ranking, part) for part in (found.hits, found.misses))
    ends = np.searchsorted(found.ranking, np.arange(n_rankings), side="right") - 1
    above = np.append(0.0, misses[:-1])
    above[np.append(0, ends[:-1] + 1)] = 0
    return WeightedPositives(
        ranking=found.ranking,
        hits=found.hits,
        hits_at_least=hits,
        misses_above=above,
        misses_at_least=misses,
        n_positives=hits[ends],
        n_negatives=misses[ends],
    )


def _ranked(cells: _WeightedCells) -> _WeightedCells:
    """Return the distinct scores of each ranking, falling, with the weights of all their cells."""
    order = np.lexsort((-cells.scores, cells.ranking))
    ranking, falling = cells.ranking[order], cells.scores[order]
    is_first = (falling[1:] != falling[:-1]) | (ranking[1:] != ranking[:-1])
    first = np.flatnonzero(np.append(True, is_first))
    hits, misses = (np.add.reduceat(part[order], first) for part in (cells.hits, cells.misses))
    return _WeightedCells(ranking[first], falling[first], hits, misses)


def _dense_cells(
    Y: sparse.csc_array, scores: np.ndarray, weights: np.ndarray
) -> Iterator[_WeightedCells]:
    """Yield the cells of each label."""
    for j in range(Y.shape[1]):
        rows = Y.indices[Y.indptr[j] : Y.indptr[j + 1]]
        hits, misses = np.zeros(weights.size), weights.copy()
        hits[rows], misses[rows] = weights[rows], 0
        yield _WeightedCells(np.full(weights.size, j), scores[:, j], hits, misses)


def _stored_cells(
    Y: sparse.csc_array,
    scores: Any,
    weights: np.ndarray,
    missing: sparse.csc_array | None,
) -> _WeightedCells:
    """Return the stored cells of all labels; the absent ones of a label are one cell at -inf."""
    stored = sparse.csc_array(scores)
    stored.sort_indices()
    n_labels = Y.shape[1]
    is_hit = np.zeros(stored.nnz, dtype=bool)
    places = stored_places(Y, stored)
    is_hit[places[places >= 0]] = True
    labels = np.repeat(np.arange(n_labels), np.diff(stored.indptr))
    of_cell = weights[stored.indices]
    hits, misses = np.where(is_hit, of_cell, 0), np.where(is_hit, 0, of_cell)
    absent_hits = _absent(weights @ Y, np.diff(Y.indptr), labels[is_hit], of_cell[is_hit])
    known, n_known = weights.sum() - weights @ Y, weights.size - np.diff(Y.indptr)
    if missing is not None:
        known, n_known = known - weights @ missing, n_known - np.diff(missing.indptr)
    absent_misses = _absent(known, n_known, labels[~is_hit], of_cell[~is_hit])
    return _WeightedCells(
        np.append(labels, np.arange(n_labels)),
        np.append(stored.data, np.full(n_labels, -np.inf, dtype=stored.dtype)),
        np.append(hits, absent_hits),
        np.append(misses, absent_misses),
    )


def _absent(
    total: np.ndarray, n_total: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the weight of each label's cells that are not stored; 0 if all of them are."""
    n_labels = total.size
    n_absent = n_total - np.bincount(labels, minlength=n_labels)
    return np.where(n_absent > 0, total - np.bincount(labels, weights, minlength=n_labels), 0.0)
