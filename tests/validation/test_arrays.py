"""Lists of arrays and tensors are read as the matrices that they stand for."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import RandomForestClassifier

from labelwise._validation import frame_columns
from labelwise.decisions import Thresholds, TunedThresholds, best_thresholds, rank_cut
from labelwise.measures import evaluate
from labelwise.splitting import assign, train_test_split

Y = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]])
S = Y / 2 + 0.1
X = Y + 0.25
THRESHOLDS = best_thresholds(S, Y)


def test_scores_of_forests_are_the_last_columns_of_their_lists():
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    proba = forest.predict_proba(X)
    matrix = np.column_stack([table[:, 1] for table in proba])
    for given in (proba, tuple(proba), np.array(proba)):
        assert best_thresholds(given, Y).value == best_thresholds(matrix, Y).value
        assert evaluate(Y, scores=given)["coverage"] == evaluate(Y, scores=matrix)["coverage"]
        np.testing.assert_array_equal(rank_cut(given, 2), rank_cut(matrix, 2))
        np.testing.assert_array_equal(
            best_thresholds(matrix, Y).decide(given), best_thresholds(matrix, Y).decide(matrix)
        )


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([[0.5, 0.5], [1.0]], "scores has one column for label 1, whose only class may be 0 or 1"),
        ([[0.5, 0.5], [0.1, 0.2, 0.7]], r"two classes 0 and 1 .* got shape \(6, 3\) for label 1"),
    ],
)
def test_other_lists_of_arrays_are_refused(tables, message):
    with pytest.raises(ValueError, match=message):
        best_thresholds([np.tile(table, (6, 1)) for table in tables], Y[:, :2])
    uneven = [np.zeros((6, 2)), np.zeros((5, 2))]
    with pytest.raises(ValueError, match="scores must have equally many rows for each label"):
        best_thresholds(uneven, Y[:, :2])


class Tensor:
    """What a tensor of torch does: numpy may not read it while it needs a gradient, or its type."""

    def __init__(self, values, dtype="float32", *, requires_grad=False):
        self.values = np.asarray(values)
        self.dtype, self.requires_grad = dtype, requires_grad
        self.shape = self.values.shape

    def detach(self):
        return Tensor(self.values, self.dtype)

    def cpu(self):
        return self

    def float(self):
        if self.dtype == "sparse":
            raise TypeError("sparse tensors have no storage")
        return Tensor(self.values)

    def __array__(self, dtype=None, copy=None):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.dtype != "float32":
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        return Tensor(self.values[rows], self.dtype, requires_grad=self.requires_grad)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_tensors_are_read_as_labels_and_scores(dtype, requires_grad):
    labels, scores = (Tensor(A, dtype, requires_grad=requires_grad) for A in (Y, S))
    assert best_thresholds(scores, labels).value == THRESHOLDS.value
    assert evaluate(labels, scores=scores, decided=labels)["micro-f"] == 1
    np.testing.assert_array_equal(THRESHOLDS.decide(scores), THRESHOLDS.decide(S))
    assert assign(labels, 2, random_state=0).tolist() == assign(Y, 2, random_state=0).tolist()


def test_a_tensor_that_numpy_cannot_read_is_refused_in_one_sentence():
    with pytest.raises(TypeError, match="scores must be a dense tensor that numpy can read, got"):
        best_thresholds(Tensor(S, "sparse"), Y)


def test_rows_of_a_tensor_are_a_tensor():
    tensors = train_test_split(Tensor(X, "bfloat16"), Tensor(Y), random_state=0)
    arrays = train_test_split(X, Y, random_state=0)
    for tensor, array in zip(tensors, arrays, strict=True):
        assert isinstance(tensor, Tensor)
        np.testing.assert_array_equal(tensor.values, array)
    assert tensors[0].dtype == "bfloat16"


class OfTensors(RandomForestClassifier):
    """A model that takes tensors, and nothing else."""

    def fit(self, X, y):
        assert isinstance(X, Tensor)
        return super().fit(X.values, y)

    def predict_proba(self, X):
        assert isinstance(X, Tensor)
        found = np.column_stack([table[:, -1] for table in super().predict_proba(X.values)])
        return Tensor(found, "bfloat16", requires_grad=True)


def test_models_of_tensors_are_tuned_on_tensors():
    many, labels = np.tile(X, (10, 1)), np.tile(Y, (10, 1))
    tuned = TunedThresholds(OfTensors(5, random_state=0)).fit(Tensor(many), labels)
    assert isinstance(tuned.thresholds_, Thresholds)
    np.testing.assert_array_equal(tuned.predict(Tensor(many)), labels)


COLUMNS = {
    "float": [0.5, 1.0, 2.0],
    "integer": [1, 2, 3],
    "boolean": [True, False, True],
    "gap": [1, None, 2],
    "small": np.array([1, 0, 1], dtype=np.int8),
    "unsigned": np.array([1, 2, 3], dtype=np.uint64),
    "single": np.array([1, 2, 3], dtype=np.float32),
}


@pytest.mark.parametrize("names", [*combinations(COLUMNS, 1), *combinations(COLUMNS, 2)])
@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, lambda data: pd.DataFrame(data).convert_dtypes(), pl.DataFrame, pa.table],
    ids=["pandas", "pandas, nullable", "polars", "arrow"],
)
def test_a_frame_has_the_values_of_its_columns(names, frame):
    columns = [np.asarray(COLUMNS[name], dtype=float) for name in names]  # None becomes NaN
    values, names_found = frame_columns(frame({name: COLUMNS[name] for name in names}))
    np.testing.assert_array_equal(values.astype(float), np.column_stack(columns))
    assert names_found == names
    # Kernels are compiled once for all arrays that are stored so.
    assert values.flags.c_contiguous
    assert values.flags.writeable


def test_decisions_keep_the_index_and_the_library_of_the_scores():
    index = pd.MultiIndex.from_tuples([("a", i) for i in range(6)], names=["part", "row"])
    frame = pd.DataFrame(S, columns=list("xyz"), index=index)
    expected = pd.DataFrame(THRESHOLDS.decide(S), columns=list("xyz"), index=index)
    pd.testing.assert_frame_equal(THRESHOLDS.decide(frame), expected)
    again = THRESHOLDS.decide(pl.DataFrame(S, schema=list("xyz")))
    assert again.equals(pl.DataFrame(THRESHOLDS.decide(S), schema=list("xyz")))
