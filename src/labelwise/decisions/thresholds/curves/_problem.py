"""The tuning problem: checked scores and labels, with rankings and counts computed on demand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import listed, quoted
from labelwise._validation import check_outcome
from labelwise.decisions.thresholds._row_limit import decisions_at
from labelwise.decisions.thresholds.curves._copies import copy_groups
from labelwise.decisions.thresholds.curves._cuts import Cuts, counts_of, cuts_of, every_cut
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

    def compute_rankings(self) -> None:
        """Compute what several threads will need, so that each does not compute it by itself."""
        _ = self.hit_positions, self.pooled_hits, self.units

    def totals(self, weights: np.ndarray) -> Totals:
        """Return the number of positives and of samples, with samples counted by weight."""
        return Totals((weights @ self.Y).astype(np.int64), int(weights.sum()))

    def cuts(self, weights: np.ndarray, everywhere: bool) -> Cuts:
        """Return the cuts of all labels under weights, at positives or at every distinct score."""
        totals = self.totals(weights)
        if everywhere:
            return every_cut_under(self.ranking, weights, totals)
        return cuts_at_hits_under(self.ranking, self.hit_positions, weights, totals)

    def cuts_of_all(self) -> Cuts:
        """Return the cuts of all labels at positives, on all samples.

        Dense scores are sorted without their rows. The ranking of sparse scores is cheaper.
        """
        if sparse.issparse(self.scores):
            return self.cuts(self.everyone, everywhere=False)
        return cuts_of(self.scores, self.Y)

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score on all samples, one label at a time."""
        if not sparse.issparse(self.scores):
            yield from every_cut(self.scores, self.Y)
            return
        cuts = self.cuts(self.everyone, everywhere=True)
        for j, (start, end) in enumerate(pairwise(cuts.starts)):
            mine = slice(start, end)
            yield Cuts(
                np.array([0, end - start]),
                cuts.decided[mine],
                cuts.hits[mine],
                cuts.lows[mine],
                cuts.thresholds[mine],
                cuts.positives[j : j + 1],
                self.n_samples,
            )

    def counts_under(self, weights: np.ndarray, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label under weights, one row for each row of thresholds.

        Thresholds must fall from row to row. A single column applies to all labels.
        """
        everywhere = np.broadcast_to(thresholds, (len(thresholds), self.n_labels))
        # For a read-only array, the kernel would be compiled again.
        levels = np.require(everywhere, requirements=["C", "W"])
        decided, hits = weighted_counts(self.ranking, weights, levels)
        return counts_of(decided, hits, *self.totals(weights))

    def rows(self, numbers: np.ndarray | slice) -> Problem:
        """Return the problem of some of the rows, in the given order."""
        scores = self.scores.tocsr() if sparse.issparse(self.scores) else self.scores
        groups = None
        if self.units is not None:
            _, groups = np.unique(self.units[numbers], return_inverse=True)
        Y = sparse.csc_array(self.Y[numbers])
        Y.sort_indices()
        return Problem(scores[numbers], Y, self.names, groups)

    @cached_property
    def hit_scores(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores of the positives that have a score."""
        labels = np.repeat(np.arange(self.n_labels), self.support)
        if not sparse.issparse(self.scores):
            return labels, self.scores[self.Y.indices, labels]
        stored = sparse.csr_array(self.scores)
        n_scores = np.diff(stored.indptr)
        present = np.repeat(np.arange(self.n_samples), n_scores) * self.n_labels + stored.indices
        wanted = self.Y.indices.astype(np.int64) * self.n_labels + labels
        # Checked scores have sorted indices. One more entry makes every place that is found exist.
        places = np.searchsorted(present, wanted)
        is_there = np.append(present, -1)[places] == wanted
        return labels[is_there], stored.data[places[is_there]]

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label."""
        decided, hits = self.decided_and_hits(thresholds)
        return counts_of(decided, hits, self.support, self.n_samples)

    def decided_and_hits(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of decisions and of true positives of each label."""
        if sparse.issparse(self.scores):
            stored = sparse.csr_array(self.scores)
            # An absent score is never decided, whatever the threshold.
            reached = stored.data >= thresholds[stored.indices]
            decided = np.bincount(stored.indices[reached], minlength=self.n_labels)
        else:
            decided = np.count_nonzero(self.scores >= thresholds, axis=0)
        labels, scores = self.hit_scores
        right = scores >= thresholds[labels]
        return decided, np.bincount(labels[right], minlength=self.n_labels)

    def decision_counts(self, thresholds: np.ndarray, most_per_row: int | None, by: str) -> Counts:
        """Return the counts by "label" or "sample", at most `most_per_row` decisions a sample."""
        decided = decisions_at(self.scores, thresholds, most_per_row)
        # The positions of nonzero values are found faster in arrays of bool.
        return count_matched(self.Y, sparse.csc_array(decided.astype(bool)), by)


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
    empty = np.flatnonzero(problem.support == 0).tolist()
    if len(empty) == problem.n_labels:
        warnings.warn("Y has no positives: no label is decided.", stacklevel=3)
    elif empty:
        names: Any = problem.names or range(problem.n_labels)
        shown = listed(empty, show=lambda j: quoted(str(names[j])))
        warnings.warn(f"Y has no positives of {shown} to tune on.", stacklevel=3)
