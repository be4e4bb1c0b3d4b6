"""The posterior that comes with generated data is the one its labels were drawn from."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.stats import multivariate_normal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from labelwise._poisson_binomial import counts_of_others
from labelwise.data import Posterior, make_multilabel
from labelwise.data._multilabel import _owned_labels, group_probabilities
from tests.oracles import label_distribution as oracle

RATES = st.sampled_from([0.0, 1.0, 0.5, 1e-9]) | st.floats(0, 1)


@st.composite
def posteriors(draw):
    n_samples, n_groups, n_labels = (draw(st.integers(1, most)) for most in (3, 4, 5))
    weights = st.lists(st.integers(0, 5), min_size=n_groups, max_size=n_groups).filter(any)
    groups = np.array([draw(weights) for _ in range(n_samples)], dtype=float)
    rates = [[draw(RATES) for _ in range(n_labels)] for _ in range(n_groups)]
    return Posterior(groups / groups.sum(axis=1, keepdims=True), rates)


def within(standard_deviations, observed, probability, n):
    """Tell whether frequencies of n draws lie near their probabilities."""
    return np.abs(observed - probability) <= standard_deviations * np.sqrt(0.25 / n)


@given(posteriors())
def test_joint_is_the_sum_over_all_labelsets(posterior):
    by_definition = [oracle.joint(row, posterior.rates) for row in posterior.groups]
    np.testing.assert_allclose(posterior.joint, by_definition, rtol=1e-12, atol=1e-300)


@given(posteriors())
def test_probability_of_a_labelset_is_the_mixture_over_groups(posterior):
    for y in oracle.label_sets(posterior.rates.shape[1]):
        by_definition = [oracle.probability(y, row, posterior.rates) for row in posterior.groups]
        np.testing.assert_allclose(posterior.probability([y]), by_definition, rtol=1e-12)


@given(posteriors())
def test_probabilities_of_all_labelsets_sum_to_one(posterior):
    total = sum(posterior.probability([y]) for y in oracle.label_sets(posterior.rates.shape[1]))
    np.testing.assert_allclose(total, 1)


@given(posteriors())
def test_joint_over_counts_is_the_marginal(posterior):
    np.testing.assert_allclose(posterior.joint.sum(axis=2), posterior.marginals, atol=1e-15)


@given(posteriors())
def test_joint_over_labels_is_the_count_times_its_probability(posterior):
    n_labels = posterior.rates.shape[1]
    for s in range(1, n_labels + 1):
        of_that_size = [y for y in oracle.label_sets(n_labels) if sum(y) == s]
        p_count = sum(posterior.probability([y]) for y in of_that_size)
        np.testing.assert_allclose(posterior.joint[:, :, s - 1].sum(axis=1), s * p_count)


@given(posteriors())
def test_p_empty_is_the_probability_of_the_empty_set(posterior):
    empty = [[0] * posterior.rates.shape[1]]
    np.testing.assert_allclose(posterior.p_empty, posterior.probability(empty), rtol=1e-12)


@given(st.lists(RATES, min_size=1, max_size=7))
def test_counts_of_others_keep_their_digits_in_the_tails(rates):
    exact = np.array(oracle.counts_of_others(rates), dtype=float)
    # Below 1e-300 numbers run out of digits.
    np.testing.assert_allclose(counts_of_others(np.array(rates)), exact, rtol=1e-13, atol=1e-300)


def test_counts_of_others_sum_to_one_for_many_labels():
    rates = np.random.default_rng(0).random(300)
    counts = counts_of_others(rates)
    np.testing.assert_allclose(counts.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(counts @ np.arange(300), rates.sum() - rates, rtol=1e-12)


def test_group_probabilities_are_bayes_rule():
    rng = np.random.default_rng(0)
    X, means = rng.normal(size=(50, 4)), rng.normal(size=(3, 4))
    density = np.column_stack([multivariate_normal(mean).pdf(X) for mean in means])
    by_definition = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(group_probabilities(X, means), by_definition)


def test_draws_follow_the_posterior():
    _, posterior = make_multilabel(n_samples=3, n_labels=3, random_state=0)
    n_draws = 20_000
    draws = posterior.sample(n_draws, random_state=0)
    assert draws.shape == (n_draws, 3, 3)
    assert draws.dtype == bool
    for y in oracle.label_sets(3):
        frequency = (draws == y).all(axis=2).mean(axis=0)
        assert within(5, frequency, posterior.probability([y]), n_draws).all()


def test_labels_are_as_frequent_as_their_mean_marginals():
    dataset, posterior = make_multilabel(n_samples=40_000, random_state=0)
    assert within(5, dataset.Y.mean(axis=0), posterior.marginals.mean(axis=0), 40_000).all()


def test_labelsets_are_as_frequent_as_their_mean_probabilities():
    dataset, posterior = make_multilabel(n_samples=40_000, n_labels=4, random_state=1)
    Y = dataset.Y.toarray()
    for y in oracle.label_sets(4):
        frequency, expected = (y == Y).all(axis=1).mean(), posterior.probability([y]).mean()
        assert within(5, frequency, expected, 40_000)


def test_frequency_where_a_label_seems_probable_is_that_probability():
    dataset, posterior = make_multilabel(n_samples=40_000, random_state=2)
    for label, p in zip(dataset.Y.toarray().T, posterior.marginals.T, strict=True):
        for low in (0.0, 0.2, 0.4, 0.6):
            there = (p >= low) & (p < low + 0.2)
            n = max(1, there.sum())
            assert within(5, label[there].sum() / n, p[there].sum() / n, n)


def test_labels_depend_on_each_other_given_the_features():
    _, posterior = make_multilabel(random_state=0)
    pair = posterior.groups @ (posterior.rates[:, 0] * posterior.rates[:, 1])
    if_independent = posterior.marginals[:, 0] * posterior.marginals[:, 1]
    assert np.abs(pair - if_independent).mean() > 0.02


@pytest.mark.parametrize("seed", range(3))
def test_best_decision_for_f_is_not_the_marginals_cut_in_half(seed):
    _, posterior = make_multilabel(n_samples=60, random_state=seed)
    sets = oracle.label_sets(6)
    proba = np.column_stack([posterior.probability([y]) for y in sets])
    cut = [tuple(row) for row in (posterior.marginals >= 0.5).astype(int)]
    gains = []
    for chances, decided in zip(proba, cut, strict=True):
        distribution = list(zip(sets, chances, strict=True))
        values = {y: oracle.expected_f(distribution, y) for y in sets}
        gains.append(max(values.values()) - values[decided])
    assert np.mean(np.array(gains) > 1e-9) > 0.2
    assert np.mean(gains) > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_labels_can_be_learned_by_default(seed):
    dataset, posterior = make_multilabel(random_state=seed)
    train, test = slice(0, 500), slice(500, None)
    Y = dataset.Y.toarray()
    learned = [
        LogisticRegression().fit(dataset.X[train], y[train]).predict_proba(dataset.X[test])[:, 1]
        for y in Y.T
    ]
    auc = roc_auc_score(Y[test], np.column_stack(learned))
    best = roc_auc_score(Y[test], posterior.marginals[test])
    assert 0.65 < auc < best < 0.95


@pytest.mark.parametrize(("n_labels", "expected"), [(1, 3 / 8), (3, 1), (6, 2), (40, 2)])
def test_default_cardinality_is_two_or_a_third_of_the_labels(n_labels, expected):
    _, posterior = make_multilabel(n_samples=1, n_labels=n_labels, random_state=0)
    assert posterior.rates.sum(axis=1).mean() == pytest.approx(expected)


@given(st.integers(1, 9), st.integers(1, 7), st.floats(0, 1), st.floats(0, 1), st.integers(0, 99))
def test_model_has_the_cardinality_asked_for(n_groups, n_labels, density, noise, seed):
    asked = density * n_labels
    _, posterior = make_multilabel(
        1, 2, n_labels, n_groups=n_groups, cardinality=asked, noise=noise, random_state=seed
    )
    assert posterior.rates.shape == (n_groups, n_labels)
    assert abs(posterior.rates.sum(axis=1).mean() - asked) <= 0.5 / n_groups + 1e-9


@given(st.integers(1, 30), st.integers(0, 99))
def test_each_label_is_owned_by_a_group(n_labels, seed):
    _, posterior = make_multilabel(
        1, 2, n_labels, cardinality=min(2, n_labels), noise=0, random_state=seed
    )
    assert (posterior.rates.max(axis=0) == 1).all()


def test_far_groups_without_noise_leave_no_doubt():
    dataset, posterior = make_multilabel(separation=100, noise=0, random_state=0)
    np.testing.assert_allclose(posterior.marginals, dataset.Y.toarray(), atol=1e-12)


def test_groups_in_one_place_leave_the_features_worthless():
    _, posterior = make_multilabel(separation=0, random_state=0)
    np.testing.assert_allclose(posterior.groups, 1 / 8)


def test_pure_noise_makes_labels_independent_of_the_features():
    _, posterior = make_multilabel(noise=1, random_state=0)
    np.testing.assert_allclose(posterior.marginals, 2 / 6)


def test_root_mean_square_distance_of_groups_is_the_separation():
    dataset, posterior = make_multilabel(
        5_000, 400, n_groups=2, separation=30, noise=0, random_state=0
    )
    first = posterior.groups[:, 0] > 0.5
    gap = dataset.X[first].mean(axis=0) - dataset.X[~first].mean(axis=0)
    # Each of 400 squared gaps has relative variance 2.
    assert np.sqrt(gap @ gap) == pytest.approx(30, rel=5 * np.sqrt(2 / 400) / 2)


def test_same_seed_gives_the_same_data():
    (first, truth), (again, same_truth) = (make_multilabel(50, random_state=7) for _ in range(2))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.Y.toarray(), again.Y.toarray())
    np.testing.assert_array_equal(truth.joint, same_truth.joint)
    np.testing.assert_array_equal(truth.sample(3, 1), same_truth.sample(3, 1))
    other, _ = make_multilabel(50, random_state=8)
    assert not np.array_equal(first.X, other.X)


def test_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make_multilabel(50, random_state=7)[1].sample(2, random_state=0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_posterior_of_some_rows_is_some_rows_of_the_posterior():
    dataset, posterior = make_multilabel(20, random_state=0)
    rows = np.array([3, 1, 17])
    np.testing.assert_allclose(posterior.take(rows).joint, posterior.joint[rows])
    assert len(posterior.take(rows)) == len(dataset.take(rows)) == 3


def test_probability_takes_labels_in_every_form():
    dataset, posterior = make_multilabel(20, random_state=0)
    Y = dataset.Y.toarray()
    expected = posterior.probability(Y)
    as_sets = [{str(j) for j in np.flatnonzero(row)} for row in Y]
    for form in (dataset.Y, Y.astype(int).tolist(), sparse.coo_array(Y), as_sets):
        np.testing.assert_array_equal(posterior.probability(form), expected)
    each = [posterior.probability(Y[[i]])[i] for i in range(20)]
    np.testing.assert_array_equal(each, expected)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1, got 0."),
        ({"n_features": -3}, ValueError, "n_features must be at least 1, got -3."),
        ({"n_labels": 0}, ValueError, "n_labels must be at least 1, got 0."),
        ({"n_labels": 2.0}, TypeError, "n_labels must be a whole number, got 2.0."),
        ({"n_groups": 0}, ValueError, "n_groups must be at least 1, got 0."),
        ({"cardinality": 7}, ValueError, "cardinality must be from 0 to 6, got 7."),
        ({"separation": -1}, ValueError, "separation must be from 0 to 1e+06, got -1."),
        ({"noise": np.nan}, ValueError, "noise must be from 0 to 1, got nan."),
        ({"noise": "some"}, TypeError, "noise must be a number, got 'some'."),
    ],
)
def test_bad_argument_is_named(arguments, error, message):
    with pytest.raises(error) as caught:
        make_multilabel(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("groups", "rates", "message"),
    [
        ([[1.0]], [[2.0]], "rates must have probabilities from 0 to 1."),
        ([[np.nan]], [[0.5]], "groups must have probabilities from 0 to 1."),
        ([[0.5, 0.5]], [[0.5]], "groups has 2 columns for 1 rates."),
        ([[0.5, 0.5], [0.5, 0.4]], [[1], [0]], "groups must sum to 1, got 0.9 in row 1."),
        ([0.5], [[0.5]], "groups must be 2-D and not empty, got shape (1,)."),
    ],
)
def test_posterior_of_no_distribution_is_refused(groups, rates, message):
    with pytest.raises(ValueError) as caught:
        Posterior(groups, rates)
    assert str(caught.value) == message


def test_probability_of_other_rows_is_refused():
    _, posterior = make_multilabel(20, random_state=0)
    with pytest.raises(ValueError, match=r"label_sets has 2 rows for 20 samples\."):
        posterior.probability(np.zeros((2, 6)))
    with pytest.raises(ValueError, match="n_draws must be at least 1, got 0"):
        posterior.sample(0)


def test_first_labels_belong_to_more_groups_than_last_ones():
    rng = np.random.RandomState(0)
    owned = sum(_owned_labels(8, 40, 160, rng) for _ in range(50))
    by_label = owned.sum(axis=0)
    assert by_label.sum() == 50 * 160
    assert by_label.min() >= 50
    assert by_label[:10].sum() > 1.5 * by_label[-10:].sum()
