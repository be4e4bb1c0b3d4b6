"""Arguments of a study: what is accepted, and what is refused by name."""

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from tests.experiments.small_studies import study


def test_data_sets_are_named_after_their_files_and_measures_after_themselves():
    assert list(study(datasets=["digits", "sets/yeast.arff"]).datasets) == ["digits", "yeast"]
    assert study(measures=["micro-f", {"mine": len}]).measures == {
        "micro-f": "micro-f",
        "mine": len,
    }
    named = study(measures=["micro-f", len], lower_is_better=["len"])
    assert named.measures == {"micro-f": "micro-f", "len": len}
    assert study(splits={"fixed": "train-test"}).splits == {"fixed": "train-test"}
    assert study(seeds=range(3)).seeds == (0, 1, 2)
    assert study().timeout is None


@pytest.mark.parametrize(
    ("argument", "given", "error", "message"),
    [
        ("datasets", "digits", TypeError, "datasets must be a sequence or a mapping"),
        ("datasets", [], ValueError, "datasets must have at least one entry"),
        ("datasets", {"a": 3}, TypeError, r"datasets\['a'\] must be a Dataset"),
        ("models", {"tree": DecisionTreeClassifier}, TypeError, r"models\['tree'\] must be an"),
        ("models", [DecisionTreeClassifier()], TypeError, "models must be a mapping"),
        ("splits", {"cv": "train"}, TypeError, r"splits\['cv'\] must be .* or 'train-test'"),
        ("splits", {}, ValueError, "splits must have at least one entry"),
        ("measures", ["micro-f", "micro-f"], ValueError, "names of measures must be distinct"),
        ("measures", {"mine": 3}, TypeError, r"measures\['mine'\] must be a name or a func"),
        ("measures", [lambda _: 0.0], ValueError, "measures must have a name for each function"),
        ("seeds", [0, 0], ValueError, "seeds must be distinct"),
        ("seeds", [2**32], ValueError, r"seeds must be distinct numbers below 2\*\*32"),
        ("seeds", [np.float64(1)], TypeError, "seeds must be a whole number"),
        ("timeout", 0, ValueError, "timeout must be from 0.1"),
    ],
)
def test_wrong_arguments_are_named(argument, given, error, message):
    with pytest.raises(error, match=message):
        study(**{argument: given})


def test_objects_are_kept_as_they_are():
    model, split = DecisionTreeClassifier(), KFold()
    assert study(models={"tree": model}).models["tree"] is model
    assert study(splits={"cv": split}).splits["cv"] is split


def test_a_study_that_no_file_describes_needs_a_store():
    with pytest.raises(ValueError, match="store must be given"):
        study().run()
