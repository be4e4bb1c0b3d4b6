"""The page "Coming from scikit-multilearn" runs as it stands, and names what exists."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "coming_from.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names():
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    known = {"__name__": "coming_from"}
    exec(compile(code, str(PAGE), "exec"), known)
    return known


def test_the_parts_have_the_labels_of_their_rows(names):
    assert names["X_train"].shape[0] == names["Y_train"].shape[0] == 300
    assert names["X_test"].shape[0] == names["Y_test"].shape[0] == 100
    assert np.bincount(names["subsets"]).sum() == 400


def test_predictions_are_better_than_chance(names):
    for name in ("binary_relevance", "tuned_chain", "neighbours"):
        right = names[name].predict(names["X_test"]) == names["Y_test"]
        assert right.mean() > 0.5, name
    assert names["label_sets"][names["number"].ravel()].tolist() == names["Y_train"].tolist()
    assert names["proba"].shape == names["Y_test"].shape
