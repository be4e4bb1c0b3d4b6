"""Regressions that share their features are those that scikit-learn fits one by one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from labelwise._sigmoids import fit_sigmoids
from labelwise.learners import BinaryRelevance, ExactFPlugin, IndependentFPlugin
from labelwise.learners.regression import _batched_descent, _design, _penalty_path
from labelwise.learners.regression._design import make_design
from labelwise.learners.regression._log_loss import Tasks
from labelwise.learners.regression._penalty_path import (
    RegressionProblem,
    fit_regressions,
    ordered_sigmoids,
    rescaled_losses,
)
from labelwise.splitting import MultilabelStratifiedKFold
from tests.learners.regression.problems import some_data
from tests.oracles.logistic import (
    best_penalty,
    logistic_value,
    multinomial_value,
    multinomials,
    peer,
    peer_with_penalised_intercept,
    rescaled_choice,
)


def problem(X, penalty=0.01, weights=None):
    return RegressionProblem(X, weights, [], (penalty,), 1e-13, None, str)


def of_all_classes(A):
    """Return columns of all classes, which sum to 0, from differences to the first one."""
    whole = np.insert(A, 0, 0.0, axis=-1)
    return whole - whole.mean(axis=-1, keepdims=True)


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
        assert found <= best * (1 + 1e-10)
        difference = model.predict_proba(rows)[:, j] - other.predict_proba(X)[:, 1]
        # Samples without weight are unseen: of 60 features they may have directions of their own.
        assert np.abs(difference)[slice(None) if weights is None else weights > 0].max() < 1e-5


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_smaller_tolerance_brings_probabilities_nearer_to_the_optimum(form):
    X, Y = some_data()
    expected = np.column_stack([peer(X, y, 1e-3).predict_proba(X)[:, 1] for y in Y.T])

    def error(tol):
        model = BinaryRelevance(penalty=1e-3, tol=tol).fit(form(X), Y)
        return np.abs(model.predict_proba(X) - expected).max()

    assert error(1e-2) > error(1e-5) > error(1e-8)
    assert error(1e-14) < 1e-6
    assert error(1e-2) > 1e-3


@pytest.mark.parametrize(
    "plugin",
    [lambda tol: ExactFPlugin(penalty=1e-3, tol=tol), lambda tol: IndependentFPlugin(tol=tol)],
)
def test_the_plugins_hand_their_tolerance_to_the_regressions(plugin):
    X, Y = some_data()
    best, loose, default = (
        plugin(tol).fit(X, Y).predict_proba(X) for tol in (1e-15, 1e-2, ExactFPlugin().tol)
    )
    assert np.abs(loose - best).max() > 1e-3
    assert np.abs(default - best).max() < 1e-5


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
        assert reached <= best * (1 + 1e-10)
    alone = BinaryRelevance(penalty=penalty).fit(X, Y[:, [2]], sample_weight=weights)
    np.testing.assert_allclose(found.coefficients[:, -1], alone.coef_[0], atol=1e-4)


@pytest.mark.parametrize("form", ["dense", "wide", "sparse", "full sparse"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [10.0, 1e-2, 1e-4])
def test_a_penalised_intercept_is_the_weight_of_a_constant_feature(form, weighted, penalty):
    shape = (40, 60) if form == "wide" else (150, 6)
    X, Y = some_data(*shape, thin=form == "sparse")
    weights = np.random.default_rng(0).integers(0, 4, len(X)) / 2.0 if weighted else None
    rows = sparse.csr_array(X) if "sparse" in form else X
    model = BinaryRelevance(penalty=penalty, penalize_intercept=True)
    model.fit(rows, Y, sample_weight=weights)
    with_ones = np.column_stack([X, np.ones(len(X))])
    for j, y in enumerate(Y.T):
        other = peer_with_penalised_intercept(X, y, penalty, weights).coef_[0]
        best = logistic_value(with_ones, y, weights, other, 0.0, penalty)
        own = np.append(model.coef_[j], model.intercept_[j])
        assert logistic_value(with_ones, y, weights, own, 0.0, penalty) <= best * (1 + 1e-10)
        np.testing.assert_allclose(own, other, atol=1e-3)


def test_multinomial_intercepts_are_penalised_like_weights():
    X, Y = some_data()
    classes = [Y[:, 0] + Y[:, 1], Y[:, 0] * Y.sum(axis=1)]
    tasks = multinomials(*classes)
    found = fit_regressions(problem(X)._replace(penalizes_intercept=True), tasks)
    with_ones = np.column_stack([X, np.ones(len(X))])
    ends = np.cumsum(tasks.widths)
    for y, own in zip(classes, map(slice, ends - tasks.widths, ends), strict=True):
        whole = np.vstack([found.coefficients[:, own], found.intercepts[own]])
        reached = multinomial_value(with_ones, y, None, of_all_classes(whole), 0.0, 0.01)
        other = peer_with_penalised_intercept(X, y, 0.01).coef_.T
        assert reached <= multinomial_value(with_ones, y, None, other, 0.0, 0.01) * (1 + 1e-10)


def test_penalised_intercepts_of_dense_and_sparse_rows_are_chosen_alike():
    X, Y = some_data(thin=True)
    settings = {"penalize_intercept": True, "penalty": [1e-4, 1e-2, 1.0]}
    dense, thin = (BinaryRelevance(**settings).fit(rows, Y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.penalties_, thin.penalties_)
    np.testing.assert_allclose(dense.intercept_, thin.intercept_, atol=1e-5)


def test_a_class_that_folds_lack_has_a_finite_penalised_intercept():
    X, Y = some_data()
    Y[:, 0] = 0
    Y[3, 0] = 1
    model = ExactFPlugin(penalize_intercept=True, penalty=[1e-2, 1.0]).fit(X, Y)
    assert np.abs(model.intercept_).max() < 30
    proba = BinaryRelevance(penalize_intercept=True, penalty=[1e-2, 1.0]).fit(X, Y)
    assert np.abs(proba.intercept_).max() < 30


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"penalize_intercept": 1}, TypeError, "penalize_intercept must be True or False, got 1"),
        (
            {"penalize_intercept": True, "loss": "squared_hinge"},
            ValueError,
            'penalize_intercept must be False unless loss="log", got loss=.squared_hinge',
        ),
    ],
)
def test_bad_settings_of_the_intercept_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        BinaryRelevance(**params).fit(*some_data())


def test_the_chosen_penalty_has_the_least_held_out_loss():
    X, Y = some_data(seed=0)
    penalties = [10.0, 0.1, 1e-3]
    model = BinaryRelevance(penalty=penalties, cv=3).fit(X, Y)
    splits = list(MultilabelStratifiedKFold(3, method="iterative").split(X, Y))
    expected = [best_penalty(X, y, penalties, splits) for y in Y.T]
    assert model.penalties_.tolist() == expected
    assert len(set(expected)) > 1
    fixed = [BinaryRelevance(penalty=penalty).fit(X, Y) for penalty in expected]
    chosen = np.array([one.coef_[j] for j, one in enumerate(fixed)])
    np.testing.assert_allclose(model.coef_, chosen, rtol=1e-6, atol=1e-9)


def test_weights_count_as_repetitions_in_regressions():
    X, Y = some_data()
    times = np.arange(len(X)) % 3
    weighted = BinaryRelevance(penalty=0.01).fit(X, Y, sample_weight=times)
    repeated = BinaryRelevance(penalty=0.01).fit(*(np.repeat(A, times, axis=0) for A in (X, Y)))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)
    same = BinaryRelevance(penalty=0.01).fit(X, Y, sample_weight=np.full(len(X), 7.0))
    plain = BinaryRelevance(penalty=0.01).fit(X, Y)
    np.testing.assert_array_equal(same.coef_, plain.coef_)


def test_regressions_do_not_depend_on_the_number_of_jobs():
    X, Y = some_data(n_labels=80)
    keeps = (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < len(Y))
    one, two = (BinaryRelevance(n_jobs=k, cv=2).fit(X, Y[:, keeps]) for k in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.penalties_, two.penalties_)


def test_products_of_regressions_take_one_thread_and_libraries_are_found_once(monkeypatch):
    def n_threads():
        libraries = threadpool_info()
        return {one["num_threads"] for one in libraries if one["user_api"] == "blas"}

    seen = []

    def watched(*args, **options):
        seen.append(n_threads())
        return make_design(*args, **options)

    monkeypatch.setattr(_penalty_path, "make_design", watched)
    X, Y = np.eye(6), sparse.csc_array(np.eye(6, 1, dtype=bool))
    with threadpool_limits(2, user_api="blas"):
        fit_regressions(problem(X), Tasks(Y, np.ones(1, dtype=np.intp)))
        found_before = _penalty_path._linear_algebra.cache_info().misses
        fit_regressions(problem(X), Tasks(Y, np.ones(1, dtype=np.intp)))
        assert n_threads() == {2}
    assert seen == [{1}, {1}]
    assert _penalty_path._linear_algebra.cache_info().misses == found_before


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
    of_log = _penalty_path._LOSSES["log"]

    def noted(objective, start, penalty, tolerance, tasks=None, beyond=None):
        tried.append((penalty[0], tasks))
        return of_log.minimize(objective, start, penalty, tolerance, tasks, beyond)

    monkeypatch.setitem(_penalty_path._LOSSES, "log", of_log._replace(minimize=noted))
    model = BinaryRelevance(cv=2).fit(X, Y)
    left = Counter()
    for penalty, tasks in tried:
        left[penalty] += 0 if tasks is None else tasks.size
    # Of four labels on two folds.
    assert left[1000.0] == 8
    assert left[1e-4] < 8
    assert (model.penalties_ > 1e-4).any()


def test_features_that_never_occur_have_no_weight():
    X, Y = some_data(thin=True)
    wide = sparse.csr_array(np.insert(X, [0, 1, 3], 0.0, axis=1))
    found, plain = (
        BinaryRelevance(penalty=0.01).fit(rows, Y) for rows in (wide, sparse.csr_array(X))
    )
    np.testing.assert_array_equal(found.coef_, np.insert(plain.coef_, [0, 1, 3], 0.0, axis=1))


@pytest.mark.parametrize("n_coordinates", [10, 10_000_000])
@pytest.mark.parametrize("widths", [[1], [1] * 101, [60, 1, 1, 2], [7] * 100])
def test_parts_of_the_tasks_have_all_of_them_in_order(widths, n_coordinates):
    design = replace(make_design(np.zeros((2, 1))), variance=np.empty(n_coordinates))
    tasks = Tasks(sparse.csc_array((2, sum(widths)), dtype=bool), np.array(widths))
    groups = _penalty_path._groups(design, tasks)
    assert np.concatenate(groups).tolist() == list(range(len(widths)))
    bound = 48 if n_coordinates == 10 else 1
    assert all(
        tasks.widths[group].sum() <= max(bound, tasks.widths[group].max()) + max(widths)
        for group in groups
    )


def test_features_without_variance_do_no_harm():
    X, Y = some_data()
    padded = np.column_stack([X, np.ones(len(X)), X[:, 0]])
    for rows in (padded, sparse.csr_array(padded)):
        model = BinaryRelevance(penalty=0.01).fit(rows, Y)
        assert np.isfinite(model.coef_).all()
    nothing = BinaryRelevance(penalty=0.01).fit(np.zeros((len(Y), 2)), Y)
    np.testing.assert_allclose(nothing.predict_proba(X[:1, :2])[0], Y.mean(axis=0))


def test_regressions_that_did_not_converge_give_a_warning(monkeypatch):
    monkeypatch.setattr(_batched_descent, "_MOST_STEPS", 1)
    X, Y = some_data()
    with pytest.warns(ConvergenceWarning, match="4 of 4 regressions had not converged"):
        BinaryRelevance(penalty=1e-3).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "weights", "error", "message"),
    [
        ({"penalty": "some"}, None, ValueError, "penalty must be positive numbers or"),
        ({"penalty": 0.0}, None, ValueError, "penalty must be positive numbers or"),
        ({"penalty": []}, None, ValueError, "penalty must be positive numbers or"),
        ({"penalty": {}}, None, TypeError, "penalty must be positive numbers or"),
        ({"tol": 0.0}, None, ValueError, "tol must be from 1e-15 to 1, got 0.0"),
        ({"tol": "small"}, None, TypeError, "tol must be a number, got 'small'"),
        ({"cv": "some"}, None, TypeError, "cv must be a number of folds"),
        ({}, np.ones(3), ValueError, r"sample_weight must have a number for each of 150 rows"),
        ({}, -np.ones(150), ValueError, "sample_weight must be finite, not negative"),
    ],
)
def test_bad_settings_of_regressions_are_refused_by_name(params, weights, error, message):
    X, Y = some_data()
    with pytest.raises(error, match=message):
        BinaryRelevance(**params).fit(X, Y, sample_weight=weights)


def test_regressions_take_nothing_else():
    X, Y = some_data()
    with pytest.raises(TypeError, match="fit takes no note without an estimator"):
        BinaryRelevance().fit(X, Y, note=1)


def noisy_data(seed=0):
    """Many weak features, for which strong penalties have the better order of scores."""
    random = np.random.default_rng(seed)
    Y = (random.random((120, 3)) < 0.3).astype(np.int64)
    return Y @ random.normal(size=(3, 60)) * 0.3 + random.normal(size=(120, 60)), Y


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_rescaled_penalties_are_those_of_the_least_loss_after_a_sigmoid(is_sparse):
    X, Y = noisy_data()
    penalties = [10.0, 1.0, 0.1, 0.01]
    splits = list(MultilabelStratifiedKFold(3, method="iterative").split(X, Y))
    rows = sparse.csr_array(X) if is_sparse else X
    model = BinaryRelevance(penalty=penalties, cv=splits, rescale=True).fit(rows, Y)
    plain = BinaryRelevance(penalty=penalties, cv=splits).fit(rows, Y)
    assert (model.penalties_ >= plain.penalties_).all()
    assert (model.penalties_ > plain.penalties_).any()
    for j, y in enumerate(Y.T):
        penalty, (slope, intercept) = rescaled_choice(X, y, penalties, splits)
        assert model.penalties_[j] == penalty
        fitted = peer(X, y, penalty)
        # Penalties are compared at a tolerance of 1e-5 of the loss.
        np.testing.assert_allclose(model.coef_[j], slope * fitted.coef_[0], rtol=0.02, atol=1e-3)
        expected = slope * fitted.intercept_[0] + intercept
        assert model.intercept_[j] == pytest.approx(expected, rel=0.02, abs=0.02)


def test_rescaled_scores_of_folds_are_those_that_sigmoids_were_fitted_to():
    X, Y = noisy_data(1)
    splits = list(MultilabelStratifiedKFold(3, method="iterative").split(X, Y))
    scores = BinaryRelevance(rescale=True).fit_scoring_folds(X, Y, splits)
    truth = Y[np.concatenate([test for _, test in splits])]
    again = fit_sigmoids(scores, truth.astype(float), np.ones(len(truth)))
    np.testing.assert_allclose(again.slopes, 1, rtol=1e-5)
    np.testing.assert_allclose(again.intercepts, 0, atol=1e-5)


def test_a_weight_of_two_rescales_as_two_samples_do():
    X, Y = noisy_data(2)
    splits = list(MultilabelStratifiedKFold(3, method="iterative").split(X, Y))
    twice = [np.repeat(2 * part, 2) + np.tile([0, 1], len(part)) for one in splits for part in one]
    doubled = list(zip(twice[::2], twice[1::2], strict=True))
    first = BinaryRelevance(rescale=True, cv=splits).fit(X, Y, sample_weight=np.full(len(X), 2.0))
    other = BinaryRelevance(rescale=True, cv=doubled).fit(X.repeat(2, axis=0), Y.repeat(2, axis=0))
    np.testing.assert_array_equal(first.penalties_, other.penalties_)


def test_labels_without_any_order_get_the_median_sigmoid_of_the_others():
    random = np.random.default_rng(0)
    margins = random.normal(size=(40, 4))
    noise = random.normal(size=(40, 3))
    Y = np.column_stack([margins[:, 0] < 0, margins[:, 1:] + noise > 0])
    found, losses = rescaled_losses(margins, Y, None)
    assert found.slopes[0] == 0
    share = (Y[:, 0].sum() + 1) / (len(Y) + 2)
    assert losses[0] == pytest.approx(
        -Y[:, 0].mean() * np.log(share) - (1 - Y[:, 0].mean()) * np.log(1 - share), rel=1e-3
    )
    assert (losses[1:] < losses[0]).all()
    ordered = ordered_sigmoids(found)
    assert (ordered.slopes[0], ordered.intercepts[0]) == (
        sorted(found.slopes[1:])[1],
        sorted(found.intercepts[1:])[1],
    )
    np.testing.assert_array_equal(ordered.log_odds(margins)[:, 1:], found.log_odds(margins)[:, 1:])


def test_margins_stay_as_they_are_if_no_label_has_an_order():
    margins = np.array([[1.0], [0.0], [-1.0]])
    found, _ = rescaled_losses(margins, margins < 0, None)
    np.testing.assert_array_equal(ordered_sigmoids(found).log_odds(margins), margins)


def test_probabilities_of_a_label_with_one_positive_are_low():
    X, Y = noisy_data(0)
    Y[:, 0] = 0
    Y[0, 0] = 1
    model = BinaryRelevance(loss="squared_hinge", rescale=True, share_penalty=True).fit(X, Y)
    # Margins are about -1, whose sigmoid would be 0.27.
    assert np.median(model.predict_proba(X)[:, 0]) < 0.1


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"rescale": 1}, TypeError, "rescale must be True or False, got 1"),
        ({"share_penalty": "yes"}, TypeError, "share_penalty must be True or False, got 'yes'"),
        ({"rescale": True, "penalty": 1.0}, ValueError, "rescale must be False with a single"),
    ],
)
def test_rescaling_needs_penalties_to_choose_from(params, error, message):
    with pytest.raises(error, match=message):
        BinaryRelevance(**params).fit([[0.0], [1.0]], [[0], [1]])


@pytest.mark.parametrize("rescale", [False, True])
@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_a_shared_penalty_is_the_one_of_least_relative_loss_on_the_first_fold(loss, rescale):
    X, Y = noisy_data(3)
    penalties = [10.0, 1.0, 0.1, 0.01]
    splits = list(MultilabelStratifiedKFold(3, method="iterative").split(X, Y))
    settings = {"penalty": penalties, "loss": loss, "rescale": rescale, "share_penalty": True}
    model = BinaryRelevance(**settings)
    scores = model.fit_scoring_folds(X, Y, splits)
    train, test = splits[0]
    losses = np.empty((len(penalties), Y.shape[1]))
    for k, penalty in enumerate(penalties):
        alone = BinaryRelevance(penalty=penalty, loss=loss).fit(X[train], Y[train])
        margins, signs = alone.decision_function(X[test]), 2 * Y[test] - 1
        if rescale:
            losses[k] = rescaled_losses(margins, Y[test], None)[1]
        elif loss == "log":
            losses[k] = np.logaddexp(0, -signs * margins).mean(axis=0)
        else:
            losses[k] = (np.maximum(0, 1 - signs * margins) ** 2).mean(axis=0)
    best = penalties[np.argmin((losses / losses.min(axis=0)).mean(axis=1))]
    assert set(model.penalties_) == {best}
    plain = [
        BinaryRelevance(penalty=best, loss=loss).fit(X[train], Y[train]).decision_function(X[test])
        for train, test in splits
    ]
    expected = np.vstack(plain)
    if rescale:
        truth = Y[np.concatenate([test for _, test in splits])]
        expected = rescaled_losses(expected, truth, None)[0].log_odds(expected)
    # Folds are fitted at the tolerance at which penalties are compared; rescaling multiplies it.
    np.testing.assert_allclose(scores, expected, atol=0.15 if rescale else 0.05)
    assert np.corrcoef(scores.ravel(), expected.ravel())[0, 1] > 0.9995


def test_labels_that_choose_a_shared_penalty_are_spread_over_frequencies(monkeypatch):
    X, Y = some_data(n_labels=8)
    chosen = BinaryRelevance(share_penalty=True).fit(X, Y).penalties_
    monkeypatch.setattr(_penalty_path, "_TASKS_TO_CHOOSE", 2)
    by_frequency = np.argsort(Y.sum(axis=0), kind="stable")
    two = np.sort(by_frequency[[0, -1]])
    splits = list(MultilabelStratifiedKFold(5, method="iterative").split(X, Y))
    of_two = BinaryRelevance(share_penalty=True, cv=splits).fit(X, Y[:, two]).penalties_
    of_all = BinaryRelevance(share_penalty=True, cv=splits).fit(X, Y).penalties_
    assert set(of_all) == set(of_two)
    assert len(set(chosen)) == 1


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_a_shared_penalty_does_not_depend_on_the_unit_of_features(is_sparse):
    X, Y = noisy_data(4)
    X = sparse.csr_array(X) if is_sparse else X
    first = BinaryRelevance(share_penalty=True, loss="squared_hinge").fit(X, Y)
    other = BinaryRelevance(share_penalty=True, loss="squared_hinge").fit(X * 64, Y)
    np.testing.assert_allclose(other.penalties_, first.penalties_ * 64**2)
    np.testing.assert_allclose(other.coef_, first.coef_ / 64, rtol=0.05, atol=1e-5)


def test_rescaled_machines_give_probabilities():
    X, Y = noisy_data(5)
    model = BinaryRelevance(loss="squared_hinge", rescale=True, share_penalty=True).fit(X, Y)
    log_odds = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X), 1 / (1 + np.exp(-log_odds)))
    assert not hasattr(BinaryRelevance(loss="squared_hinge"), "predict_proba")
