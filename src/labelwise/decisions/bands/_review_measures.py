"""Measures of three-state decisions: what is accepted, what is left to a person, what is lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import check_outcome, check_states


class ReviewMeasures(NamedTuple):
    """Counts and rates of decisions with three states: accept, reject, review.

    `review_measures` returns such objects. A cell is one label of one sample.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    n_cells : int
        Number of samples times number of labels.
    n_positive : int
        Number of positives.
    accepted : int
        Number of accepted cells.
    accepted_positives : int
        Number of positives among the accepted cells.
    reviewed : int
        Number of cells to review.
    reviewed_positives : int
        Number of positives among the cells to review.
    reviewed_samples : int
        Number of samples with at least one cell to review.
    precision : float
        Share of positives among the accepted cells; NaN if no cell is accepted.
    recall_accepted : float
        Share of the positives that are accepted; NaN without positives.
    recall : float
        Share of the positives that are accepted or reviewed; NaN without positives. It is the
        recall if the person answers everything right.
    precision_answered : float
        Precision if the person answers everything right: the positives among the reviewed cells
        are accepted too. NaN if no cell is then accepted.
    review_per_1000 : float
        Number of cells to review for 1,000 samples.

    See Also
    --------
    review_measures : Measure three-state decisions.
    """

    n_samples: int
    n_cells: int
    n_positive: int
    accepted: int
    accepted_positives: int
    reviewed: int
    reviewed_positives: int
    reviewed_samples: int

    @property
    def precision(self) -> float:
        """Share of positives among the accepted cells; NaN if no cell is accepted."""
        return share(self.accepted_positives, self.accepted)

    @property
    def recall_accepted(self) -> float:
        """Share of the positives that are accepted; NaN without positives."""
        return share(self.accepted_positives, self.n_positive)

    @property
    def recall(self) -> float:
        """Share of the positives that are accepted or reviewed; NaN if none."""
        return share(self.accepted_positives + self.reviewed_positives, self.n_positive)

    @property
    def precision_answered(self) -> float:
        """Precision if the person answers everything right."""
        right = self.accepted_positives + self.reviewed_positives
        return share(right, self.accepted + self.reviewed_positives)

    @property
    def review_per_1000(self) -> float:
        """Number of cells to review for 1,000 samples."""
        return 1000 * share(self.reviewed, self.n_samples)


def review_measures(
    Y: Any, decided: Any, *, label_names: Sequence[str] | None = None, ids: Any = None
) -> ReviewMeasures:
    """Measure decisions that leave some cells to a person.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    decided : array, sparse matrix or frame of shape (n_samples, n_labels)
        1 where a label is accepted, 0 where it is rejected and -1 where a person decides, as
        `Bands.decide` returns it. Columns with names are matched by name.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    ReviewMeasures
        Counts of all labels together, and the rates that follow from them.

    Raises
    ------
    ValueError
        If `decided` has other values than 1, 0 and -1, or does not match Y.

    See Also
    --------
    Bands.decide : Accept, reject or leave to a person each label of each sample.
    labelwise.measures.evaluate : Compute every measure of decisions without a review.

    Examples
    --------
    >>> from labelwise.decisions import review_measures
    >>> found = review_measures([[1, 0], [0, 1], [1, 0]], [[1, 0], [-1, 1], [-1, 0]])
    >>> found.precision, round(found.recall_accepted, 4), found.recall, found.reviewed
    (1.0, 0.6667, 1.0, 2)
    """
    # States are checked as scores, since they have three values.
    outcome = check_outcome(
        Y,
        scores=decided,
        label_names=label_names,
        ids=ids,
        scores_name="decided",
        decided_name="states",
    )
    return count_states(outcome.Y, check_states(outcome.scores, "decided"))


def count_states(
    Y: sparse.csc_array, states: sparse.csr_array, weights: np.ndarray | None = None
) -> ReviewMeasures:
    """Count checked three-state decisions; Y is boolean, and weights are whole numbers."""
    is_accepted, is_reviewed = states == 1, states == -1
    everyone = np.ones(Y.shape[0], dtype=np.int64) if weights is None else weights

    def total(cells: Any) -> int:
        return int(everyone @ np.asarray(cells.sum(axis=1)).ravel())

    return ReviewMeasures(
        n_samples=int(everyone.sum()),
        n_cells=int(everyone.sum() * Y.shape[1]),
        n_positive=total(Y),
        accepted=total(is_accepted),
        accepted_positives=total(is_accepted.multiply(Y)),
        reviewed=total(is_reviewed),
        reviewed_positives=total(is_reviewed.multiply(Y)),
        reviewed_samples=int(everyone @ (np.asarray(is_reviewed.sum(axis=1)).ravel() > 0)),
    )


def share(part: float, whole: float) -> float:
    """Return a quotient; NaN if the second number is 0."""
    return float(part / whole) if whole else float("nan")
