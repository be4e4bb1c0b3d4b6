"""Scores of every estimator around come as one matrix, and held out they are of unseen samples."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelwise._estimators import (
    constant_labels,
    fit_scorer,
    held_out_scores,
    score_matrix,
    scoring_method,
    warn_of_constants,
)
from labelwise.data import make_multilabel
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners import BagPlugin, IndependentFPlugin
from labelwise.splitting import MultilabelStratifiedKFold

ESTIMATORS = [
    OneVsRestClassifier(LogisticRegression()),
    OneVsRestClassifier(LinearSVC()),
    MultiOutputClassifier(LogisticRegression()),
    ClassifierChain(LogisticRegression()),
    RandomForestClassifier(5, random_state=0),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    KNeighborsClassifier(),
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
    MLPClassifier((4,), max_iter=3000, tol=1e-2, random_state=0),
]


def some_data(n_labels=3, n_samples=120):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=0)
    return data.X, data.Y.toarray().astype(np.int64)


class Answers(BaseEstimator):
    """An estimator that gives what it was told to."""

    def __init__(self, answer, classes_=None):
        self.answer = answer
        if classes_ is not None:
            self.classes_ = classes_

    def predict_proba(self, X):  # noqa: ARG002
        return self.answer


@pytest.mark.parametrize("n_labels", [1, 2, 3])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_scores_of_estimators_around_are_high_for_decided_labels(estimator, n_labels):
    X, Y = some_data(n_labels)
    scorer = fit_scorer(estimator, X, Y)
    method = scoring_method(estimator)
    scores = scorer.scores(X, method)
    assert scores.shape == Y.shape
    decided = np.asarray(scorer.estimator.predict(X)).reshape(Y.shape)
    middle = 0.5 if method == "predict_proba" else 0.0
    np.testing.assert_array_equal(scores > middle, decided == 1)


HALVES = np.array([[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("answer", "classes", "n_labels", "expected"),
    [
        (HALVES, None, 2, HALVES),
        (sparse.lil_array(HALVES), None, 2, HALVES),
        (pd.DataFrame(HALVES), None, 2, HALVES),
        ([HALVES, HALVES], None, 2, [[0.75, 0.75], [0.5, 0.5]]),
        (np.array([HALVES, HALVES, HALVES]), None, 3, [[0.75] * 3, [0.5] * 3]),
        ([HALVES, np.ones((2, 1))], [[0, 1], [0]], 2, [[0.75, 0], [0.5, 0]]),
        ([HALVES, np.ones((2, 1))], [[0, 1], [1]], 2, [[0.75, 1], [0.5, 1]]),
        ([HALVES[:, 0], HALVES[:, 1]], [[0, 1], [0, 1]], 2, HALVES),
        (HALVES, [0, 1], 1, [[0.75], [0.5]]),
        (HALVES[:, 0], None, 1, [[0.25], [0.5]]),
        (HALVES[:, :1], None, 1, [[0.25], [0.5]]),
        ([HALVES], None, 1, [[0.75], [0.5]]),
    ],
)
def test_every_form_of_probabilities_is_understood(answer, classes, n_labels, expected):
    scores = score_matrix(Answers(answer, classes), np.zeros((2, 1)), n_labels)
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize(
    ("answer", "n_labels", "told"),
    [
        (HALVES, 3, r"Answers.predict_proba must give .* 2 rows and 3 labels, got shape \(2, 2\)"),
        (HALVES[:1], 2, r"got shape \(1, 2\)"),
        ([HALVES], 2, r"got shape \(2, 1\)"),
        (HALVES * [1, np.nan], 2, "predict_proba must be finite, got nan at row 0, label 1"),
    ],
)
def test_other_forms_are_refused_by_name(answer, n_labels, told):
    with pytest.raises(ValueError, match=told):
        score_matrix(Answers(answer), np.zeros((2, 1)), n_labels)


def test_an_estimator_without_scores_is_refused():
    with pytest.raises(TypeError, match="decision_function or predict_proba, but BaseEstimator"):
        scoring_method(BaseEstimator())


def test_held_out_scores_are_those_of_models_fitted_to_the_other_folds():
    X, Y = some_data()
    estimator = OneVsRestClassifier(LogisticRegression())
    held_out = held_out_scores(estimator, X, Y, cv=4)
    np.testing.assert_array_equal(np.sort(held_out.rows), np.arange(len(X)))
    assert np.unique(held_out.folds).tolist() == [0, 1, 2, 3]
    for fold in range(4):
        test = held_out.rows[held_out.folds == fold]
        train = np.setdiff1d(np.arange(len(X)), test)
        model = OneVsRestClassifier(LogisticRegression()).fit(X[train], Y[train])
        expected = model.decision_function(X[test])
        np.testing.assert_allclose(held_out.scores[held_out.folds == fold], expected)


def test_scores_of_a_model_that_learns_by_heart_are_not_of_seen_samples():
    X = np.random.default_rng(0).random((80, 2))
    Y = np.random.default_rng(1).integers(0, 2, (80, 2))
    held_out = held_out_scores(KNeighborsClassifier(1), X, Y)
    hits = (held_out.scores > 0.5) == Y[held_out.rows]
    assert hits.mean() < 0.7  # by heart it would be 1


@pytest.mark.parametrize(
    "make",
    [np.asarray, sparse.csr_array, sparse.coo_array, pd.DataFrame, np.ndarray.tolist],
    ids=["array", "csr", "coo", "frame", "list"],
)
def test_rows_are_cut_from_whatever_holds_them(make):
    X, Y = some_data()
    expected = held_out_scores(KNeighborsClassifier(), X, Y, cv=3)
    held_out = held_out_scores(KNeighborsClassifier(), make(X), Y, cv=3)
    np.testing.assert_allclose(held_out.scores, expected.scores)


def test_folds_may_come_from_a_splitter_with_groups_or_as_pairs_of_rows():
    X, Y = some_data()
    groups = np.arange(len(X)) // 10
    held_out = held_out_scores(KNeighborsClassifier(), X, Y, GroupKFold(3), groups=groups)
    for group in np.unique(groups):
        assert (
            np.unique(held_out.folds[np.isin(held_out.rows, np.flatnonzero(groups == group))]).size
            == 1
        )
    pairs = list(ShuffleSplit(1, test_size=0.25, random_state=0).split(X))
    held_out = held_out_scores(KNeighborsClassifier(), X, Y, iter(pairs))
    np.testing.assert_array_equal(held_out.rows, pairs[0][1])
    assert held_out.scores.shape == (30, 3)


def test_the_number_of_jobs_changes_nothing():
    X, Y = some_data()
    estimator = RandomForestClassifier(5, random_state=0)
    with parallel_config(backend="threading"):
        one, two = (held_out_scores(estimator, X, Y, cv=3, n_jobs=n) for n in (None, 2))
    np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.parametrize("cv", ["five", None, 2.5, True])
def test_other_kinds_of_cv_are_refused(cv):
    with pytest.raises(TypeError, match="cv must be a number of folds, a splitter or pairs"):
        held_out_scores(KNeighborsClassifier(), *some_data(), cv=cv)


class Weighted(BaseEstimator):
    """Scores each sample by the sum of the weights it was fitted with."""

    def fit(self, X, Y, sample_weight=None, note=None):  # noqa: ARG002
        self.total_ = np.sum(sample_weight)
        assert len(sample_weight) == len(X)
        assert note == "kept"
        return self

    def decision_function(self, X):
        return np.full((len(X), 3), self.total_)


def test_parameters_of_fit_are_cut_to_the_rows_of_the_fold():
    X, Y = some_data()
    weight = np.arange(len(X), dtype=float)
    params = {"sample_weight": weight, "note": "kept"}
    held_out = held_out_scores(Weighted(), X, Y, cv=3, fit_params=params)
    for fold in range(3):
        inside = held_out.folds == fold
        expected = weight.sum() - weight[held_out.rows[inside]].sum()
        np.testing.assert_allclose(held_out.scores[inside], expected)


def rare_and_common(n_samples=30):
    """Labels on once, off once, and half of the time."""
    X = np.random.default_rng(0).random((n_samples, 2))
    Y = np.zeros((n_samples, 3), dtype=np.int64)
    Y[0, 0] = 1
    Y[1:, 1] = 1
    Y[::2, 2] = 1
    return X, Y


def test_a_label_with_one_class_in_a_fold_is_scored_as_surely_as_can_be():
    X, Y = rare_and_common()
    held_out = held_out_scores(OneVsRestClassifier(LinearSVC()), X, Y, cv=3)
    scores = held_out.scores[np.argsort(held_out.rows)]
    assert np.isfinite(scores).all()
    assert scores[0, 0] == scores[:, 0].min()
    assert scores[0, 1] == scores[:, 1].max()


def test_a_label_with_one_class_in_a_fold_has_probability_zero_or_one():
    X, Y = rare_and_common()
    # Given the constant label, logistic regression would raise.
    held_out = held_out_scores(MultiOutputClassifier(LogisticRegression()), X, Y, cv=3)
    scores = held_out.scores[np.argsort(held_out.rows)]
    assert (scores[0, 0], scores[0, 1]) == (0, 1)
    assert ((scores[:, 2] > 0) & (scores[:, 2] < 1)).all()


def test_nothing_is_fitted_where_no_label_has_two_classes():
    X = np.zeros((4, 1))
    scorer = fit_scorer(LogisticRegression(), X, np.array([[0, 1]] * 4))
    assert scorer.estimator is None
    assert scorer.constants.tolist() == [0, 1]
    assert np.isnan(scorer.scores(X, "predict_proba")).all()
    pairs = [(np.arange(2), np.arange(2, 4))]
    held_out = held_out_scores(LinearSVC(), X, np.array([[0, 1], [0, 1], [1, 1], [1, 1]]), pairs)
    assert held_out.scores.tolist() == [[0, 1], [0, 1]]


def test_constant_labels_are_told_from_dense_and_sparse_labels():
    Y = np.array([[0, 1, 0], [0, 1, 1]])
    for labels in (Y, sparse.csc_array(Y, dtype=bool)):
        np.testing.assert_array_equal(constant_labels(labels), [0, 1, np.nan])


def test_one_warning_names_the_labels_with_one_class():
    with pytest.warns(
        UserWarning, match="one class only for label 'sea', 'sky': decided as"
    ) as told:
        warn_of_constants(np.array([0, np.nan, 1]), ("sea", "sun", "sky"))
    assert len(told) == 1
    with pytest.warns(UserWarning, match="label 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 5 more: "):
        warn_of_constants(np.zeros(15), None)
    warn_of_constants(np.array([np.nan]), None)


def test_labels_go_to_scikit_learn_as_int64():
    class Kind(BaseEstimator):
        def fit(self, X, Y):  # noqa: ARG002
            self.dtype_ = Y.dtype
            return self

    scorer = fit_scorer(Kind(), np.zeros((2, 1)), np.array([[0, 1], [1, 0]], dtype=np.int8))
    assert scorer.estimator.dtype_ == np.int64


class FixedHead(ClassifierMixin, BaseEstimator):
    """As a network with an output for each label: it can be fitted to all labels only."""

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def fit(self, X, Y):
        if Y.shape[1] != self.n_labels:
            raise ValueError(f"target has {Y.shape[1]} columns, input has {self.n_labels}")
        self.weights_ = np.linalg.lstsq(X, 2.0 * Y - 1, rcond=None)[0]
        return self

    def predict_proba(self, X):
        return 1 / (1 + np.exp(-X @ self.weights_))


WITHOUT_ROW_0 = [(np.arange(1, 20), np.array([0, *range(20, 30)]))]


def frozen(X, Y):
    """An estimator that was fitted to other samples, which have both classes of all labels."""
    other = np.random.default_rng(1).integers(0, 2, Y.shape)
    return FrozenEstimator(OneVsRestClassifier(LogisticRegression()).fit(X, other))


@pytest.mark.parametrize("labels", [[0, 1, 2], [0, 2], [2, 1]])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_held_out_scores_of_a_frozen_estimator_are_its_scores(method, labels):
    X, Y = rare_and_common()
    Y = Y[:, labels]
    model = frozen(X, Y)
    held_out = held_out_scores(model, X, Y, cv=3, method=method)
    np.testing.assert_array_equal(held_out.scores, getattr(model, method)(X)[held_out.rows])


def test_an_estimator_that_takes_all_labels_or_none_is_fitted_to_all():
    X, Y = rare_and_common()
    held_out = held_out_scores(FixedHead(), X, Y, cv=3)
    for train, test in MultilabelStratifiedKFold(3).split(X, Y):
        expected = FixedHead().fit(X[train], Y[train]).predict_proba(X[test])
        np.testing.assert_array_equal(held_out.scores[np.isin(held_out.rows, test)], expected)


def test_the_error_of_an_estimator_that_cannot_be_fitted_at_all_is_its_first():
    X, Y = rare_and_common()
    Y[0, 0] = 0
    with pytest.raises(ValueError, match="target has 2 columns, input has 7"):
        fit_scorer(FixedHead(7), X, Y)


@pytest.mark.parametrize("make", [lambda *_: FixedHead(), frozen])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: CalibratedLabels(model, method="sigmoid"),
        lambda model: TunedThresholds(model, shrink=0),
        lambda model: TunedThresholds(model, shrink=0, refit=False, cv=WITHOUT_ROW_0),
        IndependentFPlugin,
        lambda model: BagPlugin(model, n_iter=1, cv=3, shrink=0, random_state=0),
        lambda model: BagPlugin(model, n_iter=1, cv=None, shrink=0, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:Y has one class only")
def test_estimators_that_always_score_all_labels_serve_everywhere(make, wrap):
    X, Y = rare_and_common()
    for constant in (None, 1):
        labels = Y.copy()
        if constant is not None:
            labels[:, 0] = constant
        model = wrap(make(X, labels)).fit(X, labels)
        decided = model.predict(X)
        assert decided.shape == Y.shape
        if constant is not None:
            assert (decided[:, 0] == constant).all()
