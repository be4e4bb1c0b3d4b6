"""Measures of how well scores rank the positives above the negatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from labelwise._validation import check_outcome, check_undefined
from labelwise.measures._undefined import mean, ratio
from labelwise.measures.ranking._ranks_of_positives import Places, find_places
from labelwise.measures.ranking._weighted_ranks import WeightedPlaces

# The rankings over which each average runs.
RANKINGS = {"micro": "all", "macro": "label", "sample": "sample"}


def coverage(
    Y: Any,
    scores: Any,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return how far down its ranking one must go, on average, to meet all labels of a sample.

    For a sample it is the number of labels whose score is at least that of its lowest positive,
    less 1: coverage counts from 0, as in sechidis2011 (scikit-learn counts from 1).

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets
        The truth, 0/1 of shape (n_samples, n_labels).
    scores : array, sparse matrix or frame
        The higher, the likelier. In a sparse matrix absent scores are tied below all present ones.
        Columns with names are matched by name.
    undefined : {"nan", "skip"} or float
        What samples without a value (here, without labels) do to the mean: "nan" makes it NaN,
        "skip" leaves them out, a number stands for the missing value.
    label_names : sequence of str, optional
        Names of the columns; for lists of sets, the columns.

    Notes
    -----
    Ties count against the model. Takes O(positives * n_labels) or, where a sample has many
    positives, O(n_labels log n_labels) for it; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import coverage
    >>> coverage([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    1.0
    """
    return ranked(coverage_of, Y, scores, "sample", undefined, label_names)


def ranking_loss(
    Y: Any,
    scores: Any,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return the share of (positive, negative) pairs in the wrong order, averaged over samples.

    A tie is a wrong order. Samples without labels, or with all of them, have no value. For
    arguments and complexity see `coverage`.

    Examples
    --------
    >>> from labelwise.measures import ranking_loss
    >>> ranking_loss([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    0.25
    """
    return ranked(ranking_loss_of, Y, scores, "sample", undefined, label_names)


def one_error(
    Y: Any,
    scores: Any,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return the share of samples whose top-ranked label is not theirs.

    A negative tied with the best positive counts as an error. Samples without labels have no
    value. For arguments and complexity see `coverage`.

    Examples
    --------
    >>> from labelwise.measures import one_error
    >>> one_error([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.8, 0.1, 0.8]])
    0.5
    """
    return ranked(one_error_of, Y, scores, "sample", undefined, label_names)


def average_precision(
    Y: Any,
    scores: Any,
    by: str = "label",
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return mean average precision: how pure a ranking is down to each of its positives.

    For one ranking, the mean over its positives of ``positives at least as high / scores at least
    as high``; tied scores are one cut. Rankings without positives have no value.

    Parameters
    ----------
    Y, scores, undefined, label_names
        As in `coverage`.
    by : {"label", "sample", "all"}
        What is ranked: the samples for each label (the MAP of sechidis2011), the labels for each
        sample (the MAP of olsson2006), or all pairs at once (micro average).

    Notes
    -----
    By label, O(n_samples log n_samples) for each label; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import average_precision
    >>> Y, scores = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]]
    >>> round(average_precision(Y, scores), 3), round(average_precision(Y, scores, "sample"), 3)
    (0.833, 0.833)
    """
    if by not in RANKINGS.values():
        raise ValueError(f'by must be "label", "sample" or "all", got {by!r}.')
    return ranked(average_precision_of, Y, scores, by, undefined, label_names)


def area_under_roc(
    Y: Any,
    scores: Any,
    average: str = "micro",
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return the chance that a positive has a higher score than a negative, a tie counting half.

    Parameters
    ----------
    Y, scores, undefined, label_names
        As in `coverage`.
    average : {"micro", "macro", "sample"}
        Over all pairs of cells, or the mean over labels or samples; those without positives or
        without negatives have no value.

    Notes
    -----
    O(N log N) for rankings of N scores; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import area_under_roc
    >>> Y, scores = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]]
    >>> area_under_roc(Y, scores), area_under_roc(Y, scores, average="macro")
    (0.625, 0.5)
    """
    if average not in RANKINGS:
        raise ValueError(f'average must be "micro", "macro" or "sample", got {average!r}.')
    return ranked(area_under_roc_of, Y, scores, RANKINGS[average], undefined, label_names)


def ranked(
    value_of: Callable[..., np.ndarray],
    Y: Any,
    scores: Any,
    by: str,
    undefined: str | float,
    label_names: Sequence[str] | None,
    k: int | None = None,
) -> float:
    """Check the input and return the mean of a measure (for some, at k) over its rankings."""
    undefined = check_undefined(undefined)
    if scores is None:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got None.")
    outcome = check_outcome(Y, scores=scores, label_names=label_names)
    at_k = {} if k is None else {"k": check_k(k, outcome.Y.shape[1])}
    values = value_of(find_places(outcome.Y, outcome.scores, by), **at_k)
    return float(mean(values, undefined))


def check_k(k: Any, n_labels: int) -> int:
    """Return how many labels the top has: from 1 to all."""
    if check_cutoff(k, "k") > n_labels:
        raise ValueError(f"k must be at most the {n_labels} labels, got {k}.")
    return int(k)


def check_cutoff(k: Any, input_name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise TypeError(f"{input_name} must be a whole number, got {k!r}.")
    if k < 1:
        raise ValueError(f"{input_name} must be at least 1, got {k}.")
    return int(k)


def coverage_of(places: Places) -> np.ndarray:
    """Coverage of each ranking, from 0."""
    depth = np.full(places.n_positives.size, np.nan)
    has_any = places.n_positives > 0
    depth[has_any] = places.at_least[np.cumsum(places.n_positives)[has_any] - 1] - 1
    return depth


def ranking_loss_of(places: Places) -> np.ndarray:
    """Share of wrongly ordered pairs of each ranking."""
    return _share_of_pairs(places, places.misses_at_least)


def one_error_of(places: Places) -> np.ndarray:
    """1 where no positive stands alone at the top of the ranking, else 0."""
    return _without_empty(places, places.total(places.position == 1) == 0)


def average_precision_of(places: Places | WeightedPlaces) -> np.ndarray:
    """Average precision of each ranking."""
    purity = places.hits_at_least / places.at_least
    return np.asarray(ratio(places.total(purity), places.n_positives, np.nan))


def area_under_roc_of(places: Places | WeightedPlaces) -> np.ndarray:
    """Area under the ROC curve of each ranking."""
    return 1 - _share_of_pairs(places, (places.misses_above + places.misses_at_least) / 2)


def _share_of_pairs(places: Places | WeightedPlaces, n_wrong: np.ndarray) -> np.ndarray:
    """Wrong pairs of each ranking over all its (positive, negative) pairs."""
    n_pairs = places.n_positives * places.n_negatives
    return np.asarray(ratio(places.total(n_wrong), n_pairs, np.nan))


def _without_empty(places: Places, values: np.ndarray) -> np.ndarray:
    return np.where(places.n_positives > 0, values, np.nan)
