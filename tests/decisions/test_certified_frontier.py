"""Bounds of a certified frontier hold at all points together, also at one that is picked."""

import numpy as np
import pytest

from labelwise.decisions import Certify, Thresholds, best_thresholds, certified_frontier

N_DRAWS = 15
# Of 15 draws, 1.5 may break a bound; 6 or more have a probability below 0.003.
MOST_BROKEN = 5


def draw(random, n_samples, n_labels=5):
    latent = (
        2 * random.normal(size=(n_samples, n_labels)) - 1.2 + random.normal(size=(n_samples, 1))
    )
    Y = random.random(latent.shape) < 1 / (1 + np.exp(-latent))
    return latent + 0.6 * random.normal(size=latent.shape), Y


def rates(tuned, scores, Y, weights=None):
    """Micro precision and recall on new samples."""
    decided = tuned.decide(scores)
    weights = np.ones(len(Y)) if weights is None else weights
    hits = weights @ (decided & Y).sum(axis=1)
    return hits / max(weights @ decided.sum(axis=1), 1e-12), hits / (weights @ Y.sum(axis=1))


@pytest.mark.parametrize("n_samples", [200, 1000])
def test_no_point_breaks_its_bounds_more_often_than_promised(n_samples):
    random = np.random.default_rng(1)
    scores, Y = draw(random, 6000)
    n_broken = 0
    for _ in range(N_DRAWS):
        frontier = certified_frontier(
            *draw(random, n_samples), level=0.9, random_state=random_seed(random)
        )
        reached = [rates(frontier.at(k), scores, Y) for k in range(len(frontier))]
        bounds = np.column_stack([frontier.min_precision, frontier.min_recall])
        # A point without decisions makes no error.
        n_broken += bool((np.array(reached) < bounds)[bounds > 0].any())
    assert n_broken <= MOST_BROKEN


def random_seed(random):
    return int(random.integers(2**31))


def test_a_point_that_looks_best_keeps_its_bounds_where_scores_say_nothing():
    # Without a signal, the best-looking point is luck: a bound for one fixed point would not hold.
    random = np.random.default_rng(2)
    n_broken = 0
    for _ in range(40):
        Y = random.random((300, 4)) < 0.3
        frontier = certified_frontier(
            random.normal(size=Y.shape), Y, level=0.9, random_state=random_seed(random)
        )
        n_broken += frontier.min_precision.max() > 0.3
    assert n_broken <= 10


def test_bounds_are_below_the_rates_and_near_them_with_many_samples():
    frontier = certified_frontier(*draw(np.random.default_rng(3), 20_000), random_state=0)
    is_decided = frontier.max_decided > 0
    gaps = (frontier.precision - frontier.min_precision)[is_decided]
    assert np.nanmin(gaps) > 0
    assert np.nanmedian(gaps) < 0.03
    assert np.median(frontier.recall - frontier.min_recall) < 0.03
    assert (np.diff(frontier.recall) >= 0).all()


def test_a_request_that_was_fixed_before_certifies_at_least_as_much():
    scores, Y = draw(np.random.default_rng(4), 4000)
    frontier = certified_frontier(scores, Y, random_state=0)
    fixed = best_thresholds(scores, Y, min_precision=0.7, guarantee=0.95, random_state=0)
    chosen = frontier.find(min_precision=0.7)
    assert frontier.recall[chosen] <= fixed.evidence.guarantee.recall + 0.01
    assert frontier.recall[chosen] > fixed.evidence.guarantee.recall - 0.1


def test_thresholds_of_a_point_carry_its_bounds_to_the_file(tmp_path):
    scores, Y = draw(np.random.default_rng(5), 2000)
    frontier = certified_frontier(scores, Y, label_names=list("abcde"), random_state=0)
    tuned = frontier.at(frontier.find(min_recall=0.5))
    tuned.save(tmp_path / "t.json")
    again = Thresholds.load(tmp_path / "t.json")
    assert again.evidence.guarantee.min_recall >= 0.5
    assert again.evidence.guarantee.lines(None) == tuned.evidence.guarantee.lines(None)
    np.testing.assert_array_equal(again.decide(scores), tuned.decide(scores))


def test_groups_are_counted_alike_on_request():
    random = np.random.default_rng(6)
    scores, Y = draw(random, 1500)
    groups = np.append(np.arange(1100), np.full(400, 1100))
    by_row, by_group = (
        certified_frontier(scores, Y, level=Certify(0.9, weigh=w), groups=groups, random_state=0)
        for w in ("sample", "group")
    )
    assert by_group.min_precision.max() > by_row.min_precision.max() + 0.2
    assert by_group.at(5).evidence.guarantee.weigh == "group"


@pytest.mark.parametrize("weight", [0.25, 4])
def test_samples_of_equal_weight_have_the_bounds_of_samples_without_weights(weight):
    scores, Y = draw(np.random.default_rng(5), 600)
    bare, weighted = (
        certified_frontier(scores, Y, sample_weight=weights, random_state=0)
        for weights in (None, np.full(600, weight))
    )
    assert (weighted.min_precision == bare.min_precision).all()
    assert (weighted.min_recall == bare.min_recall).all()


def test_missing_labels_and_weights_count_as_in_other_guarantees():
    random = np.random.default_rng(7)
    scores, Y = draw(random, 1500)
    gaps = np.where(random.random(Y.shape) < 0.2, np.nan, Y)
    frontier = certified_frontier(scores, gaps, random_state=0)
    assert (frontier.max_decided == 5).all()
    weighted = certified_frontier(scores, Y, sample_weight=np.full(1500, 3), random_state=0)
    plain = certified_frontier(scores, Y, random_state=0)
    np.testing.assert_allclose(weighted.min_precision, plain.min_precision)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.5}, "guarantee must be between 0 and 1, got 1.5"),
        ({"level": "expectation"}, "level of a frontier must be a probability"),
        ({"level": Certify(0.9, across="all")}, "level of a frontier must be a probability"),
        ({"level": Certify(0.9, weigh="group")}, 'weigh="group" needs groups'),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        certified_frontier(*draw(np.random.default_rng(8), 50), **options)


def test_a_point_that_is_not_there_is_refused():
    frontier = certified_frontier(*draw(np.random.default_rng(9), 300), random_state=0)
    with pytest.raises(ValueError, match="point must be below"):
        frontier.at(len(frontier))
    with pytest.raises(ValueError, match="certified at no point: the highest bounds are"):
        frontier.find(min_precision=0.99, min_recall=0.99)
    assert repr(frontier).count("\n") == len(frontier) + 1


def test_a_rate_without_an_error_on_the_tuning_samples_is_bounded():
    random = np.random.default_rng(0)
    Y = random.random((4000, 3)) < 0.3
    scores = Y + 0.3 * random.normal(size=Y.shape)
    frontier = certified_frontier(scores, Y, random_state=0)
    # The last point finds all positives of the tuning samples.
    assert frontier.recall[-1] > 0.99
    assert frontier.min_recall[-1] > 0.9
