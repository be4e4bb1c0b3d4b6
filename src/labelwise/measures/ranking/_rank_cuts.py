"""Micro F if every sample gets its k best labels, for all k at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import Counts
from labelwise._validation import check_outcome
from labelwise.measures._count_measures import f_measure

# Number of scores that are converted to dense at a time.
_BLOCK = 2**21


def rank_cut_f(
    Y: Any,
    scores: Any,
    *,
    beta: float = 1.0,
    label_names: Sequence[str] | None = None,
) -> np.ndarray:
    """Compute micro F for every number k of labels given to each sample.

    ``rank_cut_f(Y, scores)[k - 1]`` equals
    ``micro(f_measure, count(Y, labelwise.decisions.rank_cut(scores, k)))``.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, labels without a
        score are never decided. Columns with names are matched by name.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    ndarray of shape (n_labels,)
        Micro F at k = 1, ..., n_labels.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If beta is not a positive number, or if Y and scores do not match.

    Notes
    -----
    Among equal scores, labels of lower column number are taken first. The largest value is the peak
    that olsson2006 reports; its k is tuned on the same labels that it is measured on, so expect
    less on new samples. The time is O(positives * n_labels).

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.measures import rank_cut_f
    >>> rank_cut_f([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]]).round(3)
    array([0.8  , 0.571, 0.667])
    """
    if scores is None:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got None.")
    outcome = check_outcome(Y, scores=scores, label_names=label_names)
    n_labels = outcome.Y.shape[1]
    tp = np.cumsum(np.bincount(_places(outcome.Y, outcome.scores), minlength=n_labels + 1)[1:])
    # At k, one more decision for each sample that has k scores or more.
    n_of_size = np.bincount(_n_scores(outcome.scores), minlength=n_labels + 1)
    decided = np.cumsum(outcome.Y.shape[0] - np.cumsum(n_of_size)[:-1])
    counts = Counts(tp, decided - tp, outcome.Y.nnz - tp, 0)
    return np.asarray(f_measure(counts, beta))


def _places(Y: sparse.csc_array, scores: Any) -> np.ndarray:
    """Rank each positive among the labels of its sample; 0 if it has no score."""
    from labelwise.measures.ranking._rank_cuts_kernels import places_of_positives

    rows = sparse.csr_array(Y)
    together = max(1, _BLOCK // rows.shape[1])
    found = [np.empty(0, dtype=np.int64)]
    for start in range(0, rows.shape[0], together):
        some = rows[start : start + together]
        dense = np.ascontiguousarray(_filled(scores[start : start + together]))
        found.append(places_of_positives(dense, some.indptr.astype(np.int64), some.indices))
    return np.concatenate(found)


def _filled(scores: Any) -> np.ndarray:
    """Return dense scores, -inf where a sparse matrix has none."""
    if not sparse.issparse(scores):
        return np.asarray(scores)
    dense = np.full(scores.shape, -np.inf, dtype=scores.dtype)
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    dense[rows, scores.indices] = scores.data
    return dense


def _n_scores(scores: Any) -> np.ndarray:
    """Return how many labels of each sample can be decided."""
    if sparse.issparse(scores):
        return np.diff(scores.indptr)
    return np.full(scores.shape[0], scores.shape[1])
