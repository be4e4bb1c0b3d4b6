"""The tuning problem: checked scores and labels, with rankings and counts computed on demand.

Exact copies of rows are found here, too, because cross-validation must keep them together.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks import is_stored, refuse_in_blocks, warn_of_label_order
from labelwise._counts import Counts, count_matched, counts_of
from labelwise._curves import Curves, RowCurves, SliceColumns, exact_weights
from labelwise._text import listed, quoted
from labelwise._tuning.problem._decisions import decisions_at, highest_scores
from labelwise._validation import (
    Outcome,
    check_groups,
    check_outcome,
    check_weights,
    frame_names,
    slice_texts,
)
from labelwise.splitting import assign

# Folds of cross-validation, if there are as many units.
N_FOLDS = 5
# With at least this many labels, scores show which rows may be copies of each other.
_LABELS_TO_COMPARE = 8


@dataclass(frozen=True, eq=False)
class Problem(RowCurves):
    """Checked scores and labels that thresholds are tuned on, and which rows belong together."""

    groups: np.ndarray | None = None  # group number of each row

    @cached_property
    def labels_of_each(self) -> Any:
        """Number of labels with truth of each sample; one number if it is the same for all."""
        found: Any = self.n_labels
        if self.slicing is not None:
            found = np.bincount(self.slicing.of_column, minlength=len(self.slicing.names))
            found = found[self.slicing.of_row]
        if self.missing is not None:
            found = found - np.bincount(self.missing.indices, minlength=self.n_samples)
        return found

    @property
    def n_slices(self) -> int:
        """Number of slices; 1 without slices."""
        return 1 if self.slicing is None else len(self.slicing.names)

    @property
    def most_labels(self) -> int:
        """Most labels that a sample can have: all, or those of a slice."""
        if self.slicing is None:
            return self.n_labels
        return int(np.bincount(self.slicing.of_column).max())

    def labels_with_truth(self) -> np.ndarray | None:
        """Return the numbers of the labels with truth for a sample; None if all have it."""
        if self.missing is None and self.slicing is None:
            return None
        n_samples: Any = self.n_samples
        if self.slicing is not None:
            n_samples = self.slicing.n_samples(np.ones(self.n_samples, dtype=np.int64))
        n_missing = 0 if self.missing is None else np.diff(self.missing.indptr)
        found = np.flatnonzero(np.broadcast_to(n_samples - n_missing, self.n_labels))
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
            slicing=None
            if self.slicing is None
            else self.slicing._replace(of_column=self.slicing.of_column[numbers]),
        )

    def with_top(self, k: int | None) -> Problem:
        """Return the problem with the k highest scores of each sample only; None means all."""
        if k is None:
            return self
        if self.missing is not None:
            raise ValueError(
                "max_decisions per sample does not go together with missing labels in Y."
            )
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
        if self.groups is not None:
            return self.groups
        # Copies of samples with one score look like ties.
        return None if self.most_labels == 1 else copy_groups(self)

    @property
    def n_fold_units(self) -> int:
        """Number of units that folds keep together, see `fold_units`."""
        return self.n_samples if self.fold_units is None else int(self.fold_units.max()) + 1

    def compute_rankings(self) -> None:
        """Compute what several threads will need, so that each does not compute it by itself."""
        _ = self.hit_positions, self.fold_units

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
        slicing = self.slicing
        if slicing is not None:
            slicing = slicing._replace(of_row=slicing.of_row[numbers])
        return Problem(scores[numbers], Y, self.names, weights, missing, slicing, groups)

    def counts_of_decisions(self, decided: Any, by: str) -> Counts:
        """Return the counts of decisions by "label", counted by weight, or by "sample"."""
        if by == "sample":
            found = count_matched(self.Y, decided, by, self.missing)
            return found._replace(tn=self.labels_of_each - found.tp - found.fp - found.fn)
        n_decided, hits = (self.everyone @ part for part in (decided, decided.multiply(self.Y)))
        return counts_of(n_decided, hits, self.support, self.n_counted)

    def decision_counts(self, thresholds: np.ndarray, most_per_row: Any, by: str) -> Counts:
        """Return the counts of the decisions of thresholds, by "label" or by "sample".

        `most_per_row` is as in `decided_at`.
        """
        decided = self.decided_at(thresholds, most_per_row)
        # The positions of nonzero values are found faster in arrays of bool.
        return self.counts_of_decisions(sparse.csc_array(decided.astype(bool)), by)

    def decided_at(
        self, thresholds: np.ndarray, most_per_row: Any, rows: np.ndarray | None = None
    ) -> Any:
        """Decide all rows, or some, by thresholds.

        `most_per_row` is the most decisions of a sample: None, a number, or one for each slice.
        """
        if self.slicing is not None and np.ndim(most_per_row):
            of_row = self.slicing.of_row if rows is None else self.slicing.of_row[rows]
            most_per_row = most_per_row[of_row]
        scores = self.scores if rows is None else self.scores[rows]
        return decisions_at(scores, thresholds, most_per_row)


def check_curves(
    scores: Any,
    Y: Any,
    label_names: Sequence[str] | None,
    groups: Any = None,
    sample_weight: Any = None,
    slices: Any = None,
    *,
    ids: Any = None,
) -> Curves:
    """Check scores and labels in memory, or open those of paths and dask arrays in blocks of rows.

    Missing labels are allowed in memory. A warning says if the labels of Y or `label_names` are in
    another order than those of the scores.
    """
    if not is_stored(scores, Y):
        problem = check_problem(
            scores,
            Y,
            label_names,
            groups,
            sample_weight,
            slices,
            allow_missing=True,
            ids=ids,
        )
        names = problem.names if problem.slicing is None else problem.slicing.label_names
        warn_of_label_order(names, frame_names(Y), label_names, stacklevel=4)
        return problem
    # Rows in memory need no readers of files.
    from labelwise._blocks import open_blocks
    from labelwise._curves import BlockCurves

    if scores is None:
        raise TypeError("scores must be a path, an array or a dask array, got None.")
    refuse_in_blocks(groups=groups, sample_weight=sample_weight, slices=slices)
    given = {"Y": Y, "scores": scores}
    blocks = open_blocks(given, label_names, ids=ids, labels_of="scores")
    return BlockCurves(blocks)


def check_problem(
    scores: Any,
    Y: Any,
    label_names: Sequence[str] | None,
    groups: Any = None,
    sample_weight: Any = None,
    slices: Any = None,
    *,
    allow_missing: bool = False,
    ids: Any = None,
) -> Problem:
    """Check scores, labels, groups, weights and slices, and return them as a problem.

    Labels are in the order of the columns of the scores, so that an array from the same model can
    be compared with the thresholds.
    Samples of weight 0, and those of which all labels are missing, are left out. Missing labels are
    refused unless `allow_missing`. Rows are matched by `ids` as in `check_outcome`.
    """
    if scores is None:
        raise TypeError("scores must be an array, a CSR matrix or a frame, got None.")
    outcome = check_outcome(
        Y,
        scores=scores,
        label_names=label_names,
        allow_missing=allow_missing,
        ids=ids,
        labels_of="scores",
    )
    n_samples = outcome.Y.shape[0]
    groups, sample_weight, slices = (
        outcome.in_order(values, name)
        for name, values in (
            ("groups", groups),
            ("sample_weight", sample_weight),
            ("slices", slices),
        )
    )
    numbers = None if groups is None else check_groups(groups, n_samples)
    outcome = outcome._replace(weights=check_sample_weights(sample_weight, outcome.Y))
    return with_truth(outcome, numbers, None if slices is None else slice_texts(slices, n_samples))


def check_sample_weights(sample_weight: Any, Y: Any) -> np.ndarray | None:
    """Return weights of which every sum is exact; None without weights, and if all are 1."""
    if sample_weight is None:
        return None
    weights = exact_weights(check_weights(sample_weight, Y.shape[0]), Y.shape[1])
    return None if (weights == 1).all() else weights


def with_truth(
    outcome: Outcome, groups: np.ndarray | None, slices: np.ndarray | None = None
) -> Problem:
    """Return the problem of the samples that have a weight above 0 and truth for a label.

    With the slice of each sample, columns are labels in slices, see `in_slices`.
    """
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
        slices = None if slices is None else slices[kept]
    cells = outcome.scores, outcome.Y, outcome.names
    problem = Problem(*cells, outcome.weights, outcome.missing, groups=groups)
    return problem if slices is None else in_slices(problem, slices)


def in_slices(problem: Problem, slices: np.ndarray) -> Problem:
    """Return the problem whose columns are the labels in each slice.

    A label in a slice is a label of its own: cells of different slices are disjoint. A sample has
    scores for the labels of its slice only, so that the scores take no more memory than as CSR.
    """
    texts = slices.tolist()
    names = sorted(set(texts))
    numbers = {name: number for number, name in enumerate(names)}
    # Faster than sorting all texts.
    of_row = np.fromiter((numbers[text] for text in texts), np.int64, len(texts))
    n_samples, n_labels, n_slices = problem.n_samples, problem.n_labels, len(names)
    shape = (n_samples, n_labels * n_slices)
    labels = problem.names or tuple(map(str, range(n_labels)))

    def spread(matrix: Any) -> sparse.csr_array:
        if not sparse.issparse(matrix):
            cells = (n_slices * np.arange(n_labels) + of_row[:, None]).ravel()
            starts = np.arange(n_samples + 1) * n_labels
            return sparse.csr_array((matrix.ravel(), cells, starts), shape=shape)
        stored = sparse.csr_array(matrix)
        cells = n_slices * stored.indices + np.repeat(of_row, np.diff(stored.indptr))
        return sparse.csr_array((stored.data, cells, stored.indptr), shape=shape)

    Y = sparse.csc_array(spread(problem.Y))
    Y.sort_indices()
    of_column = np.tile(np.arange(n_slices), n_labels)
    return replace(
        problem,
        scores=spread(problem.scores),
        Y=Y,
        names=tuple(f"{label} in {name}" for label in labels for name in names),
        missing=None if problem.missing is None else sparse.csc_array(spread(problem.missing)),
        slicing=SliceColumns(tuple(names), problem.names, of_row, of_column),
    )


def without_slices(problem: Problem, rows: np.ndarray | None = None) -> Problem:
    """Return a problem in slices as that of its labels, of all samples or of some rows."""
    problem = problem if rows is None else problem.rows(rows)
    slicing: Any = problem.slicing
    n_slices = len(slicing.names)
    shape = problem.n_samples, problem.n_labels // n_slices

    def gathered(matrix: Any) -> sparse.csr_array:
        stored = sparse.csr_array(matrix)
        stored.sort_indices()
        return sparse.csr_array(
            (stored.data, stored.indices // n_slices, stored.indptr), shape=shape
        )

    scores: Any = gathered(problem.scores)
    if scores.nnz == shape[0] * shape[1]:
        scores = scores.data.reshape(shape)
    Y, missing = (
        None if part is None else sparse.csc_array(gathered(part))
        for part in (problem.Y, problem.missing)
    )
    names = slicing.label_names
    return Problem(scores, Y, names, problem.weights, missing, groups=problem.groups)


def random_folds(problem: Problem, random_state: Any) -> np.ndarray:
    """Return a fold for each sample, units together; a single fold if there is one unit.

    Folds are random: stratified ones have the label shares that were tuned for, which new samples
    need not have, and make the value too high.
    """
    if problem.n_fold_units < 2:
        return np.zeros(problem.n_samples, dtype=np.intp)
    return assign(
        problem.Y,
        min(N_FOLDS, problem.n_fold_units),
        method="random",
        groups=problem.fold_units,
        random_state=random_state,
    )


def warn_of_labels_without_positives(curves: Curves) -> None:
    """Warn once, naming the labels, if labels have no positives to tune on."""
    empty = np.flatnonzero(curves.support == 0).tolist()
    if len(empty) == curves.n_labels:
        warnings.warn("Y has no positives: no label is decided.", stacklevel=3)
    elif empty:
        names: Any = curves.names or range(curves.n_labels)
        shown = listed(empty, show=lambda j: quoted(str(names[j])))
        warnings.warn(f"Y has no positives of {shown} to tune on.", stacklevel=3)


def copy_groups(curves: RowCurves) -> np.ndarray | None:
    """Return a group number for each row, the same for copies; None if there are no copies.

    Rows are copies if they have the same labels and the same score of every label, and if no other
    row has any of these scores. The last condition excludes coarse scores, which different samples
    share. None is also returned for a single label, where copies look like ties, and if all rows
    are equal, where no other row can show whether scores are coarse.
    """
    scores, Y = curves.scores, curves.Y
    if Y.shape[1] == 1:
        return None
    rows, labels = sparse.csr_array(scores) if sparse.issparse(scores) else scores, Y.tocsr()
    alike = _first_equal_rows(rows, labels, _candidates(rows, labels))
    is_copy = (np.bincount(alike) > 1)[alike] & _are_scored(rows)
    if not is_copy.any() or alike.max() == 0:
        return None
    is_copy = _own_their_scores(curves.ranking, alike, is_copy)
    return None if not is_copy.any() else _numbered(alike, is_copy)


def _candidates(scores: Any, Y: sparse.csr_array) -> np.ndarray:
    """Return the rows that may equal another row, because a cheap summary is the same."""
    random = np.random.default_rng(0)
    if not sparse.issparse(scores):
        # Of a single label, many rows may have the same score.
        some = np.unique(np.linspace(0, Y.shape[1] - 1, _LABELS_TO_COMPARE).astype(np.intp))
        summary = np.zeros(len(scores))
        for j, factor in zip(some.tolist(), random.random(some.size), strict=True):
            summary += factor * scores[:, j]
    else:
        # Equal rows have equal sums, since the entries of each row are added in the same order.
        summary = scores @ random.random(Y.shape[1]) + Y @ random.random(Y.shape[1])
    _, number, times = np.unique(summary, return_inverse=True, return_counts=True)
    return np.flatnonzero(times[number] > 1)


def _first_equal_rows(scores: Any, Y: sparse.csr_array, candidates: np.ndarray) -> np.ndarray:
    """Return, for each row, the first row with equal scores and labels."""
    first: dict[tuple[bytes, ...], int] = {}
    Y.sort_indices()
    parts = [(Y.indptr, Y.indices)]
    if sparse.issparse(scores):
        scores.sort_indices()
        parts += [(scores.indptr, scores.indices), (scores.indptr, scores.data)]
    else:
        starts = np.arange(scores.shape[0] + 1) * scores.shape[1]
        parts.append((starts, np.ascontiguousarray(scores).ravel()))
    found = np.arange(Y.shape[0])
    for i in candidates.tolist():
        key = tuple(values[starts[i] : starts[i + 1]].tobytes() for starts, values in parts)
        found[i] = first.setdefault(key, i)
    return found


def _are_scored(scores: Any) -> np.ndarray:
    """Return which rows have at least one score."""
    if sparse.issparse(scores):
        return np.asarray(np.diff(scores.indptr) > 0)
    return np.ones(scores.shape[0], dtype=bool)


def _own_their_scores(ranking: Any, alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return which copies share none of their scores with a row that is not a copy of them.

    If rows that are not copies have the same score of a label, two of them are next to each other.
    """
    ties = np.flatnonzero(ranking.scores[1:] == ranking.scores[:-1])
    labels = np.searchsorted(ranking.starts, [ties, ties + 1], side="right")
    ties = ties[labels[0] == labels[1]]
    above, below = alike[ranking.cells[ties] >> 1], alike[ranking.cells[ties + 1] >> 1]
    is_shared = np.zeros(alike.size, dtype=bool)
    differs = above != below
    is_shared[above[differs]] = is_shared[below[differs]] = True
    return np.asarray(is_copy & ~is_shared[alike])


def _numbered(alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return a group number for each row; rows that are not copies are groups of one row."""
    own = alike.max() + 1 + np.arange(alike.size)
    return np.unique(np.where(is_copy, alike, own), return_inverse=True)[1]
