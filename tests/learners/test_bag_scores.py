"""Lemma 2 of miml2017, what follows from it, and how hidden labels are drawn."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from labelwise.data import Bags
from labelwise.decisions import best_thresholds
from labelwise.learners import BagSummary
from labelwise.learners.bags import _bag_scores
from labelwise.learners.bags._bag_scores import AGGREGATIONS, bag_maxima, highest_instances
from labelwise.learners.bags._hidden_labels import draw_hidden, first_sizes, found_sizes
from tests.oracles.bags import (
    aggregate,
    bag_decisions,
    best_f_over_instances,
    best_micro_f_over_instances,
    draw_chances,
)

FEW = st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0])


@st.composite
def scored_bags(draw, most_bags=5, most_labels=3):
    """Scores with many ties, where bags begin, and the labels of bags."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=most_bags))
    n_labels = draw(st.integers(1, most_labels))
    cells = draw(st.lists(FEW, min_size=sum(sizes) * n_labels, max_size=sum(sizes) * n_labels))
    n_truths = len(sizes) * n_labels
    truth = draw(st.lists(st.integers(0, 1), min_size=n_truths, max_size=n_truths))
    scores = np.array(cells).reshape(-1, n_labels)
    return scores, np.cumsum([0, *sizes]), np.array(truth).reshape(-1, n_labels)


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
    tuned = best_thresholds(bag_maxima(scores, starts), Y, average="macro", beta=beta)
    best = [best_f_over_instances(scores[:, j], starts, Y[:, j], beta) for j in range(Y.shape[1])]
    assert tuned.value == pytest.approx(np.mean(best), abs=1e-12)


@given(scored_bags(most_bags=4, most_labels=2), st.booleans())
@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_no_instance_scores_give_a_higher_micro_f_than_the_bag_maxima(problem, shared):
    scores, starts, Y = problem
    tuned = best_thresholds(bag_maxima(scores, starts), Y, average="micro", shared=shared)
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


@pytest.mark.parametrize(
    ("weights", "n_draws"),
    [([0.1, 0.3, 0.6], 1), ([0.1, 0.3, 0.6], 2), ([0, 0, 0], 2), ([0.0, 0.5, 0.0, 0.5], 3)],
)
def test_instances_are_drawn_one_after_the_other_in_proportion_to_their_scores(weights, n_draws):
    n_bags = 20_000
    bags = Bags(np.zeros((n_bags * len(weights), 1)), np.arange(n_bags + 1) * len(weights))
    Y = np.ones((n_bags, 1), dtype=bool)
    scores = np.tile(weights, n_bags)[:, None].astype(float)
    hidden = draw_hidden(
        bags, Y, np.full((n_bags, 1), n_draws), scores, np.random.RandomState(0)
    ).reshape(n_bags, -1)
    times = Counter(frozenset(np.flatnonzero(row)) for row in hidden)
    expected = draw_chances(weights, n_draws)
    assert set(times) == {drawn for drawn, chance in expected.items() if chance > 0}
    for drawn, chance in expected.items():
        # Five standard deviations of a share.
        assert abs(times[drawn] / n_bags - chance) <= 5 * np.sqrt(chance * (1 - chance) / n_bags)


@given(scored_bags(), st.integers(0, 9))
def test_each_bag_with_the_label_has_as_many_as_asked_and_others_none(problem, seed):
    scores, starts, Y = problem
    bags = Bags(np.zeros((starts[-1], 1)), starts)
    for sizes in (first_sizes(bags, 0.4), found_sizes(scores >= 0.5, bags)):
        hidden = draw_hidden(bags, Y.astype(bool), sizes, scores, np.random.RandomState(seed))
        drawn = np.add.reduceat(hidden, starts[:-1], axis=0)
        np.testing.assert_array_equal(drawn, np.where(Y, sizes, 0))
        assert (sizes >= 1).all()


def test_a_share_of_each_bag_is_drawn_at_first_and_at_least_one():
    bags = Bags(np.zeros((20, 1)), [0, 1, 4, 12, 20])
    assert first_sizes(bags, 0.4).ravel().tolist() == [1, 1, 3, 3]
    assert first_sizes(bags, 0.0).ravel().tolist() == [1, 1, 1, 1]
    assert first_sizes(bags, 1.0).ravel().tolist() == [1, 3, 8, 8]


@given(scored_bags())
def test_summaries_are_means_and_maxima(problem):
    rows, starts, _ = problem
    summary = BagSummary(["max", "mean"])
    found = summary.fit_transform(Bags(rows, starts))
    expected = np.hstack([aggregate(rows, starts, how) for how in ("max", "mean")])
    np.testing.assert_allclose(found, expected)
    assert len(summary.get_feature_names_out()) == found.shape[1]


@given(scored_bags(), st.sampled_from(["max", "mean"]), st.sampled_from([0.0, 0.2, 2.0]))
def test_sparse_summaries_are_the_dense_ones(problem, part, less):
    rows, starts, _ = problem
    rows = np.where(rows == 0.0, 0.0, rows - less)
    found = BagSummary(part).fit_transform(Bags(sparse.csr_array(rows), starts))
    assert isinstance(found, sparse.csr_array)
    assert (found.data != 0).all() or part == "mean"
    np.testing.assert_allclose(found.toarray(), aggregate(rows, starts, part), atol=1e-12)


def test_duplicate_entries_of_sparse_rows_are_summed_before_the_maximum():
    twice = sparse.csr_array(([1.0, 2.0, 2.5], [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    assert BagSummary("max").fit_transform(Bags(twice, [0, 2])).toarray().tolist() == [[3.0]]
    assert twice.nnz == 3
