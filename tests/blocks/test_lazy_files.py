"""Files as dask arrays have the rows and names of the files."""

import numpy as np
import pandas as pd
import pytest

from labelwise._blocks import open_lazily
from tests.blocks.row_files import WRITERS

MATRIX = np.random.default_rng(0).random((11, 3))


@pytest.mark.parametrize("kind", WRITERS)
def test_the_rows_are_those_of_the_file(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("labelwise._blocks._dask.BLOCK_BYTES", 100)
    path = WRITERS[kind](tmp_path, "Y", MATRIX)
    arrays, names = open_lazily({"Y": path, "scores": None})
    assert list(arrays) == ["Y"]
    assert len(arrays["Y"].chunks[0]) > 1
    np.testing.assert_array_equal(arrays["Y"].compute(scheduler="synchronous"), MATRIX)
    assert names == (("label_0", "label_1", "label_2") if kind in ("parquet", "folder") else None)


def test_columns_are_in_the_order_of_the_labels(tmp_path):
    frame = pd.DataFrame(MATRIX, columns=["a", "b", "c"])
    frame.to_parquet(tmp_path / "scores.parquet")
    frame[["c", "a", "b"]].round().to_parquet(tmp_path / "Y.parquet")
    paths = {name: tmp_path / f"{name}.parquet" for name in ("scores", "Y")}
    arrays, names = open_lazily(paths)
    assert names == ("c", "a", "b")
    found = arrays["scores"].compute(scheduler="synchronous")
    np.testing.assert_array_equal(found, MATRIX[:, [2, 0, 1]])


def test_ids_are_checked_before_workers_read_the_files(tmp_path):
    frame = pd.DataFrame(MATRIX, columns=["a", "b", "c"])
    frame.insert(0, "doc", [f"r{i}" for i in range(11)])
    frame[::-1].to_parquet(tmp_path / "scores.parquet", index=False)
    frame.round({"a": 0, "b": 0, "c": 0}).to_parquet(tmp_path / "Y.parquet", index=False)
    paths = {name: tmp_path / f"{name}.parquet" for name in ("scores", "Y")}
    with pytest.raises(ValueError, match="got 'r10' and 'r0' as row 0"):
        open_lazily(paths)
