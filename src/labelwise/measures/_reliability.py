"""Reliability of probabilities: how often labels are present, by the probability given to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import as_text
from labelwise._validation import check_outcome, check_whole


@dataclass(frozen=True, eq=False, repr=False)
class Reliability:
    """Mean probability and share of positives in bins; prints as a table.

    `labelwise.measures.reliability` creates it.

    Parameters
    ----------
    mean : array of shape (n_bins,)
        Mean probability in each bin; NaN for an empty bin.
    share : array of shape (n_bins,)
        Share of positives in each bin; NaN for an empty bin.
    n_cells : array of int of shape (n_bins,)
        Number of pairs of sample and label in each bin.
    error : float
        Expected calibration error: mean distance of `mean` and `share`, weighted by `n_cells`.

    See Also
    --------
    reliability : Compute the reliability of probabilities.

    Examples
    --------
    >>> from labelwise.measures import reliability
    >>> found = reliability([[1, 0], [0, 0]], [[0.9, 0.1], [0.6, 0.2]], n_bins=2)
    >>> found.n_cells, found.share
    (array([2, 2]), array([0. , 0.5]))
    """

    mean: np.ndarray
    share: np.ndarray
    n_cells: np.ndarray
    error: float

    def __repr__(self) -> str:
        rows = [
            [f"{mean:.4f}", f"{share:.4f}", f"{n:,}"]
            for mean, share, n in zip(self.mean, self.share, self.n_cells, strict=True)
            if n
        ]
        table = as_text([["mean probability", "share of positives", "cells"], *rows])
        return f"{table}\n\nexpected calibration error {self.error:.4f}"


def reliability(
    Y: Any,
    proba: Any,
    *,
    n_bins: int = 10,
    label_names: Sequence[str] | None = None,
    ids: Any = None,
) -> Reliability:
    r"""Compare probabilities with how often labels are present, over all labels.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    proba : array, sparse matrix or frame of shape (n_samples, n_labels)
        Probabilities from 0 to 1; absent entries of a sparse matrix are 0.
    n_bins : int, default=10
        Number of bins of equal width between 0 and 1.
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
    Reliability
        The arrays `mean` (mean probability), `share` (share of positives) and `n_cells` of shape
        (n_bins,), and `error`, the expected calibration error; prints as a table.

    Raises
    ------
    ValueError
        If a probability is below 0 or above 1, or `n_bins` is below 1.

    See Also
    --------
    labelwise.reports.ReliabilityDisplay : Draw a reliability curve.

    Notes
    -----
    For bins b with :math:`n_b` of n cells, mean probability :math:`p_b` and share of positives
    :math:`y_b`, the expected calibration error is :math:`\sum_b n_b |p_b - y_b| / n`.

    References
    ----------
    M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
    Bayesian Binning", AAAI 2015.

    Examples
    --------
    >>> from labelwise.measures import reliability
    >>> reliability([[1, 0], [0, 0]], [[0.9, 0.1], [0.6, 0.2]], n_bins=2)
    mean probability  share of positives  cells
    0.1500                        0.0000      2
    0.7500                        0.5000      2
    <BLANKLINE>
    expected calibration error 0.2000
    """
    n_bins = check_whole(n_bins, "n_bins", least=1)
    outcome = check_outcome(Y, scores=proba, scores_name="proba", label_names=label_names, ids=ids)
    given, truth, n_absent = _cells(outcome.scores, outcome.Y)
    if given.size and not (given.min() >= 0 and given.max() <= 1):
        wrong = given[(given < 0) | (given > 1)][0]
        raise ValueError(f"proba must be from 0 to 1, got {wrong:g}.")
    place = np.minimum((given * n_bins).astype(np.intp), n_bins - 1)
    n_cells = np.bincount(place, minlength=n_bins)
    n_cells[0] += n_absent
    total = np.bincount(place, weights=given, minlength=n_bins)
    positives = np.bincount(place[truth], minlength=n_bins)
    positives[0] += outcome.Y.nnz - int(truth.sum())
    with np.errstate(invalid="ignore"):
        mean, share = total / n_cells, positives / n_cells
    error = float(np.abs(total - positives).sum() / max(n_cells.sum(), 1))
    return Reliability(mean, share, n_cells, error)


def _cells(scores: Any, Y: sparse.csc_array) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the given scores, whether each belongs to a positive, and how many are absent."""
    if not sparse.issparse(scores):
        return scores.ravel().astype(np.float64), Y.toarray().ravel(), 0
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    # Cells by number, since scipy cannot look up an empty list of cells.
    labels = np.repeat(np.arange(Y.shape[1]), np.diff(Y.indptr))
    positive = Y.indices.astype(np.int64) * Y.shape[1] + labels
    truth = np.isin(rows * Y.shape[1] + scores.indices, positive)
    n_cells = scores.shape[0] * scores.shape[1]
    return scores.data.astype(np.float64), truth, n_cells - scores.nnz
