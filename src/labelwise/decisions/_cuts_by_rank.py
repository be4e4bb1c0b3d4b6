"""Decisions by rank: the k best labels of each sample, or the best samples of each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._tuning.problem._decisions import top_of_each
from labelwise._validation import (
    Labels,
    Scores,
    check_labels,
    check_scores,
    check_whole,
    columns_in_order,
    columns_of_sets,
    frame_names,
    is_list_of_sets,
)


def rank_cut(scores: Any, k: int) -> Any:
    """Decide the k labels with the highest scores of each sample (RCut).

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score is
        never decided, so that a sample with fewer than k scores gets fewer labels.
    k : int
        Number of labels of each sample, from 0 to n_labels.

    Returns
    -------
    ndarray of int8 of shape (n_samples, n_labels), or csr_array of bool
        1 where a label is decided; sparse if the scores are sparse. Among equal scores the first
        labels are taken, so that every sample gets exactly k.

    Raises
    ------
    TypeError
        If `k` is not a whole number.
    ValueError
        If `k` is negative or greater than the number of labels, or if scores are not finite.

    See Also
    --------
    rank_rule : Find the best k.
    proportion_cut : Decide each label as often as in training.
    best_thresholds : Find the thresholds with the highest value of a measure.

    References
    ----------
    Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR 2001.

    Examples
    --------
    >>> from labelwise.decisions import rank_cut
    >>> rank_cut([[0.2, 0.7, 0.4], [0.5, 0.1, 0.5]], 2)
    array([[0, 1, 1],
           [1, 0, 1]], dtype=int8)
    """
    matrix = check_scores(scores).matrix
    k = check_whole(k, "k", least=0)
    if k > matrix.shape[1]:
        raise ValueError(f"k must be at most the {matrix.shape[1]} labels, got {k}.")
    return top_of_each(matrix, np.full(matrix.shape[0], k))


def proportion_cut(
    scores: Any, Y_train: Any, *, factor: float = 1.0, label_names: Sequence[str] | None = None
) -> Any:
    """Decide each label for as large a share of samples as in training (PCut).

    Label j is decided for the ``round(factor · n_samples · share_j)`` samples with its highest
    scores, where share_j is the share of positives of label j in `Y_train`. The decisions of a
    sample depend on the other samples, so that all samples must be given at once.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score is
        never decided.
    Y_train : array, sparse matrix, frame or list of sets of shape (n_train, n_labels)
        Labels of the training data. If both scores and `Y_train` have column names, columns are
        matched by name, and the decisions have the order of the scores. Missing labels (NaN, null
        or masked) count neither as positives nor as samples of their label.
    factor : float, default=1.0
        Ratio of the share of decisions to the share of positives in training.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    ndarray of int8 of shape (n_samples, n_labels), or csr_array of bool
        1 where a label is decided; sparse if the scores are sparse. Among equal scores the first
        samples are taken.

    Raises
    ------
    ValueError
        If `factor` is negative or not finite, if scores are not finite, if `Y_train` is empty, or
        if scores and `Y_train` do not have the same labels.

    See Also
    --------
    proportion_rule : The same as a rule that can be saved.
    rank_cut : Decide the k best labels of each sample.
    best_thresholds : Find the thresholds with the highest value of a measure.

    References
    ----------
    Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR 2001.

    Examples
    --------
    >>> from labelwise.decisions import proportion_cut
    >>> proportion_cut([[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]], [[1, 0], [1, 0], [0, 1]])
    array([[1, 0],
           [1, 1],
           [0, 0]], dtype=int8)
    """
    if not 0 <= factor < np.inf:
        raise ValueError(f"factor must be finite and not negative, got {factor!r}.")
    is_named = frame_names(scores) is not None
    scored = check_scores(scores, label_names=None if is_named else label_names)
    if is_list_of_sets(Y_train) and label_names is None:
        label_names = columns_of_sets({"Y_train": Y_train}, {"scores": scored})
    labels = check_labels(
        Y_train, label_names=label_names, input_name="Y_train", allow_missing=True
    )
    if 0 in labels.matrix.shape:
        raise ValueError(f"Y_train must have a row and a label, got shape {labels.matrix.shape}.")
    return decided_by_share(scored.matrix, _shares(labels)[_columns(scored, labels)], factor)


def decided_by_share(scores: Any, shares: np.ndarray, factor: float = 1.0) -> Any:
    """Decide each label for its share of the samples, those with its highest scores."""
    sizes = np.minimum(np.floor(factor * scores.shape[0] * shares + 0.5), scores.shape[0])
    decided = top_of_each(scores.T, sizes.astype(np.int64)).T
    return sparse.csr_array(decided) if sparse.issparse(decided) else np.ascontiguousarray(decided)


def _shares(labels: Labels) -> np.ndarray:
    """Return the share of positives of each label among the samples that have truth for it."""
    n_known = np.full(labels.matrix.shape[1], labels.matrix.shape[0])
    if labels.missing is not None:
        n_known -= np.diff(labels.missing.indptr)
    return np.asarray(np.diff(labels.matrix.indptr) / np.maximum(n_known, 1))


def _columns(scores: Scores, labels: Labels) -> Any:
    """Return the columns of the labels in the order of the scores."""
    if scores.names is not None and labels.names is not None:
        return columns_in_order(scores.names, labels.names, "Y_train")
    if scores.matrix.shape[1] != labels.matrix.shape[1]:
        raise ValueError(
            f"scores has {scores.matrix.shape[1]} labels but Y_train has {labels.matrix.shape[1]}."
        )
    return slice(None)
