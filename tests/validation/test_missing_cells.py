"""Cells without truth: what `_missing_cells` takes out of matrices and puts into labels."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise._validation import (
    check_labels,
    check_outcome,
    dense_targets,
    first_cell,
    with_nan,
    without_cells,
)

LABELS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
    elements=st.sampled_from([0.0, 1.0, np.nan]),
)


@given(LABELS, st.sampled_from(["dense", "csr", "csc", "coo", "masked"]))
def test_labels_and_missing_cells_are_told_apart_in_every_form(Y, form):
    given_Y = Y.copy()
    if form == "masked":
        given_Y = np.ma.masked_invalid(given_Y)
    elif form != "dense":
        given_Y = sparse.coo_array(given_Y).asformat(form)
    matrix, _, missing = check_labels(given_Y, allow_missing=True)
    np.testing.assert_array_equal(matrix.toarray(), Y == 1)
    assert (missing is None) == (not np.isnan(Y).any())
    if missing is not None:
        np.testing.assert_array_equal(missing.toarray(), np.isnan(Y))
        row, column = first_cell(missing)
        assert [row, column] == np.argwhere(np.isnan(Y))[0].tolist()
    np.testing.assert_array_equal(with_nan(matrix, missing).toarray(), Y)
    np.testing.assert_array_equal(dense_targets(matrix, missing), Y)


@given(LABELS)
def test_the_argument_is_not_changed(Y):
    stored = sparse.csc_array(Y)
    before = [part.copy() for part in (stored.data, stored.indices, stored.indptr)]
    check_labels(stored, allow_missing=True)
    for part, kept in zip((stored.data, stored.indices, stored.indptr), before, strict=True):
        np.testing.assert_array_equal(part, kept)


@given(LABELS, st.sampled_from(["dense", "csr", "csc"]))
def test_all_other_cells_are_kept_in_order(Y, form):
    values = np.arange(Y.size, dtype=float).reshape(Y.shape)  # the first cell has a score of 0
    gone = np.isnan(Y)
    matrix = values if form == "dense" else sparse.csr_array(values).asformat(form)
    found = without_cells(matrix, sparse.csc_array(gone))
    assert found.format == ("csr" if form == "dense" else form)
    assert found.has_sorted_indices
    np.testing.assert_array_equal(found.toarray(), np.where(gone, 0, values))
    if form == "dense":
        assert found.nnz == (~gone).sum()


def test_missing_labels_are_refused_unless_they_are_allowed():
    Y = [[0, 1], [1, float("nan")]]
    with pytest.raises(ValueError, match="Y must contain only 0 and 1, got nan at row 1, label 1"):
        check_labels(Y)
    with pytest.raises(ValueError, match=r"only 0 and 1, got 2\.0 at row 0, label 0"):
        check_labels([[2, float("nan")]], allow_missing=True)
    assert check_outcome(Y, decided=[[1, 1], [1, 1]], allow_missing=True).n_missing == 1
