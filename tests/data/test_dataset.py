"""A Dataset checks and converts what it is given, and then describes it."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labelwise._validation import label_set_numbers
from labelwise.data import Dataset

MATRICES = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7))


def test_names_not_given_are_numbers_and_arrays_have_one_storage():
    data = Dataset([[1, 2], [3, 4]], [[0], [1]])
    assert data.feature_names == ("0", "1")
    assert data.label_names == ("0",)
    assert data.X.dtype == float
    assert isinstance(data.Y, sparse.csc_array)
    assert data.Y.dtype == bool
    assert isinstance(Dataset(sparse.coo_matrix(np.eye(2)), [[0], [1]]).X, sparse.csr_array)


def test_scikit_learn_takes_the_indices_of_sparse_features():
    wide = np.array([0, 1]), np.array([0, 1, 2])
    X = sparse.csr_array((np.ones(2), *(part.astype(np.int64) for part in wide)))
    data = Dataset(X, [[0], [1]])
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int32
    LogisticRegression(solver="liblinear").fit(data.X, [0, 1])


def test_frames_give_the_names():
    data = Dataset(pd.DataFrame({"size": [1.5]}), pd.DataFrame({"sea": [True], "sky": [False]}))
    assert data.feature_names == ("size",)
    assert data.label_names == ("sea", "sky")


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Dataset([[1]], [[0]]).name = "other"


BAD = {
    "rows of Y": ({"Y": [[0]]}, "Y has 1 rows for 2 samples."),
    "names of X": ({"feature_names": ["a", "b"]}, "feature_names has 2 names for 1 columns."),
    "names twice": ({"label_names": ["a", "a"]}, "label_names must be distinct, got 'a' twice."),
    "one string": ({"label_names": "ab"}, "label_names must be a sequence of names"),
    "train out of range": ({"train": [0, 2]}, "train must contain rows from 0 to 1, got 2."),
    "train twice": ({"train": [0, 0]}, "train must contain each row once."),
    "overlap": ({"train": [0], "test": [0, 1]}, "row 0 is in both."),
    "mask as rows": ({"train": [True, False]}, "train must be a 1-D array of row numbers."),
    "bags too short": ({"bags": [0, 1]}, "bags must run from 0 to the 2 rows of X, got 0 to 1."),
    "empty bag": ({"bags": [0, 0, 2]}, "but bag 0 has none."),
    "ids": ({"ids": {"k": ["x"]}}, "ids['k'] has shape (1,) for 2 samples."),
    "text X": ({"X": [["a"], ["b"]]}, "X must contain numbers, got <U1."),
    "flat X": ({"X": [1, 2]}, "X must be 2-D, rows by features, got 1-D."),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_refused(case):
    change, message = BAD[case]
    fields = {"X": [[1.0], [2.0]], "Y": [[0, 1], [1, 0]], **change}
    with pytest.raises((ValueError, TypeError)) as refusal:
        Dataset(**fields)
    assert message in str(refusal.value)


def test_bags_are_samples_and_stay_whole_when_taken():
    X = np.arange(10).reshape(5, 2)
    data = Dataset(X, [{"a"}, {"b"}, set()], bags=[0, 2, 3, 5], ids={"k": ["x", "y", "z"]})
    assert len(data) == 3
    part = data.take([2, 0])
    assert part.bags.tolist() == [0, 2, 4]
    assert part.X.tolist() == X[[3, 4, 0, 1]].tolist()
    assert list(part.ids["k"]) == ["z", "x"]
    assert part.Y.toarray().tolist() == [[False, False], [True, False]]
    assert data.take(np.array([False, True, False])).X.tolist() == X[[2]].tolist()
    assert repr(data) == "Dataset 'data': 3 samples in bags, 5 instances, 2 features, 2 labels"


@given(Y=MATRICES)
def test_labelsets_are_equal_exactly_where_rows_are(Y):
    numbers = label_set_numbers(sparse.csc_array(Y))
    for i in range(len(Y)):
        for k in range(len(Y)):
            assert (numbers[i] == numbers[k]) == (Y[i] == Y[k]).all()
    assert set(numbers) == set(range(len({tuple(row) for row in Y.tolist()})))


@given(Y=MATRICES)
def test_a_description_counts_what_the_definitions_say(Y):
    found = Dataset(np.zeros((len(Y), 3)), Y).describe()
    label_sets = {}
    for row in Y.tolist():
        label_sets[tuple(row)] = label_sets.get(tuple(row), 0) + 1
    per_label = [int(column.sum()) for column in Y.T]
    assert (found.n_samples, found.n_features, found.n_labels) == (len(Y), 3, Y.shape[1])
    assert found.n_label_sets == len(label_sets)
    assert found.label_sets_per_sample == len(label_sets) / len(Y)
    assert (found.label_set_least, found.label_set_most) == (
        min(label_sets.values()),
        max(label_sets.values()),
    )
    assert found.label_set_mean == pytest.approx(len(Y) / len(label_sets))
    assert (found.label_least, found.label_most) == (min(per_label), max(per_label))
    assert found.label_mean == pytest.approx(Y.sum() / Y.shape[1])
    assert found.cardinality == pytest.approx(Y.sum(axis=1).mean())
    assert found.density == pytest.approx(Y.mean())
    assert found.n_without_labels == sum(not row.any() for row in Y)
    assert found.n_labels_unused == sum(count == 0 for count in per_label)


def test_a_description_prints_as_a_table_and_escapes_its_name():
    found = Dataset([[1.0]], [[1]], name="<b>").describe()
    assert "distinct label sets" in str(found)
    assert "<caption>&lt;b&gt;</caption>" in found._repr_html_()
    assert "iterative stratification" in found.advice


def test_unknown_labels_cannot_be_described():
    with pytest.raises(ValueError, match="The labels of 'data' are unknown"):
        Dataset([[1.0]], None, label_names=["a"]).describe()


@given(rows=st.lists(st.sets(st.sampled_from("xyz")), min_size=1))
def test_sets_name_the_labels(rows):
    data = Dataset(np.zeros((len(rows), 1)), rows)
    assert data.label_names == tuple(sorted(set().union(*rows)))


def test_missing_labels_stay_missing_through_a_data_set():
    Y = np.array([[1, np.nan], [0, 1], [np.nan, np.nan], [1, 0]])
    data = Dataset(np.eye(4), pd.DataFrame(Y, columns=["sea", "sky"]), name="gaps")
    assert repr(data) == "Dataset 'gaps': 4 samples, 4 features, 2 labels (3 cells missing)"
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    np.testing.assert_array_equal(data.missing.toarray(), np.isnan(Y))
    taken = data.take([1, 0])
    np.testing.assert_array_equal(taken.Y.toarray(), Y[[1, 0]])
    assert data.take([1, 3]).missing is None
    assert data.take([1, 3]).Y.dtype == bool
    assert data.take([2]).Y is None
    masked = Dataset(np.eye(4), np.ma.masked_invalid(Y))
    np.testing.assert_array_equal(masked.Y.toarray(), Y)
    found = data.describe()
    assert (found.n_missing, found.label_most, found.n_without_labels) == (3, 2, 1)
    assert "missing labels (cells)" in str(found)
    assert "missing" not in str(Dataset(np.eye(2), [[1], [0]]).describe())
