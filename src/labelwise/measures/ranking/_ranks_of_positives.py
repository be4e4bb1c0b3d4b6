"""Ranks of positives: how many scores lie above each one, which all ranking measures use."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._parallel import in_threads
from labelwise.measures._counts import cells_of_each
from labelwise.measures.ranking._sorted_pieces import sort_pieces

# Up to this many positives, one pass through the ranking for each is cheaper than sorting.
FEW = 32
# Scores that a thread copies and sorts at a time: this bounds the memory.
_BLOCK = 2**21


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
    return best_first(above, at_least, n_positives.astype(np.int64), n_scores)


def best_first(
    above: np.ndarray, at_least: np.ndarray, n_positives: np.ndarray, n_scores: Any
) -> RankedPositives:
    """Order the positives of each ranking and count the positives among what lies above."""
    ranking = np.repeat(np.arange(n_positives.size), n_positives)
    first = np.cumsum(n_positives) - n_positives
    # Both counts fall as the score grows, so sorted apart they stay together.
    offset = ranking * (np.max(n_scores) + 1)
    key = np.sort(at_least + offset)
    ends = np.flatnonzero(np.diff(key, append=-1)) + 1
    sizes = np.diff(ends, prepend=0)
    return RankedPositives(
        ranking=ranking,
        above=np.sort(above + offset) - offset,
        at_least=key - offset,
        hits_above=np.repeat(ends - sizes, sizes) - first[ranking],
        hits_at_least=np.repeat(ends, sizes) - first[ranking],
        n_positives=n_positives,
        n_scores=n_scores,
    )


def _counts_in_rows(
    Y: sparse.csr_array, scores: Any, n_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Count the scores above, and at or above, each positive within its row."""
    n_of_row = np.broadcast_to(n_scores, Y.shape[0])

    def count_block(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        from labelwise.measures.ranking._ranks_of_positives_kernels import count_above

        labels, block = Y[rows], scores[rows]
        cuts = _scores_at(labels, block)
        is_sorted = np.diff(labels.indptr) > FEW
        values, bounds = _flat(block, copy=bool(is_sorted.any()))
        sort_pieces(values, bounds, np.flatnonzero(is_sorted))
        cut_bounds = labels.indptr.astype(np.int64)
        above, at_least = count_above(values, bounds, cuts, cut_bounds, is_sorted)
        n_absent = n_of_row[rows] - np.diff(bounds)
        at_least += np.repeat(n_absent, np.diff(cut_bounds)) * np.isneginf(cuts)
        return above, at_least

    blocks = _blocks(scores, _BLOCK)
    parts = list(in_threads(count_block, blocks))
    return np.concatenate([above for above, _ in parts]), np.concatenate([a for _, a in parts])


def _counts_overall(
    Y: sparse.csc_array, scores: Any, n_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Count the scores of the whole matrix above, and at or above, each positive."""
    scores, rows = _as_rows(scores), sparse.csr_array(Y)
    found = in_threads(
        lambda block: _scores_at(rows[block], scores[block]), _blocks(scores, _BLOCK)
    )
    cuts = np.sort(np.concatenate(list(found)))

    def count_block(rows: slice) -> np.ndarray:
        values, _ = _flat(scores[rows], copy=True)
        values.sort()
        return np.stack([values.size - np.searchsorted(values, cuts, s) for s in ("right", "left")])

    counts = np.zeros((2, cuts.size), dtype=np.int64)
    # With blocks larger than the positives, searching costs less than sorting.
    for part in in_threads(count_block, _blocks(scores, max(2 * _BLOCK, 2 * cuts.size))):
        counts += part
    counts[1] += (n_scores - scores.size) * np.isneginf(cuts)
    return counts[0], counts[1]


def _as_rows(scores: Any) -> Any:
    """Return dense scores as they are, sparse ones as CSR."""
    return sparse.csr_array(scores) if sparse.issparse(scores) else scores


def _scores_at(Y: sparse.csr_array, scores: Any) -> np.ndarray:
    """Return the score of each positive, -inf where it is absent."""
    rows = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))
    if not sparse.issparse(scores):
        return np.asarray(scores[rows, Y.indices])
    present = np.repeat(np.arange(Y.shape[0]), np.diff(scores.indptr)) * Y.shape[1] + scores.indices
    wanted = rows * Y.shape[1] + Y.indices
    # Checked matrices have sorted indices. One more entry makes every position found exist.
    places = np.searchsorted(present, wanted)
    found = np.append(present, -1)[places] == wanted
    return np.where(found, np.append(scores.data, -np.inf)[places], -np.inf).astype(scores.dtype)


def _flat(block: Any, *, copy: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of all rows one after the other, and where each row begins."""
    if sparse.issparse(block):
        return block.data.copy() if copy else block.data, block.indptr.astype(np.int64)
    bounds = np.arange(block.shape[0] + 1) * block.shape[1]
    return block.flatten() if copy else block.ravel(), bounds


def _blocks(scores: Any, n_together: int) -> list[slice]:
    """Split the rows into blocks of about `n_together` scores."""
    n_rows = scores.shape[0]
    # Eight columns are a cache line of their transpose: fewer would read it more than once.
    n_together = max(8, n_together * n_rows // max(1, scores.size))
    starts = range(0, n_rows, n_together)
    return [slice(start, min(start + n_together, n_rows)) for start in starts]
