"""Everything that prints names of users prints them harmlessly, in a terminal and as HTML."""

import warnings
from unicodedata import category

import numpy as np
import pytest

from labelwise.data import Dataset
from labelwise.decisions import best_thresholds
from labelwise.experiments import (
    average_ranks,
    nemenyi_test,
    paired_difference,
    paired_values,
    sign_test,
    summarize,
)
from labelwise.learners import BinaryRelevance
from labelwise.measures import evaluate
from labelwise.splitting import split_quality

NAME = "\x1b]0;\x07\u202e<script>[/]" + "x" * 100_000
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
NAMES = [NAME, "sky"]
VALUES = {NAME: [1.0, 2, 3, 4, 5], "b": [2.0, 1, 4, 3, 6], "c": [3.0, 3, 3, 3, 3]}
LACKING = {"a": {NAME: 1.0, "d": 1.0}, "b": {"d": 2.0}}
UP = {"higher_is_better": True}
ROWS = [{"dataset": NAME, "fold": i, "measure": "micro-f", "value": float(i)} for i in range(3)]


def labelled():
    import pandas as pd

    return pd.DataFrame(Y, columns=NAMES)


PRINTED = {
    "thresholds": lambda: best_thresholds(Y * 0.5, Y, label_names=NAMES),
    "evaluation": lambda: evaluate(Y, decided=Y, label_names=NAMES),
    "data": lambda: Dataset(Y * 1.0, Y, NAME, label_names=NAMES),
    "description": lambda: Dataset(Y * 1.0, Y, NAME, label_names=NAMES).describe(),
    "quality": lambda: split_quality(labelled(), [0, 0, 0, 1]),
    "summary": lambda: summarize(ROWS),
    "values": lambda: paired_values(VALUES, **UP),
    "left out": lambda: paired_values(LACKING, missing="drop", **UP),
    "ranks": lambda: average_ranks(VALUES, **UP),
    "nemenyi": lambda: nemenyi_test(VALUES, **UP),
    "sign": lambda: sign_test(VALUES, (NAME, "b"), **UP),
    "difference": lambda: paired_difference(VALUES, (NAME, "b"), n_bootstrap=10, random_state=0),
}


def check_harmless(text):
    kinds = {category(c) for c in text if c != "\n"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn"}
    assert len(text) < 5000


@pytest.mark.parametrize("kind", PRINTED)
def test_what_is_printed_is_harmless(kind):
    printed = PRINTED[kind]()
    check_harmless(str(printed))
    page = getattr(printed, "_repr_html_", lambda: "")()
    check_harmless(page)
    assert "<script>" not in page


def test_warnings_name_labels_harmlessly():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        best_thresholds(Y * 0.5, Y * [0, 1], label_names=NAMES)
        BinaryRelevance(penalty=1.0).fit(np.eye(4), labelled() * [0, 1])
    assert len(caught) >= 2
    for warning in caught:
        check_harmless(str(warning.message))
