"""The tuning problem: checked scores and labels, with rankings and counts computed on demand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import listed
from labelwise._validation import check_outcome
from labelwise.decisions.thresholds._row_limit import decisions_at
from labelwise.decisions.thresholds.curves._copies import copy_groups
from labelwise.decisions.thresholds.curves._cuts import Cuts, counts_of, every_cut
from labelwise.decisions.thresholds.curves._weighted_cuts import (
    HitPositions,
    LabelRankings,
    Totals,
    cuts_at_hits_under,
    every_cut_under,
    hit_positions,
    label_rankings,
)
from labelwise.decisions.thresholds.curves._weighted_cuts_kernels import weighted_counts
from labelwise.measures import Counts, count_matched
from labelwise.splitting import check_groups


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked scores and labels that thresholds are tuned on."""

    scores: Any
    Y: sparse.csc_array
    names: tuple[str, ...] | None
    groups: np.ndarray | None = None  # group number of each row

    @property
    def n_samples(self) -> int:
        """Number of samples (rows)."""
        return int(self.Y.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels (columns)."""
        return int(self.Y.shape[1])

    @cached_property
    def support(self) -> np.ndarray:
        """Number of positives of each label."""
        return np.asarray(np.diff(self.Y.indptr), dtype=np.int64)

    @cached_property
    def units(self) -> np.ndarray | None:
        """Unit number of each row: its group, or its exact copies; None if all are single rows.

        Rows of one unit are in the same fold, and resampling draws them together.
        """
        return copy_groups(self.scores, self.Y) if self.groups is None else self.groups

    @property
    def n_units(self) -> int:
        """Number of units, see `units`."""
        return self.n_samples if self.units is None else int(self.units.max()) + 1

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
        """Weight 1 for each sample."""
        return np.ones(self.n_samples, dtype=np.int32)

    @cached_property
    def pooled_hits(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the positives of all labels in falling order, and their rows."""
        positive = self.ranking.cells & 1 == 1
        scores, rows = self.ranking.scores[positive], self.ranking.cells[positive] >> 1
        order = np.argsort(scores)[::-1]
        return scores[order], rows[order]

    def totals(self, weights: np.ndarray) -> Totals:
        """Return the number of positives and of samples, with samples counted by weight."""
        return Totals((weights @ self.Y).astype(np.int64), int(weights.sum()))

    def cuts(self, weights: np.ndarray, everywhere: bool) -> Cuts:
        """Return the cuts of all labels under weights, at positives or at every distinct score."""
        totals = self.totals(weights)
        if everywhere:
            return every_cut_under(self.ranking, weights, totals)
        return cuts_at_hits_under(self.ranking, self.hit_positions, weights, totals)

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score, one label at a time."""
        return every_cut(self.scores, self.Y)

    def counts_under(self, weights: np.ndarray, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label under weights, one row for each row of thresholds.

        Thresholds must fall from row to row. A single column applies to all labels.
        """
        everywhere = np.broadcast_to(thresholds, (len(thresholds), self.n_labels))
        # For a read-only array, the kernel would be compiled again.
        levels = np.require(everywhere, requirements=["C", "W"])
        decided, hits = weighted_counts(self.ranking, weights, levels)
        return counts_of(decided, hits, *self.totals(weights))

    def rows(self, numbers: np.ndarray) -> Problem:
        """Return the problem of some of the rows, in the given order."""
        scores = self.scores.tocsr() if sparse.issparse(self.scores) else self.scores
        groups = None
        if self.units is not None:
            _, groups = np.unique(self.units[numbers], return_inverse=True)
        Y = sparse.csc_array(self.Y[numbers])
        Y.sort_indices()
        return Problem(scores[numbers], Y, self.names, groups)

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label."""
        decided, hits = decided_and_hits(self.scores, self.Y, thresholds)
        return counts_of(decided, hits, self.support, self.n_samples)

    def decision_counts(self, thresholds: np.ndarray, most_per_row: int | None, by: str) -> Counts:
        """Return the counts by "label" or "sample", at most `most_per_row` decisions a sample."""
        decided = sparse.csc_array(decisions_at(self.scores, thresholds, most_per_row))
        return count_matched(self.Y, decided, by)


def check_problem(
    scores: Any, Y: Any, label_names: Sequence[str] | None, groups: Any = None
) -> Problem:
    """Check scores, labels and groups, and return them as a problem."""
    if scores is None:
        raise TypeError("scores must be an array, a CSR matrix or a frame, got None.")
    outcome = check_outcome(Y, scores=scores, label_names=label_names)
    numbers = None if groups is None else check_groups(groups, outcome.Y.shape[0])
    return Problem(outcome.scores, outcome.Y, outcome.names, numbers)


def warn_of_labels_without_positives(problem: Problem) -> None:
    """Warn once, naming the labels, if labels have no positives to tune on."""
    empty = np.flatnonzero(problem.support == 0)
    if empty.size == problem.n_labels:
        warnings.warn("Y has no positives: no label is decided.", stacklevel=3)
    elif empty.size:
        names = problem.names or tuple(map(str, range(problem.n_labels)))
        shown = listed([names[j] for j in empty])
        warnings.warn(f"Y has no positives of {shown} to tune on.", stacklevel=3)


def decided_and_hits(
    scores: Any, Y: sparse.csc_array, thresholds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of decisions and of true positives of each label."""
    n_labels = Y.shape[1]
    labels = np.repeat(np.arange(n_labels), np.diff(Y.indptr))
    if sparse.issparse(scores):
        stored = sparse.csr_array(scores)
        reached = stored.data >= thresholds[stored.indices]
        decided = np.bincount(stored.indices[reached], minlength=n_labels)
        # An absent score is never decided, whatever the threshold.
        ones = sparse.csr_array(
            (reached.astype(np.int8), stored.indices, stored.indptr), stored.shape
        )
        return decided, np.asarray(ones.multiply(Y).sum(axis=0), dtype=np.int64).ravel()
    decided = np.count_nonzero(scores >= thresholds, axis=0)
    right = scores[Y.indices, labels] >= thresholds[labels]
    return decided, np.bincount(labels[right], minlength=n_labels)
