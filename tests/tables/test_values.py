"""Columns as text: the ids of a parquet file are those that a csv file has."""

from datetime import datetime

import pandas as pd
import pyarrow as pa
import pytest

from labelwise._tables import as_written, texts

DAYS = [datetime(2024, 1, 31), None, datetime(1969, 5, 1)]
TIMES = [datetime(2024, 1, 31, 5, 30), datetime(1969, 5, 1)]
FRACTIONS = [datetime(2024, 1, 31, 5, 30, 0, 250_000)]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("times", [DAYS, TIMES], ids=["days", "times"])
def test_times_are_written_as_pandas_writes_them_to_a_csv_file(times, unit, tmp_path):
    column = pa.chunked_array([pa.array(times, pa.timestamp(unit))])
    path = tmp_path / "times.csv"
    pd.DataFrame({"time": times}).to_csv(path, index=False)
    written = pd.read_csv(path, dtype=str, keep_default_na=False)["time"].tolist()
    assert texts(column).tolist() == written


def test_fractions_of_seconds_and_time_zones_stay():
    column = pa.chunked_array([pa.array(FRACTIONS, pa.timestamp("ms"))])
    assert as_written(column).to_pylist() == ["2024-01-31 05:30:00.250"]
    column = pa.chunked_array([pa.array(DAYS[:1], pa.timestamp("ns", "UTC"))])
    assert as_written(column).to_pylist() == ["2024-01-31 00:00:00Z"]


def test_whole_numbers_are_written_without_a_point():
    column = pa.chunked_array([pa.array([1.0, 20.0, None])])
    assert texts(column).tolist() == ["1", "20", ""]
