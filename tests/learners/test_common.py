"""Every learner keeps scikit-learn's rules; where ours differ, the reason stands here."""

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import estimator_checks_generator

from labelwise.learners import (
    BagPlugin,
    BagSummary,
    BinaryRelevance,
    CalibratedLabelRanking,
    ExactFPlugin,
    IndependentFPlugin,
    OkapiNeighbors,
)

LEARNERS = [
    BagPlugin(BinaryRelevance(penalty=0.1), cv=2, n_iter=1, random_state=0),
    BagSummary(),
    BinaryRelevance(),
    BinaryRelevance(LogisticRegression()),
    ExactFPlugin(cv=2),
    IndependentFPlugin(),
    CalibratedLabelRanking(RandomForestClassifier(3), random_state=0),
    OkapiNeighbors(),
]
CLASS_VECTOR = "feeds classes other than 0 and 1, which are no labels"
ONE_COLUMN = "wants a vector, or a column for each class, of one label; ours are a matrix"
OWN_WORDS = "wants scikit-learn's words for labels that are not 0 and 1; ours name the cell"
SMALL_Y = "calls fit(X, y=...); our labels are Y. Weights as repetitions have a test of their own"
EXCEPTIONS = {
    "check_classifier_data_not_an_array": CLASS_VECTOR,
    "check_classifier_not_supporting_multiclass": OWN_WORDS,
    "check_classifiers_classes": CLASS_VECTOR,
    "check_classifiers_one_label": ONE_COLUMN,
    "check_classifiers_one_label_sample_weights": ONE_COLUMN,
    "check_classifiers_regression_target": OWN_WORDS,
    "check_classifiers_train": ONE_COLUMN,
    "check_complex_data": OWN_WORDS,
    "check_decision_proba_consistency": ONE_COLUMN,
    "check_dtype_object": OWN_WORDS,
    "check_estimator_sparse_array": ONE_COLUMN,
    "check_estimator_sparse_matrix": ONE_COLUMN,
    "check_estimators_dtypes": CLASS_VECTOR,
    "check_fit2d_1feature": CLASS_VECTOR,
    "check_sample_weight_equivalence_on_dense_data": SMALL_Y,
    "check_sample_weight_equivalence_on_sparse_data": SMALL_Y,
    "check_sample_weights_not_an_array": CLASS_VECTOR,
    "check_sample_weights_not_overwritten": CLASS_VECTOR,
    "check_sample_weights_pandas_series": CLASS_VECTOR,
    "check_sample_weights_shape": CLASS_VECTOR,
}
# Exceptions that a learner does not need.
KEPT = {
    "BagPlugin": {
        "check_classifiers_one_label_sample_weights",
        "check_complex_data",
        "check_decision_proba_consistency",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
        "check_sample_weights_not_an_array",
        "check_sample_weights_not_overwritten",
        "check_sample_weights_pandas_series",
        "check_sample_weights_shape",
    },
    "BagSummary": set(EXCEPTIONS),
    "CalibratedLabelRanking": {
        "check_classifiers_one_label_sample_weights",
        "check_complex_data",
        "check_decision_proba_consistency",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
    },
    "ExactFPlugin": {"check_decision_proba_consistency"},
    "IndependentFPlugin": {"check_decision_proba_consistency"},
    "OkapiNeighbors": {
        "check_classifiers_one_label_sample_weights",
        "check_decision_proba_consistency",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_fit2d_1feature",
    },
}
FOR_F = "wants labels decided where they are probable; ours are decided for the expected F"
# Exceptions that a learner needs beside those of all.
OWN = {
    "BagPlugin": {
        "check_classifier_multioutput": "wants decisions at 0; ours are at tuned thresholds"
    },
    "ExactFPlugin": {"check_classifier_multioutput": FOR_F},
    "IndependentFPlugin": {"check_classifier_multioutput": FOR_F},
}


def exceptions_of(learner):
    kept = KEPT.get(type(learner).__name__, set())
    of_all = {check: reason for check, reason in EXCEPTIONS.items() if check not in kept}
    return of_all | OWN.get(type(learner).__name__, {})


def name_of(argument):
    return getattr(getattr(argument, "func", None), "__name__", None) or type(argument).__name__


@pytest.mark.parametrize(
    ("learner", "check"),
    [
        pair
        for learner in LEARNERS
        for pair in estimator_checks_generator(
            learner, expected_failed_checks=exceptions_of(learner), mark="xfail"
        )
    ],
    ids=name_of,
)
def test_scikit_learns_checks_hold(learner, check):
    check(learner)
