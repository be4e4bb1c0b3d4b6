"""The curves that thresholds are chosen from, and those of rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from labelwise._counts import Counts, counts_of
from labelwise._curves._cuts import Cuts, every_cut, hit_scores
from labelwise._curves._cuts_kernels import are_positive
from labelwise._curves._gaps import cuts_of, cuts_of_stored
from labelwise._curves._rankings import (
    HitPositions,
    LabelRankings,
    Totals,
    cuts_at_hits_under,
    every_cut_under,
    hit_positions,
    label_rankings,
)
from labelwise._curves._rankings_kernels import count_reached, weighted_counts

# Products of two sums of integer weights must be below 2**63.
_MOST_WHOLE = 2**31
# Products of two sums of float weights must neither overflow nor underflow.
_LEAST_SUM, _MOST_SUM = 1e-100, 1e100


class Curves(Protocol):
    """Curves of labels, wherever the rows are: all that an objective without further options needs.

    `RowCurves` are those of rows in memory, `BlockCurves` those of blocks of rows.
    """

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the labels, or None."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    @property
    def weights(self) -> np.ndarray | None:
        """Weights of the samples; None if all count once."""

    @property
    def total_weight(self) -> Any:
        """Number of samples, counted by weight."""

    @property
    def support(self) -> np.ndarray:
        """Number of positives of each label, counted by weight."""

    def cuts_of_all(self) -> Cuts:
        """Return the cuts of all labels at positives."""

    def frontier_cuts(self) -> Cuts:
        """Return the cuts at positives that the micro frontier depends on, or all of them."""

    def pieces(self, everywhere: bool) -> Iterator[Cuts]:
        """Yield the cuts at positives or at every distinct score: all labels, or one at a time."""

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score, one label at a time."""

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label."""


class SliceColumns(NamedTuple):
    """Columns that are labels in slices: a column counts only the samples of its slice.

    The slices of one label come after those of another.
    """

    names: tuple[str, ...]  # of the slices
    label_names: tuple[str, ...] | None
    of_row: np.ndarray  # number of the slice of each row
    of_column: np.ndarray  # number of the slice of each column

    def n_samples(self, weights: np.ndarray) -> np.ndarray:
        """Return the number of samples of each column, counted by weight."""
        # Sums of weights are exact, see `exact_weights`.
        totals = np.bincount(self.of_row, weights, len(self.names)).astype(weights.dtype)
        return np.asarray(totals[self.of_column])


@dataclass(frozen=True, eq=False)
class RowCurves:
    """Curves of scores and labels in memory, with rankings and counts computed on demand."""

    scores: Any
    Y: sparse.csc_array
    names: tuple[str, ...] | None
    weights: np.ndarray | None = None  # of the rows, by `exact_weights`; None if all count once
    # Cells without truth, which have no score (scores are CSR) and no positive; None if none.
    missing: sparse.csc_array | None = None
    # Columns that are labels in slices have no score for samples of other slices (scores are CSR).
    slicing: SliceColumns | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples (rows)."""
        return int(self.Y.shape[0])

    @cached_property
    def total_weight(self) -> Any:
        """Number of samples, counted by weight."""
        return self.n_samples if self.weights is None else self.weights.sum().item()

    @property
    def n_labels(self) -> int:
        """Number of labels (columns)."""
        return int(self.Y.shape[1])

    @cached_property
    def support(self) -> np.ndarray:
        """Number of positives of each label, counted by weight."""
        if self.weights is not None:
            return self.totals(self.weights).positives
        return np.asarray(np.diff(self.Y.indptr), dtype=np.int64)

    @property
    def n_counted(self) -> Any:
        """Number of samples by weight: one number, or an array with that of each label."""
        if self.missing is None and self.slicing is None:
            return self.total_weight
        return self.totals(self.everyone).n_samples

    @property
    def n_missing(self) -> int:
        """Number of cells without truth."""
        return 0 if self.missing is None else int(self.missing.nnz)

    @cached_property
    def ranking(self) -> LabelRankings:
        """Cells of each label in the order of falling score."""
        return label_rankings(self.scores, self.Y)

    @cached_property
    def hit_positions(self) -> HitPositions:
        """Entries of the positives in `ranking`."""
        return hit_positions(self.ranking)

    @cached_property
    def everyone(self) -> np.ndarray:
        """Weight of each sample; 1 if there are no weights."""
        return np.ones(self.n_samples, dtype=np.int64) if self.weights is None else self.weights

    @cached_property
    def pooled_hits(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the positives of all labels in falling order, and their rows."""
        positive = self.ranking.cells & 1 == 1
        scores, rows = self.ranking.scores[positive], self.ranking.cells[positive] >> 1
        order = np.argsort(scores)[::-1]
        return scores[order], rows[order]

    def counts_once(self, weights: np.ndarray) -> bool:
        """Return whether weights are those of the problem, and count every sample once."""
        return self.weights is None and weights is self.everyone

    def totals(self, weights: np.ndarray) -> Totals:
        """Return the number of positives and of samples, with samples counted by weight."""
        counted = weights.sum().item() if self.slicing is None else self.slicing.n_samples(weights)
        if self.missing is not None:
            counted = counted - weights @ self.missing
        return Totals(weights @ self.Y, counted)

    def cuts(self, weights: np.ndarray, everywhere: bool) -> Cuts:
        """Return the cuts of all labels under weights, at positives or at every distinct score."""
        totals = self.totals(weights)
        if everywhere:
            return every_cut_under(self.ranking, weights, totals)
        if self.counts_once(weights):
            weights = weights[:0]
        return cuts_at_hits_under(self.ranking, self.hit_positions, weights, totals)

    def cuts_of_all(self) -> Cuts:
        """Return the cuts of all labels at positives, on all samples.

        Without weights, scores are sorted without their rows.
        """
        if self.weights is not None:
            return self.cuts(self.everyone, everywhere=False)
        if sparse.issparse(self.scores):
            return cuts_of_stored(self.scores, self.Y, self.n_counted)
        return cuts_of(self.scores, self.Y)

    def frontier_cuts(self) -> Cuts:
        """Return the cuts of all labels at positives."""
        return self.cuts_of_all()

    def pieces(self, everywhere: bool) -> Iterator[Cuts]:
        """Yield the cuts of all labels, but one label at a time for every cut of dense scores.

        Every cut of every label would be four times the size of dense scores.
        """
        if not everywhere:
            yield self.cuts_of_all()
        elif sparse.issparse(self.scores):
            yield self.cuts(self.everyone, everywhere=True)
        else:
            yield from self.every_cut()

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score on all samples, one label at a time."""
        if not sparse.issparse(self.scores) and self.weights is None:
            yield from every_cut(self.scores, self.Y)
            return
        cuts = self.cuts(self.everyone, everywhere=True)
        for j in range(self.n_labels):
            yield cuts.of_labels(j, j + 1)

    def counts_under(self, weights: np.ndarray, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label under weights, one row for each row of thresholds.

        Thresholds must fall from row to row. A single column applies to all labels.
        """
        everywhere = np.broadcast_to(thresholds, (len(thresholds), self.n_labels))
        # For a read-only array, the kernel would be compiled again.
        levels = np.require(everywhere, requirements=["C", "W"])
        decided, hits = weighted_counts(self.ranking, weights, levels)
        return counts_of(decided, hits, *self.totals(weights))

    def counts_at(self, weights: np.ndarray, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label under weights, at one threshold per label."""
        if weights is self.everyone:
            return self.counts(thresholds)  # needs no ranking, and no kernel
        return Counts(*(cells[0] for cells in self.counts_under(weights, thresholds[None])))

    @cached_property
    def hit_scores(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores of the positives that have a score."""
        if not sparse.issparse(self.scores):
            return hit_scores(self.scores, self.Y)
        stored, Y = sparse.csr_array(self.scores), sparse.csr_array(self.Y)
        found = are_positive(stored.indptr, stored.indices, Y.indptr, Y.indices)
        return stored.indices[found], stored.data[found]

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label."""
        return counts_of(*self.decided_and_hits(thresholds), self.support, self.n_counted)

    def decided_and_hits(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of decisions and of true positives of each label."""
        if self.weights is not None:
            decided = _reached(self.scores, thresholds)
            return self.weights @ decided, self.weights @ decided.multiply(self.Y)
        labels, scores = self.hit_scores
        if not sparse.issparse(self.scores):
            right = scores >= thresholds[labels]
            hits = np.bincount(labels[right], minlength=self.n_labels)
            return np.count_nonzero(self.scores >= thresholds, axis=0), hits
        stored = sparse.csr_array(self.scores)
        # An absent score is never decided, whatever the threshold.
        decided = count_reached(stored.indices, stored.data, thresholds)
        return decided, count_reached(labels, scores, thresholds)


def _reached(scores: Any, thresholds: np.ndarray) -> sparse.csr_array:
    """Return the cells whose score is at least the threshold of the label."""
    if not sparse.issparse(scores):
        return sparse.csr_array(scores >= thresholds)
    stored = sparse.csr_array(scores)
    reached = stored.data >= thresholds[stored.indices]
    return sparse.csr_array((reached, stored.indices, stored.indptr), shape=stored.shape)


def exact_weights(weights: np.ndarray, n_labels: int) -> np.ndarray:
    """Return weights of which every sum is exact, whatever the order of its terms.

    Whole numbers become int64, so that they count as repeated samples do. Other weights are rounded
    to multiples of the power of 2 for which the sum over all samples and labels has 53 bits. This
    changes a weight by no more than adding it to that sum as a float would. Exact sums give counts
    that are never negative, and 0 where nothing is counted.

    Parameters
    ----------
    weights : ndarray of float64 of shape (n_samples,)
        Weights by `check_weights`: finite, not negative and not all 0.
    n_labels : int
        Number of labels.

    Returns
    -------
    ndarray of int64 or float64 of shape (n_samples,)
        The weights; those that are too small to change a sum are 0.

    Raises
    ------
    ValueError
        If the sum of the weights is so large or small that products of sums are not finite or 0.
    """
    total = float(weights.sum()) * n_labels
    if not _LEAST_SUM < total < _MOST_SUM:
        raise ValueError(
            f"sample_weight must have a sum between {_LEAST_SUM} and {_MOST_SUM} over all labels, "
            f"got {total:.6g}."
        )
    if total < _MOST_WHOLE and (weights == np.floor(weights)).all():
        return weights.astype(np.int64)
    unit = 2.0 ** (np.frexp(total)[1] - 53)
    return np.asarray(np.round(weights / unit) * unit)
