"""Matrices as rows that are read in blocks, and files of each format."""

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from labelwise._blocks import block_rows, open_source


def as_npy(folder, name, matrix):
    path = folder / f"{name}.npy"
    np.save(path, matrix)
    return path


def as_parquet(folder, name, matrix):
    path = folder / f"{name}.parquet"
    parquet.write_table(table_of(matrix), path, row_group_size=len(matrix) // 3 + 1)
    return path


def as_folder(folder, name, matrix):
    """Two parquet files with a column of ids."""
    path = folder / f"{name}_parts"
    path.mkdir()
    half = len(matrix) // 2
    for number, rows in enumerate((matrix[:half], matrix[half:])):
        table = table_of(rows).add_column(
            0, "id", pa.array([f"{number}-{i}" for i in range(len(rows))])
        )
        parquet.write_table(table, path / f"part-{number}.parquet")
    return path


def as_zarr(folder, name, matrix):
    import zarr

    path = folder / f"{name}.zarr"
    array = zarr.create_array(
        str(path), shape=matrix.shape, dtype=matrix.dtype, chunks=(len(matrix) // 3 + 1, 2)
    )
    array[:] = matrix
    return path


def table_of(matrix):
    return pa.table({f"label_{j}": matrix[:, j] for j in range(matrix.shape[1])})


WRITERS = {"npy": as_npy, "parquet": as_parquet, "folder": as_folder, "zarr": as_zarr}


def in_blocks(function, n_rows, /, *data, **options):
    """Call a function of scores and Y, or of Y alone, with `n_rows` rows at a time."""
    first = open_source(data[0], "scores" if len(data) == 2 else "Y")
    with block_rows(n_rows):
        return function(first, *data[1:], **options)
