"""Equal work has equal keys, in every process; other work has others."""

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from labelwise.data import Dataset
from labelwise.experiments.running._fingerprint import (
    canonical_form,
    canonical_json,
    data_fingerprint,
)
from labelwise.measures import f_measure
from tests.experiments.small_studies import rows

ROOT = Path(__file__).parents[3]


def text(value):
    return canonical_json(canonical_form(value, "it"))


def adds(number):
    return lambda x: x + number


def twice(x, weight=2):
    return x * weight if x in {"some", "words", "in", "a", "set"} else [x for _ in range(weight)]


EQUAL = [
    (np.float64(0.5), 0.5),
    (np.int64(5), 5),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"x", "y", "z"}, {"z", "y", "x"}),
    (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3))),
    (np.arange(3.0), np.arange(3.0).astype(">f8")),
    (sparse.csr_array(np.eye(3)), sparse.csc_array(np.eye(3))),
    (adds(1), adds(1)),
    (LogisticRegression(), LogisticRegression(C=1.0)),
    (KFold(3), KFold(3)),
    (functools.partial(twice, weight=3), functools.partial(twice, weight=3)),
]
DIFFERENT = [
    1,
    1.0,
    True,
    None,
    "1",
    b"1",
    np.nan,
    (1,),
    [1],
    {1},
    {1: 1},
    np.array([1]),
    np.array([1.0]),
    np.array([[1.0]]),
    np.array([1.0], dtype=np.float32),
    np.array(["a", None], dtype=object),
    sparse.csr_array([[1.0]]),
    Path("1"),
    np.sin,
    np.cos,
    len,
    f_measure,
    twice,
    adds(1),
    adds(2),
    lambda x: x + 1,
    lambda x: x + 2,
    functools.partial(twice, weight=3),
    functools.partial(twice, weight=4),
    LogisticRegression,
    LogisticRegression(),
    LogisticRegression(C=2),
    OneVsRestClassifier(LogisticRegression()),
    OneVsRestClassifier(LogisticRegression(C=2)),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(FunctionTransformer(np.sin), LogisticRegression()),
    make_pipeline(FunctionTransformer(np.cos), LogisticRegression()),
    GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=KFold(3)),
    GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=KFold(4)),
    KFold(3),
    KFold(3, shuffle=True),
]


@pytest.mark.parametrize(("one", "other"), EQUAL, ids=range(len(EQUAL)))
def test_what_means_the_same_has_the_same_text(one, other):
    assert text(one) == text(other)


def test_what_differs_has_different_texts():
    texts = [text(value) for value in DIFFERENT]
    assert len(set(texts)) == len(texts)


def test_texts_are_the_same_in_every_process():
    program = (
        "from tests.experiments.running.test_fingerprint import fingerprint_of_all\n"
        "print(fingerprint_of_all())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(fingerprint_of_all())


def fingerprint_of_all():
    return [text(value) for value in DIFFERENT] + [data_fingerprint(rows())]


@pytest.mark.parametrize(
    "value", [object(), np.random.RandomState(0), np.random.default_rng(0), iter([])], ids=range(4)
)
def test_what_has_no_stable_text_is_refused_by_name(value):
    model = make_pipeline(FunctionTransformer(kw_args={"a": [value]}))
    with pytest.raises(
        TypeError, match=r"^models\['m'\]\.steps.*kw_args\['a'\]\[0\] must have a text"
    ):
        canonical_form(model, "models['m']")


@pytest.mark.parametrize("part", ["X", "Y", "train", "test"])
def test_each_part_of_the_data_counts(part):
    parts = {"X": np.zeros((4, 1)), "Y": np.eye(4, dtype=int), "train": [0], "test": [1]}
    changed = {"X": np.ones((4, 1)), "Y": np.eye(4, dtype=int)[::-1], "train": [2], "test": [3]}
    before = Dataset(**parts)
    assert data_fingerprint(before) == data_fingerprint(Dataset(**parts, name="renamed"))
    assert data_fingerprint(before) != data_fingerprint(Dataset(**(parts | {part: changed[part]})))
