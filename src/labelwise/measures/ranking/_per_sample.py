"""Ranking losses of single samples: coverage, ranking loss and one-error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.measures.ranking._mean_over_rankings import mean_over_rankings
from labelwise.measures.ranking._rankings import share_of_pairs
from labelwise.measures.ranking._ranks_of_positives import RankedPositives


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
    return mean_over_rankings(coverage_of, Y, scores, "sample", undefined, label_names)


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
    return mean_over_rankings(ranking_loss_of, Y, scores, "sample", undefined, label_names)


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
    return mean_over_rankings(one_error_of, Y, scores, "sample", undefined, label_names)


def coverage_of(places: RankedPositives) -> np.ndarray:
    """Coverage of each ranking, from 0."""
    depth = np.full(places.n_positives.size, np.nan)
    has_any = places.n_positives > 0
    depth[has_any] = places.at_least[np.cumsum(places.n_positives)[has_any] - 1] - 1
    return depth


def ranking_loss_of(places: RankedPositives) -> np.ndarray:
    """Share of wrongly ordered pairs of each ranking."""
    return share_of_pairs(places, places.misses_at_least)


def one_error_of(places: RankedPositives) -> np.ndarray:
    """1 where no positive stands alone at the top of the ranking, else 0."""
    return _without_empty(places, places.total(places.position == 1) == 0)


def _without_empty(places: RankedPositives, values: np.ndarray) -> np.ndarray:
    return np.where(places.n_positives > 0, values, np.nan)
