"""Measures of the top-ranked labels of each sample: R-precision; precision, recall, NDCG at k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.measures._undefined import ratio
from labelwise.measures.ranking._mean_over_rankings import mean_over_rankings
from labelwise.measures.ranking.positives._ranks_of_positives import RankedPositives


def r_precision(
    Y: Any,
    scores: Any,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute R-precision, the precision among the first R labels of a sample.

    R is the number of true labels of the sample.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If scores are not finite, or if Y and scores do not match.

    Notes
    -----
    Samples without labels have no value. Ties count against the model. Each sample takes
    O(positives * n_labels) time, or O(n_labels log n_labels) if it has many positives; threads
    share the work.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.measures import r_precision
    >>> r_precision([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    0.75
    """
    return mean_over_rankings(r_precision_of, Y, scores, "sample", undefined, label_names)


def precision_at(
    Y: Any,
    scores: Any,
    k: int,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the share of positives among the k top-ranked labels.

    The share of each sample is averaged over samples.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    k : int
        Number of top-ranked labels, from 1 to n_labels.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores, or if k is not a whole number.
    ValueError
        If k is not from 1 to n_labels, if scores are not finite, or if Y and scores do not
        match.

    Notes
    -----
    Samples without labels have no value. Ties count against the model. Each sample takes
    O(positives * n_labels) time, or O(n_labels log n_labels) if it has many positives; threads
    share the work.

    Examples
    --------
    >>> from labelwise.measures import precision_at
    >>> precision_at([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]], k=1)
    1.0
    """
    return mean_over_rankings(precision_at_of, Y, scores, "sample", undefined, label_names, k)


def recall_at(
    Y: Any,
    scores: Any,
    k: int,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the share of the positives that are among the k top-ranked labels.

    The share of each sample is averaged over samples.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    k : int
        Number of top-ranked labels, from 1 to n_labels.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores, or if k is not a whole number.
    ValueError
        If k is not from 1 to n_labels, if scores are not finite, or if Y and scores do not
        match.

    See Also
    --------
    precision_at : Share of positives among the k top-ranked labels.

    Notes
    -----
    Samples without labels have no value. Ties count against the model.

    Examples
    --------
    >>> from labelwise.measures import recall_at
    >>> recall_at([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]], k=1)
    0.75
    """
    return mean_over_rankings(recall_at_of, Y, scores, "sample", undefined, label_names, k)


def ndcg_at(
    Y: Any,
    scores: Any,
    k: int,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute normalised discounted cumulative gain of the k top-ranked labels.

    A positive at position i gains ``1 / log2(1 + i)``, up to position k. The sum is divided by the
    sum of the best ranking and averaged over samples.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    k : int
        Number of top-ranked labels, from 1 to n_labels.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores, or if k is not a whole number.
    ValueError
        If k is not from 1 to n_labels, if scores are not finite, or if Y and scores do not
        match.

    Notes
    -----
    Tied labels share the gains of their positions, as in scikit-learn. Samples without labels have
    no value. Each sample takes O(positives * n_labels) time, or O(n_labels log n_labels) if it has
    many positives; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import ndcg_at
    >>> round(ndcg_at([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]], k=2), 3)
    0.807
    """
    return mean_over_rankings(ndcg_at_of, Y, scores, "sample", undefined, label_names, k)


def r_precision_of(places: RankedPositives) -> np.ndarray:
    """Compute the precision of each ranking at its number of positives."""
    n_hits = places.total(places.position <= places.n_positives[places.ranking])
    return np.asarray(ratio(n_hits, places.n_positives, np.nan))


def precision_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Compute the precision of each ranking at k."""
    return np.where(places.n_positives > 0, places.total(places.position <= k) / k, np.nan)


def recall_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Compute the recall of each ranking at k."""
    return np.asarray(ratio(places.total(places.position <= k), places.n_positives, np.nan))


def ndcg_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Compute the NDCG of each ranking at k."""
    gain_to = np.concatenate(([0], np.cumsum(1 / np.log2(np.arange(2, k + 2)))))
    start, end = np.minimum(places.above, k), np.minimum(places.at_least, k)
    shared = (gain_to[end] - gain_to[start]) / (places.at_least - places.above)
    best = gain_to[np.minimum(places.n_positives, k)]
    return np.asarray(ratio(places.total(shared), best, np.nan))
