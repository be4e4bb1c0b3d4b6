"""Rows of results in files: texts that a spreadsheet would run are safe where asked for."""

import pytest
from pyarrow import csv, parquet

from tests.experiments.small_studies import Frequent, study


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    models = {"=1+1": Frequent(), "plain": Frequent(0.2)}
    return study(models=models).run(tmp_path_factory.mktemp("rows") / "cells.sqlite")


@pytest.mark.parametrize(("safe_csv", "first"), [(False, "=1+1"), (True, "'=1+1")])
def test_numbers_are_exact_and_formulas_are_safe_where_asked_for(
    results, tmp_path, safe_csv, first
):
    results.export(tmp_path / "rows.csv", safe_csv=safe_csv)
    read = csv.read_csv(tmp_path / "rows.csv")
    assert set(read["model"].to_pylist()) == {first, "plain"}
    assert read["value"].to_pylist() == results.to_table()["value"].to_pylist()


def test_parquet_has_texts_as_they_are(results, tmp_path):
    results.export(tmp_path / "rows.parquet", safe_csv=True)
    assert parquet.read_table(tmp_path / "rows.parquet").equals(results.to_table())


def test_another_ending_is_refused_before_anything_is_written(results, tmp_path):
    with pytest.raises(ValueError, match=r"path must end with \.parquet or \.csv"):
        results.export(tmp_path / "rows.txt")
    assert not list(tmp_path.iterdir())
