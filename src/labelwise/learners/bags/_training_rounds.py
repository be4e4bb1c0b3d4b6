"""Rounds of `BagPlugin`: fit to sampled instance labels, score, tune thresholds, sample again.

Which instances of a bag have its labels is unknown: the labels are hidden, and drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._estimators import LabelScorer, all_labels, fit_scorer, held_out_scores, splits_of
from labelwise._tuning import Problem, Request, solve
from labelwise.data import Bags
from labelwise.decisions import Thresholds

Splits = list[tuple[np.ndarray, np.ndarray]]


class BagTask(NamedTuple):
    """Bags and their labels, each with both classes, and the settings that all rounds share."""

    bags: Bags
    Y: np.ndarray  # bool (n_bags, n_labels)
    constants: np.ndarray  # for all labels: NaN for those in Y, 0 or 1 for labels with one class
    estimator: Any
    expression_rate: float  # share of the instances of a bag that have its labels at first
    n_iter: int  # at most so many rounds
    n_iter_no_change: int  # at most so many without a higher tuned value
    aggregate: Callable[[np.ndarray, np.ndarray], np.ndarray]
    request: Request
    tuning_seed: int  # draws the folds behind shrink="auto"
    splits: Splits | None  # row numbers of instances; None to tune on the training bags
    n_jobs: int | None
    random: np.random.RandomState


def bag_splits(cv: Any, bags: Bags, Y: np.ndarray, groups: Any = None) -> Splits | None:
    """Return the instance rows of training and test bags for each split; None without folds."""
    if cv is None:
        return None
    splits = splits_of(cv, bags, Y, groups)
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(bags))
    if (times != 1).any():
        raise ValueError(
            f"cv must put each bag into one test part, but bag {np.argmax(times != 1)} is in "
            f"{times[np.argmax(times != 1)]}."
        )
    return [(bags.rows_of(train), bags.rows_of(test)) for train, test in splits]


def best_round(
    task: BagTask, report: Callable[[str], None]
) -> tuple[np.ndarray, Thresholds, list[float]]:
    """Run the rounds; return the best of them, and the tuned values of all.

    The round with the highest tuned value is given by the sampled labels of instances, to which a
    model was fitted, and by the thresholds tuned on its scores.
    """
    sizes = first_sizes(task.bags, task.expression_rate)
    best = hidden = draw_hidden(task.bags, task.Y, sizes, None, task.random)
    Y, thresholds = sparse.csc_array(task.Y), None
    history: list[float] = []
    n_worse = 0
    while len(history) < task.n_iter and n_worse < task.n_iter_no_change:
        scores = _instance_scores(task, hidden)
        problem = Problem(task.aggregate(scores, task.bags.starts), Y, None)
        tuned = solve(problem, task.request, task.tuning_seed)
        history.append(tuned.value)
        known = tuned.evidence
        report(f"round {len(history)}, {known.average} {known.measure} {known.value:.4f}")
        n_worse += 1
        if thresholds is None or highest([thresholds.value, tuned.value]) == 1:
            best, thresholds, n_worse = hidden, tuned, 0
        sizes = found_sizes(scores >= tuned.values, task.bags)
        hidden = draw_hidden(task.bags, task.Y, sizes, scores, task.random)
    return best, thresholds, history  # type: ignore[return-value]


def highest(values: Sequence[float]) -> int:
    """Return the index of the first highest value; NaN is lower than any number."""
    return int(np.argmax(np.nan_to_num(values, nan=-np.inf)))


def fit_all(task: BagTask, hidden: np.ndarray) -> LabelScorer:
    """Fit the estimator to all instances."""
    return fit_scorer(task.estimator, task.bags.rows, all_labels(hidden, task.constants))


def _instance_scores(task: BagTask, hidden: np.ndarray) -> np.ndarray:
    """Estimate the probability of each label for each instance, by models of other folds if any."""
    rows, varies = task.bags.rows, np.isnan(task.constants)
    if task.splits is None:
        return fit_all(task, hidden).scores(rows, "predict_proba")[:, varies]
    found = held_out_scores(
        task.estimator,
        rows,
        all_labels(hidden, task.constants),
        task.splits,
        method="predict_proba",
        n_jobs=task.n_jobs,
    )
    scores: np.ndarray = np.empty((len(found.rows), hidden.shape[1]))
    scores[found.rows] = found.scores[:, varies]
    return scores


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
