"""Frontiers without a fold, with the counts of their thresholds in that fold."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import sparse

from labelwise._tuning import (
    Problem,
    Request,
    cross_fitted,
    held_out_frontiers,
    random_folds as folds_of,
)
from labelwise.decisions import micro_frontier
from labelwise.measures import Counts, f_measure
from tests.decisions.problems import problems

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


def problem_of(scores, Y, *, as_csr=False):
    n, m = scores.shape
    if as_csr:
        cells = (scores.ravel(), np.tile(np.arange(m), n), np.arange(0, n * m + 1, m))
        scores = sparse.csr_array(cells, (n, m))
    return Problem(scores, sparse.csc_array(Y), None)


@given(problems(most_samples=12, most_labels=4), st.booleans())
def test_held_out_counts_are_those_of_the_thresholds_of_each_vertex(given_problem, as_csr):
    scores, Y = given_problem
    problem = problem_of(scores, Y, as_csr=as_csr)
    folds = folds_of(problem, 0)
    found = held_out_frontiers(problem, folds)
    if problem.n_fold_units == 1:
        assert found == []
        return
    units = np.arange(len(Y)) if problem.fold_units is None else problem.fold_units
    for fold, one in zip(np.unique(folds), found, strict=True):
        here = folds == fold
        others = ~np.isin(units, units[here])
        frontier = micro_frontier(scores[others], Y[others])
        assert one.decided.tolist() == frontier.decided.tolist()
        assert one.hits.tolist() == frontier.hits.tolist()
        edges = np.diff(frontier.hits) / np.diff(frontier.decided)
        np.testing.assert_allclose(one.slopes, [np.inf, *edges], rtol=1e-12)
        for vertex in range(len(frontier)):
            decided = scores[here] >= frontier.thresholds(vertex)
            assert one.held_out_decided[vertex] == decided.sum()
            assert one.held_out_hits[vertex] == (decided & Y[here]).sum()
        sizes = (one.n_samples, one.n_positive, one.n_held_out, one.n_held_out_positive)
        assert sizes == (others.sum(), Y[others].sum(), here.sum(), Y[here].sum())


@given(problems(most_samples=12, most_labels=4))
def test_the_best_vertices_of_the_other_folds_give_the_corrected_counts(given_problem):
    scores, Y = given_problem
    problem = problem_of(scores, Y)
    assume(problem.n_fold_units > 1)
    decided = hits = 0
    for one in held_out_frontiers(problem, folds_of(problem, 0)):
        tp = one.hits
        values = f_measure(Counts(tp, one.decided - tp, one.n_positive - tp, 0 * tp))
        best = int(np.flatnonzero(values >= values.max() - 1e-12)[0])
        decided += one.held_out_decided[best]
        hits += one.held_out_hits[best]
    unseen = cross_fitted(problem, Request(), 0)
    assert decided == (unseen.counts.tp + unseen.counts.fp).sum()
    assert hits == unseen.counts.tp.sum()
