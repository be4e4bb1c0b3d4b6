"""Subsets of a label file are those of its matrix in memory."""

import dask.array as da
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from labelwise import splitting
from labelwise.data import DataError
from tests.blocks.row_files import WRITERS, block_rows as rows_at_a_time, in_blocks

Y = np.random.default_rng(2).random((90, 5)) < 0.2


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("method", ["iterative", "random", "balanced"])
def test_subsets_of_a_file_are_those_of_its_matrix(kind, method, tmp_path):
    path = WRITERS[kind](tmp_path, "Y", Y)
    with rows_at_a_time(11):
        found = splitting.assign(path, 3, method=method, random_state=4)
    np.testing.assert_array_equal(found, splitting.assign(Y, 3, method=method, random_state=4))


@pytest.mark.parametrize("n_empty", [0, 90])
def test_many_positives_are_assigned_as_few_ones(monkeypatch, tmp_path, n_empty):
    labels = np.vstack([Y, np.zeros((n_empty, 5), dtype=bool)])
    path = WRITERS["npy"](tmp_path, "Y", labels)
    monkeypatch.setattr("labelwise.splitting._assign.BALANCED_UP_TO", 0)
    with rows_at_a_time(11):
        found = splitting.assign(path, [0.7, 0.2, 0.1], random_state=4)
    wanted = splitting.assign(labels, [0.7, 0.2, 0.1], method="iterative", random_state=4)
    np.testing.assert_array_equal(found, wanted)


def test_labels_without_positives_are_assigned():
    nothing = np.zeros((7, 2), dtype=bool)
    found = in_blocks(
        splitting.assign, 3, nothing, proportions=2, method="iterative", random_state=0
    )
    np.testing.assert_array_equal(
        found, splitting.assign(nothing, 2, method="iterative", random_state=0)
    )


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("method", ["auto", "iterative", "random"])
def test_the_quality_of_a_split_file_is_that_of_its_matrix(kind, method, tmp_path):
    path = WRITERS[kind](tmp_path, "Y", Y)
    shares = [0.5, 0.3, 0.2]
    with rows_at_a_time(11):
        found = splitting.compare_splits(path, shares, method=method, random_state=4)
    wanted = splitting.compare_splits(Y, shares, method=method, random_state=4)
    np.testing.assert_array_equal(found.subsets, wanted.subsets)
    assert list(found.qualities) == list(dict.fromkeys([method, "random"]))
    for name, quality in found.qualities.items():
        expected = wanted.qualities[name]
        assert (quality.ld, quality.ed, quality.sizes) == (expected.ld, expected.ed, expected.sizes)
        np.testing.assert_array_equal(quality.positives, expected.positives)


@pytest.mark.parametrize("columns", ["y_*", ["y_0", "y_1", "y_2", "y_3", "y_4"]])
def test_only_the_columns_of_labels_are_read(tmp_path, columns):
    table = {"height": np.arange(90.0), **{f"y_{j}": Y[:, j] for j in range(5)}}
    path = tmp_path / "data.parquet"
    parquet.write_table(pa.table(table), path)
    with rows_at_a_time(11):
        found = splitting.assign(path, 3, random_state=4, columns=columns)
    np.testing.assert_array_equal(found, splitting.assign(Y, 3, random_state=4))


def test_columns_that_do_not_exist_are_refused(tmp_path):
    path = WRITERS["parquet"](tmp_path, "Y", Y)
    with pytest.raises(DataError, match=r"has no column of numbers 'sea'"):
        splitting.assign(path, 3, columns=["label_0", "sea"])
    with pytest.raises(DataError, match=r"has no column of numbers 'sea\*'"):
        splitting.assign(path, 3, columns="sea*")
    with pytest.raises(DataError, match=r"has no names of columns, so that 'sea\*' cannot"):
        splitting.assign(WRITERS["npy"](tmp_path, "Y", Y), 3, columns="sea*")
    with pytest.raises(ValueError, match=r"columns must be None if Y is not a file, got 'sea\*'"):
        splitting.assign(Y, 3, columns="sea*")
    with pytest.raises(ValueError, match=r"columns must be None for dask arrays, got 'sea\*'"):
        splitting.assign(da.from_array(Y), 3, columns="sea*")


def test_chunks_of_dask_arrays_are_split_as_one_matrix():
    found = splitting.compare_splits(da.from_array(Y, chunks=(17, 5)), 3, random_state=4)
    wanted = splitting.compare_splits(Y, 3, random_state=4)
    np.testing.assert_array_equal(found.subsets, wanted.subsets)
    np.testing.assert_array_equal(found.quality.positives, wanted.quality.positives)
