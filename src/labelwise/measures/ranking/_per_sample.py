"""Ranking losses of single samples: coverage, ranking loss and one-error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.measures.ranking._mean_over_rankings import mean_over_rankings
from labelwise.measures.ranking._rankings import share_of_pairs
from labelwise.measures.ranking.positives._ranks_of_positives import RankedPositives


def coverage(
    Y: Any,
    scores: Any,
    *,
    ties: str = "against",
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute how far down the ranking the last true label of a sample is.

    The coverage of a sample is the number of labels whose score is at least that of its
    lowest-ranked positive, minus 1.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    ties : {"against", "columns"}, default="against"
        Rule for equal scores: they count against the model, as in scikit-learn, or columns that
        come first are ranked higher, as in Mulan, whose rankings have no ties. In a sparse matrix
        absent scores stay tied.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to n_labels - 1; lower is better.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `ties` is unknown, if scores are not finite, or if Y and scores do not match.

    Notes
    -----
    Coverage counts from 0, as in sechidis2011; scikit-learn's `coverage_error` counts from 1.
    Samples without labels have no value. Each sample takes
    O(positives * n_labels) time, or O(n_labels log n_labels) if it has many positives; threads
    share the work.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
    2011 (sechidis2011).

    Examples
    --------
    >>> from labelwise.measures import coverage
    >>> coverage([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    1.0
    """
    return mean_over_rankings(coverage_of, Y, scores, "sample", undefined, label_names, ties=ties)


def ranking_loss(
    Y: Any,
    scores: Any,
    *,
    ties: str = "against",
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the share of (positive, negative) pairs in the wrong order.

    The share is taken within each sample and averaged over samples.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    ties : {"against", "columns"}, default="against"
        Rule for equal scores: they count against the model, as in scikit-learn, or columns that
        come first are ranked higher, as in Mulan, whose rankings have no ties. In a sparse matrix
        absent scores stay tied.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1; lower is better.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `ties` is unknown, if scores are not finite, or if Y and scores do not match.

    Notes
    -----
    A tie is a wrong order, unless `ties` is "columns". Samples without labels, or with all of them,
    have no value. Each sample takes O(positives * n_labels) time, or O(n_labels log n_labels) if it
    has many positives; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import ranking_loss
    >>> ranking_loss([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    0.25
    """
    return mean_over_rankings(
        ranking_loss_of, Y, scores, "sample", undefined, label_names, ties=ties
    )


def one_error(
    Y: Any,
    scores: Any,
    *,
    ties: str = "against",
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the share of samples whose top-ranked label is wrong.

    A negative label tied with the best positive label counts as an error, unless `ties` is
    "columns" and the positive label comes first.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    ties : {"against", "columns"}, default="against"
        Rule for equal scores: they count against the model, as in scikit-learn, or columns that
        come first are ranked higher, as in Mulan, whose rankings have no ties. In a sparse matrix
        absent scores stay tied.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Share of samples, from 0 to 1; lower is better.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `ties` is unknown, if scores are not finite, or if Y and scores do not match.

    Notes
    -----
    Samples without labels have no value. Each sample takes O(positives * n_labels) time, or
    O(n_labels log n_labels) if it has many positives; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import one_error
    >>> one_error([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.8, 0.1, 0.8]])
    0.5
    """
    return mean_over_rankings(one_error_of, Y, scores, "sample", undefined, label_names, ties=ties)


def coverage_of(places: RankedPositives) -> np.ndarray:
    """Compute the coverage of each ranking, from 0."""
    depth = np.full(places.n_positives.size, np.nan)
    has_any = places.n_positives > 0
    depth[has_any] = places.at_least[np.cumsum(places.n_positives)[has_any] - 1] - 1
    return depth


def ranking_loss_of(places: RankedPositives) -> np.ndarray:
    """Compute the share of wrongly ordered pairs of each ranking."""
    return share_of_pairs(places, places.misses_at_least)


def one_error_of(places: RankedPositives) -> np.ndarray:
    """Mark rankings without a positive alone at the top by 1, others by 0."""
    return _without_empty(places, places.total(places.position == 1) == 0)


def _without_empty(places: RankedPositives, values: np.ndarray) -> np.ndarray:
    return np.where(places.n_positives > 0, values, np.nan)
