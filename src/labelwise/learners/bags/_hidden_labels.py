"""Hidden labels: which instances of a bag have its labels is unknown, and drawn at random."""

from __future__ import annotations

import numpy as np

from labelwise.data import Bags


def first_sizes(bags: Bags, expression_rate: float) -> np.ndarray:
    """Count the instances per bag that get a label in the first round.

    A column of ``max(1, round(κ n))`` for a bag of n instances and expression rate κ.
    """
    return np.maximum(1, np.rint(expression_rate * bags.sizes)).astype(np.int64)[:, None]


def found_sizes(decided: np.ndarray, bags: Bags) -> np.ndarray:
    """Count the instances of each bag with a decided label, at least one."""
    found = np.add.reduceat(decided, bags.starts[:-1], axis=0, dtype=np.int64)
    return np.maximum(1, found)


def draw_hidden(
    bags: Bags,
    Y: np.ndarray,
    sizes: np.ndarray,
    scores: np.ndarray | None,
    random: np.random.RandomState,
) -> np.ndarray:
    """Draw the instances that get the labels of their bag.

    Returns int8 of shape (n_instances, n_labels). In each bag with label j, ``sizes[bag, j]``
    instances are drawn one after the other without replacement, each with a probability
    proportional to its score among the remaining instances; uniformly if the remaining scores are
    all 0 or if `scores` is None. In bags without the label no instance gets it.
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
    """Draw each segment without replacement; give each entry's position."""
    # Exponential variables with the weights as rates, sorted, have the distribution of successive
    # draws. Entries of weight 0 come last, in the order of variables of rate 1. Logarithms, since
    # quotients could overflow or underflow, and equal values would favour the first entries.
    times = np.maximum(random.standard_exponential(weights.size), np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore"):
        log_times = np.log(times) - np.log(weights)
    segment = np.repeat(np.arange(lengths.size), lengths)
    order = np.lexsort((times, log_times, segment))
    places = np.empty(weights.size, dtype=np.int64)
    places[order] = np.arange(weights.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return places
