"""Scores of bags: maxima decide as instances do (Lemma 2 of MIML-perf), others equal a loop."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.decisions import best_thresholds
from labelwise.learners.bags import _bag_scores
from labelwise.learners.bags._bag_scores import AGGREGATIONS, bag_maxima, highest_instances
from tests.learners.bags.problems import FEW, scored_bags
from tests.oracles.bags import (
    aggregate,
    bag_decisions,
    best_f_over_instances,
    best_micro_f_over_instances,
)


@given(scored_bags(), FEW)
def test_a_label_is_on_just_where_the_highest_instance_reaches_the_threshold(problem, threshold):
    scores, starts, _ = problem
    highest = bag_maxima(scores, starts)
    for j in range(scores.shape[1]):
        expected = bag_decisions(scores[:, j], starts, threshold)
        np.testing.assert_array_equal(highest[:, j] >= threshold, expected)


@given(scored_bags(), st.sampled_from([0.5, 1.0, 2.0]))
@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_no_instance_score_gives_a_higher_macro_f_than_the_bag_maxima(problem, beta):
    scores, starts, Y = problem
    tuned = best_thresholds(bag_maxima(scores, starts), Y, maximize="macro-f", beta=beta)
    best = [best_f_over_instances(scores[:, j], starts, Y[:, j], beta) for j in range(Y.shape[1])]
    assert tuned.value == pytest.approx(np.mean(best), abs=1e-12)


@given(scored_bags(most_bags=4, most_labels=2), st.booleans())
@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_no_instance_scores_give_a_higher_micro_f_than_the_bag_maxima(problem, shared):
    scores, starts, Y = problem
    tuned = best_thresholds(bag_maxima(scores, starts), Y, maximize="micro-f", shared=shared)
    best = best_micro_f_over_instances(scores, starts, Y, shared)
    assert tuned.value == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("how", AGGREGATIONS)
@given(scored_bags())
def test_scores_of_bags_are_those_of_a_loop(how, problem):
    scores, starts, _ = problem
    found = AGGREGATIONS[how](scores, starts)
    np.testing.assert_allclose(found, aggregate(scores, starts, how), atol=1e-12)


@given(scored_bags(), st.sampled_from([np.float32, np.float64]))
def test_the_speaker_is_the_first_with_the_highest_score(problem, dtype):
    scores, starts, _ = problem
    scores = scores.astype(dtype)
    assert bag_maxima(scores, starts).dtype == dtype
    expected = [scores[begin:end].argmax(axis=0) for begin, end in pairwise(starts)]
    np.testing.assert_array_equal(highest_instances(scores, starts), expected)


@given(scored_bags(most_bags=6), st.integers(1, 9))
def test_slices_of_rows_that_cut_bags_have_the_same_maxima(problem, together):
    scores, starts, _ = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_bag_scores, "_TOGETHER", together)
        found = [bag_maxima(scores, starts), highest_instances(scores, starts)]
    np.testing.assert_array_equal(found[0], aggregate(scores, starts, "max"))
    np.testing.assert_array_equal(found[1], highest_instances(scores, starts))


@pytest.mark.parametrize("mean_size", [1, 10, 50_000, 400_000])
def test_bags_of_several_slices_have_the_same_maxima(mean_size):
    random = np.random.default_rng(0)
    sizes = random.integers(1, 2 * mean_size, max(1, 500_000 // mean_size))
    starts = np.concatenate(([0], np.cumsum(sizes)))
    scores = random.random((starts[-1], 3))
    expected = np.maximum.reduceat(scores, starts[:-1], axis=0)
    np.testing.assert_array_equal(bag_maxima(scores, starts), expected)
