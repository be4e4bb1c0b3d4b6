"""Wrappers show scikit-learn the features of the estimator inside."""

import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from labelwise._estimators import (
    copy_feature_attributes,
)
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners import (
    BinaryRelevance,
    CalibratedLabelRanking,
    IndependentFPlugin,
)
from tests.estimators.problems import some_data


@pytest.mark.parametrize(
    "wrapper",
    [
        BinaryRelevance(LogisticRegression()),
        CalibratedLabelRanking(LogisticRegression()),
        IndependentFPlugin(MultiOutputClassifier(LogisticRegression())),
        CalibratedLabels(MultiOutputClassifier(LogisticRegression()), cv=2),
        TunedThresholds(MultiOutputClassifier(LogisticRegression()), cv=2),
    ],
    ids=lambda wrapper: type(wrapper).__name__,
)
def test_wrappers_have_the_features_of_the_last_fit(wrapper):
    X, Y = some_data()
    wrapper.fit(pd.DataFrame(X, columns=list("abcde")), Y)
    assert wrapper.n_features_in_ == 5
    assert wrapper.feature_names_in_.tolist() == list("abcde")
    wrapper.fit(X[:, :4], Y)
    assert wrapper.n_features_in_ == 4
    assert not hasattr(wrapper, "feature_names_in_")


def test_an_estimator_without_these_attributes_leaves_none():
    class Wrapper:
        n_features_in_: int

    wrapper = Wrapper()
    copy_feature_attributes(wrapper, None)
    assert vars(wrapper) == {}


class PlainNet:
    """A scorer without a base class of scikit-learn, as networks of other packages are."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def get_params(self, deep=True):  # noqa: ARG002
        return {"scale": self.scale}

    def fit(self, X, Y):  # noqa: ARG002
        return self

    def decision_function(self, X):
        return self.scale * X[:, :3]


@pytest.mark.parametrize(
    "wrapper",
    [
        TunedThresholds(FrozenEstimator(PlainNet())),
        TunedThresholds(PlainNet(), cv=2),
        CalibratedLabels(PlainNet(), cv=2, method="sigmoid"),
    ],
    ids=["frozen", "folds", "calibrated"],
)
def test_a_wrapper_takes_a_class_without_tags(wrapper):
    X, Y = some_data()
    decided = wrapper.fit(X, Y).predict(X)
    assert decided.shape == Y.shape
    assert "PlainNet" in repr(wrapper)
    assert "PlainNet" in wrapper._repr_html_()
    if isinstance(wrapper, TunedThresholds):
        assert (wrapper.decision_function(X) == X[:, :3]).all()
        assert (decided == wrapper.thresholds_.decide(X[:, :3])).all()
    else:
        assert ((wrapper.predict_proba(X) >= 0.5) == decided).all()
