"""Arguments of a study: what is accepted, and what is refused by name."""

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from labelwise.experiments._study_arguments import (
    check_datasets,
    check_measures,
    check_models,
    check_seeds,
    check_splits,
    check_timeout,
)


def test_data_sets_are_named_after_their_files_and_measures_after_themselves():
    assert list(check_datasets(["digits", "sets/yeast.arff"])) == ["digits", "yeast"]
    assert check_measures(["micro-f", {"mine": len}]) == {"micro-f": "micro-f", "mine": len}
    assert check_splits({"fixed": "train-test"}) == {"fixed": "train-test"}
    assert check_seeds(range(3)) == (0, 1, 2)
    assert check_timeout(None) is None


@pytest.mark.parametrize(
    ("check", "given", "error", "message"),
    [
        (check_datasets, "digits", TypeError, "datasets must be a sequence or a mapping"),
        (check_datasets, [], ValueError, "datasets must have at least one entry"),
        (check_datasets, {"a": 3}, TypeError, r"datasets\['a'\] must be a Dataset"),
        (check_models, {"tree": DecisionTreeClassifier}, TypeError, r"models\['tree'\] must be an"),
        (check_models, [DecisionTreeClassifier()], TypeError, "models must be a mapping"),
        (check_splits, {"cv": "train"}, TypeError, r"splits\['cv'\] must be .* or 'train-test'"),
        (check_splits, {}, ValueError, "splits must have at least one entry"),
        (check_measures, ["micro-f", "micro-f"], ValueError, "names of measures must be distinct"),
        (check_measures, {"mine": 3}, TypeError, r"measures\['mine'\] must be a name or a func"),
        (check_seeds, [0, 0], ValueError, "seeds must be distinct"),
        (check_seeds, [2**32], ValueError, r"seeds must be distinct numbers below 2\*\*32"),
        (check_seeds, [np.float64(1)], TypeError, "seeds must be a whole number"),
        (check_timeout, 0, ValueError, "timeout must be from 0.1"),
    ],
)
def test_wrong_arguments_are_named(check, given, error, message):
    with pytest.raises(error, match=message):
        check(given)


def test_objects_are_kept_as_they_are():
    model, split = DecisionTreeClassifier(), KFold()
    assert check_models({"tree": model})["tree"] is model
    assert check_splits({"cv": split})["cv"] is split
