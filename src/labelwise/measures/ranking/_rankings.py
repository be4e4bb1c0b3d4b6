"""Average precision and area under the ROC curve, averaged over labels, samples or all cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.measures._undefined import ratio
from labelwise.measures.ranking._mean_over_rankings import RANKINGS, mean_over_rankings
from labelwise.measures.ranking._weighted_ranks import WeightedPositives
from labelwise.measures.ranking.positives._ranks_of_positives import RankedPositives


def average_precision(
    Y: Any,
    scores: Any,
    average: str | None = None,
    *,
    by: str | None = None,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    r"""Compute mean average precision.

    Average precision says how pure a ranking is down to each of its positives:

    .. math:: \mathrm{AP} = \frac{1}{|P|} \sum_{p \in P}
        \frac{|\{q \in P : s_q \ge s_p\}|}{|\{i : s_i \ge s_p\}|}

    with the positives :math:`P` and the scores :math:`s` of one ranking.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    average : {"micro", "macro", "sample"} or None, default=None
        What is ranked: "macro" ranks the samples of each label (MAP in sechidis2011), "sample"
        ranks the labels of each sample (MAP in olsson2006), and "micro" ranks all cells together.
        None means "macro".
    by : {"label", "sample", "all"} or None, default=None
        Another spelling of `average`: "label" is "macro", "sample" is "sample" and "all" is
        "micro". Only one of the two may be given.
    undefined : {"nan", "skip"} or float, default="nan"
        How rankings without positives, which have no value, enter the mean: "nan" makes the mean
        NaN, "skip" leaves them out, and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        The mean over rankings.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `average` or `by` is unknown, if both are given, or if Y and scores do not match.

    See Also
    --------
    area_under_roc : Chance that a positive has a higher score than a negative.

    Notes
    -----
    Tied scores are one cut, as in scikit-learn. Each ranking of N scores takes O(N log N) time;
    threads share the work.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
    2011 (sechidis2011).

    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification
    using Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.measures import average_precision
    >>> Y, scores = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]]
    >>> round(average_precision(Y, scores), 3)
    0.833
    >>> round(average_precision(Y, scores, average="micro"), 3)
    0.854
    """
    if average is not None and by is not None:
        raise ValueError(f"average or by must be given, got both ({average!r} and {by!r}).")
    if by is not None and by not in RANKINGS.values():
        raise ValueError(f'by must be "label", "sample" or "all", got {by!r}.')
    ranking = by or _rankings_of(average or "macro")
    return mean_over_rankings(average_precision_of, Y, scores, ranking, undefined, label_names)


def area_under_roc(
    Y: Any,
    scores: Any,
    average: str = "micro",
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the area under the ROC curve.

    The area is the chance that a random positive has a higher score than a random negative, with a
    tie counted as one half.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    average : {"micro", "macro", "sample"}, default="micro"
        What is ranked: all cells together, the samples of each label, or the labels of each sample.
    undefined : {"nan", "skip"} or float, default="nan"
        How rankings without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them
        out (NaN if none is left), and a number replaces each missing value. Rankings without
        positives or without negatives have no value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        The mean over rankings, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `average` is unknown, or if Y and scores do not match.

    See Also
    --------
    average_precision : Purity of the ranking down to each positive.

    Notes
    -----
    Each ranking of N scores takes O(N log N) time; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import area_under_roc
    >>> Y, scores = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]]
    >>> area_under_roc(Y, scores), area_under_roc(Y, scores, average="macro")
    (0.625, 0.5)
    """
    ranking = _rankings_of(average)
    return mean_over_rankings(area_under_roc_of, Y, scores, ranking, undefined, label_names)


def _rankings_of(average: str) -> str:
    """Return the rankings that an average is over; refuse unknown averages."""
    if average not in RANKINGS:
        raise ValueError(f'average must be "micro", "macro" or "sample", got {average!r}.')
    return RANKINGS[average]


def average_precision_of(places: RankedPositives | WeightedPositives) -> np.ndarray:
    """Compute the average precision of each ranking."""
    purity = places.hits_at_least / places.at_least
    return np.asarray(ratio(places.total(purity), places.n_positives, np.nan))


def area_under_roc_of(places: RankedPositives | WeightedPositives) -> np.ndarray:
    """Compute the area under the ROC curve of each ranking."""
    return 1 - share_of_pairs(places, (places.misses_above + places.misses_at_least) / 2)


def share_of_pairs(places: RankedPositives | WeightedPositives, n_wrong: np.ndarray) -> np.ndarray:
    """Divide the wrong pairs of each ranking by its number of (positive, negative) pairs."""
    n_pairs = places.n_positives * places.n_negatives
    return np.asarray(ratio(places.total(n_wrong), n_pairs, np.nan))
