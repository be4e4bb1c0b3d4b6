"""Encoded columns side by side, dense or sparse."""

import numpy as np
import pyarrow as pa
from scipy import sparse

from labelwise._tables import Categories, CategoryColumn, as_matrix, encode, encode_table


def test_many_categories_make_the_same_matrix_sparse():
    names = [f"c{i % 24}" for i in range(72)]
    names[5] = None
    found = encode_table(pa.table({"size": np.arange(72.0)[::-1], "code": names}))
    columns = [encode_table(pa.table({"code": names})).X]
    assert sparse.issparse(found.X)
    np.testing.assert_array_equal(found.X.toarray()[:, 0], np.arange(72.0)[::-1])
    np.testing.assert_array_equal(found.X.toarray()[:, 1:], columns[0].toarray())
    assert np.isnan(found.X.toarray()[5, 1:]).all()


def test_values_that_are_not_known_are_zeros():
    codes = encode(pa.chunked_array([["red", "pink", None]]), ["blue", "green", "red"])
    column = CategoryColumn(Categories("colour", ("blue", "green", "red")), codes.numbers)
    expected = [[0, 0, 1], [0, 0, 0], [np.nan] * 3]
    np.testing.assert_array_equal(as_matrix([column], 3), expected)
