"""From the scores of instances to those of bags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks

# Numbers that a thread takes at a time. Each is read once: more would leave a core idle at the
# end, and fewer cost more in handing them out than in reading them.
_TOGETHER = 2**20


def bag_maxima(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the highest score of each label in each bag (Lemma 2 of miml2017).

    One pass over the scores, without a copy, on all cores, however long a bag is. Bags of one are
    their own maxima: the scores themselves come back.
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
            # The bag before has its other rows in other slices.
            highest = np.empty((1, n_labels), dtype=scores.dtype)
            end = min(starts[first], rows.stop)
            segment_maxima(scores, np.array([rows.start, end]), highest)
            tails.append((first - 1, highest[0]))

    for_row_blocks(work, n_rows, n_labels, _TOGETHER)
    for bag, highest in tails:
        np.maximum(found[bag], highest, out=found[bag])
    return found


def highest_instances(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return which instance of each bag, from 0, has the highest score; the first of ties."""
    from labelwise.learners.bags._bag_scores_kernels import segment_argmaxima

    n_bags = starts.size - 1
    instances = np.empty((n_bags, scores.shape[1]), dtype=np.int64)

    def work(block: slice) -> None:
        segment_argmaxima(scores, starts[block.start : block.stop + 1], instances[block])

    for_row_blocks(work, n_bags, -(-scores.size // max(1, n_bags)), _TOGETHER)
    return instances


def bag_means(rows: Any, starts: np.ndarray) -> Any:
    """Return the mean of each column in each bag, dense or CSR as the rows."""
    sizes = np.diff(starts)
    return _weighted(np.repeat(1 / sizes, sizes), starts) @ rows


def bag_noisy_or(proba: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the chance that an instance has the label: 1 - Π (1 - p), if they are independent."""
    with np.errstate(divide="ignore"):
        silence = np.log1p(-proba)
    return np.asarray(-np.expm1(_weighted(np.ones(starts[-1]), starts) @ silence))


AGGREGATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "max": bag_maxima,
    "mean": bag_means,
    "noisy-or": bag_noisy_or,
}


def check_aggregation(name: str, input_name: str) -> None:
    """Refuse what is no way from instances to bags."""
    if name not in AGGREGATIONS:
        raise ValueError(f"{input_name} must be one of {', '.join(AGGREGATIONS)}, got {name!r}.")


def _weighted(weights: np.ndarray, starts: np.ndarray) -> sparse.csr_array:
    """Return what turns rows into the weighted sum of each bag, by a product."""
    return sparse.csr_array(
        (weights, np.arange(weights.size), starts), shape=(starts.size - 1, weights.size)
    )
