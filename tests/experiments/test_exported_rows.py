"""Rows of results in files: texts that a spreadsheet would run are safe where asked for."""

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from labelwise.experiments._exported_rows import write_rows

TABLE = pa.table({"model": ["=1+1", "plain", None], "value": [0.1, 1 / 3, -2.0]})


@pytest.mark.parametrize(("safe_csv", "first"), [(False, "=1+1"), (True, "'=1+1")])
def test_numbers_are_exact_and_formulas_are_safe_where_asked_for(tmp_path, safe_csv, first):
    write_rows(TABLE, tmp_path / "rows.csv", safe_csv=safe_csv)
    read = csv.read_csv(tmp_path / "rows.csv")
    assert read["model"].to_pylist()[:2] == [first, "plain"]
    assert read["value"].to_pylist() == TABLE["value"].to_pylist()


def test_parquet_has_texts_as_they_are(tmp_path):
    write_rows(TABLE, tmp_path / "rows.parquet", safe_csv=True)
    assert parquet.read_table(tmp_path / "rows.parquet").equals(TABLE)


def test_another_ending_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match=r"path must end with \.parquet or \.csv"):
        write_rows(TABLE, tmp_path / "rows.txt", safe_csv=False)
    assert not list(tmp_path.iterdir())
