"""Write the rows of results to csv and parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelwise._io import ending_of, written_whole
from labelwise._text import safe_cell


def write_rows(table: Any, path: str | Path, *, safe_csv: bool) -> None:
    """Write a pyarrow table in the format of the ending; on failure no file is left behind."""
    ending = ending_of(path, ".csv")
    if ending not in (".parquet", ".csv"):
        raise ValueError(f"path must end with .parquet or .csv, got {str(path)!r}.")
    with written_whole(path) as stream:
        if ending == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, stream)
        else:
            from pyarrow import csv

            csv.write_csv(_with_safe_texts(table) if safe_csv else table, stream)


def _with_safe_texts(table: Any) -> Any:
    """Return a table whose texts a spreadsheet program does not evaluate."""
    import pyarrow as pa

    for j, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            texts = [None if text is None else safe_cell(text) for text in column.to_pylist()]
            table = table.set_column(j, name, pa.array(texts, pa.string()))
    return table
