"""Paired values of tidy rows and other forms, and their means."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from labelwise.experiments import Study, average_ranks, paired_values, summarize

ROWS = [
    {
        "dataset": data,
        "model": model,
        "split": "iterative",
        "fold": fold,
        "seed": 0,
        "measure": measure,
        "value": value + fold,
    }
    for data, model, value in [("d", "a", 1), ("d", "b", 2), ("e", "a", 3), ("e", "b", 4)]
    for fold in (0, 1)
    for measure in ("hamming-loss", "micro-f")
]
FORMS = {
    "array": np.array([[1.5, 2.5], [3.5, 4.5]]),
    "lists": [[1.5, 2.5], [3.5, 4.5]],
    "mapping": {"a": [1.5, 3.5], "b": [2.5, 4.5]},
    "mapping of mappings": {"a": {"d": 1.5, "e": 3.5}, "b": {"e": 4.5, "d": 2.5}},
    "pandas": pd.DataFrame({"a": [1.5, 3.5], "b": [2.5, 4.5]}),
    "polars": pl.DataFrame({"a": [1.5, 3.5], "b": [2.5, 4.5]}),
    "tidy rows": ROWS,
    "tidy pandas": pd.DataFrame(ROWS),
    "tidy polars": pl.DataFrame(ROWS),
    "tidy arrow": pa.Table.from_pylist(ROWS),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_values(form):
    found = paired_values(FORMS[form], measure="micro-f")
    np.testing.assert_array_equal(found.values, [[1.5, 2.5], [3.5, 4.5]])
    assert found.higher_is_better
    assert paired_values(found) is found
    if form.startswith("tidy") or form == "mapping of mappings":
        assert (found.blocks, found.methods) == (("d", "e"), ("a", "b"))


def test_known_measures_have_a_direction_and_others_need_the_argument():
    assert average_ranks(ROWS, measure="micro-f").to_dict() == {"a": 2, "b": 1}
    assert average_ranks(ROWS, measure="hamming-loss").to_dict() == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="higher_is_better must be given if measure is not given"):
        average_ranks([[1, 2]])
    with pytest.raises(ValueError, match="must be given for 'seconds'"):
        average_ranks([[1, 2]], measure="seconds")


def test_columns_of_tidy_rows_can_be_compared_over_any_others():
    found = paired_values(ROWS, measure="micro-f", over=("dataset", "fold"))
    assert found.blocks == ("d / 0", "d / 1", "e / 0", "e / 1")
    turned = paired_values(ROWS, measure="micro-f", of="dataset", over="model")
    assert turned.methods == ("d", "e")


def test_results_of_a_study_are_compared_as_they_come(tmp_path):
    models = {"near": KNeighborsClassifier(1), "tree": DecisionTreeClassifier(max_depth=1)}
    study = Study(["digits"], models, {"fixed": "train-test"}, ["micro-f", "hamming-loss"])
    results = study.run(tmp_path / "store.sqlite")
    assert average_ranks(results, measure="micro-f").to_dict() == {"near": 1, "tree": 2}
    by_hand = paired_values(results.rows(), measure="micro-f").values
    np.testing.assert_array_equal(paired_values(results, measure="micro-f").values, by_hand)
    assert summarize(results, by="model").by == ("model", "measure")


def test_missing_cells_are_refused_by_name_or_dropped_and_said():
    values = {"a": {"d": 1.0, "e": np.nan, "f": 2.0}, "b": {"d": 2.0, "e": 1.0}}
    with pytest.raises(ValueError, match="2 of 6 are missing, the first for a on e"):
        paired_values(values, measure="micro-f")
    found = paired_values(values, measure="micro-f", missing="drop")
    assert (found.blocks, found.dropped) == (("d",), ("e", "f"))
    assert "Left out, as a value is missing: e, f." in repr(found)
    with pytest.raises(ValueError, match="one complete data set, got 2 and 0"):
        paired_values({"a": [None], "b": [1.0]}, measure="micro-f", missing="drop")


def test_a_lacking_fold_or_an_undefined_value_makes_the_cell_missing():
    for rows in (ROWS[:-1], [*ROWS[:-1], {**ROWS[-1], "value": None}]):
        with pytest.raises(ValueError, match="1 of 4 are missing, the first for b on e"):
            paired_values(rows, measure="micro-f")
        assert paired_values(rows, measure="micro-f", missing="drop").dropped == ("e",)


def test_rows_that_cannot_be_averaged_are_refused():
    other = [{**row, "split": "random"} for row in ROWS]
    with pytest.raises(ValueError, match="must have one 'split', got several"):
        paired_values([*ROWS, *other], measure="micro-f")
    with pytest.raises(ValueError, match="each cell once"):
        paired_values([*ROWS, ROWS[1]], measure="micro-f")
    with pytest.raises(ValueError, match="measure must be one of hamming-loss, micro-f, got None"):
        paired_values(ROWS)
    with pytest.raises(ValueError, match="of must name a column"):
        paired_values(ROWS, measure="micro-f", of="method")
    with pytest.raises(ValueError, match="must be different columns"):
        paired_values(ROWS, measure="micro-f", of="dataset")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "values must be 2-D"),
        ([["a", "b"]], "values must be numbers"),
        ({"a": [1], "b": [1, 2]}, "equal lengths for all methods"),
        ([[1], [2]], "at least two methods"),
        ([{"value": 1}], "must have the column 'measure'"),
    ],
)
def test_what_is_no_table_is_refused(values, message):
    with pytest.raises((ValueError, TypeError), match=message):
        paired_values(values, measure="micro-f")
    with pytest.raises(ValueError, match="missing must be"):
        paired_values(values, measure="micro-f", missing="skip")


def test_summary_gives_mean_and_sample_deviation_and_counts_the_undefined():
    rows = [*ROWS, {**ROWS[0], "fold": 2, "value": np.nan}]
    found = summarize(rows)
    assert found.by == ("dataset", "model", "split", "measure")
    assert found.spreads["d", "b", "iterative", "micro-f"] == (2.5, pytest.approx(0.5**0.5), 2, 0)
    gone = found.spreads["d", "a", "iterative", "hamming-loss"]
    assert np.isnan(gone.mean)
    assert (gone.n, gone.n_undefined) == (3, 1)
    assert "1 values are undefined" in repr(found)
    assert np.isnan(summarize(ROWS[:1]).spreads["d", "a", "iterative", "hamming-loss"].deviation)
    assert len(summarize(ROWS, by="model").spreads) == 4
    with pytest.raises(ValueError, match="by must name columns"):
        summarize(ROWS, by="nothing")
    with pytest.raises(TypeError, match="rows must be"):
        summarize([[1, 2]])
