"""Labels that were never written down: complete them in number, and estimate how many are missing.

Some positives of label j are written in Y, each with the probability ``p_j`` (its propensity),
whatever the sample; all other cells are 0. Of the k highest scores of the label, ``h(k)`` are
written positives. ``h(k) / p_j`` is then an unbiased estimate of all positives among them. Let
``H`` be the concave hull of these estimates, whose slope is the isotonic estimate of the chance of
a positive, and ``T(k) = min(k, H(k))``. `complete_labels` turns zeros into ones until the positives
among the k highest scores are T(k), rounded, at every vertex of the hull: there, and so in the
optimum of micro F, the completed counts are the unbiased ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._curves import RowCurves, hulls_of
from labelwise._text import counted
from labelwise._validation import (
    NamedMatrix,
    check_outcome,
    frame_like,
    is_frame,
    is_list_of_sets,
    rows_of,
    with_nan,
    without_position,
)

# The strength of the prior of propensities is searched between these numbers of positives.
_WEAKEST, _STRONGEST = 1.0, 1e4
# Sums of chances that are whole but for rounding.
_ROUNDING = 1e-9


def complete_labels(
    scores: Any,
    Y: Any,
    propensity: Any,
    *,
    label_names: Sequence[str] | None = None,
    ids: Any = None,
) -> Any:
    """Add the positives that were not written down, where scores expect them.

    Tags by users, codes of a hospital and links are mostly right where they are written, and
    absent from many samples that they fit. Counted as they are, they make found labels look wrong:
    measured precision is too low, and tuned thresholds are too high. This function returns labels
    whose counts are right: thresholds, bands and measures of all functions can be computed from
    them. Which zeros become ones is a guess; how many do above each score is an estimate.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. The model was not trained on these
        samples. In a sparse matrix, positives without a score stand for others without a score.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels that were written down, 0 or 1. A 1 is right, and a 0 may be a positive that nobody
        wrote down. NaN, null or a masked cell is a missing label, and stays one. Columns with names
        are matched by name, and samples by the index of pandas frames.
    propensity : float or array-like of shape (n_labels,)
        Probability with which a positive is written down, above 0 and at most 1: one for all
        labels, or one for each column of Y. It must not depend on the sample.
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
    ndarray of int8 of shape (n_samples, n_labels), csc_array of bool, frame or NamedMatrix
        The completed labels, with the rows and columns of Y, in the form of Y, without a column of
        ids; an array for a list of sets, whose columns are in the order of `label_names` or of the
        scores. With missing labels, values are float64, and NaN in these cells.

    Raises
    ------
    ValueError
        If a propensity is not above 0 and at most 1, if there is not one for each label, or if
        scores and labels do not match.

    See Also
    --------
    estimate_propensity : Estimate propensities from samples with complete labels.
    best_thresholds : Find the thresholds with the highest value of a measure.

    Notes
    -----
    If a label has ``h`` written positives among its k highest scores, ``h / propensity`` is an
    unbiased estimate of all of its positives among them, whatever the scores are. At the vertices
    of the concave hull of these estimates, the completed labels have as many positives, rounded,
    and at most k. Between two vertices, they are spread evenly over the zeros. Micro F is highest
    at such vertices, so that its optimum is that of the unbiased estimates but for the rounding.

    A guarantee cannot be tested on completed labels, because they are estimated. Test it on samples
    that were labelled completely: ``Certify(0.95, calibration=(scores, Y))``.

    References
    ----------
    C. Elkan, K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data", KDD 2008.

    H. Jain, Y. Prabhu, M. Varma, "Extreme Multi-label Loss Functions for Recommendation, Tagging,
    Ranking & Other Missing Label Applications", KDD 2016.

    Examples
    --------
    Half of the positives are written down. Two of the four highest scores are, so that all four
    are taken for positives:

    >>> from labelwise.decisions import complete_labels
    >>> scores = [[0.9], [0.8], [0.7], [0.6], [0.2], [0.1]]
    >>> complete_labels(scores, [[0], [1], [0], [1], [0], [0]], 0.5).ravel()
    array([1, 1, 1, 1, 0, 0], dtype=int8)
    """
    outcome = check_outcome(Y, scores=scores, label_names=label_names, allow_missing=True, ids=ids)
    if scores is None:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got None.")
    shares = _checked(propensity, outcome.Y.shape[1])
    curves = RowCurves(outcome.scores, outcome.Y, outcome.names, missing=outcome.missing)
    rows, labels = _hidden(curves, shares)
    added = sparse.csc_array((np.ones(rows.size, dtype=bool), (rows, labels)), outcome.Y.shape)
    completed = with_nan(sparse.csc_array(outcome.Y + added), outcome.missing)
    bare = Y if ids is None else rows_of(Y, without_position(ids)[0], "Y")[0]
    return _in_form_of(bare, completed, outcome.names)


def _checked(propensity: Any, n_labels: int) -> np.ndarray:
    """Return the propensity of each label."""
    try:
        shares = np.asarray(propensity, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"propensity must be numbers, got {type(propensity).__name__}.") from error
    if shares.shape not in ((), (n_labels,)):
        raise ValueError(
            f"propensity must be a number or one for each of {n_labels} labels, "
            f"got shape {shares.shape}."
        )
    wrong = shares[~((shares > 0) & (shares <= 1))]
    if wrong.size:
        raise ValueError(f"propensity must be above 0 and at most 1, got {wrong.flat[0]}.")
    return np.broadcast_to(shares, n_labels)


def _hidden(curves: RowCurves, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and labels of the zeros that become ones."""
    ranking, hulls = curves.ranking, hulls_of(curves.cuts_of_all())
    n_scored = np.diff(ranking.starts)
    # A last cut decides all scores of a label: pieces are what lies between two cuts.
    ends = hulls.starts[1:]
    labels = np.insert(hulls.labels, ends, np.arange(shares.size))
    decided = np.insert(hulls.decided, ends, n_scored)
    hits = np.insert(hulls.hits, ends, hulls.hits[ends - 1])
    added = np.minimum(decided, hits / shares[labels]) - hits
    bounds = ranking.starts[labels] + decided
    piece = np.searchsorted(bounds, np.arange(ranking.cells.size), side="right")
    # The number of each zero within its piece, from 1 on.
    is_zero = ranking.cells & 1 == 0
    zeros = np.concatenate(([0], np.cumsum(is_zero)))
    number = zeros[1:] - zeros[bounds[piece - 1]]
    n_zeros = np.maximum(np.diff(zeros[bounds], prepend=0), 1)
    step = (np.diff(added, prepend=0.0) / n_zeros)[piece]
    before = added[piece - 1] + step * (number - 1)
    is_hidden = is_zero & (_rounded(before + step) > _rounded(before))
    found = np.flatnonzero(is_hidden)
    rows, of_label = ranking.cells[found] >> 1, labels[piece[found]]
    without = _hidden_without_score(curves, shares, hits[ends + np.arange(shares.size)])
    return np.concatenate([rows, without[0]]), np.concatenate([of_label, without[1]])


def _hidden_without_score(
    curves: RowCurves, shares: np.ndarray, n_scored: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the zeros without a score that become ones, spread evenly over the samples.

    `n_scored` is the number of written positives of each label that have a score.
    """
    written = curves.support - n_scored
    n_more = np.asarray(_rounded(written / shares) - written, dtype=np.int64)
    rows, labels = [np.zeros(0, dtype=np.int64)], np.flatnonzero(n_more)
    for j in labels:
        known = [curves.ranking.cells[slice(*curves.ranking.starts[j : j + 2])] >> 1]
        for part in (curves.Y, curves.missing):
            known += [] if part is None else [part.indices[slice(*part.indptr[j : j + 2])]]
        free = np.setdiff1d(np.arange(curves.n_samples), np.concatenate(known))
        n_more[j] = min(n_more[j], free.size)
        rows.append(free[np.arange(n_more[j]) * free.size // max(n_more[j], 1)])
    return np.concatenate(rows), np.repeat(labels, n_more[labels])


def _rounded(sums: np.ndarray) -> np.ndarray:
    return np.asarray(np.floor(sums + 0.5 + _ROUNDING))


def _in_form_of(Y: Any, completed: sparse.csc_array, names: tuple[str, ...] | None) -> Any:
    """Return completed labels in the form of the labels that were given."""
    if isinstance(Y, NamedMatrix):
        return replace(Y, values=completed, label_names=names, has_label_lists=False)
    if sparse.issparse(Y):
        return completed
    dense = completed.toarray()
    dense = dense.astype(np.int8) if dense.dtype == bool else dense
    is_array = isinstance(Y, np.ndarray) or is_list_of_sets(Y)
    return dense if is_array or not is_frame(Y) else frame_like(Y, dense)


def estimate_propensity(
    Y: Any, complete: Any, *, label_names: Sequence[str] | None = None, ids: Any = None
) -> np.ndarray:
    """Estimate which share of the positives of each label was written down.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels that were written down, 0 or 1. Missing labels (NaN, null or masked) are left out.
    complete : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        All labels of the same samples, by somebody who looked at every label. The samples must be
        a random part of those that thresholds are tuned on. Columns with names are matched by name,
        and samples by the index of pandas frames.
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
    ndarray of float64 of shape (n_labels,)
        The propensity of each column of Y. The fewer positives a label has, the more its share is
        drawn to the share of all labels together; a label without positives has that one.

    Raises
    ------
    ValueError
        If no positive of `complete` is in Y, or if the labels or samples do not match.

    Warns
    -----
    UserWarning
        If positives of Y are not in `complete`: they are wrong, and `complete_labels` keeps them.

    See Also
    --------
    complete_labels : Add as many positives as were not written down.

    Notes
    -----
    A label with n positives in `complete`, of which k are in Y, has the propensity
    ``(k + a·m) / (n + a)``, where m is the share of all labels together. The strength a, between 1
    and 10,000 positives, has the highest likelihood if propensities have a beta distribution with
    mean m.

    Examples
    --------
    >>> from labelwise.decisions import estimate_propensity
    >>> complete = [[1, 1], [1, 0], [1, 1], [1, 0]]
    >>> estimate_propensity([[1, 0], [1, 0], [0, 1], [0, 0]], complete)
    array([0.5, 0.5])
    """
    outcome = check_outcome(
        Y,
        decided=complete,
        decided_name="complete",
        label_names=label_names,
        allow_missing=True,
        ids=ids,
    )
    written: Any = outcome.Y
    truth: Any = outcome.decided
    n_positive = np.asarray(truth.sum(axis=0), dtype=np.float64)
    n_written = np.asarray(written.multiply(truth).sum(axis=0), dtype=np.float64)
    if not n_written.any():
        raise ValueError("complete must have a positive that is in Y, got none.")
    n_wrong = int(written.nnz - n_written.sum())
    if n_wrong:
        warnings.warn(
            f"{counted(n_wrong, 'positive')} of {written.nnz:,} in Y are not in complete: "
            "they are wrong, and complete_labels keeps such positives.",
            stacklevel=2,
        )
    mean = n_written.sum() / n_positive.sum()
    strength = _strength(n_written, n_positive, mean)
    return np.asarray((n_written + strength * mean) / (n_positive + strength))


def _strength(hits: np.ndarray, n: np.ndarray, mean: float) -> float:
    """Return the number of positives that the prior of propensities is worth."""
    from scipy.optimize import minimize_scalar
    from scipy.special import betaln

    if mean == 1:
        return _WEAKEST

    def loss(log_strength: float) -> float:
        a, b = (np.exp(log_strength) * part for part in (mean, 1 - mean))
        return -float((betaln(hits + a, n - hits + b) - betaln(a, b)).sum())

    bounds = np.log(_WEAKEST), np.log(_STRONGEST)
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))
