"""The gate lets through what is a label matrix, and says of the rest where it is not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise._validation import (
    check_labels,
    check_outcome,
    check_scores,
    columns_in_order,
    names_in_sets,
)

MATRICES = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6))
FORMS = {
    "bool": lambda Y: Y,
    "int8": lambda Y: Y.astype(np.int8),
    "float": lambda Y: Y.astype(float),
    "column order": lambda Y: np.asfortranarray(Y, dtype=np.int64),
    "every second column": lambda Y: np.repeat(Y, 2, axis=1)[:, ::2],
    "csr": lambda Y: sparse.csr_array(Y.astype(int)),
    "csr matrix": lambda Y: sparse.csr_matrix(Y.astype(int)),
    "coo": lambda Y: sparse.coo_array(Y),
    "explicit zeros": lambda Y: sparse.csc_array(
        (Y.T.ravel().astype(int), *_all_cells(Y)), Y.shape
    ),
}


def _all_cells(Y):
    n_rows, n_labels = Y.shape
    return np.tile(np.arange(n_rows), n_labels), np.arange(n_labels + 1) * n_rows


@pytest.mark.parametrize("form", FORMS)
@given(Y=MATRICES)
def test_every_form_of_a_matrix_is_the_same_matrix(form, Y):
    given_labels = FORMS[form](Y)
    labels = check_labels(given_labels)
    assert isinstance(labels.matrix, sparse.csc_array)
    assert labels.matrix.dtype == bool
    assert labels.names is None
    np.testing.assert_array_equal(labels.matrix.toarray(), Y)
    assert labels.matrix.nnz == Y.sum()
    assert labels.matrix.has_canonical_format
    if not sparse.issparse(given_labels):
        assert labels.matrix.indices.dtype == labels.matrix.indptr.dtype == np.int32


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@given(Y=hnp.arrays(bool, st.tuples(st.integers(1, 5), st.integers(1, 5))))
def test_the_columns_of_a_frame_are_the_names(frame, Y):
    names = [f"label {j}" for j in range(Y.shape[1])]
    labels = check_labels(frame({name: Y[:, j] for j, name in enumerate(names)}))
    assert labels.names == tuple(names)
    np.testing.assert_array_equal(labels.matrix.toarray(), Y)
    backwards = check_labels(
        frame({name: Y[:, j] for j, name in enumerate(names)}), label_names=names[::-1]
    )
    np.testing.assert_array_equal(backwards.matrix.toarray(), Y[:, ::-1])


@given(rows=st.lists(st.sets(st.sampled_from("abcd")), min_size=1))
def test_sets_become_rows_under_their_sorted_union(rows):
    labels = check_labels(rows)
    assert labels.names == names_in_sets(Y=rows)
    for i, row in enumerate(rows):
        members = labels.matrix.toarray()[i]
        assert {name for name, on in zip(labels.names, members, strict=True) if on} == row


def test_a_list_of_lists_is_a_matrix_and_one_column_stays_one():
    assert check_labels([[0], [1]]).matrix.shape == (2, 1)


BAD = {
    "minus one": ([[0, 1], [-1, 0]], "Y must contain only 0 and 1, got -1 at row 1, label 0."),
    "two": ([[0, 2]], "Y must contain only 0 and 1, got 2 at row 0, label 1."),
    "nan": ([[0, np.nan]], "Y must contain only 0 and 1, got nan at row 0, label 1."),
    "first in row order": ([[0, 7], [9, 0]], "got 7 at row 0, label 1."),
    "named": (pd.DataFrame({"sea": [0], "sky": [3]}), "got 3 at row 0, label 'sky'."),
    "missing in pandas": (
        pd.DataFrame({"sea": pd.array([1, None], "Int64")}),
        "row 1, label 'sea'",
    ),
    "missing in polars": (pl.DataFrame({"sea": [True, None]}), "row 1, label 'sea'"),
    "sparse": (sparse.csr_array([[0, 0], [5, 0]]), "got 5 at row 1, label 0."),
    "summed duplicates": (
        sparse.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(1, 2)),
        "got 2 at row 0, label 1.",
    ),
    "one dimension": ([0, 1], "Y must be 2-D, rows by labels, got 1-D (for one sample, use"),
    "ragged": ([[0], [0, 1]], "Y must have rows of equal length."),
    "text": ([["a"]], "Y must contain numbers or booleans, got <U1."),
    "a set": ({"a"}, "Y must be an array, a frame or a list of label sets, got set."),
    "some sets": ([{"a"}, [1]], "Y must have a set for every row, or for none."),
    "nothing": (None, "Y must contain numbers or booleans, got object."),
}


@pytest.mark.parametrize("case", BAD)
def test_a_refusal_names_the_rule_and_the_first_offence(case):
    Y, message = BAD[case]
    with pytest.raises((ValueError, TypeError)) as refusal:
        check_labels(Y)
    assert message in str(refusal.value)


def test_what_came_stays_as_it_came():
    Y = sparse.coo_array(([1, 0], ([0, 0], [1, 0])), shape=(1, 2)).tocsc()
    before = Y.copy()
    check_labels(Y)
    np.testing.assert_array_equal(Y.data, before.data)


def test_unknown_labels_in_sets_are_named():
    with pytest.raises(ValueError, match="Y has an unknown label 'c' in row 1"):
        check_labels([{"a"}, {"c"}], label_names=["a", "b"])
    with pytest.raises(ValueError, match="label_names must be distinct, got 'a' twice"):
        check_labels([[0, 1]], label_names=["a", "a"])
    with pytest.raises(ValueError, match="label_names has 1 names for 2 labels"):
        check_labels([[0, 1]], label_names=["a"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_scores_stay_float32_or_become_float64(dtype):
    checked = check_scores(np.array([[1, 2]], dtype=dtype)).matrix
    assert checked.dtype == (np.float32 if dtype == np.float32 else np.float64)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_scores_must_be_finite(value, form):
    with pytest.raises(
        ValueError, match=r"scores must be finite, got -?(nan|inf) at row 1, label 1"
    ):
        check_scores(form(np.array([[0.5, 1.0], [2.0, value]])))


def test_finite_scores_pass_even_if_their_sum_is_not():
    huge = np.full((2, 2), np.finfo(float).max)
    assert check_scores(huge).matrix is huge


def test_columns_are_matched_by_name():
    Y = pd.DataFrame({"a": [1], "b": [0]})
    scores = pl.DataFrame({"b": [0.25], "a": [0.75]})
    assert check_outcome(Y, scores=scores).scores.tolist() == [[0.75, 0.25]]
    assert columns_in_order(["a", "b"], ["b", "a"], "scores").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1.0, 2.0], [1.0, 2.0]], "scores has 2 rows but Y has 1."),
        ([[1.0]], "scores has 1 labels but Y has 2."),
        (pd.DataFrame({"a": [1.0], "c": [1.0]}), "scores lacks label 'b', which Y has."),
        (
            pd.DataFrame({"a": [1.0], "b": [1.0], "c": [1.0]}),
            "Y lacks label 'c', which scores has.",
        ),
        (
            pd.DataFrame([[1.0, 2.0]]),
            "scores has no label names and Y has: pass scores as an array to match labels by "
            "position.",
        ),
    ],
)
def test_what_does_not_match_is_named(scores, message):
    Y = pd.DataFrame({"a": [1], "b": [0]})
    with pytest.raises(ValueError) as refusal:
        check_outcome(Y, scores=scores)
    assert str(refusal.value) == message


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_column_of_text_is_named_with_what_to_do(library):
    columns = {"sea": [0.1, 0.9], "id": ["r1", "r2"]}
    frame = pytest.importorskip(library)
    table = frame.table(columns) if library == "pyarrow" else frame.DataFrame(columns)
    with pytest.raises(TypeError, match="got column 'id': leave it out, or, if it identifies"):
        check_scores(table)
