"""Shrunk thresholds lie between those of each label and one threshold for all labels.

Tests `_shrinkage`; `test_paths.py` tests the paths it follows.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse

from labelwise.decisions import best_thresholds
from labelwise.measures import count, f_measure, jaccard, macro, matthews, micro
from tests.decisions.intervals import tuned_with_interval
from tests.decisions.problems import problems
from tests.spoken import spoken
from tests.tuning.problems import make_problem

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
AVERAGES = pytest.mark.parametrize("average", ["micro", "macro"])
JOINED = {"micro": micro, "macro": macro}


@AVERAGES
@pytest.mark.parametrize("measure", [f_measure, jaccard, matthews])
@settings(max_examples=40)
@given(problem=problems(most_samples=12, most_labels=4))
def test_the_ends_are_the_best_of_each_label_and_the_best_common_threshold(
    problem, measure, average
):
    options = {"maximize": measure, "average": average}
    none, all_of_it = (best_thresholds(*problem, shrink=shrink, **options) for shrink in (0, 1))
    np.testing.assert_array_equal(none.values, best_thresholds(*problem, **options).values)
    if problem[1].any():
        shared = best_thresholds(*problem, shared=True, **options)
        np.testing.assert_array_equal(all_of_it.values, shared.values)
        np.testing.assert_equal(all_of_it.value, shared.value)


@AVERAGES
@settings(max_examples=40)
@given(problem=problems(most_samples=12, most_labels=4))
def test_between_the_ends_the_value_is_what_the_thresholds_reach(problem, average):
    scores, Y = problem
    best = best_thresholds(scores, Y, maximize=f"{average}-f").value
    for shrink in (0.01, 0.5, 0.99):
        tuned = best_thresholds(scores, Y, maximize=f"{average}-f", shrink=shrink)
        reached = JOINED[average](f_measure, count(Y, tuned.decide(scores)))
        assert tuned.value == pytest.approx(reached)
        assert tuned.value <= best + 1e-12


@AVERAGES
def test_the_path_comes_near_its_ends(average):
    scores, Y = make_problem()
    exact, shared = (
        best_thresholds(scores, Y, maximize=f"{average}-f", shared=shared)
        for shared in (False, True)
    )
    barely, nearly = (
        best_thresholds(scores, Y, maximize=f"{average}-f", shrink=s) for s in (1e-9, 1 - 1e-9)
    )
    np.testing.assert_array_equal(barely.decide(scores), exact.decide(scores))
    # What the pool holds for equally likely, the labels' own curves still tell apart.
    assert shared.value - 1e-3 <= nearly.value <= shared.value + 0.03
    assert np.median(abs(nearly.values - shared.values)) < 0.5


@AVERAGES
def test_rare_labels_come_nearer_to_the_others(average):
    scores, Y = make_problem()
    exact = best_thresholds(scores, Y, maximize=f"{average}-f").values
    shrunk = best_thresholds(scores, Y, maximize=f"{average}-f", shrink=0.5).values
    common = best_thresholds(scores, Y, maximize=f"{average}-f", shared=True).values[0]
    rare = Y.sum(axis=0) < np.median(Y.sum(axis=0))
    distance = [np.minimum(abs(values - common), 10)[rare].mean() for values in (exact, shrunk)]
    assert distance[1] < distance[0]


@AVERAGES
def test_automatic_amounts_are_found_again_with_the_same_seed(average):
    scores, Y = make_problem()
    options = {"maximize": f"{average}-f", "shrink": "auto", "random_state": 3}
    first, second = (best_thresholds(scores, Y, **options) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    assert 0 <= first.evidence.shrink <= 1
    fixed = best_thresholds(scores, Y, maximize=f"{average}-f", shrink=first.evidence.shrink)
    np.testing.assert_array_equal(first.values, fixed.values)


def test_more_is_shrunk_where_labels_are_alike_and_less_where_they_differ():
    scores, Y = make_problem(shape=(400, 8))
    alike = best_thresholds(
        scores, Y, maximize="macro-f", shrink="auto", random_state=0
    ).evidence.shrink
    shifted = scores + 10 * np.arange(8)
    apart = best_thresholds(
        shifted, Y, maximize="macro-f", shrink="auto", random_state=0
    ).evidence.shrink
    assert apart < alike


OPTIONS = [
    {"shrink": 0.3},
    {"shrink": 0.3, "maximize": "macro-f"},
    {"shrink": "auto"},
    {"shrink": "auto", "maximize": "macro-f"},
    {"fbr": "auto", "maximize": "macro-f"},
    {"shared": True, "maximize": "macro-f"},
    {"maximize": "sample-f"},
    {"n_bootstrap": 5},
]


@pytest.mark.parametrize("options", OPTIONS, ids=spoken)
def test_sparse_scores_that_are_all_there_are_tuned_as_dense_ones(options):
    scores, Y = make_problem(shape=(90, 5))
    dense, stored = (
        (tuned_with_interval if "n_bootstrap" in options else best_thresholds)(
            form, Y, random_state=1, **options
        )
        for form in (scores, sparse.csr_array(scores))
    )
    np.testing.assert_array_equal(dense.values, stored.values)
    np.testing.assert_array_equal(dense.evidence.intervals, stored.evidence.intervals)
    assert dense.value == stored.value


@AVERAGES
@pytest.mark.parametrize("amount", [0.5, 1.0])
def test_shrunk_thresholds_are_not_called_the_highest_of_all(average, amount):
    scores, Y = make_problem()
    shrunk, best = (
        best_thresholds(scores, Y, maximize=f"{average}-f", shrink=one) for one in (amount, 0.0)
    )
    assert shrunk.value < best.value
    assert shrunk.evidence.gap is None
    assert "the highest of all" not in repr(shrunk)
    assert "the highest of all" in repr(best)
