"""Calibrated probabilities match the shares of positives, for any estimator."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression, isotonic_regression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from labelwise.data import make_multilabel
from labelwise.decisions import (
    CalibratedLabels,
    TunedThresholds,
    maximize_expected_f_independent,
)
from labelwise.decisions._calibrated_labels import _fit_sigmoid
from labelwise.learners import BinaryRelevance
from labelwise.splitting import MultilabelStratifiedKFold
from tests.decisions.columns import Columns, numbered

BASE = OneVsRestClassifier(LogisticRegression())


def some_data(n_samples=200, n_labels=4, seed=0):
    data, posterior = make_multilabel(
        n_samples, n_features=6, n_labels=n_labels, separation=4.0, random_state=seed
    )
    return data.X, data.Y.toarray().astype(np.int64), posterior


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_calibrated_naive_bayes_is_less_surprised_by_the_truth(method):
    X, Y, _ = some_data(1000)
    unseen, _, posterior = some_data(2000)
    base = MultiOutputClassifier(GaussianNB())
    # Each feature ten times: naive Bayes is then far too sure.
    X, unseen = np.tile(X, 10), np.tile(unseen, 10)
    raw = np.column_stack([p[:, 1] for p in clone(base).fit(X, Y).predict_proba(unseen)])
    calibrated = CalibratedLabels(base, method=method).fit(X, Y).predict_proba(unseen)

    def surprise(proba):
        proba = np.clip(proba, 1e-6, 1 - 1e-6)
        truth = posterior.marginals
        return -(truth * np.log(proba) + (1 - truth) * np.log1p(-proba)).mean()

    assert surprise(calibrated) < 0.7 * surprise(raw)


def test_isotonic_probabilities_are_the_monotone_regression_of_held_out_labels():
    X, Y, _ = some_data()
    model = CalibratedLabels(BASE, cv=4).fit(X, Y)
    folds = MultilabelStratifiedKFold(4)
    held_out = cross_val_predict(BASE, X, Y, cv=folds, method="decision_function")
    for j, calibrator in enumerate(model.calibrators_):
        order = np.argsort(held_out[:, j])
        expected = isotonic_regression(Y[order, j].astype(float))
        np.testing.assert_allclose(calibrator.predict(held_out[order, j]), expected)


def test_sigmoid_is_the_likeliest_for_platts_targets():
    random = np.random.default_rng(0)
    scores = 3 * random.standard_normal(300) + 5
    labels = (random.random(300) < expit(1.7 * (scores - 6))).astype(int)
    n_positive, n_negative = labels.sum(), (1 - labels).sum()
    target = np.where(labels, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))

    def loss(line):
        logits = line[0] * scores + line[1]
        return (np.logaddexp(0, logits) - target * logits).sum()

    found = _fit_sigmoid(scores, labels, np.ones(labels.size))
    likeliest = minimize(loss, [0, 0], tol=1e-12)
    assert found.slope == pytest.approx(likeliest.x[0], rel=1e-4)
    assert found.intercept == pytest.approx(likeliest.x[1], rel=1e-4)
    assert loss([found.slope, found.intercept]) <= likeliest.fun + 1e-9


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_sigmoid_does_not_depend_on_the_unit_of_the_scores(scale):
    scores = np.arange(20.0)
    labels = (scores > 8).astype(int)  # perfectly apart: the targets keep the slope finite
    expected = _fit_sigmoid(scores, labels, np.ones(labels.size)).predict(scores)
    found = _fit_sigmoid(scale * scores, labels, np.ones(labels.size)).predict(scale * scores)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert 0 < expected[0] < 0.1 < 0.9 < expected[-1] < 1


def test_equal_scores_get_the_mean_target():
    found = _fit_sigmoid(np.full(10, 3.0), np.r_[np.ones(4, int), np.zeros(6, int)], np.ones(10))
    np.testing.assert_allclose(found.predict(np.array([3.0, 9.0])), (4 * 5 / 6 + 6 / 8) / 10)


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_one_label_is_calibrated_as_scikit_learn_does(method):
    X, Y, _ = some_data(n_labels=1)
    folds = KFold(4)
    ours = CalibratedLabels(LogisticRegression(), method=method, cv=folds).fit(X, Y)
    theirs = CalibratedClassifierCV(LogisticRegression(), method=method, cv=folds, ensemble=False)
    theirs.fit(X, Y[:, 0])
    expected = theirs.predict_proba(X)[:, 1:]
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=1e-5)


@pytest.mark.parametrize(
    "base", [BASE, OneVsRestClassifier(LinearSVC()), RandomForestClassifier(9)]
)
def test_probabilities_decide_at_a_half_and_by_expected_f(base):
    X, Y, _ = some_data()
    model = CalibratedLabels(base, method="sigmoid").fit(X, Y)
    proba = model.predict_proba(X)
    assert proba.shape == Y.shape
    decided = model.predict(X)
    assert decided.dtype == np.int64
    np.testing.assert_array_equal(decided, proba >= 0.5)
    assert maximize_expected_f_independent(proba)[0].shape == Y.shape


def test_the_estimator_is_refitted_to_all_samples_and_the_given_one_left_alone():
    X, Y, _ = some_data()
    base = OneVsRestClassifier(LogisticRegression())
    model = CalibratedLabels(base).fit(X, Y)
    expected = clone(base).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(model.estimator_.decision_function(X), expected)
    assert not hasattr(base, "estimators_")
    assert model.n_features_in_ == 6
    assert model.classes_.tolist() == [0, 1, 2, 3]


def test_labels_with_one_class_become_constants_with_one_warning():
    X, Y, _ = some_data()
    frame = pd.DataFrame(Y, columns=["a", "b", "c", "d"])
    frame["b"], frame["d"] = 0, 1
    model = CalibratedLabels(MultiOutputClassifier(LogisticRegression()), method="sigmoid")
    with pytest.warns(UserWarning, match="one class only for label 'b', 'd'") as caught:
        model.fit(X, frame)
    assert len(caught) == 1
    proba = model.predict_proba(X)
    assert (proba[:, 1] == 0).all()
    assert (proba[:, 3] == 1).all()
    np.testing.assert_array_equal(model.constants_, [np.nan, 0, np.nan, 1])
    without = CalibratedLabels(MultiOutputClassifier(LogisticRegression()), method="sigmoid")
    np.testing.assert_allclose(proba[:, [0, 2]], without.fit(X, Y[:, [0, 2]]).predict_proba(X))


def test_constants_alone_need_no_estimator():
    X = np.zeros((5, 2))
    with pytest.warns(UserWarning, match="one class only for label 0, 1"):
        model = CalibratedLabels(LogisticRegression()).fit(X, [[0, 1]] * 5)
    assert model.predict(X).tolist() == [[0, 1]] * 5


def test_labels_and_features_may_come_in_any_form():
    X, Y, _ = some_data(200)
    expected = CalibratedLabels(BASE).fit(X, Y).predict_proba(X)
    forms = [(X, sparse.csr_array(Y)), (sparse.csr_array(X), Y.astype(bool)), (X, pd.DataFrame(Y))]
    for features, labels in forms:
        proba = CalibratedLabels(BASE).fit(features, labels).predict_proba(features)
        np.testing.assert_allclose(proba, expected, atol=1e-4)
    frame = pd.DataFrame(X).add_prefix("x")
    model = CalibratedLabels(BASE).fit(frame, Y)
    np.testing.assert_allclose(model.predict_proba(frame), expected)
    assert model.feature_names_in_.tolist() == [f"x{k}" for k in range(6)]


@pytest.mark.parametrize(
    ("params", "Y", "error", "message"),
    [
        ({"method": "beta"}, [[0], [1]], ValueError, 'method must be "isotonic" or "sigmoid"'),
        ({"cv": "five"}, [[0], [1]], TypeError, "cv must be a number of folds"),
        ({"cv": 3}, [[0], [1]], ValueError, "n_splits must be at most the 2 samples, got 3"),
        ({}, [[0], [2]], ValueError, "Y must contain only 0 and 1, got 2 at row 1, label 0"),
        ({}, [[0]], ValueError, "inconsistent numbers of samples"),
        ({"estimator": BaseEstimator()}, [[0], [1]], TypeError, "must have decision_function or"),
    ],
)
def test_bad_input_is_refused_by_name(params, Y, error, message):
    model = CalibratedLabels(LogisticRegression()).set_params(**params)
    with pytest.raises(error, match=message):
        model.fit(np.zeros((2, 1)), Y)


def repeated(times):
    """The rows as often as they count, and the new number of the rows behind each old one."""
    rows = np.repeat(np.arange(times.size), times)
    return rows, lambda part: np.flatnonzero(np.isin(rows, part))


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
@pytest.mark.parametrize("most", [2, 4])
def test_a_weight_is_worth_as_many_repetitions_of_the_sample(method, most):
    X, Y, _ = some_data(120)
    times = np.random.default_rng(0).integers(0, most, 120)
    splits = list(KFold(3).split(X))
    rows, new = repeated(times)
    base = BinaryRelevance(LogisticRegression(tol=1e-10, max_iter=1000))
    weighted = CalibratedLabels(base, method=method, cv=splits).fit(X, Y, sample_weight=times)
    again = [(new(train), new(test)) for train, test in splits]
    many = CalibratedLabels(base, method=method, cv=again).fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), many.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_equal_weights_count_for_the_calibration_as_repetitions_too(method):
    X, Y, _ = some_data(60)
    rows, _ = repeated(np.full(60, 3))
    base = FrozenEstimator(BASE.fit(X, Y))
    weighted = CalibratedLabels(base, method=method).fit(X, Y, sample_weight=np.full(60, 3))
    many = CalibratedLabels(base, method=method).fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), many.predict_proba(X), atol=1e-8)


def test_a_frozen_estimator_is_calibrated_on_all_samples_without_folds():
    X, Y, _ = some_data(60)
    fitted = clone(BASE).fit(X, Y)
    model = CalibratedLabels(FrozenEstimator(fitted), cv=KFold(2)).fit(X[:40], Y[:40])
    assert model.estimator_ is fitted
    scores = fitted.decision_function(X)
    for j, column in enumerate(model.predict_proba(X).T):
        isotonic = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        expected = isotonic.fit(scores[:40, j], Y[:40, j]).predict(scores[:, j])
        np.testing.assert_allclose(column, expected)
    with pytest.raises(ValueError, match=r'cv="prefit".*CalibratedLabels\(FrozenEstimator\('):
        CalibratedLabels(fitted, cv="prefit").fit(X, Y)


def test_a_label_whose_positives_have_no_weight_is_never_given():
    X, Y, _ = some_data(80)
    weights = 1.0 - Y[:, 0]
    model = CalibratedLabels(BinaryRelevance(LogisticRegression()), cv=3)
    with pytest.warns(UserWarning, match="one class only for label 0"):
        model.fit(X, Y, sample_weight=weights)
    assert (model.predict_proba(X)[:, 0] == 0).all()


@pytest.mark.parametrize("weights", [np.ones(3), -np.ones(60), np.zeros(60), np.full(60, np.nan)])
def test_wrong_weights_are_refused(weights):
    X, Y, _ = some_data(60)
    with pytest.raises(ValueError, match="sample_weight must"):
        CalibratedLabels(BASE).fit(X, Y, sample_weight=weights)


def test_groups_go_to_the_splitter_and_the_rest_to_the_estimator():
    X, Y = numbered()
    groups, weights = np.arange(40) // 4, np.arange(40) + 0.5
    for cv in (GroupKFold(3), 5):
        plain, routed = [], []
        CalibratedLabels(Columns(plain), cv=cv).fit(
            X, Y, sample_weight=weights, groups=groups, note="x"
        )
        with config_context(enable_metadata_routing=True):
            base = Columns(routed).set_fit_request(sample_weight=True, note=True)
            CalibratedLabels(base, cv=cv).fit(X, Y, sample_weight=weights, groups=groups, note="x")
        for seen in (plain, routed):
            assert len(seen) == (5 if cv == 5 else 3) + 1
            for rows, taken, note in seen:
                np.testing.assert_array_equal(taken, rows + 0.5)
                assert note == "x"
                assert len({*groups[rows]} & {*np.delete(groups, rows)}) == 0


def test_routed_weights_reach_the_calibration_when_it_asks_for_them():
    X, Y, _ = some_data(60)
    weights = np.random.default_rng(0).integers(1, 5, 60)
    with config_context(enable_metadata_routing=True):
        base = BinaryRelevance(LogisticRegression().set_fit_request(sample_weight=True))
        model = CalibratedLabels(base, cv=3).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        found = pipeline.fit(X, Y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    plain = CalibratedLabels(BinaryRelevance(LogisticRegression()), cv=3)
    expected = plain.fit(scaled, Y, sample_weight=weights).predict_proba(scaled)
    np.testing.assert_array_equal(found.predict_proba(X), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_scores_that_are_a_part_of_the_features_are_left_as_they_are(dtype):
    X, Y = numbered()
    X = (4 * X).astype(dtype)
    before = X.copy()
    proba = CalibratedLabels(Columns(), method="sigmoid").fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(X, before)
    assert proba.dtype == np.float64
    assert ((proba > 0) & (proba < 1)).all()


class Counted(BinaryRelevance):
    """Notes how often it is fitted."""

    fits: list[str] = []  # noqa: RUF012

    def fit(self, X, y, **params):
        self.fits.append("fit")
        return super().fit(X, y, **params)

    def fit_scoring_folds(self, X, y, splits, sample_weight=None, **params):
        self.fits.append("folds")
        return super().fit_scoring_folds(X, y, splits, sample_weight, **params)


def test_linear_models_are_calibrated_and_tuned_in_one_pass():
    X, Y, _ = some_data()
    Counted.fits.clear()
    model = TunedThresholds(CalibratedLabels(Counted(), method="sigmoid"), random_state=0).fit(X, Y)
    assert Counted.fits == ["folds"]
    assert ((model.predict(X) == Y).mean()) > 0.8
    assert not hasattr(CalibratedLabels(BASE), "fit_scoring_folds")


@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_calibrated_on_the_other_folds(weighted):
    X, Y, _ = some_data()
    splits = list(KFold(3).split(X))
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else None
    model = CalibratedLabels(BinaryRelevance(), method="sigmoid")
    found = model.fit_scoring_folds(X, Y, splits, weights)
    raw = BinaryRelevance().fit_scoring_folds(X, Y, splits, weights)
    rows = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(3), [len(test) for _, test in splits])
    of_rows = np.ones(len(X)) if weights is None else weights[rows]
    for j, y in enumerate(Y[rows].T):
        for fold in range(3):
            here, others = folds == fold, folds != fold
            sigmoid = _fit_sigmoid(raw[others, j], y[others].astype(float), of_rows[others])
            np.testing.assert_allclose(found[here, j], sigmoid.predict(raw[here, j]))
        whole = _fit_sigmoid(raw[:, j], y.astype(float), of_rows)
        assert model.calibrators_[j] == whole
