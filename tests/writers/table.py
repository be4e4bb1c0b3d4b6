"""Write csv and parquet tables, for round trips."""

import csv
import io

import pyarrow as pa
from pyarrow import parquet


def csv_bytes(columns, *, delimiter=",", newline="\n", encoding="utf-8", missing=""):
    """Return a csv file of lists by column name; None is a missing value."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=newline)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([missing if cell is None else _cell(cell) for cell in row])
    return text.getvalue().encode(encoding)


def parquet_bytes(columns):
    """Return a parquet file of lists by column name; None is null."""
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def _cell(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
