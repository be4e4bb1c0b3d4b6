"""Which instances carry the labels of their bag: unknown, and therefore drawn."""

from __future__ import annotations

import numpy as np

from labelwise.data import Bags


def first_sizes(bags: Bags, expression_rate: float) -> np.ndarray:
    """Return how many instances of each bag carry each label of it at first, as a column.

    ``max(1, round(κ n))`` of n.
    """
    return np.maximum(1, np.rint(expression_rate * bags.sizes)).astype(np.int64)[:, None]


def found_sizes(decided: np.ndarray, bags: Bags) -> np.ndarray:
    """Return how many instances of each bag were decided to carry each label, at least one."""
    found = np.add.reduceat(decided, bags.starts[:-1], axis=0, dtype=np.int64)
    return np.maximum(1, found)


def draw_hidden(
    bags: Bags,
    Y: np.ndarray,
    sizes: np.ndarray,
    scores: np.ndarray | None,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return 1 for the instances drawn to carry a label, int8 of shape (n_instances, n_labels).

    In each bag with label j, ``sizes[bag, j]`` instances are drawn one after the other without
    replacement, each time in proportion to the scores of those left, uniformly where these are all
    0 or where there are no scores. Other bags have none.
    """
    n_labels = Y.shape[1]
    sizes = np.broadcast_to(sizes, (len(bags), n_labels))
    hidden = np.zeros((bags.rows.shape[0], n_labels), dtype=np.int8)
    for j in range(n_labels):
        with_label = np.flatnonzero(Y[:, j])
        rows = bags.rows_of(with_label)
        weights = np.zeros(rows.size) if scores is None else scores[rows, j]
        places = _draw_positions(weights, bags.sizes[with_label], random)
        hidden[rows, j] = places < np.repeat(sizes[with_label, j], bags.sizes[with_label])
    return hidden


def _draw_positions(
    weights: np.ndarray, lengths: np.ndarray, random: np.random.RandomState
) -> np.ndarray:
    """Return the place of each entry in the order in which its segment is drawn empty."""
    # Exponential clocks of these rates ring in the order of successive draws; those of rate 0
    # never do, and are left in the order of clocks of rate 1.
    clocks = np.maximum(random.standard_exponential(weights.size), np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore"):
        rings = np.log(clocks) - np.log(weights)
    segment = np.repeat(np.arange(lengths.size), lengths)
    order = np.lexsort((clocks, rings, segment))
    places = np.empty(weights.size, dtype=np.int64)
    places[order] = np.arange(weights.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return places
