"""Measures of the top of each sample's ranking of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.measures._undefined import ratio
from labelwise.measures.ranking._mean_over_rankings import mean_over_rankings
from labelwise.measures.ranking._ranks_of_positives import RankedPositives


def r_precision(
    Y: Any,
    scores: Any,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return the share of positives among the first R labels, R being the sample's positives.

    Averaged over samples. Ties count against the model; samples without labels have no value. For
    arguments and complexity see `coverage`. Used in olsson2006.

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
    """Return the share of positives among the k top-ranked labels, averaged over samples.

    Ties count against the model; samples without labels have no value. k is from 1 to the number
    of labels. For the other arguments and complexity see `coverage`.

    Examples
    --------
    >>> from labelwise.measures import precision_at
    >>> precision_at([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]], k=1)
    1.0
    """
    return mean_over_rankings(precision_at_of, Y, scores, "sample", undefined, label_names, k)


def ndcg_at(
    Y: Any,
    scores: Any,
    k: int,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Return normalised discounted cumulative gain of the k top-ranked labels, over samples.

    A positive at position i gains ``1 / log2(1 + i)``, up to position k; the sum is divided by
    that of the best ranking. Tied labels share the gains of their positions. Samples without
    labels have no value. For arguments and complexity see `precision_at`.

    Examples
    --------
    >>> from labelwise.measures import ndcg_at
    >>> round(ndcg_at([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]], k=2), 3)
    0.807
    """
    return mean_over_rankings(ndcg_at_of, Y, scores, "sample", undefined, label_names, k)


def r_precision_of(places: RankedPositives) -> np.ndarray:
    """Precision of each ranking at its number of positives."""
    n_hits = places.total(places.position <= places.n_positives[places.ranking])
    return np.asarray(ratio(n_hits, places.n_positives, np.nan))


def precision_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Precision of each ranking at k."""
    return np.where(places.n_positives > 0, places.total(places.position <= k) / k, np.nan)


def ndcg_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """NDCG of each ranking at k."""
    gain_to = np.concatenate(([0], np.cumsum(1 / np.log2(np.arange(2, k + 2)))))
    start, end = np.minimum(places.above, k), np.minimum(places.at_least, k)
    shared = (gain_to[end] - gain_to[start]) / (places.at_least - places.above)
    best = gain_to[np.minimum(places.n_positives, k)]
    return np.asarray(ratio(places.total(shared), best, np.nan))
