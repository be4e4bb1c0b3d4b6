"""An estimator is fitted to the labels with both classes, and scores them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelwise._estimators import (
    fit_scorer,
    scoring_method,
)
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners import (
    BagPlugin,
    IndependentFPlugin,
)
from tests.estimators.problems import FixedHead, frozen, rare_and_common, some_data

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


def test_labels_go_to_scikit_learn_as_int64():
    class Kind(BaseEstimator):
        def fit(self, X, Y):  # noqa: ARG002
            self.dtype_ = Y.dtype
            return self

    scorer = fit_scorer(Kind(), np.zeros((2, 1)), np.array([[0, 1], [1, 0]], dtype=np.int8))
    assert scorer.estimator.dtype_ == np.int64


def test_the_error_of_an_estimator_that_cannot_be_fitted_at_all_is_its_first():
    X, Y = rare_and_common()
    Y[0, 0] = 0
    with pytest.raises(ValueError, match="target has 2 columns, input has 7"):
        fit_scorer(FixedHead(7), X, Y)


WITHOUT_ROW_0 = [(np.arange(1, 20), np.array([0, *range(20, 30)]))]


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
