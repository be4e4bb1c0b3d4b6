"""How many labels each sample gets, chosen for a measure: the rank cut with the best k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import counts_of, mean, measured
from labelwise._tuning._result import Thresholds
from labelwise._tuning._solve import thresholds_of
from labelwise._tuning.objectives._choice import choice_with, first_best
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._decisions import top_of_each
from labelwise._tuning.problem._problem import Problem, check_problem, random_folds


def rank_rule(
    scores: Any,
    Y: Any,
    *,
    maximize: str | Callable[..., Any] = "micro-f",
    average: str | None = None,
    beta: float = 1.0,
    groups: Any = None,
    sample_weight: Any = None,
    label_names: Sequence[str] | None = None,
    random_state: Any = None,
    ids: Any = None,
) -> Thresholds:
    """Find how many labels to decide for each sample (RCut with the best k).

    Every sample gets the k labels with its highest scores, as by `rank_cut`. All k from 1 to the
    number of labels are tried.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of any model on samples
        that it was not fitted to. In a sparse matrix, an absent score is never decided.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. Columns with names are matched by name.
    maximize : str or callable, default="micro-f"
        The measure to maximise: average and measure by name, or a measure of counts, as in
        `best_thresholds`.
    average : {"micro", "macro", "sample"}, default=None
        How a measure is averaged that `maximize` gives as a function; None means "micro".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, in the same fold behind the
        corrected value.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the five folds
        behind the corrected value.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    Thresholds
        The rule: `max_rank` is k, and all thresholds are -inf. Among equal values, the smallest k
        wins. It decides, is saved and is evaluated as other thresholds are.
        `Evidence.corrected_value` is that of five folds, each decided by the k of the others.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong value, or if labels are missing.

    See Also
    --------
    rank_cut : Decide the k best labels of each sample.
    best_thresholds : Find the thresholds with the highest value of a measure.

    References
    ----------
    Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR 2001.

    Examples
    --------
    >>> from labelwise.decisions import rank_rule
    >>> scores = [[0.9, 0.2, 0.1], [0.6, 0.8, 0.3], [0.3, 0.1, 0.7]]
    >>> rule = rank_rule(scores, [[1, 0, 0], [0, 1, 0], [1, 0, 1]], random_state=0)
    >>> rule.max_rank, round(rule.value, 4)
    (1, 0.8571)
    >>> rule.decide([[0.4, 0.6, 0.5]])
    array([[0, 1, 0]], dtype=int8)
    """
    problem = check_problem(scores, Y, label_names, groups, sample_weight, ids=ids)
    request = Request(maximize=maximize, average=average, beta=beta)
    folds = random_folds(problem, random_state)
    n_folds = int(folds.max()) + 1
    values = _values(problem, request, folds)
    best = np.array([1 + first_best(column) for column in values.T])
    found = problem.counts_of_decisions(_decided(problem, best[0]), "label")
    chosen = choice_with(np.full(problem.n_labels, -np.inf), found, values[best[0] - 1, 0])
    corrected = float("nan")
    if n_folds > 1:
        unseen = _decided(problem, best[1:][folds])
        counts = problem.counts_of_decisions(unseen, request.counts_by)
        weights = problem.weights if request.counts_by == "sample" else None
        corrected = float(request.value(counts, weights))
    tuned = thresholds_of(chosen, request, problem, corrected_value=corrected)
    # The request is for thresholds, and would find others if they were tuned again.
    evidence = replace(tuned.evidence, request=None)
    return replace(tuned, max_rank=int(best[0]), evidence=evidence)


def _decided(problem: Problem, k: Any) -> sparse.csc_array:
    """Decide the k highest scores of each sample; k is one number, or one for each sample."""
    sizes = np.broadcast_to(k, problem.n_samples)
    return sparse.csc_array(top_of_each(problem.scores, sizes), dtype=bool)


def _values(problem: Problem, request: Request, folds: np.ndarray) -> np.ndarray:
    """Return the value of each k, from 1 on, on all samples and without each fold.

    Counts of k labels are those of k - 1 and of the labels at rank k, so that each score is looked
    at once.
    """
    n_labels, n_folds = problem.n_labels, int(folds.max()) + 1
    if request.counts_by == "sample":
        return _values_of_samples(problem, request, folds)
    shape, weights = (n_folds, n_labels), problem.everyone
    decided, hits = np.zeros(shape, dtype=weights.dtype), np.zeros(shape, dtype=weights.dtype)
    size = np.bincount(folds, weights, n_folds).astype(weights.dtype)
    true = problem.Y.tocoo()
    places = folds[true.row] * n_labels + true.col
    support = np.bincount(places, weights[true.row], decided.size)
    support = support.reshape(shape).astype(weights.dtype)
    values = []
    for rows, labels, are_hits in _ranks(problem):
        cells = folds[rows] * n_labels + labels
        for sums, chosen in ((decided, slice(None)), (hits, are_hits)):
            added = np.bincount(cells[chosen], weights[rows[chosen]], sums.size)
            sums += added.reshape(shape).astype(sums.dtype)
        counts = counts_of(*map(_without_each, (decided, hits, support, size[:, None])))
        values.append(np.atleast_1d(request.value(counts)))
    return np.array(values)


def _without_each(sums: np.ndarray) -> np.ndarray:
    """Return the sum over all folds, and the sums without each fold."""
    whole = sums.sum(axis=0)
    return np.vstack([whole[None], whole - sums])


def _values_of_samples(problem: Problem, request: Request, folds: np.ndarray) -> np.ndarray:
    """Return the same for the mean over samples."""
    decided, hits = (np.zeros(problem.n_samples, dtype=np.int64) for _ in range(2))
    support = np.bincount(problem.Y.indices, minlength=problem.n_samples)
    weights = problem.weights
    # All samples; then those without each fold, of which there are none with a single fold.
    parts = [np.ones(folds.size, dtype=bool)]
    if folds.any():
        parts += [folds != k for k in range(int(folds.max()) + 1)]
    values = []
    for rows, _, are_hits in _ranks(problem):
        decided[rows] += 1
        hits[rows[are_hits]] += 1
        counts = counts_of(decided, hits, support, problem.n_labels)
        of_samples = measured(request.measure, counts)
        values.append(
            [
                mean(of_samples[part], "skip", None if weights is None else weights[part])
                for part in parts
            ]
        )
    return np.array(values)


def _ranks(problem: Problem) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield, rank by rank, the samples that have a score there, its label, and whether it is true.

    Of equal scores, the first label is ranked higher.
    """
    Y = problem.Y.tocoo()
    true_cells = np.sort(Y.row.astype(np.int64) * problem.n_labels + Y.col)
    for rows, labels in _labels_at_ranks(problem.scores):
        cells = rows * problem.n_labels + labels
        places = np.searchsorted(true_cells, cells)
        are_hits = np.zeros(cells.size, dtype=bool)
        inside = places < true_cells.size
        are_hits[inside] = true_cells[places[inside]] == cells[inside]
        yield rows, labels, are_hits


def _labels_at_ranks(scores: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    if not sparse.issparse(scores):
        order = np.argsort(-scores, axis=1, kind="stable")
        yield from ((np.arange(len(scores)), labels) for labels in order.T)
        return
    stored = sparse.csr_array(scores)
    stored.sort_indices()
    n_stored = np.diff(stored.indptr)
    rows = np.repeat(np.arange(stored.shape[0]), n_stored)
    order = np.lexsort((-stored.data, rows))
    rank = np.arange(stored.nnz) - np.repeat(stored.indptr[:-1], n_stored)
    for k in range(max(1, int(n_stored.max(initial=0)))):
        here = np.flatnonzero(rank == k)
        yield rows[here], stored.indices[order[here]]
