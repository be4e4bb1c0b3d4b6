"""Regressions that share their features are those that scikit-learn fits one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.special import logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning

from labelwise.data import make_multilabel
from labelwise.learners import BinaryRelevance, _batched_descent, _design, _penalty_path
from labelwise.learners._design import make_design, product
from labelwise.learners._logistic import Tasks
from labelwise.learners._logistic_kernels import softmaxes
from labelwise.learners._penalty_path import Problem, fit_regressions
from labelwise.splitting import MultilabelStratifiedKFold
from tests.oracles.logistic import best_penalty, logistic_value, multinomial_value, peer

MARGINS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=40),
    elements=st.one_of(st.floats(-1000, 1000), st.sampled_from([0.0, 1.0, -30.0, 600.0])),
)


def some_data(n_samples=150, n_features=6, n_labels=4, seed=0, thin=False):
    data, _ = make_multilabel(n_samples, n_features, n_labels, random_state=seed)
    # Features of different sizes, with means that are not 0.
    X = data.X * np.geomspace(0.3, 3, n_features) + np.arange(n_features)
    if thin:
        X = np.where(np.random.default_rng(seed).random(X.shape) < 0.1, X, 0)
    return X, data.Y.toarray().astype(np.int64)


def problem(X, penalty=0.01, weights=None):
    return Problem(X, weights, [], (penalty,), None, str)


def multinomials(*tasks):
    """Return tasks of classes 0, 1, ..., with columns of all but the first."""
    targets = [classes[:, None] == np.arange(1, classes.max() + 1) for classes in tasks]
    widths = np.array([part.shape[1] for part in targets])
    return Tasks(sparse.csc_array(np.hstack(targets)), widths)


def of_all_classes(A):
    """Return columns of all classes, which sum to 0, from differences to the first one."""
    whole = np.insert(A, 0, 0.0, axis=-1)
    return whole - whole.mean(axis=-1, keepdims=True)


@given(margins=MARGINS, seed=st.none() | st.integers(0, 9), data=st.data())
def test_softmaxes_are_probabilities_beside_a_class_of_margin_0(margins, seed, data):
    n_rows, n_columns = margins.shape
    weights = np.ones(n_rows) if seed is None else np.random.default_rng(seed).random(n_rows)
    cuts = data.draw(st.sets(st.integers(1, max(1, n_columns - 1)))) - {n_columns}
    bounds = np.array([0, *sorted(cuts), n_columns])
    found, loss = margins.copy(), np.zeros(bounds.size - 1)
    softmaxes(found, bounds, np.empty(0) if seed is None else weights, loss)
    for t, (first, last) in enumerate(pairwise(bounds)):
        part = np.column_stack([np.zeros(n_rows), margins[:, first:last]])
        expected = weights[:, None] * softmax(part, axis=1)[:, 1:]
        # exp(-700) stands for all that is smaller.
        np.testing.assert_allclose(found[:, first:last], expected, rtol=1e-12, atol=1e-300)
        assert loss[t] == pytest.approx(weights @ logsumexp(part, axis=1), rel=1e-12, abs=1e-12)


@given(
    X=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=30),
        elements=st.sampled_from([0.0, 0.0, 1.0, -2.5]),
    ),
    n_columns=st.integers(1, 9),
)
def test_products_of_sparse_rows_are_those_of_dense_ones(X, n_columns):
    W = np.random.default_rng(0).random((X.shape[1], n_columns))
    np.testing.assert_allclose(product(sparse.csr_array(X), W), X @ W, rtol=1e-13, atol=1e-13)


def test_sums_of_many_rows_do_not_overflow():
    loss = np.zeros(2)
    softmaxes(np.zeros((500_000, 31)), np.array([0, 1, 31]), np.empty(0), loss)
    np.testing.assert_allclose(loss, 500_000 * np.log([2, 31]))


@pytest.mark.parametrize("form", ["dense", "wide", "sparse", "full sparse"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [10.0, 1e-2, 1e-4])
def test_the_optimum_is_that_of_scikit_learn(form, weighted, penalty):
    shape = (40, 60) if form == "wide" else (150, 6)
    X, Y = some_data(*shape, thin=form == "sparse")
    weights = np.random.default_rng(0).integers(0, 4, len(X)) / 2.0 if weighted else None
    rows = sparse.csr_array(X) if "sparse" in form else X
    model = BinaryRelevance(penalty=penalty).fit(rows, Y, sample_weight=weights)
    for j, y in enumerate(Y.T):
        found = logistic_value(X, y, weights, model.coef_[j], model.intercept_[j], penalty)
        other = peer(X, y, penalty, weights)
        best = logistic_value(X, y, weights, other.coef_[0], other.intercept_[0], penalty)
        # Either may be a little nearer to the optimum than the other.
        assert found <= best * (1 + 1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [1.0, 1e-2, 1e-4])
def test_multinomial_optima_are_those_of_scikit_learn(weighted, penalty):
    X, Y = some_data()
    weights = np.random.default_rng(0).integers(0, 4, len(X)) / 2.0 if weighted else None
    classes = [Y[:, 0] + Y[:, 1], Y[:, 0] * Y.sum(axis=1), Y[:, 2]]
    tasks = multinomials(*classes)
    found = fit_regressions(problem(X, penalty, weights), tasks)
    ends = np.cumsum(tasks.widths)
    for y, own in zip(classes[:2], map(slice, ends - tasks.widths, ends), strict=False):
        coefficients = of_all_classes(found.coefficients[:, own])
        intercepts = of_all_classes(found.intercepts[own])
        reached = multinomial_value(X, y, weights, coefficients, intercepts, penalty)
        other = peer(X, y, penalty, weights)
        best = multinomial_value(X, y, weights, other.coef_.T, other.intercept_, penalty)
        assert reached <= best * (1 + 1e-5)
    alone = BinaryRelevance(penalty=penalty).fit(X, Y[:, [2]], sample_weight=weights)
    np.testing.assert_allclose(found.coefficients[:, -1], alone.coef_[0], atol=1e-3)


def test_the_chosen_penalty_has_the_least_held_out_loss():
    X, Y = some_data(seed=3)
    penalties = [10.0, 0.1, 1e-3]
    model = BinaryRelevance(penalty=penalties, cv=3).fit(X, Y)
    splits = list(MultilabelStratifiedKFold(3).split(X, Y))
    expected = [best_penalty(X, y, penalties, splits) for y in Y.T]
    assert model.penalties_.tolist() == expected
    assert len(set(expected)) > 1
    fixed = [BinaryRelevance(penalty=penalty).fit(X, Y) for penalty in expected]
    chosen = np.array([one.coef_[j] for j, one in enumerate(fixed)])
    np.testing.assert_allclose(model.coef_, chosen, rtol=1e-6, atol=1e-9)


def test_weights_count_as_repetitions_in_regressions():
    X, Y = some_data()
    times = np.arange(len(X)) % 3
    # Probabilities are known to the square root of the precision of the objective.
    weighted = BinaryRelevance(penalty=0.01).fit(X, Y, sample_weight=times)
    repeated = BinaryRelevance(penalty=0.01).fit(*(np.repeat(A, times, axis=0) for A in (X, Y)))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=5e-4)
    same = BinaryRelevance(penalty=0.01).fit(X, Y, sample_weight=np.full(len(X), 7.0))
    plain = BinaryRelevance(penalty=0.01).fit(X, Y)
    np.testing.assert_array_equal(same.coef_, plain.coef_)


def test_regressions_do_not_depend_on_the_number_of_jobs():
    X, Y = some_data(n_labels=80)
    keeps = (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < len(Y))
    one, two = (BinaryRelevance(n_jobs=k, cv=2).fit(X, Y[:, keeps]) for k in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.penalties_, two.penalties_)


def test_a_label_that_some_folds_lack_is_learnt():
    X, Y = some_data()
    Y[:, 0] = 0
    Y[7, 0] = 1
    model = BinaryRelevance().fit(X, Y)
    assert np.isfinite(model.coef_).all()
    assert model.predict_proba(X)[:, 0].mean() == pytest.approx(1 / len(X), rel=0.05)


def test_principal_directions_keep_distances_and_give_back_features():
    for shape in ((30, 5), (10, 40)):
        X, _ = some_data(*shape)
        design = make_design(X)
        back = design.mean + design.rows[:, :-1] @ design.basis.T
        np.testing.assert_allclose(back, X, atol=1e-10)
        spread = design.basis.T @ design.basis
        np.testing.assert_allclose(spread, np.eye(len(spread)), atol=1e-7)


def test_features_too_many_to_rotate_have_the_same_optimum(monkeypatch):
    X, Y = some_data()
    rotated = BinaryRelevance(penalty=0.01).fit(X, Y)
    monkeypatch.setattr(_design, "_MOST_ROTATED", 3)
    assert make_design(X).basis is None
    plain = BinaryRelevance(penalty=0.01).fit(X, Y)
    np.testing.assert_allclose(plain.predict_proba(X), rotated.predict_proba(X), atol=1e-3)


def test_a_path_that_has_turned_worse_is_left(monkeypatch):
    X, Y = some_data(n_samples=40, n_features=30)
    tried = []
    whole = _penalty_path.minimize

    def noted(objective, start, penalty, tolerance, tasks=None, beyond=None):
        tried.append((penalty[0], tasks))
        return whole(objective, start, penalty, tolerance, tasks, beyond)

    monkeypatch.setattr(_penalty_path, "minimize", noted)
    model = BinaryRelevance(cv=2).fit(X, Y)
    left = {penalty: tasks.size for penalty, tasks in tried if tasks is not None}
    assert left[1000.0] == 4
    assert left.get(1e-4, 0) < 4
    assert (model.penalties_ > 1e-4).any()


def test_features_without_variance_do_no_harm():
    X, Y = some_data()
    padded = np.column_stack([X, np.ones(len(X)), X[:, 0]])
    for rows in (padded, sparse.csr_array(padded)):
        model = BinaryRelevance(penalty=0.01).fit(rows, Y)
        assert np.isfinite(model.coef_).all()
    nothing = BinaryRelevance(penalty=0.01).fit(np.zeros((len(Y), 2)), Y)
    np.testing.assert_allclose(nothing.predict_proba(X[:1, :2])[0], Y.mean(axis=0))


def test_regressions_that_have_not_arrived_are_told(monkeypatch):
    monkeypatch.setattr(_batched_descent, "_MOST_STEPS", 1)
    X, Y = some_data()
    with pytest.warns(ConvergenceWarning, match="4 of 4 regressions had not converged"):
        BinaryRelevance(penalty=1e-3).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "weights", "error", "told"),
    [
        ({"penalty": "some"}, None, ValueError, "penalty must be positive numbers or"),
        ({"penalty": 0.0}, None, ValueError, "penalty must be positive numbers or"),
        ({"penalty": []}, None, ValueError, "penalty must be positive numbers or"),
        ({"penalty": {}}, None, TypeError, "penalty must be positive numbers or"),
        ({"cv": "some"}, None, TypeError, "cv must be a number of folds"),
        ({}, np.ones(3), ValueError, r"sample_weight must have a number for each of 150 rows"),
        ({}, -np.ones(150), ValueError, "sample_weight must be finite, not negative"),
    ],
)
def test_bad_settings_of_regressions_are_refused_by_name(params, weights, error, told):
    X, Y = some_data()
    with pytest.raises(error, match=told):
        BinaryRelevance(**params).fit(X, Y, sample_weight=weights)


def test_regressions_take_nothing_else():
    X, Y = some_data()
    with pytest.raises(TypeError, match="fit takes no note without an estimator"):
        BinaryRelevance().fit(X, Y, note=1)
