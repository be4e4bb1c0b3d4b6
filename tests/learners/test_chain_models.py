"""Chains draw label sets from the product of their conditional probabilities."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labelwise.data import make_multilabel
from labelwise.learners import ChainEnsemble
from labelwise.learners._chain_ensemble import ChainPlan, with_labels
from tests.oracles.chains import all_sets, drawn_sets, ensemble_distribution
from tests.oracles.logistic import peer


def some_data(n_samples=200, n_labels=3, seed=0):
    data, _ = make_multilabel(n_samples, n_features=4, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@pytest.mark.parametrize("sampling", ["ancestral", "gibbs"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_draws_are_those_of_a_loop_over_labels(sampling, form):
    X, Y = some_data()
    model = ChainEnsemble(n_chains=3, sampling=sampling, n_sweeps=3, penalty=0.01, random_state=0)
    drawn = model.fit(form(X), Y).sample(form(X[:20]), 8, random_state=1)
    n_sweeps = 3 if sampling == "gibbs" else 1
    numbers = np.random.RandomState(1).random_sample((8, n_sweeps, 3))
    for i in range(20):
        np.testing.assert_array_equal(drawn[:, i], drawn_sets(model, X[i], numbers))


def test_shares_of_draws_tend_to_the_mean_distribution_of_the_chains():
    X, Y = some_data()
    model = ChainEnsemble(n_chains=2, penalty=0.01, random_state=0).fit(X, Y)
    drawn = model.sample(X[:3], 20_000, random_state=0)
    codes = drawn @ (2 ** np.arange(3)[::-1])
    for i in range(3):
        expected = ensemble_distribution(model, X[i])
        assert expected.sum() == pytest.approx(1)
        found = np.bincount(codes[:, i], minlength=8) / 20_000
        # Four standard errors of a share.
        assert np.abs(found - expected).max() < 4 * 0.5 / np.sqrt(20_000)


def test_probabilities_tend_to_the_marginals_of_the_mean_distribution():
    X, Y = some_data()
    model = ChainEnsemble(n_chains=2, n_draws=4000, penalty=0.01, random_state=0).fit(X, Y)
    for i, proba in enumerate(model.predict_proba(X[:3])):
        expected = ensemble_distribution(model, X[i]) @ all_sets(3)
        np.testing.assert_allclose(proba, expected, atol=0.03)


def test_each_label_is_the_regression_on_features_and_earlier_labels():
    X, Y = some_data()
    options = {"n_chains": 1, "bootstrap": False, "tol": 1e-13, "random_state": 3}
    model = ChainEnsemble(penalty=0.02, label_penalty=1.0, **options).fit(X, Y)
    for place, k in enumerate(model.orders_[0]):
        seen = np.sort(model.orders_[0][:place])
        expected = peer(np.hstack([X, Y[:, seen]]), Y[:, k], 0.02)
        np.testing.assert_allclose(model.coef_[0, k], expected.coef_[0][:4], atol=1e-5)
        np.testing.assert_allclose(model.label_coef_[0, k, seen], expected.coef_[0][4:], atol=1e-5)
        unseen = np.setdiff1d(np.arange(3), seen)
        assert not model.label_coef_[0, k, unseen].any()


def test_coefficients_of_labels_have_a_penalty_of_their_own():
    X, Y = some_data()
    options = {"n_chains": 1, "bootstrap": False, "tol": 1e-13, "random_state": 3}
    model = ChainEnsemble(penalty=0.02, label_penalty=0.25, **options).fit(X, Y)
    last = model.orders_[0][-1]
    seen = np.sort(model.orders_[0][:-1])
    # Twice the label has half the coefficient, of a quarter of the penalty.
    expected = peer(np.hstack([X, 2 * Y[:, seen]]), Y[:, last], 0.02)
    found = model.label_coef_[0, last, seen]
    np.testing.assert_allclose(found, 2 * expected.coef_[0][4:], atol=1e-5)


def test_gibbs_regressions_see_all_other_labels():
    X, Y = some_data()
    learner = ChainEnsemble(
        n_chains=1,
        sampling="gibbs",
        bootstrap=False,
        penalty=0.02,
        label_penalty=1.0,
        tol=1e-13,
        random_state=3,
    )
    model = learner.fit(X, Y)
    for k in range(3):
        others = np.setdiff1d(np.arange(3), k)
        expected = peer(np.hstack([X, Y[:, others]]), Y[:, k], 0.02)
        found = np.append(model.coef_[0, k], model.label_coef_[0, k, others])
        np.testing.assert_allclose(found, expected.coef_[0], atol=1e-5)


@pytest.mark.parametrize("sampling", ["ancestral", "gibbs"])
def test_any_classifier_gives_the_draws_of_our_regressions(sampling):
    X, Y = some_data()
    options = {
        "n_chains": 2,
        "n_sweeps": 2,
        "sampling": sampling,
        "bootstrap": False,
        "random_state": 0,
    }
    ours = ChainEnsemble(penalty=0.02, label_penalty=1.0, tol=1e-13, **options).fit(X, Y)
    base = LogisticRegression(C=1 / (len(X) * 0.02), solver="newton-cholesky", tol=1e-12)
    others = ChainEnsemble(base, **options).fit(X, Y)
    np.testing.assert_array_equal(ours.sample(X, 6, 1), others.sample(X, 6, 1))
    np.testing.assert_allclose(ours.predict_proba(X), others.predict_proba(X), atol=1e-5)


def test_sources_are_earlier_or_all_other_labels():
    plan = ChainPlan(np.arange(3), np.array([2, 0, 1]), sees_all=False)
    assert [plan.sources(k).tolist() for k in (2, 0, 1)] == [[], [2], [0, 2]]
    assert plan._replace(sees_all=True).sources(2).tolist() == [0, 1]


def test_labels_become_columns_in_the_form_of_the_features():
    labels = np.array([[True], [False]])
    assert with_labels(np.zeros((2, 1)), labels).tolist() == [[0, 1], [0, 0]]
    assert with_labels(sparse.csr_array(np.zeros((2, 1))), labels).nnz == 1
