"""The tuning problem: checked scores and labels, with rankings and counts computed on demand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import listed, quoted
from labelwise._validation import Outcome, check_groups, check_outcome, check_weights
from labelwise.decisions.thresholds._row_limit import decisions_at, highest_scores
from labelwise.decisions.thresholds.curves._copies import copy_groups
from labelwise.decisions.thresholds.curves._cuts import Cuts, counts_of, every_cut
from labelwise.decisions.thresholds.curves._exact_weights import exact_weights
from labelwise.decisions.thresholds.curves._hit_gaps import cuts_of
from labelwise.decisions.thresholds.curves._stored_rankings_kernels import count_reached
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
from labelwise.measures import Counts, count_matched, stored_places


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked scores and labels that thresholds are tuned on."""

    scores: Any
    Y: sparse.csc_array
    names: tuple[str, ...] | None
    groups: np.ndarray | None = None  # group number of each row
    weights: np.ndarray | None = None  # of the rows, by `exact_weights`; None if all count once
    # Cells without truth, which have no score (scores are CSR) and are no positives; None if none.
    missing: sparse.csc_array | None = None

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
        return (
            self.totals(self.everyone).n_samples if self.missing is not None else self.total_weight
        )

    @cached_property
    def labels_of_each(self) -> Any:
        """Number of labels with truth of each sample; one number if no label is missing."""
        if self.missing is None:
            return self.n_labels
        return self.n_labels - np.bincount(self.missing.indices, minlength=self.n_samples)

    @property
    def n_missing(self) -> int:
        """Number of cells without truth."""
        return 0 if self.missing is None else int(self.missing.nnz)

    def labels_with_truth(self) -> np.ndarray | None:
        """Return the numbers of the labels with truth for a sample; None if all have it."""
        if self.missing is None:
            return None
        found = np.flatnonzero(np.diff(self.missing.indptr) < self.n_samples)
        return found if found.size < self.n_labels else None

    def labels(self, numbers: np.ndarray) -> Problem:
        """Return the problem of some labels; numbers stand for missing names."""
        names = self.names or tuple(map(str, range(self.n_labels)))
        return replace(
            self,
            scores=self.scores[:, numbers],
            Y=self.Y[:, numbers],
            names=tuple(names[j] for j in numbers),
            missing=None if self.missing is None else self.missing[:, numbers],
        )

    def with_top(self, k: int | None) -> Problem:
        """Return the problem with the k highest scores of each sample only; None means all."""
        if k is None:
            return self
        if self.missing is not None:
            raise ValueError("max_decisions per row does not go together with missing labels in Y.")
        return replace(self, scores=highest_scores(self.scores, k))

    @property
    def n_units(self) -> int:
        """Number of independent units: groups, or samples if there are no groups.

        Copies of a sample are different units: if a sample occurs repeatedly here, it also occurs
        repeatedly among new samples, and evidence must count it as often.
        """
        return self.n_samples if self.groups is None else int(self.groups.max()) + 1

    @cached_property
    def fold_units(self) -> np.ndarray | None:
        """Number of the unit that a fold must not split: the group or the exact copies of a row.

        Thresholds that were tuned on a copy of a held-out row look better than they are. None if
        each row is a unit by itself.
        """
        return copy_groups(self.scores, self.Y) if self.groups is None else self.groups

    @property
    def n_fold_units(self) -> int:
        """Number of units that folds keep together, see `fold_units`."""
        return self.n_samples if self.fold_units is None else int(self.fold_units.max()) + 1

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

    def compute_rankings(self) -> None:
        """Compute what several threads will need, so that each does not compute it by itself."""
        _ = self.hit_positions, self.fold_units

    def totals(self, weights: np.ndarray) -> Totals:
        """Return the number of positives and of samples, with samples counted by weight."""
        total = weights.sum().item()
        return Totals(
            weights @ self.Y, total if self.missing is None else total - weights @ self.missing
        )

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

        Dense scores are sorted without their rows. The ranking of sparse scores is cheaper.
        """
        if sparse.issparse(self.scores) or self.weights is not None:
            return self.cuts(self.everyone, everywhere=False)
        return cuts_of(self.scores, self.Y)

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score on all samples, one label at a time."""
        if not sparse.issparse(self.scores) and self.weights is None:
            yield from every_cut(self.scores, self.Y)
            return
        cuts = self.cuts(self.everyone, everywhere=True)
        n_samples = np.broadcast_to(cuts.n_samples, self.n_labels)
        for j, (start, end) in enumerate(pairwise(cuts.starts)):
            mine = slice(start, end)
            yield Cuts(
                np.array([0, end - start]),
                cuts.decided[mine],
                cuts.hits[mine],
                cuts.lows[mine],
                cuts.thresholds[mine],
                cuts.positives[j : j + 1],
                n_samples[j : j + 1],
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

    def counts_at(self, weights: np.ndarray, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label under weights, at one threshold per label."""
        if weights is self.everyone:
            return self.counts(thresholds)  # needs no ranking, and no kernel
        return Counts(*(cells[0] for cells in self.counts_under(weights, thresholds[None])))

    def rows(self, numbers: np.ndarray | slice) -> Problem:
        """Return the problem of some of the rows, in the given order."""
        scores = self.scores.tocsr() if sparse.issparse(self.scores) else self.scores
        groups = None
        if self.groups is not None:
            _, groups = np.unique(self.groups[numbers], return_inverse=True)
        weights = None if self.weights is None else self.weights[numbers]
        Y = sparse.csc_array(self.Y[numbers])
        Y.sort_indices()
        missing = None if self.missing is None else sparse.csc_array(self.missing[numbers])
        return Problem(scores[numbers], Y, self.names, groups, weights, missing)

    @cached_property
    def hit_scores(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores of the positives that have a score."""
        if not sparse.issparse(self.scores):
            labels = np.repeat(np.arange(self.n_labels), np.diff(self.Y.indptr))
            return labels, self.scores[self.Y.indices, labels]
        stored, Y = sparse.csr_array(self.scores), sparse.csr_array(self.Y)
        places = stored_places(Y, stored)
        is_there = places >= 0
        return Y.indices[is_there], stored.data[places[is_there]]

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label."""
        return counts_of(*self.decided_and_hits(thresholds), self.support, self.n_counted)

    def counts_of_decisions(self, decided: Any, by: str) -> Counts:
        """Return the counts of decisions by "label", counted by weight, or by "sample"."""
        if by == "sample":
            return count_matched(self.Y, decided, by, self.missing)
        n_decided, hits = (self.everyone @ part for part in (decided, decided.multiply(self.Y)))
        return counts_of(n_decided, hits, self.support, self.n_counted)

    def decided_and_hits(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of decisions and of true positives of each label."""
        if self.weights is not None:
            at_least = sparse.csr_array(decisions_at(self.scores, thresholds))
            counts = self.counts_of_decisions(at_least.astype(bool), "label")
            return counts.tp + counts.fp, counts.tp
        labels, scores = self.hit_scores
        if not sparse.issparse(self.scores):
            right = scores >= thresholds[labels]
            hits = np.bincount(labels[right], minlength=self.n_labels)
            return np.count_nonzero(self.scores >= thresholds, axis=0), hits
        stored = sparse.csr_array(self.scores)
        # An absent score is never decided, whatever the threshold.
        decided = count_reached(stored.indices, stored.data, thresholds)
        return decided, count_reached(labels, scores, thresholds)

    def decision_counts(self, thresholds: np.ndarray, most_per_row: int | None, by: str) -> Counts:
        """Return the counts by "label" or "sample", at most `most_per_row` decisions a sample."""
        decided = decisions_at(self.scores, thresholds, most_per_row)
        # The positions of nonzero values are found faster in arrays of bool.
        return count_matched(self.Y, sparse.csc_array(decided.astype(bool)), by)


def check_problem(
    scores: Any,
    Y: Any,
    label_names: Sequence[str] | None,
    groups: Any = None,
    sample_weight: Any = None,
    *,
    allow_missing: bool = False,
    ids: Any = None,
    by_position: bool | None = None,
) -> Problem:
    """Check scores, labels, groups and weights, and return them as a problem.

    Labels are in the order of the columns of the scores, so that an array from the same model can
    be compared with the thresholds.
    Samples of weight 0, and those of which all labels are missing, are left out. Missing labels are
    refused unless `allow_missing`. Rows are matched by `ids` and `by_position` as in
    `check_outcome`.
    """
    if scores is None:
        raise TypeError("scores must be an array, a CSR matrix or a frame, got None.")
    outcome = check_outcome(
        Y,
        scores=scores,
        label_names=label_names,
        allow_missing=allow_missing,
        ids=ids,
        by_position=by_position,
        labels_of="scores",
    )
    n_samples, n_labels = outcome.Y.shape
    numbers = None if groups is None else check_groups(groups, n_samples)
    if sample_weight is not None:
        weights = exact_weights(check_weights(sample_weight, n_samples), n_labels)
        outcome = outcome._replace(weights=weights)
    return with_truth(outcome, numbers)


def with_truth(outcome: Outcome, groups: np.ndarray | None) -> Problem:
    """Return the problem of the samples that have a weight above 0 and truth for a label."""
    is_counted = np.zeros(outcome.Y.shape[0], dtype=bool)
    is_counted[outcome.rows_with_truth()] = True
    if outcome.weights is not None:
        is_counted &= outcome.weights > 0
    kept = np.flatnonzero(is_counted)
    if not kept.size:
        raise ValueError("Y must have a label that is not missing, got only missing labels.")
    if kept.size < is_counted.size:
        outcome = outcome.rows(kept)
        groups = None if groups is None else np.unique(groups[kept], return_inverse=True)[1]
    parts = (outcome.scores, outcome.Y, outcome.names, groups, outcome.weights, outcome.missing)
    return Problem(*parts)


def warn_of_label_order(
    names: tuple[str, ...] | None,
    names_of_Y: tuple[str, ...] | None,
    label_names: Sequence[str] | None,
    stacklevel: int = 3,
) -> None:
    """Warn once if Y or `label_names` have the labels in another order than the result.

    Names that are not labels are those of columns of ids.
    """
    if names is None:
        return
    given, known = {"Y": names_of_Y, "label_names": label_names}, frozenset(names)
    others = [
        name
        for name, order in given.items()
        if order is not None
        and tuple(label for label in map(str, order) if label in known) != names
    ]
    if others:
        warnings.warn(
            f"The labels of {' and '.join(others)} are in another order than those of scores: they "
            f"are matched by name, and the result has the order of scores ({listed(names)}).",
            stacklevel=stacklevel,
        )


def warn_of_labels_without_positives(problem: Problem) -> None:
    """Warn once, naming the labels, if labels have no positives to tune on."""
    empty = np.flatnonzero(problem.support == 0).tolist()
    if len(empty) == problem.n_labels:
        warnings.warn("Y has no positives: no label is decided.", stacklevel=3)
    elif empty:
        names: Any = problem.names or range(problem.n_labels)
        shown = listed(empty, show=lambda j: quoted(str(names[j])))
        warnings.warn(f"Y has no positives of {shown} to tune on.", stacklevel=3)
