"""Slow twins of what `BestLearner` compares candidates by."""

import math

import numpy as np

from labelwise.measures import count, micro


def value_of(Y, decided, measure, average):
    """Micro, macro or sample average of a measure of counts."""
    if average == "micro":
        return float(micro(measure, count(Y, decided)))
    parts = measure(count(Y, decided, by="label" if average == "macro" else "sample"))
    return float(np.nanmean(parts))


def leave_out_loop(Y, decided, measure, average, most_groups=50):
    """The value without every k-th row, for each k."""
    n_groups = min(most_groups, len(Y))
    found = []
    for k in range(n_groups):
        kept = [i for i in range(len(Y)) if i % n_groups != k]
        found.append(value_of(Y[kept], decided[kept], measure, average))
    return np.array(found)


def jackknife(values):
    """The standard error of a value from its values without each group."""
    mean = sum(values) / len(values)
    total = sum((value - mean) ** 2 for value in values)
    return math.sqrt((len(values) - 1) / len(values) * total)


def cheapest_of_equals(values, left_out, costs):
    """The number of the cheapest candidate within a standard error of the best.

    Of several that cost the same, it is the best one.
    """
    best = max(range(len(values)), key=lambda k: values[k])
    equal = []
    for k in range(len(values)):
        behind = values[best] - values[k]
        if k == best or behind <= jackknife(list(left_out[best] - left_out[k])):
            equal.append(k)
    return min(equal, key=lambda k: (costs[k], -values[k], k))
