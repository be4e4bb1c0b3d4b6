"""Every public estimator keeps scikit-learn's rules; the register names each exception."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from labelwise import decisions, features, learners
from tests.model_register import (
    CHECKED,
    EXPECTED_FAILURES,
    NOT_CHECKED,
    REGISTER,
    TEXT_REGISTER,
    some_data,
)

CHECKS = [
    pytest.param(*pair, id=f"{name}-{getattr(pair[1], 'func', pair[1]).__name__}")
    if not hasattr(pair, "values")
    else pytest.param(*pair.values, marks=pair.marks, id=f"{name}-{pair.values[1].func.__name__}")
    for name, estimator in CHECKED.items()
    for pair in estimator_checks_generator(
        estimator, expected_failed_checks=EXPECTED_FAILURES.get(name, {}), mark="xfail"
    )
]
VECTORS = {
    "numbers": (np.array([0, 1]), list),
    "signs": (np.array([-1, 1]), np.asarray),
    "strings": (np.array(["no", "yes"]), np.asarray),
}


def estimators_in(model):
    yield model
    for _, step in getattr(model, "steps", ()):
        yield step


def public_estimators():
    for stage in (decisions, features, learners):
        for name in stage.__all__:
            if hasattr(getattr(stage, name), "get_params"):
                yield name, getattr(stage, name)


@pytest.mark.filterwarnings("ignore:Y has one class only:UserWarning")
@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_estimators_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("register", [REGISTER | TEXT_REGISTER, CHECKED], ids=["saved", "checked"])
def test_every_public_estimator_is_in_the_register(register):
    parts = [part for model in register.values() for part in estimators_in(model)]
    for name, kind in public_estimators():
        if register is not CHECKED or name not in NOT_CHECKED:
            assert any(isinstance(part, kind) for part in parts), name


def test_expected_failures_are_those_of_estimators_in_the_register():
    assert set(EXPECTED_FAILURES) <= set(CHECKED)


@pytest.mark.parametrize("name", [name for name, _ in public_estimators()])
def test_fit_names_its_arguments_as_scikit_learn_does(name):
    fit = dict(public_estimators())[name].fit
    assert list(inspect.signature(fit).parameters)[1:3] == ["X", "y"]


@pytest.mark.parametrize("name", ["BinaryRelevance", "CalibratedLabels", "OkapiNeighbors"])
def test_labels_given_by_keyword_are_learnt_as_by_position(name):
    X, Y = some_data()
    by_keyword = clone(REGISTER[name]).fit(X=X, y=Y)
    assert np.array_equal(by_keyword.predict(X), clone(REGISTER[name]).fit(X, Y).predict(X))


VECTOR_MODELS = [
    "BagPlugin",
    "BestLearner",
    "BestLearner of a blend",
    "BestLearner of sets",
    "BinaryRelevance",
    "BinaryRelevance of trees",
    "CalibratedLabelRanking",
    "CalibratedLabels",
    "ChainEnsemble",
    "ExactFPlugin",
    "IndependentFPlugin",
    "LabelForest",
    "OkapiNeighbors",
    "ReverseMultilabel",
    "SampledFPlugin",
    "SubmodularMultilabel",
    "TunedThresholds",
]


@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.parametrize("name", VECTOR_MODELS)
def test_a_vector_of_two_classes_is_learnt_as_one_label(name, kind):
    X, Y = some_data()
    classes, form = VECTORS[kind]
    one = clone(REGISTER[name]).fit(X, Y[:, :1])
    vector = clone(REGISTER[name]).fit(X, form(classes[Y[:, 0]]))
    assert np.array_equal(vector.classes_, classes)
    assert np.array_equal(vector.predict(X), classes[one.predict(X)[:, 0]])
    if hasattr(one, "decision_function"):
        assert np.array_equal(vector.decision_function(X), one.decision_function(X)[:, 0])
    if hasattr(one, "predict_proba"):
        proba = one.predict_proba(X)
        assert np.array_equal(vector.predict_proba(X), np.hstack([1 - proba, proba]))


@pytest.mark.parametrize("name", VECTOR_MODELS)
def test_a_vector_of_three_classes_is_refused(name):
    X, _ = some_data()
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*got 3"):
        clone(REGISTER[name]).fit(X, np.arange(40) % 3)
