"""Hidden labels of instances are drawn without replacement, by their scores."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.data import Bags
from labelwise.learners.bags._training_rounds import draw_hidden, first_sizes, found_sizes
from tests.learners.bags.problems import scored_bags
from tests.oracles.bags import (
    draw_chances,
)


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
