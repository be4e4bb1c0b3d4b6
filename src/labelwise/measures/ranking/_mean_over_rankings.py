"""Check truth and scores, and average a ranking measure over samples, labels or all cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from labelwise._validation import check_outcome, check_undefined, check_whole
from labelwise.measures._undefined import mean
from labelwise.measures.ranking._tied_scores import AGAINST, COLUMNS, check_ties, without_ties
from labelwise.measures.ranking.positives._ranks_of_positives import find_places

# The scores that are ranked together for each average.
RANKINGS = {"micro": "all", "macro": "label", "sample": "sample"}


def mean_over_rankings(
    value_of: Callable[..., np.ndarray],
    Y: Any,
    scores: Any,
    by: str,
    undefined: str | float,
    label_names: Sequence[str] | None,
    k: int | None = None,
    ties: str = AGAINST,
) -> float:
    """Check truth and scores, and average a measure over its rankings."""
    undefined, ties = check_undefined(undefined), check_ties(ties)
    if scores is None:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got None.")
    outcome = check_outcome(Y, scores=scores, label_names=label_names, allow_missing=True)
    outcome = outcome.with_truth()
    at_k = {} if k is None else {"k": check_k(k, outcome.Y.shape[1])}
    ranked = without_ties(outcome.scores) if ties == COLUMNS else outcome.scores
    values = value_of(find_places(outcome.Y, ranked, by, outcome.missing), **at_k)
    return float(mean(values, undefined))


def check_k(k: Any, n_labels: int) -> int:
    """Return k if it is a whole number from 1 to the number of labels."""
    if check_whole(k, "k") > n_labels:
        raise ValueError(f"k must be at most the {n_labels} labels, got {k}.")
    return int(k)
