"""The method `score` of estimators: scikit-learn's accuracy, with labels matched by name."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, cross_val_score

from labelwise.data import make_multilabel
from labelwise.learners import BinaryRelevance

DATA = make_multilabel(60, n_features=4, n_labels=3, random_state=0)[0]
X, Y = DATA.X, DATA.Y.toarray().astype(int)
FRAME = pd.DataFrame(Y, columns=["sea", "sky", "sun"])
SETS = [{name for name, has in zip(FRAME, row, strict=True) if has} for row in Y]
LEARNER = BinaryRelevance(penalty=1e-3)


def test_the_score_is_the_accuracy_of_scikit_learn():
    model, weights = LEARNER.fit(X, FRAME), np.arange(len(Y))
    expected = accuracy_score(Y, model.predict(X), sample_weight=weights)
    for y in (Y, FRAME, FRAME[["sun", "sea", "sky"]], SETS, DATA.Y):
        assert model.score(X, y, sample_weight=weights) == expected > 0.1


def test_the_score_of_a_vector_is_its_accuracy():
    vector = np.where(Y[:, 0], "yes", "no")
    model = LEARNER.fit(X, vector)
    assert model.score(X, vector) == accuracy_score(vector, model.predict(X)) > 0.5


def test_labels_that_the_model_does_not_know_have_no_score():
    model = LEARNER.fit(X, FRAME)
    with pytest.raises(ValueError, match="Y has label 'unknown', which the model does not know"):
        model.score(X, FRAME.assign(unknown=0))


def test_sets_are_cross_validated_without_a_scorer():
    found = cross_val_score(LEARNER, X, SETS, cv=KFold(3))
    np.testing.assert_array_equal(found, cross_val_score(LEARNER, X, Y, cv=KFold(3)))
