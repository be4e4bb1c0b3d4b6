"""Machines on features that are multiplied by naive Bayes log-ratios, label by label."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise.learners import BinaryRelevance
from labelwise.splitting import MultilabelStratifiedKFold
from tests.oracles.squared_hinge import hinge_optimum, hinge_value, naive_bayes_factors


def some_counts(n_samples=120, n_features=12, n_labels=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.poisson(0.7, (n_samples, n_features)).astype(float)
    noise = random.normal(0, 0.8, (n_samples, n_labels))
    Y = (X[:, :n_labels] - X[:, n_labels : 2 * n_labels] + noise > 0.5).astype(np.int64)
    return X, Y


def machines(**options):
    return BinaryRelevance(loss="naive_bayes_hinge", **options)


def check_optimum(model, X, y, weights, penalty, column=0, slack=1e-9):
    """The coefficients, divided by the factors, are optimal for features times the factors."""
    factors = naive_bayes_factors(X, y, weights)
    coefficients = model.coef_[column]
    assert not coefficients[factors == 0].any()
    inner = np.divide(coefficients, factors, where=factors != 0, out=np.zeros(factors.size))
    found = hinge_value(X * factors, y, weights, inner, model.intercept_[column], penalty)
    assert found <= hinge_optimum(X * factors, y, weights, penalty) * (1 + slack) + 1e-12


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [1.0, 1e-2])
def test_the_optimum_is_that_of_features_times_the_log_ratios(form, weighted, penalty):
    X, Y = some_counts()
    weights = np.random.default_rng(0).integers(0, 4, len(X)) / 2.0 if weighted else None
    model = machines(penalty=penalty, tol=1e-13).fit(form(X), Y, sample_weight=weights)
    relative = None if weights is None else weights / weights.mean()
    for j, y in enumerate(Y.T):
        check_optimum(model, X, y, relative, penalty, j)


@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 12), st.integers(1, 4)),
        elements=st.sampled_from([0.0, 1.0, 3.0]),
    ),
    seed=st.integers(0, 99),
    penalty=st.sampled_from([10.0, 0.1]),
)
@settings(max_examples=40)
def test_equal_and_empty_rows_have_an_optimum_too(X, seed, penalty):
    y = np.random.default_rng(seed).integers(0, 2, len(X))
    y[:2] = 0, 1
    model = machines(penalty=penalty, tol=1e-10).fit(X, y[:, None])
    check_optimum(model, X, y, None, penalty, slack=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_folds_have_the_log_ratios_of_their_own_training_samples(form):
    X, Y = some_counts(seed=1)
    X = form(X)
    splits = list(MultilabelStratifiedKFold(4).split(X, Y))
    learner = machines(share_penalty=True, tol=1e-8)
    scores = learner.fit_scoring_folds(X, Y, splits)
    start = 0
    for train, test in splits:
        alone = machines(penalty=learner.penalties_[0], tol=1e-10).fit(X[train], Y[train])
        found = scores[start : start + len(test)]
        np.testing.assert_allclose(found, alone.decision_function(X[test]), atol=0.05)
        start += len(test)


def test_a_label_is_learned_from_the_samples_that_have_it():
    X, Y = some_counts()
    known = Y.astype(float)
    known[::3, 1] = np.nan
    model = machines(penalty=0.1, tol=1e-12).fit(sparse.csr_array(X), known)
    there = ~np.isnan(known[:, 1])
    alone = machines(penalty=0.1, tol=1e-12).fit(sparse.csr_array(X[there]), Y[there][:, [1]])
    np.testing.assert_allclose(model.coef_[1], alone.coef_[0], atol=1e-6)


def test_a_term_that_says_nothing_of_a_label_has_no_weight():
    X, _ = some_counts(40, 4)
    y = np.repeat([0, 1], 20)
    X[:20, 3] = X[20:, 3] = 1.0  # as often with the label as without it
    X[:20, 0], X[20:, 0] = 0.0, 2.0
    X[:20, 1], X[20:, 1] = 2.0, 0.0
    X[:20, 2] = X[20:, 2]
    model = machines(penalty=0.01).fit(X, y[:, None])
    assert np.abs(model.coef_[0, 2:]).max() < 1e-9 < np.abs(model.coef_[0, :2]).min()


def test_negative_features_are_refused():
    X, Y = some_counts()
    X[3, 2] = -1.5
    said = "X must not be negative with loss='naive_bayes_hinge', got -1.5"
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match=said):
            machines().fit(form(X), Y)
