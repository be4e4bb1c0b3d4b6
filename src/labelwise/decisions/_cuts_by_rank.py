"""Decisions by rank: the best labels of each sample, or the best samples of each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import (
    Labels,
    Scores,
    check_labels,
    check_scores,
    columns_in_order,
    columns_of_sets,
    is_list_of_sets,
)


def rank_cut(scores: Any, k: int) -> Any:
    """Return the k labels with the highest scores of each sample (RCut).

    Parameters
    ----------
    scores : array, CSR matrix or frame of shape (n_samples, n_labels)
        In a CSR matrix, absent means never decided: a sample with fewer scores gets fewer labels.
    k : int
        Labels of each sample, at most n_labels.

    Returns
    -------
    ndarray of int8, or csr_array of bool if the scores are sparse
        Among equal scores the labels that come first are taken, so that it is k exactly.

    References
    ----------
    Yang, A Study of Thresholding Strategies for Text Categorization, 2001.

    Examples
    --------
    >>> from labelwise.decisions import rank_cut
    >>> rank_cut([[0.2, 0.7, 0.4], [0.5, 0.1, 0.5]], 2)
    array([[0, 1, 1],
           [1, 0, 1]], dtype=int8)
    """
    matrix = check_scores(scores).matrix
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise TypeError(f"k must be a whole number, got {k!r}.")
    if not 0 <= k <= matrix.shape[1]:
        raise ValueError(f"k must be between 0 and the {matrix.shape[1]} labels, got {k}.")
    return _top_of_each(matrix, np.full(matrix.shape[0], k))


def proportion_cut(
    scores: Any, Y_train: Any, *, factor: float = 1.0, label_names: Sequence[str] | None = None
) -> Any:
    """Return each label's best samples, as large a share of them as in training (PCut).

    Label j is decided for the ``round(factor · n_samples · share_j)`` samples with its highest
    scores, share_j being its share of the rows of `Y_train`. All samples are needed at once.

    Parameters
    ----------
    scores : array, CSR matrix or frame of shape (n_samples, n_labels)
        In a CSR matrix, absent means never decided.
    Y_train : array, sparse matrix, frame or list of sets
        Labels of the training data.
    factor : float
        How much more often than in training labels are decided.
    label_names : sequence of str, optional
        Names of the columns.

    Returns
    -------
    ndarray of int8, or csr_array of bool if the scores are sparse
        Among equal scores the samples that come first are taken.

    References
    ----------
    Yang, A Study of Thresholding Strategies for Text Categorization, 2001.

    Examples
    --------
    >>> from labelwise.decisions import proportion_cut
    >>> proportion_cut([[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]], [[1, 0], [1, 0], [0, 1]])
    array([[1, 0],
           [1, 1],
           [0, 0]], dtype=int8)
    """
    if not 0 <= factor < np.inf:
        raise ValueError(f"factor must be a number, not negative, got {factor!r}.")
    scored = check_scores(scores, label_names=label_names)
    if is_list_of_sets(Y_train) and label_names is None:
        label_names = columns_of_sets({"Y_train": Y_train}, {"scores": scored})
    labels = check_labels(Y_train, label_names=label_names, input_name="Y_train")
    if 0 in labels.matrix.shape:
        raise ValueError(f"Y_train must have a row and a label, got shape {labels.matrix.shape}.")
    matrix = _in_order(scored, labels)
    share = np.diff(labels.matrix.indptr) / labels.matrix.shape[0]
    sizes = np.minimum(np.floor(factor * matrix.shape[0] * share + 0.5), matrix.shape[0])
    decided = _top_of_each(matrix.T, sizes.astype(np.int64)).T
    return sparse.csr_array(decided) if sparse.issparse(decided) else np.ascontiguousarray(decided)


def _in_order(scores: Scores, labels: Labels) -> Any:
    """Return the scores with the columns of the labels."""
    if scores.names is not None and labels.names is not None:
        return scores.matrix[:, columns_in_order(labels.names, scores.names, "scores")]
    if scores.matrix.shape[1] != labels.matrix.shape[1]:
        raise ValueError(
            f"scores has {scores.matrix.shape[1]} labels but Y_train has {labels.matrix.shape[1]}."
        )
    return scores.matrix


def _top_of_each(scores: Any, sizes: np.ndarray) -> Any:
    """Return the highest of each row, as many as its size says."""
    if sparse.issparse(scores):
        return _top_of_stored(sparse.csr_array(scores), sizes)
    order = np.argsort(-scores, axis=1, kind="stable")
    decided = np.zeros(scores.shape, dtype=np.int8)
    is_taken = np.arange(scores.shape[1]) < sizes[:, None]
    np.put_along_axis(decided, order, is_taken.astype(np.int8), axis=1)
    return decided


def _top_of_stored(scores: sparse.csr_array, sizes: np.ndarray) -> sparse.csr_array:
    """Return the highest of the stored scores of each row."""
    scores.sort_indices()
    n_stored = np.diff(scores.indptr)
    rows = np.repeat(np.arange(scores.shape[0]), n_stored)
    order = np.lexsort((-scores.data, rows))
    place = np.arange(scores.nnz) - np.repeat(scores.indptr[:-1], n_stored)
    taken = order[place < sizes[rows]]
    cells = rows[taken], scores.indices[taken]
    return sparse.csr_array((np.ones(taken.size, dtype=bool), cells), shape=scores.shape)
