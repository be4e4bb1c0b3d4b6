"""Paths of threshold vectors, from few decisions to many: the micro frontier, or one threshold."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelwise._curves import are_positive, frontier_steps, hulls_of
from labelwise.decisions.problem._problem import Problem

# Points of a path: a step of 1 / 200 of the recall is small beside the error of any estimate.
_MOST_POINTS, _FEWEST_POINTS = 200, 20
# Thresholds of a path in memory.
_MOST_THRESHOLDS = 2**24


def has_path(problem: Problem) -> bool:
    """Return whether a positive has a score, without which there is no path."""
    if not sparse.issparse(problem.scores):
        return bool(problem.Y.nnz)
    return bool(_scores_of_positives(problem).size)


def path_of(problem: Problem, kind: str) -> np.ndarray:
    """Return a path of threshold vectors that fall from one to the next.

    Parameters
    ----------
    problem : Problem
        Checked scores and labels, with at least one positive that has a score.
    kind : {"frontier", "shared"}
        "frontier": vertices of the micro frontier, one threshold for each label. "shared": the
        same threshold for all labels, at scores of positives.

    Returns
    -------
    ndarray of shape (n_points, n_labels)
        At most 200 points, at about equal steps of the hits.
    """
    return _frontier_path(problem) if kind == "frontier" else _shared_path(problem)


def _frontier_path(problem: Problem) -> np.ndarray:
    steps = frontier_steps(hulls_of(problem.cuts_of_all()))
    points = _at_equal_steps(steps.hits[1:], problem.n_labels) + 1
    places = steps.hulls.starts[:-1].copy()
    path = np.empty((points.size, problem.n_labels))
    for number, (before, step) in enumerate(zip(np.append(0, points[:-1]), points, strict=True)):
        places += np.bincount(steps.labels[before:step], minlength=problem.n_labels)
        path[number] = steps.hulls.thresholds[places]
    return path


def _shared_path(problem: Problem) -> np.ndarray:
    scores = np.sort(_scores_of_positives(problem))[::-1]
    is_last = np.append(scores[1:] < scores[:-1], True)
    distinct, hits = scores[is_last], np.flatnonzero(is_last) + 1
    chosen = distinct[_at_equal_steps(hits, problem.n_labels)].astype(np.float64)
    return np.repeat(chosen[:, None], problem.n_labels, axis=1)


def _scores_of_positives(problem: Problem) -> np.ndarray:
    """Return the scores of all positives that have one."""
    Y = problem.Y
    if not sparse.issparse(problem.scores):
        labels = np.repeat(np.arange(problem.n_labels), np.diff(Y.indptr))
        return np.asarray(problem.scores[Y.indices, labels])
    stored = sparse.csc_array(problem.scores)
    stored.sort_indices()
    return np.asarray(stored.data[are_positive(stored.indptr, stored.indices, Y.indptr, Y.indices)])


def _at_equal_steps(hits: np.ndarray, n_labels: int) -> np.ndarray:
    """Return places in rising hits, at about equal steps from the first to the last."""
    most = int(np.clip(_MOST_THRESHOLDS // n_labels, _FEWEST_POINTS, _MOST_POINTS))
    wanted = np.linspace(hits[0], hits[-1], most)
    return np.unique(np.searchsorted(hits, wanted))
