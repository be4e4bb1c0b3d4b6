"""Bags of instances: input checks, and scores of bags from those of their instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._estimators import learn_features
from labelwise._parallel import for_row_blocks
from labelwise.data import Bags, Dataset

# Scores per block of a thread. With larger blocks a core is idle at the end; with smaller ones
# starting a block takes longer than reading it.
_TOGETHER = 2**20


def learn_bags(learner: Any, X: Any, *, reset: bool = True) -> Bags:
    """Check X and return it as bags; rows of a matrix are bags of one."""
    X = X.samples if isinstance(X, Dataset) else X
    bags = Bags.of(X)
    if bags is not None:
        return Bags(learn_features(learner, bags.rows, reset=reset), bags.starts)
    rows = learn_features(learner, X, reset=reset)
    return Bags(rows, np.arange(rows.shape[0] + 1))


def bag_labels(X: Any, Y: Any) -> tuple[Any, Sequence[str] | None]:
    """Return Y and its label names, both taken from X if X is a `Dataset`."""
    if not isinstance(X, Dataset):
        return Y, None
    if Y is not None:
        raise ValueError("Y must be left out where X is a Dataset, which has labels of its own.")
    if X.Y is None:
        raise ValueError(f"X must have labels to learn, but those of {X.name!r} are unknown.")
    return X.Y, X.label_names


def bag_maxima(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Highest score of each label in each bag (Lemma 2 of MIML-perf).

    The scores are read once, on all cores, also if one bag has most of the instances. If every bag
    has one instance, the scores themselves are returned.
    """
    from labelwise.learners.bags._bag_scores_kernels import segment_maxima

    n_rows, n_labels = scores.shape
    if starts.size - 1 == n_rows:
        return scores
    found = np.empty((starts.size - 1, n_labels), dtype=scores.dtype)
    tails: list[tuple[int, np.ndarray]] = []

    def work(rows: slice) -> None:
        first, stop = np.searchsorted(starts[:-1], (rows.start, rows.stop))
        segment_maxima(scores, np.append(starts[first:stop], rows.stop), found[first:stop])
        if starts[first] > rows.start:
            # The first rows belong to a bag that began in an earlier block.
            highest = np.empty((1, n_labels), dtype=scores.dtype)
            end = min(starts[first], rows.stop)
            segment_maxima(scores, np.array([rows.start, end]), highest)
            tails.append((first - 1, highest[0]))

    for_row_blocks(work, n_rows, n_labels, _TOGETHER)
    for bag, highest in tails:
        np.maximum(found[bag], highest, out=found[bag])
    return found


def highest_instances(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Find the instance of each bag with the highest score; the first of ties."""
    from labelwise.learners.bags._bag_scores_kernels import segment_argmaxima

    n_bags = starts.size - 1
    instances = np.empty((n_bags, scores.shape[1]), dtype=np.int64)

    def work(block: slice) -> None:
        segment_argmaxima(scores, starts[block.start : block.stop + 1], instances[block])

    for_row_blocks(work, n_bags, -(-scores.size // max(1, n_bags)), _TOGETHER)
    return instances


def bag_means(rows: Any, starts: np.ndarray) -> Any:
    """Mean of each column in each bag, dense or CSR like `rows`."""
    sizes = np.diff(starts)
    return _weighted(np.repeat(1 / sizes, sizes), starts) @ rows


def bag_sums(rows: Any, starts: np.ndarray) -> Any:
    """Sum of each column in each bag, dense or CSR like `rows`."""
    return _weighted(np.ones(starts[-1]), starts) @ rows


def bag_noisy_or(proba: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Noisy-or, 1 - Π (1 - p): right if instances are independent."""
    with np.errstate(divide="ignore"):
        log_absent = np.log1p(-proba)
    return np.asarray(-np.expm1(_weighted(np.ones(starts[-1]), starts) @ log_absent))


AGGREGATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "max": bag_maxima,
    "mean": bag_means,
    "noisy-or": bag_noisy_or,
}


def check_aggregation(name: str) -> None:
    """Raise ValueError unless `name` is a known aggregation."""
    if name not in AGGREGATIONS:
        raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}, got {name!r}.")


def _weighted(weights: np.ndarray, starts: np.ndarray) -> sparse.csr_array:
    """Matrix whose product with the rows gives the weighted sum of each bag."""
    return sparse.csr_array(
        (weights, np.arange(weights.size), starts), shape=(starts.size - 1, weights.size)
    )
