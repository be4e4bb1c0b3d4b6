"""From the scores of instances to those of bags."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelwise.decisions._row_blocks import for_row_blocks

# What a kernel writes into: scores, where bags begin, and a row for each bag.
_Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def bag_maxima(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the highest score of each label in each bag (Lemma 2 of miml2017).

    One pass over the scores, without a copy, on all cores.
    """
    from labelwise.learners._bag_kernels import segment_maxima

    return _for_bags(segment_maxima, scores, starts, scores.dtype)


def bag_speakers(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return which instance of each bag, from 0, has the highest score; the first of ties."""
    from labelwise.learners._bag_kernels import segment_speakers

    return _for_bags(segment_speakers, scores, starts, np.dtype(np.int64))


def bag_means(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the mean score of each label in each bag."""
    sums = np.add.reduceat(scores, starts[:-1], axis=0)
    return np.asarray(sums / np.diff(starts)[:, None])


def bag_unions(proba: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the chance that an instance has the label: 1 - Π (1 - p), if they are independent."""
    with np.errstate(divide="ignore"):
        silence = np.log1p(-proba)
    return np.asarray(-np.expm1(np.add.reduceat(silence, starts[:-1], axis=0)))


AGGREGATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "max": bag_maxima,
    "mean": bag_means,
    "noisy-or": bag_unions,
}


def check_aggregation(name: str, input_name: str) -> None:
    """Refuse what is no way from instances to bags."""
    if name not in AGGREGATIONS:
        raise ValueError(f"{input_name} must be one of {', '.join(AGGREGATIONS)}, got {name!r}.")


def _for_bags(
    kernel: _Kernel, scores: np.ndarray, starts: np.ndarray, dtype: np.dtype
) -> np.ndarray:
    n_bags = starts.size - 1
    found = np.empty((n_bags, scores.shape[1]), dtype=dtype)

    def work(block: slice) -> None:
        kernel(scores, starts[block.start : block.stop + 1], found[block])

    for_row_blocks(work, n_bags, -(-scores.size // max(1, n_bags)))
    return found
