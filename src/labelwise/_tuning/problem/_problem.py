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
from labelwise._curves import Curves, RowCurves, exact_weights, label_rankings
from labelwise._text import listed, quoted
from labelwise._tuning.problem._decisions import decisions_at, highest_scores
from labelwise._validation import Outcome, check_groups, check_outcome, check_weights, frame_names


@dataclass(frozen=True, eq=False)
class Problem(RowCurves):
    """Checked scores and labels that thresholds are tuned on, and which rows belong together."""

    groups: np.ndarray | None = None  # group number of each row

    @cached_property
    def labels_of_each(self) -> Any:
        """Number of labels with truth of each sample; one number if no label is missing."""
        if self.missing is None:
            return self.n_labels
        return self.n_labels - np.bincount(self.missing.indices, minlength=self.n_samples)

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
        return Problem(scores[numbers], Y, self.names, weights, missing, groups)

    def counts_of_decisions(self, decided: Any, by: str) -> Counts:
        """Return the counts of decisions by "label", counted by weight, or by "sample"."""
        if by == "sample":
            return count_matched(self.Y, decided, by, self.missing)
        n_decided, hits = (self.everyone @ part for part in (decided, decided.multiply(self.Y)))
        return counts_of(n_decided, hits, self.support, self.n_counted)

    def decision_counts(self, thresholds: np.ndarray, most_per_row: int | None, by: str) -> Counts:
        """Return the counts by "label" or "sample", at most `most_per_row` decisions a sample."""
        decided = decisions_at(self.scores, thresholds, most_per_row)
        # The positions of nonzero values are found faster in arrays of bool.
        return self.counts_of_decisions(sparse.csc_array(decided.astype(bool)), by)


def check_curves(
    scores: Any,
    Y: Any,
    label_names: Sequence[str] | None,
    groups: Any = None,
    sample_weight: Any = None,
    *,
    ids: Any = None,
    by_position: bool = False,
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
            allow_missing=True,
            ids=ids,
            by_position=by_position,
        )
        warn_of_label_order(problem.names, frame_names(Y), label_names, stacklevel=4)
        return problem
    # Rows in memory need no readers of files.
    from labelwise._blocks import open_blocks
    from labelwise._curves import BlockCurves

    if scores is None:
        raise TypeError("scores must be a path, an array or a dask array, got None.")
    refuse_in_blocks(groups=groups, sample_weight=sample_weight)
    given = {"Y": Y, "scores": scores}
    blocks = open_blocks(given, label_names, ids=ids, by_position=by_position, labels_of="scores")
    return BlockCurves(blocks)


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
    cells = outcome.scores, outcome.Y, outcome.names
    return Problem(*cells, outcome.weights, outcome.missing, groups)


def warn_of_labels_without_positives(curves: Curves) -> None:
    """Warn once, naming the labels, if labels have no positives to tune on."""
    empty = np.flatnonzero(curves.support == 0).tolist()
    if len(empty) == curves.n_labels:
        warnings.warn("Y has no positives: no label is decided.", stacklevel=3)
    elif empty:
        names: Any = curves.names or range(curves.n_labels)
        shown = listed(empty, show=lambda j: quoted(str(names[j])))
        warnings.warn(f"Y has no positives of {shown} to tune on.", stacklevel=3)


def copy_groups(scores: Any, Y: sparse.csc_array) -> np.ndarray | None:
    """Return a group number for each row, the same for copies; None if there are no copies.

    Rows are copies if they have the same labels and the same score of every label, and if no other
    row has any of these scores. The last condition excludes coarse scores, which different samples
    share. None is also returned for a single label, where copies look like ties, and if all rows
    are equal, where no other row can show whether scores are coarse.
    """
    if Y.shape[1] == 1:
        return None
    rows, labels = sparse.csr_array(scores) if sparse.issparse(scores) else scores, Y.tocsr()
    alike = _first_equal_rows(rows, labels, _candidates(rows, labels))
    is_copy = (np.bincount(alike) > 1)[alike] & _are_scored(rows)
    if not is_copy.any() or alike.max() == 0:
        return None
    is_copy = _own_their_scores(label_rankings(scores, Y), alike, is_copy)
    return None if not is_copy.any() else _numbered(alike, is_copy)


def _candidates(scores: Any, Y: sparse.csr_array) -> np.ndarray:
    """Return the rows that may equal another row, because a cheap summary is the same."""
    if not sparse.issparse(scores):
        summary = scores[:, 0]
    else:
        random = np.random.default_rng(0)
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
    """Return which copies share none of their scores with a row that is not a copy of them."""
    rows = ranking.cells >> 1
    is_first = np.append(True, ranking.scores[1:] != ranking.scores[:-1])
    is_first[ranking.starts[:-1][np.diff(ranking.starts) > 0]] = True
    places = np.flatnonzero(is_first)
    times = np.diff(places, append=rows.size)
    n_alike = np.bincount(alike)[alike]
    is_shared = np.repeat(times, times) != n_alike[rows]
    is_copy = is_copy.copy()
    is_copy[rows[is_shared]] = False
    return is_copy


def _numbered(alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return a group number for each row; rows that are not copies are groups of one row."""
    own = alike.max() + 1 + np.arange(alike.size)
    return np.unique(np.where(is_copy, alike, own), return_inverse=True)[1]
