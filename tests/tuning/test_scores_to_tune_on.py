"""Held-out scores of an estimator, as the problem of tuning thresholds on them."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from labelwise._tuning._scores_to_tune_on import (
    Samples,
    fold_scores,
    prefit_scores,
    split_scores,
    tuning_problem,
)

X = np.arange(12.0)[:, None]
Y = np.column_stack([np.arange(12) % 2, np.arange(12) % 3 == 0, np.zeros(12)]).astype(np.int64)
SAMPLES = Samples(X, Y, ("odd", "third", "never"), None, {})


class Scorer(LinearRegression):
    def decision_function(self, X):
        return self.predict(X)


@pytest.mark.filterwarnings("ignore:.*never")
def test_labels_of_one_class_are_left_out_and_the_others_keep_their_names():
    scored = fold_scores(Scorer(), SAMPLES, "decision_function", 3, None)
    problem, folds = tuning_problem(scored, SAMPLES)
    np.testing.assert_array_equal(folds, scored.held_out.folds)
    assert problem.names == ("odd", "third")
    np.testing.assert_array_equal(problem.Y.toarray(), Y[scored.held_out.rows][:, :2])


@pytest.mark.filterwarnings("ignore:.*never")
def test_one_split_scores_its_test_rows_by_the_model_of_its_training_rows():
    train, test = np.arange(8), np.arange(8, 12)
    scored = split_scores(Scorer(), SAMPLES, "decision_function", [(train, test)])
    np.testing.assert_array_equal(scored.held_out.rows, test)
    expected = Scorer().fit(X[train], Y[train][:, :2]).predict(X[test])
    np.testing.assert_allclose(scored.held_out.scores, expected, atol=1e-12)


@pytest.mark.parametrize(("cv", "got"), [(3, 3), ([(range(6), range(6, 12))] * 2, 2)])
def test_several_splits_cannot_give_one_model(cv, got):
    with pytest.raises(ValueError, match=f"refit=False needs a cv that gives one split, got {got}"):
        split_scores(Scorer(), SAMPLES, "decision_function", cv)


def test_a_fitted_estimator_takes_no_parameters_of_fit():
    with pytest.raises(ValueError, match="not fitted again, so that it cannot take weight"):
        prefit_scores(Scorer(), SAMPLES._replace(fit_params={"weight": 1}), "decision_function")
