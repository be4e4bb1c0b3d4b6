"""Rounds of `BagPlugin`: fit to sampled instance labels, score, tune thresholds, sample again.

Which instances of a bag have its labels is unknown: the labels are hidden, and drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._estimators import (
    LabelScorer,
    Splits,
    all_labels,
    fit_scorer,
    held_out_scores,
    splits_of,
)
from labelwise._tuning import Problem, Request, solve
from labelwise.data import Bags
from labelwise.decisions import Thresholds


class BagTask(NamedTuple):
    """Bags and their labels, each with both classes, and the settings that all rounds share."""

    bags: Bags
    Y: np.ndarray  # bool (n_bags, n_labels)
    sums: Any  # sums of the instances of each bag, to which models are fitted; None for rounds
    constants: np.ndarray  # for all labels: NaN for those in Y, 0 or 1 for labels with one class
    estimator: Any
    expression_rate: float  # share of the instances of a bag that have its labels at first
    n_iter: int  # at most so many rounds
    n_iter_no_change: int  # at most so many without a higher tuned value
    aggregate: Callable[[np.ndarray, np.ndarray], np.ndarray]
    request: Request
    tuning_seed: int  # draws the folds behind shrink="auto"
    splits: Splits | None  # numbers of bags; None to tune on the training bags
    n_jobs: int | None
    random: np.random.RandomState


def bag_splits(cv: Any, bags: Bags, Y: np.ndarray, groups: Any = None) -> Splits | None:
    """Return the training and the test bags of each split; None without folds."""
    if cv is None:
        return None
    splits = splits_of(cv, bags, Y, groups)
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(bags))
    if (times != 1).any():
        raise ValueError(
            f"cv must put each bag into one test part, but bag {np.argmax(times != 1)} is in "
            f"{times[np.argmax(times != 1)]}."
        )
    return splits


def best_round(
    task: BagTask, report: Callable[[str], None]
) -> tuple[np.ndarray, Thresholds, list[float]]:
    """Run the rounds; return the best of them, and the tuned values of all.

    The round with the highest tuned value is given by the sampled labels of instances, to which a
    model was fitted, and by the thresholds tuned on its scores.
    """
    if task.sums is not None:
        return _only_round(task, report)
    sizes = first_sizes(task.bags, task.expression_rate)
    best = hidden = draw_hidden(task.bags, task.Y, sizes, None, task.random)
    Y, thresholds = sparse.csc_array(task.Y), None
    history: list[float] = []
    n_worse = 0
    while len(history) < task.n_iter and n_worse < task.n_iter_no_change:
        scores = _instance_scores(task, hidden)
        tuned = _tuned(task, scores, Y)
        history.append(tuned.value)
        report(f"round {len(history)}, {_value_in_words(tuned)}")
        n_worse += 1
        if thresholds is None or highest([thresholds.value, tuned.value]) == 1:
            best, thresholds, n_worse = hidden, tuned, 0
        sizes = found_sizes(scores >= tuned.values, task.bags)
        hidden = draw_hidden(task.bags, task.Y, sizes, scores, task.random)
    return best, thresholds, history  # type: ignore[return-value]


def _only_round(
    task: BagTask, report: Callable[[str], None]
) -> tuple[np.ndarray, Thresholds, list[float]]:
    """Fit models to the sums of bags with their labels, and tune thresholds on instances."""
    tuned = _tuned(task, _instance_scores(task, task.Y), sparse.csc_array(task.Y))
    report(_value_in_words(tuned))
    return np.empty((0, task.Y.shape[1]), dtype=np.int8), tuned, [tuned.value]


def _tuned(task: BagTask, scores: np.ndarray, Y: sparse.csc_array) -> Thresholds:
    problem = Problem(task.aggregate(scores, task.bags.starts), Y, None)
    return solve(problem, task.request, task.tuning_seed)


def _value_in_words(tuned: Thresholds) -> str:
    return f"{tuned.evidence._measured} {tuned.value:.4f}"


def highest(values: Sequence[float]) -> int:
    """Return the index of the first highest value; NaN is lower than any number."""
    return int(np.argmax(np.nan_to_num(values, nan=-np.inf)))


def fit_all(task: BagTask, labels: np.ndarray) -> LabelScorer:
    """Fit the estimator to all instances with hidden labels, or to the sums of all bags."""
    if task.sums is None:
        return fit_scorer(task.estimator, task.bags.rows, all_labels(labels, task.constants))
    return fit_scorer(task.estimator, task.sums, all_labels(task.Y, task.constants))


def _instance_scores(task: BagTask, labels: np.ndarray) -> np.ndarray:
    """Estimate the probability of each label for each instance, by models of other folds if any.

    `labels` are those of instances, or of bags if models are fitted to the sums of bags.
    """
    bags, varies = task.bags, np.isnan(task.constants)
    if task.splits is None:
        return fit_all(task, labels).scores(bags.rows, "predict_proba")[:, varies]
    samples, splits = bags.rows, [tuple(map(bags.rows_of, pair)) for pair in task.splits]
    if task.sums is not None:
        # Behind the instances, which are scored, stand the sums, to which models are fitted.
        stack = sparse.vstack if sparse.issparse(samples) else np.vstack
        n_rows = samples.shape[0]
        samples = stack([samples, task.sums])
        samples = sparse.csr_array(samples) if sparse.issparse(samples) else samples
        splits = [(n_rows + train, bags.rows_of(test)) for train, test in task.splits]
        labels = np.vstack([np.zeros((n_rows, labels.shape[1]), dtype=np.int8), labels])
    found = held_out_scores(
        task.estimator,
        samples,
        all_labels(labels, task.constants),
        splits,
        method="predict_proba",
        n_jobs=task.n_jobs,
    )
    scores: np.ndarray = np.empty((len(found.rows), labels.shape[1]))
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
