"""Support vector machines that share their features are those that liblinear fits one by one."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners import BinaryRelevance
from labelwise.learners.regression import _squared_hinge_kernels
from labelwise.splitting import MultilabelStratifiedKFold
from tests.learners.regression.problems import some_data
from tests.oracles.squared_hinge import hinge_optimum, hinge_value, machine


def support_vectors(**options):
    return BinaryRelevance(loss="squared_hinge", **options)


@pytest.mark.parametrize("form", ["dense", "wide", "sparse", "full sparse"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [1e3, 1.0, 1e-2])
def test_the_optimum_is_that_of_a_general_solver(form, weighted, penalty):
    shape = (40, 60) if form == "wide" else (150, 6)
    X, Y = some_data(*shape, thin=form == "sparse")
    weights = np.random.default_rng(0).integers(0, 4, len(X)) / 2.0 if weighted else None
    rows = sparse.csr_array(X) if "sparse" in form else X
    model = support_vectors(penalty=penalty, tol=1e-13).fit(rows, Y, sample_weight=weights)
    for j, y in enumerate(Y.T):
        found = hinge_value(X, y, weights, model.coef_[j], model.intercept_[j], penalty)
        # The general solver may stop a little above the optimum.
        assert found <= hinge_optimum(X, y, weights, penalty) * (1 + 1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("penalty", [1.0, 1e-2])
def test_scores_are_those_of_liblinear(form, penalty):
    X, Y = some_data()
    scores = support_vectors(penalty=penalty, tol=1e-14).fit(form(X), Y).decision_function(X)
    for j, y in enumerate(Y.T):
        np.testing.assert_allclose(
            scores[:, j], machine(X, y, penalty).decision_function(X), atol=1e-4
        )


@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 12), st.integers(1, 4)),
        elements=st.sampled_from([0.0, 1.0, -1.0, 3.0]),
    ),
    seed=st.integers(0, 99),
    penalty=st.sampled_from([10.0, 0.1, 1e-2]),
)
@settings(max_examples=40)
def test_ties_copies_and_constant_features_do_not_stop_the_descent(X, seed, penalty):
    y = np.random.default_rng(seed).integers(0, 2, len(X))
    y[:2] = 0, 1
    model = support_vectors(penalty=penalty, tol=1e-10).fit(X, y[:, None])
    found = hinge_value(X, y, None, model.coef_[0], model.intercept_[0], penalty)
    assert found <= hinge_optimum(X, y, None, penalty) * (1 + 1e-6) + 1e-12


def test_the_default_tolerance_is_that_of_the_loss():
    X, Y = some_data()
    default, best, loose = (
        support_vectors(penalty=1e-3, tol=tol).fit(X, Y) for tol in (None, 1e-13, 0.5)
    )
    same = support_vectors(penalty=1e-3, tol=1e-3).fit(X, Y)
    np.testing.assert_array_equal(default.coef_, same.coef_)

    def value(model):
        parts = [
            hinge_value(X, y, None, model.coef_[j], model.intercept_[j], 1e-3)
            for j, y in enumerate(Y.T)
        ]
        return sum(parts)

    assert value(best) <= value(default) <= value(best) * (1 + 1e-3)
    assert value(loose) > value(default)


def test_newtons_steps_alone_find_the_optimum(monkeypatch):
    X, Y = some_data(thin=True)
    expected = support_vectors(penalty=1e-2, tol=1e-13).fit(sparse.csr_array(X), Y)
    monkeypatch.setattr(_squared_hinge_kernels, "descend", lambda *arguments: arguments[6][0])
    found = support_vectors(penalty=1e-2, tol=1e-13).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-6)


def test_a_fold_without_positives_scores_every_sample_alike():
    X, Y = some_data(thin=True)
    Y[:, 0] = 0
    Y[7, 0] = 1
    splits = list(MultilabelStratifiedKFold(4).split(X, Y))
    learner = support_vectors(penalty=[1e-2, 1.0], share_penalty=True)
    scores = learner.fit_scoring_folds(sparse.csr_array(X), Y, splits)[:, 0]
    lacks = np.concatenate([np.full(len(test), 7 in test) for _, test in splits])
    np.testing.assert_array_equal(scores[lacks], -1.0)
    assert np.unique(scores[~lacks]).size > 1


@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.integers(1, 9)),
        elements=st.sampled_from([0.0, 0.5, -1.0, 3.0]),
    ),
    n_labels=st.integers(1, 20),
)
@settings(max_examples=40)
def test_products_with_the_weights_of_labels_are_those_of_dense_rows(X, n_labels):
    W = np.random.default_rng(0).normal(size=(n_labels, X.shape[1]))
    rows = sparse.csr_array(X)
    parts = rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data
    products = np.full((n_labels, len(X)), np.nan)
    lanes = _squared_hinge_kernels.LANES
    work = np.zeros((X.shape[1], lanes)), np.empty((len(X), lanes)), np.empty(lanes)
    _squared_hinge_kernels.multiply(parts, W, products, *work)
    np.testing.assert_allclose(products, W @ X.T, atol=1e-12)


def test_the_dual_descent_alone_comes_near_to_the_optimum(monkeypatch):
    X, Y = some_data()
    monkeypatch.setattr(_squared_hinge_kernels, "advance", lambda *_: (0.0, True))
    model = support_vectors(penalty=1.0).fit(X, Y)
    for j, y in enumerate(Y.T):
        found = hinge_value(X, y, None, model.coef_[j], model.intercept_[j], 1.0)
        assert found <= hinge_optimum(X, y, None, 1.0) * 1.01


def test_the_chosen_penalty_has_the_least_held_out_loss():
    X, Y = some_data()
    penalties = [10.0, 0.1, 1e-3]
    model = support_vectors(penalty=penalties, cv=3).fit(X, Y)
    splits = list(MultilabelStratifiedKFold(3, method="iterative").split(X, Y))
    for j, y in enumerate(Y.T):
        losses = [
            sum(
                hinge_value(
                    X[test], y[test], None, *_coefficients(X[train], y[train], penalty), 0.0
                )
                * len(test)
                for train, test in splits
            )
            for penalty in penalties
        ]
        assert model.penalties_[j] == penalties[int(np.argmin(losses))]


def _coefficients(X, y, penalty):
    model = machine(X, y, penalty)
    return model.coef_[0], model.intercept_[0]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_fold_scores_are_those_of_models_of_the_other_folds(form, shared):
    X, Y = some_data(seed=1)
    X = form(X)
    splits = list(MultilabelStratifiedKFold(4).split(X, Y))
    learner = support_vectors(penalty=[1e-2, 1.0], share_penalty=shared)
    scores = learner.fit_scoring_folds(X, Y, splits)
    start = 0
    for train, test in splits:
        for j in range(Y.shape[1]):
            alone = support_vectors(penalty=learner.penalties_[j], tol=1e-10)
            expected = alone.fit(X[train], Y[train][:, [j]]).decision_function(X[test])[:, 0]
            found = scores[start : start + len(test), j]
            np.testing.assert_allclose(found, expected, atol=0.05)
        start += len(test)


def test_weights_count_as_repetitions():
    X, Y = some_data()
    times = np.arange(len(X)) % 3
    weighted = support_vectors(penalty=0.01, tol=1e-13).fit(X, Y, sample_weight=times)
    again = [np.repeat(A, times, axis=0) for A in (X, Y)]
    repeated = support_vectors(penalty=0.01, tol=1e-13).fit(*again)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_the_number_of_jobs_changes_nothing():
    X, Y = some_data(n_labels=6)
    one, two = (support_vectors(n_jobs=k).fit(X, Y) for k in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_label_does_not_depend_on_those_it_shares_steps_with(form):
    X, Y = some_data(thin=True)
    together = support_vectors(penalty=1e-2, tol=1e-13).fit(form(X), Y)
    for j in range(Y.shape[1]):
        alone = support_vectors(penalty=1e-2, tol=1e-13).fit(form(X), Y[:, [j]])
        np.testing.assert_allclose(together.coef_[j], alone.coef_[0], atol=1e-9)
        np.testing.assert_allclose(together.intercept_[j], alone.intercept_[0], atol=1e-9)


def test_there_are_scores_and_no_probabilities():
    X, Y = some_data()
    model = support_vectors(penalty=0.1)
    assert not hasattr(model, "predict_proba")
    scores = model.fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(model.predict(X), scores > 0)
    assert CalibratedLabels(model).fit(X, Y).predict_proba(X).max() <= 1
    assert TunedThresholds(model).fit(X, Y).value_ > 0


def test_labels_with_one_class_become_constants():
    X, Y = some_data()
    Y[:, 1], Y[:, 3] = 0, 1
    with pytest.warns(UserWarning, match="one class only"):
        model = support_vectors(penalty=0.1).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, [1, 3]], np.tile([0, 1], (len(X), 1)))


def test_a_descent_whose_steps_are_used_up_is_reported(monkeypatch):
    X, Y = some_data()
    monkeypatch.setattr(_squared_hinge_kernels, "advance", lambda *_: (0.0, False))
    with pytest.warns(ConvergenceWarning, match="4 of 4 regressions had not converged"):
        support_vectors(penalty=0.1).fit(X, Y)


def test_an_unknown_loss_is_refused():
    X, Y = some_data()
    known = "loss must be one of log, squared_hinge, naive_bayes_hinge"
    with pytest.raises(ValueError, match=f"{known}, got 'hinge'"):
        BinaryRelevance(loss="hinge").fit(X, Y)
