"""Calibrated scores: those of a frozen estimator are calibrated in the same way without it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from labelwise.decisions import CalibratedLabels, CalibratedScores

METHODS = ("isotonic", "sigmoid")


class Scores(BaseEstimator):
    """An estimator whose features are its scores."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.arange(y.shape[1])
        return self

    def decision_function(self, X):
        return np.asarray(X)


def scores_and_labels(n_samples=300, seed=0):
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, 3)) < [0.5, 0.2, 0.1]
    # Rounded, so that scores have ties.
    return np.round(3 * Y + random.normal(size=Y.shape), 1), Y.astype(int)


@pytest.mark.parametrize("method", METHODS)
def test_calibration_is_that_of_a_frozen_estimator(method):
    scores, Y = scores_and_labels()
    weights = np.random.default_rng(1).integers(0, 3, len(Y))
    model = FrozenEstimator(Scores().fit(scores, Y))
    of_model = CalibratedLabels(model, method=method).fit(scores, Y, sample_weight=weights)
    found = CalibratedScores(method=method).fit(scores, Y, sample_weight=weights)
    assert (found.predict_proba(scores) == of_model.predict_proba(scores)).all()


def test_isotonic_probabilities_of_a_label_are_its_isotonic_regression():
    scores, Y = scores_and_labels()
    proba = CalibratedScores().fit(scores, Y).predict_proba(scores)
    for j in range(3):
        slow = IsotonicRegression(y_min=0, y_max=1).fit(scores[:, j], Y[:, j])
        np.testing.assert_allclose(proba[:, j], slow.predict(scores[:, j]))


@pytest.mark.parametrize("method", METHODS)
def test_missing_labels_count_nowhere(method):
    scores, Y = scores_and_labels()
    truth = Y.astype(float)
    truth[:40, 1] = np.nan
    found = CalibratedScores(method=method).fit(scores, truth).predict_proba(scores)
    alone = CalibratedScores(method=method).fit(scores[40:, 1:2], Y[40:, 1:2])
    assert (found[:, 1:2] == alone.predict_proba(scores[:, 1:2])).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_labels_are_matched_by_name(frame):
    scores, Y = scores_and_labels()
    names, turned = ["a", "b", "c"], ["c", "a", "b"]
    labels = dict(zip(names, Y.T, strict=True))
    columns = dict(zip(names, scores.T, strict=True))
    found = CalibratedScores().fit(frame(columns), frame({name: labels[name] for name in turned}))
    assert found.label_names_ == tuple(names)
    proba = CalibratedScores().fit(scores, Y).predict_proba(scores)
    assert (found.predict_proba(frame({name: columns[name] for name in turned})) == proba).all()


def test_rows_of_pandas_frames_are_matched_by_index():
    scores, Y = scores_and_labels()
    index = [f"x{i}" for i in range(len(Y))]
    found = CalibratedScores().fit(pd.DataFrame(scores, index), pd.DataFrame(Y[::-1], index[::-1]))
    assert (
        found.predict_proba(scores) == CalibratedScores().fit(scores, Y).predict_proba(scores)
    ).all()


def test_a_vector_is_one_label():
    scores, Y = scores_and_labels()
    classes = np.array(["no", "yes"])[Y[:, 1]]
    found = CalibratedScores(method="sigmoid").fit(scores[:, 1:2], classes)
    one = CalibratedScores(method="sigmoid").fit(scores[:, 1:2], Y[:, 1:2])
    assert (found.predict_proba(scores[:, 1:2])[:, 1:] == one.predict_proba(scores[:, 1:2])).all()
    assert set(found.predict(scores[:, 1:2])) == {"no", "yes"}


def test_labels_with_one_class_keep_it():
    scores, Y = scores_and_labels()
    Y[:, 0], Y[:, 1] = 1, 0
    with pytest.warns(UserWarning, match="one class"):
        proba = CalibratedScores().fit(scores, Y).predict_proba(scores)
    assert proba[:, :2].tolist() == [[1, 0]] * len(Y)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": sparse.csr_array(np.eye(300, 3))}, TypeError, "X must be a dense array or a frame"),
        ({"X": np.ones((299, 3))}, ValueError, "X has 299 rows but Y has 300"),
        ({"X": np.ones((300, 2))}, ValueError, "X has 2 labels but Y has 3"),
        ({"y": None}, ValueError, "requires y to be passed"),
    ],
)
def test_scores_that_do_not_match_are_refused(change, error, message):
    scores, Y = scores_and_labels()
    with pytest.raises(error, match=message):
        CalibratedScores().fit(**{"X": scores, "y": Y} | change)


def test_an_unknown_method_and_other_labels_are_refused():
    scores, Y = scores_and_labels()
    with pytest.raises(ValueError, match='method must be "isotonic" or "sigmoid", got \'beta\''):
        CalibratedScores(method="beta").fit(scores, Y)
    with pytest.raises(ValueError, match="a column of scores for each of 3 labels, got 2"):
        CalibratedScores().fit(scores, Y).predict_proba(scores[:, :2])
