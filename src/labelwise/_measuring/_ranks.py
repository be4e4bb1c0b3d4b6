"""Ranks of positives: how many scores lie above each one, which all ranking measures use.

`find_places` counts samples. `find_weighted_places` sums their weights, and has one entry for each
distinct score of a positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import cells_of_each
from labelwise._parallel import in_threads
from labelwise._sorting import sort_pieces

# Up to this many positives, one pass through the ranking for each is cheaper than sorting.
FEW = 16
# Scores that a thread copies and sorts at a time: this bounds the memory.
_BLOCK = 2**21
# Columns of a transpose that are copied together: the cache lines that they are in are read once.
_TILE = 4096


class RankedPositives(NamedTuple):
    """Ranks of the positives of each ranking, best first.

    A ranking is the scores of a row ("sample"), of a column ("label") or of the matrix ("all").
    Ties are kept apart, so that each measure can treat them by its own rule.
    """

    ranking: np.ndarray  # the ranking that each positive belongs to
    above: np.ndarray  # scores greater than its own
    at_least: np.ndarray  # scores as great, its own among them
    hits_above: np.ndarray  # the same, of positives only
    hits_at_least: np.ndarray
    n_positives: np.ndarray  # of each ranking
    n_scores: Any  # of each ranking: one number, or an array

    @property
    def n_negatives(self) -> np.ndarray:
        """Negatives of each ranking."""
        return np.asarray(self.n_scores - self.n_positives)

    @property
    def misses_above(self) -> np.ndarray:
        """Negatives with a score greater than the positive's."""
        return np.asarray(self.above - self.hits_above)

    @property
    def misses_at_least(self) -> np.ndarray:
        """Negatives with a score as great as the positive's."""
        return np.asarray(self.at_least - self.hits_at_least)

    @property
    def position(self) -> np.ndarray:
        """Position from 1 when ties are broken against the model."""
        first = np.cumsum(self.n_positives) - self.n_positives
        rank = np.arange(1, self.ranking.size + 1) - first[self.ranking]
        return np.asarray(rank + self.misses_at_least)

    def total(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum over the positives of each ranking."""
        return np.bincount(self.ranking, weights, minlength=self.n_positives.size)


def find_places(
    Y: sparse.csc_array, scores: Any, by: str, missing: sparse.csc_array | None = None
) -> RankedPositives:
    """Rank the positives of each sample, of each label or of all cells.

    In sparse scores, absent scores are tied below all present scores, except those of cells
    without truth (`missing`), which are in no ranking. If a ranking has few positives, the scores
    above each are counted, O(positives * scores); otherwise the ranking is sorted, O(scores log
    scores).
    """
    n_scores = cells_of_each(Y, by, missing)
    if by == "all":
        n_positives = np.array([Y.nnz])
        above, at_least = _counts_overall(Y, scores, n_scores)
    else:
        Y, scores = (Y, scores) if by == "sample" else (Y.T, scores.T)
        Y, scores = sparse.csr_array(Y), _as_rows(scores)
        n_positives = np.diff(Y.indptr)
        above, at_least = _counts_in_rows(Y, scores, n_scores)
    return ranked_positives(above, at_least, n_positives.astype(np.int64), n_scores)


def ranked_positives(
    above: np.ndarray, at_least: np.ndarray, n_positives: np.ndarray, n_scores: Any
) -> RankedPositives:
    """For each positive, count the positives above it (input sorted by descending score)."""
    ranking = np.repeat(np.arange(n_positives.size), n_positives)
    first = np.cumsum(n_positives) - n_positives
    is_last = np.append((np.diff(at_least) != 0) | (np.diff(ranking) != 0), True)
    ends = np.flatnonzero(is_last[: ranking.size]) + 1
    sizes = np.diff(ends, prepend=0)
    return RankedPositives(
        ranking=ranking,
        above=above,
        at_least=at_least,
        hits_above=np.repeat(ends - sizes, sizes) - first[ranking],
        hits_at_least=np.repeat(ends, sizes) - first[ranking],
        n_positives=n_positives,
        n_scores=n_scores,
    )


def stored_places(Y: sparse.csr_array, scores: sparse.csr_array) -> np.ndarray:
    """Return where the score of each positive is stored, -1 if it is absent.

    The positives are in the order of ``Y.indices``. Both matrices have sorted indices, or both are
    CSC with sorted indices. One pass over both, O(nnz).
    """
    from labelwise._measuring._ranks_kernels import places_in_rows

    return np.asarray(
        places_in_rows(_long(Y.indptr), Y.indices, _long(scores.indptr), scores.indices)
    )


def _counts_in_rows(
    Y: sparse.csr_array, scores: Any, n_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Count the scores above, and at or above, each positive within its row, best first."""
    n_of_row = np.broadcast_to(n_scores, Y.shape[0])
    cuts, cut_bounds = _scores_at(Y, scores), _long(Y.indptr)

    def count_block(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        from labelwise._measuring._ranks_kernels import count_above

        bounds = cut_bounds[rows.start : rows.stop + 1]
        mine = cuts[bounds[0] : bounds[-1]]
        is_sorted = np.diff(bounds) > FEW
        values, starts = _flat(scores, rows, copy=bool(is_sorted.any()))
        for flat, pieces in ((values, starts), (mine, bounds - bounds[0])):
            sort_pieces(flat, pieces, np.flatnonzero(is_sorted))
        n_absent = n_of_row[rows] - np.diff(starts)
        found = count_above(values, starts, mine, bounds - bounds[0], n_absent, is_sorted)
        return found[0], found[1]

    parts = list(in_threads(count_block, _blocks(scores, _BLOCK)))
    return np.concatenate([above for above, _ in parts]), np.concatenate([a for _, a in parts])


def _counts_overall(
    Y: sparse.csc_array, scores: Any, n_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Count the scores of the whole matrix above, and at or above, each positive, best first."""
    scores = _as_rows(scores)
    cuts = np.sort(_scores_at(sparse.csr_array(Y), scores))

    def count_block(rows: slice) -> np.ndarray:
        from labelwise._measuring._ranks_kernels import add_counts

        values, _ = _flat(scores, rows, copy=True)
        values.sort()
        found = np.zeros((2, cuts.size), dtype=np.int64)
        add_counts(values, cuts, *found)
        return found

    above, at_least = total = np.zeros((2, cuts.size), dtype=np.int64)
    # With blocks larger than the positives, counting costs more than adding up.
    for found in in_threads(count_block, _blocks(scores, max(2 * _BLOCK, 4 * cuts.size))):
        total += found
    at_least += (n_scores - scores.size) * np.isneginf(cuts[::-1])
    return above, at_least


def _as_rows(scores: Any) -> Any:
    """Return dense scores as they are, sparse ones as CSR."""
    return sparse.csr_array(scores) if sparse.issparse(scores) else scores


def _scores_at(Y: sparse.csr_array, scores: Any) -> np.ndarray:
    """Return the score of each positive, -inf where it is absent."""
    if not sparse.issparse(scores):
        rows = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))
        return np.asarray(scores[rows, Y.indices])
    places = stored_places(Y, scores)
    is_there = places >= 0
    found = np.full(places.size, -np.inf, dtype=scores.dtype)
    found[is_there] = scores.data[places[is_there]]
    return found


def _flat(scores: Any, rows: slice, *, copy: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of some rows one after the other, and where each row begins."""
    if sparse.issparse(scores):
        bounds = _long(scores.indptr[rows.start : rows.stop + 1])
        values = scores.data[bounds[0] : bounds[-1]]
        return values.copy() if copy else values, bounds - bounds[0]
    block = scores[rows]
    bounds = np.arange(block.shape[0] + 1) * block.shape[1]
    if copy or not block.flags.c_contiguous:
        found = np.empty(block.shape, block.dtype)
        for start in range(0, block.shape[1], _TILE):
            found[:, start : start + _TILE] = block[:, start : start + _TILE]
        block = found
    return block.ravel(), bounds


def _long(bounds: np.ndarray) -> np.ndarray:
    """Return bounds of rows as 64-bit numbers, the only ones that kernels are compiled for."""
    return np.asarray(bounds, dtype=np.int64)


def _blocks(scores: Any, n_together: int) -> list[slice]:
    """Split the rows into blocks of about `n_together` scores."""
    n_rows = scores.shape[0]
    # Eight columns are a cache line of their transpose: fewer would read it more than once.
    n_together = max(8, n_together * n_rows // max(1, scores.size))
    starts = range(0, n_rows, n_together)
    return [slice(start, min(start + n_together, n_rows)) for start in starts]


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
