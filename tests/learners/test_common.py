"""Every learner keeps scikit-learn's rules; where ours differ, the reason stands here."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import clone, config_context
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from labelwise.features import OkapiWeights, TermSelector
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


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
@pytest.mark.parametrize(
    "learner", [one for one in LEARNERS if hasattr(one, "predict")] + [BagPlugin()], ids=name_of
)
def test_learners_do_not_depend_on_the_configured_output_of_transformers(learner, form, output):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (60, 5)).astype(float)
    Y = (rng.random((60, 3)) < 0.4).astype(int)
    X = form(counts) if form is not pd.DataFrame else pd.DataFrame(counts, columns=list("abcde"))
    seeded = clone(learner)
    if "random_state" in learner.get_params():
        seeded.set_params(random_state=0)
    expected = clone(seeded).fit(X, Y).predict(X)
    with config_context(transform_output=output):
        assert np.array_equal(seeded.fit(X, Y).predict(X), expected)


@pytest.mark.parametrize(("output", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_transformers_give_the_configured_frame_of_the_same_numbers(output, kind):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 4, (60, 5)).astype(float), rng.random((60, 3)) < 0.4
    chain = make_pipeline(OkapiWeights(), TermSelector(4), BagSummary())
    expected = chain.fit_transform(X, Y)
    with config_context(transform_output=output):
        found = chain.fit_transform(X, Y)
    assert isinstance(found, kind)
    assert np.array_equal(np.asarray(found), expected)
    assert list(found.columns) == chain.get_feature_names_out().tolist()
