"""Bags by their definitions: one bag, one label, one threshold at a time."""

from itertools import pairwise, permutations, product

import numpy as np


def bag_decisions(scores, starts, threshold):
    """1 where any instance of the bag reaches the threshold."""
    return np.array(
        [
            int(any(score >= threshold for score in scores[begin:end]))
            for begin, end in pairwise(starts)
        ]
    )


def best_f_over_instances(scores, starts, relevant, beta=1.0):
    """The highest F of bag decisions over every instance score as threshold, and over none."""
    values = []
    for threshold in [*np.unique(scores), np.inf]:
        decided = bag_decisions(scores, starts, threshold)
        tp = int((decided & relevant).sum())
        wrong = beta**2 * (relevant.sum() - tp) + decided.sum() - tp
        total = (1 + beta**2) * tp + wrong
        values.append(1.0 if total == 0 else (1 + beta**2) * tp / total)
    return max(values)


def best_micro_f_over_instances(scores, starts, Y, shared):
    """The highest micro F over instance scores as thresholds: one for all labels, or any."""
    n_labels = Y.shape[1]
    candidates = [[*np.unique(scores[:, j]), np.inf] for j in range(n_labels)]
    if shared:
        vectors = [[t] * n_labels for t in [*np.unique(scores), np.inf]]
    else:
        vectors = product(*candidates)
    values = []
    for vector in vectors:
        decided = np.column_stack(
            [bag_decisions(scores[:, j], starts, t) for j, t in enumerate(vector)]
        )
        total = decided.sum() + Y.sum()
        values.append(1.0 if total == 0 else 2 * (decided & Y).sum() / total)
    return max(values)


def aggregate(scores, starts, how):
    """The score of each bag and label, from a loop over both."""
    ways = {
        "max": max,
        "mean": lambda part: sum(part) / len(part),
        "noisy-or": lambda part: 1 - np.prod([1 - p for p in part]),
    }
    return np.array(
        [
            [ways[how](list(scores[begin:end, j])) for j in range(scores.shape[1])]
            for begin, end in pairwise(starts)
        ]
    )


def draw_chances(weights, n_draws):
    """P(set of drawn places) for successive draws without replacement, over all orders."""
    chances = {}
    places = range(len(weights))
    for order in permutations(places, n_draws):
        chance, left = 1.0, set(places)
        for place in order:
            total = sum(weights[k] for k in left)
            chance *= weights[place] / total if total > 0 else 1 / len(left)
            left.remove(place)
        key = frozenset(order)
        chances[key] = chances.get(key, 0.0) + chance
    return chances
