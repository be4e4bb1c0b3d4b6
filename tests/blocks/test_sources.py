"""Rows of files and arrays in blocks, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

from labelwise._blocks._sources import (
    ArraySource,
    NpyFile,
    ParquetFiles,
    open_source,
    parquet_parts,
)
from labelwise.data import DataError
from tests.blocks.row_files import WRITERS

MATRIX = np.random.default_rng(0).random((11, 4)).astype(np.float32)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("together", [1, 3, 5, 11, 50])
def test_blocks_joined_are_the_matrix(kind, together, tmp_path):
    source = open_source(WRITERS[kind](tmp_path, "scores", MATRIX), "scores")
    assert source.shape == MATRIX.shape
    assert source.row_bytes == 16
    found = list(source.blocks(together))
    assert {len(block) for block in found[:-1]} <= {together}
    assert all(block.dtype == np.float32 and block.flags.c_contiguous for block in found)
    np.testing.assert_array_equal(np.concatenate(found), MATRIX)


@pytest.mark.parametrize("kind", WRITERS)
def test_rows_can_be_read_by_themselves(kind, tmp_path):
    source = open_source(WRITERS[kind](tmp_path, "scores", MATRIX), "scores")
    assert source.dtype == np.float32
    sizes = source.chunk_sizes(4)
    assert sum(sizes) == 11
    assert len(sizes) > 1
    for start, stop in [(0, 1), (2, 9), (5, 11), (0, 11)]:
        np.testing.assert_array_equal(source.rows(start, stop), MATRIX[start:stop])


def texts_of(source):
    """The ids of all rows."""
    return [text for part in source.ids() for text in part.to_pylist()]


LABELS = {"CA": [0, 1, 1, 0], "NY": [1, 1, 0, 0]}


@pytest.mark.parametrize("name", ["id", "Id", "ID", "row", "Row"])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("values", [[1, 0, 0, 1], [0.25, 1.0, 0.5, 0.0]], ids=str)
def test_a_label_called_id_is_a_label_in_any_column(tmp_path, name, place, values):
    columns = list(LABELS.items())
    columns.insert(place, (name, values))
    parquet.write_table(pa.table(dict(columns)), tmp_path / "a.parquet", row_group_size=2)
    source = open_source(tmp_path, "scores")
    assert source.names == tuple(dict(columns))
    assert source.id_name is None
    parquet.write_table(
        pa.table({"doc": ["a", "b", "c", "d"], **dict(columns)}), tmp_path / "a.parquet"
    )
    source = open_source(tmp_path, "scores")
    assert source.names == tuple(dict(columns))
    assert texts_of(source) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("columns", "ids", "name"),
    [
        ({"id": [7, 8, 9, 0], **LABELS}, None, "id"),
        ({"doc": ["r7", "r8", "r9", "r0"], **LABELS}, None, "doc"),
        ({**LABELS, "doc": ["r7", "r8", "r9", "r0"]}, None, "doc"),
        ({**LABELS, "__index_level_0__": [7, 8, 9, 0]}, None, "__index_level_0__"),
        ({"key": [7, 8, 9, 0], **LABELS}, "key", "key"),
        ({**LABELS, "key": [7, 8, 9, 0]}, ["nr", "key"], "key"),
        ({"doc": pa.array(["r7", "r8", "r9", "r0"]).dictionary_encode(), **LABELS}, None, "doc"),
        (LABELS, None, None),
    ],
)
def test_ids_are_found_or_named(tmp_path, columns, ids, name):
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=3)
    source = open_source(tmp_path, "scores", None, ids)
    assert source.id_name == name
    assert source.names == ("CA", "NY")
    assert [text.lstrip("r") for text in texts_of(source)] == (["7", "8", "9", "0"] if name else [])


def test_other_text_missing_ids_and_unknown_names_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"doc": ["a", None, "c", "d"], **LABELS}), path)
    with pytest.raises(DataError, match="has no value for 'doc'"):
        texts_of(open_source(path, "scores"))
    with pytest.raises(DataError, match="has no column 'key', but 'doc', 'CA', 'NY'"):
        open_source(path, "scores", None, "key")
    parquet.write_table(pa.table({"id": [3, 4, 5, 6], "note": list("abcd"), **LABELS}), path)
    with pytest.raises(DataError, match="has string in column 'note', not numbers"):
        open_source(path, "scores")
    assert open_source(path, "Y", ["CA", "NY"]).names == ("CA", "NY")


def test_numbers_of_several_types_become_the_widest(tmp_path):
    path = tmp_path / "scores.parquet"
    parquet.write_table(pa.table({"a": pa.array([1, 0], pa.int8()), "b": [0.5, 0.1]}), path)
    (block,) = open_source(path, "scores").blocks(9)
    assert block.dtype == np.float64


def test_arrays_in_the_other_byte_order_are_converted(tmp_path):
    np.save(tmp_path / "big.npy", MATRIX.astype(">f4"))
    (block,) = NpyFile(tmp_path / "big.npy").blocks(99)
    assert block.dtype == np.float32
    np.testing.assert_array_equal(block, MATRIX)


def test_files_that_are_not_matrices_are_refused(tmp_path):
    np.save(tmp_path / "flat.npy", MATRIX[0])
    np.save(tmp_path / "columns.npy", np.asfortranarray(MATRIX))
    np.save(tmp_path / "text.npy", np.array([["a"]]))
    (tmp_path / "short.npy").write_bytes((tmp_path / "columns.npy").read_bytes()[:-1])
    (tmp_path / "no.parquet").write_bytes(b"PAR1")
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "words.parquet")
    parquet.write_table(pa.table({"a": [1, None]}), tmp_path / "hole.parquet")
    (tmp_path / "empty").mkdir()
    for name, problem in {
        "flat.npy": "2-D array of numbers",
        "columns.npy": "column by column",
        "text.npy": "2-D array of numbers",
        "short.npy": "claims an array",
        "no.parquet": "is not a parquet file",
        "words.parquet": "no column of numbers",
        "hole.parquet": "no value in column 'a'",
        "empty": "must be an npy or parquet file",
        "missing.npy": "does not exist",
    }.items():
        with pytest.raises(DataError, match=problem):
            list(open_source(tmp_path / name, "scores").blocks(4))


def test_parts_of_a_folder_must_have_the_same_columns(tmp_path):
    parquet.write_table(pa.table({"a": [1.0]}), tmp_path / "1.parquet")
    parquet.write_table(pa.table({"b": [1.0]}), tmp_path / "2.parquet")
    with pytest.raises(DataError, match="other columns than 1"):
        ParquetFiles(tmp_path, parquet_parts(tmp_path))


def test_a_zarr_array_must_have_two_sides(tmp_path):
    import zarr

    zarr.create_array(str(tmp_path / "flat.zarr"), shape=(3,), dtype="f4")
    with pytest.raises(DataError, match="2-D array"):
        open_source(tmp_path / "flat.zarr", "scores")
    zarr.create_group(str(tmp_path / "group.zarr"))
    with pytest.raises(DataError, match="is not a zarr array"):
        open_source(tmp_path / "group.zarr", "scores")


def test_sparse_scores_and_flat_memory_maps_are_refused(tmp_path):
    with pytest.raises(ValueError, match="scores must be dense beside paths"):
        open_source(sparse.csr_array(np.eye(2)), "scores")
    np.save(tmp_path / "flat.npy", MATRIX[0])
    with pytest.raises(ValueError, match="must be 2-D"):
        open_source(np.load(tmp_path / "flat.npy", mmap_mode="r"), "scores")


def test_sparse_labels_are_read_by_rows():
    Y = sparse.csr_array(MATRIX > 0.5)
    found = [block.toarray() for block in ArraySource(Y).blocks(3)]
    np.testing.assert_array_equal(np.concatenate(found), MATRIX > 0.5)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = WRITERS["npy"](tmp_path, "scores", MATRIX)
    source = NpyFile(path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(DataError, match="ends before row 11"):
        list(source.blocks(11))
