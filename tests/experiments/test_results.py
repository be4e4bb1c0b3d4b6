"""Results: the rows of a store, their means, and files of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier

from labelwise.decisions import TunedThresholds
from labelwise.experiments import Results, read_results, summarize
from labelwise.experiments.running._cells import Cell, CellRecord, StudyInputs, StudyPlan
from labelwise.experiments.running._store import COLUMNS, Store
from tests.experiments.small_studies import Frequent, essence, study

COSTS = ("fit_seconds", "predict_seconds", "peak_memory")


def test_the_summary_is_that_of_the_rows(tmp_path):
    def own(outcome):
        return {"some": outcome.fold, "nan": np.nan if outcome.seed else 1.0}

    results = study(measures=["micro-f", {"own": own}]).run(tmp_path / "s.sqlite")
    expected = summarize(results.rows())
    assert results.summary().by == expected.by
    assert list(results.summary().spreads) == list(expected.spreads)
    for found, slow in zip(
        results.summary().spreads.values(), expected.spreads.values(), strict=True
    ):
        np.testing.assert_allclose(found, slow, rtol=1e-12)


def test_measures_may_differ_from_cell_to_cell(tmp_path):
    def own(outcome):
        return {f"only {outcome.fold}": outcome.seed}

    results = study(measures={"own": own}).run(tmp_path / "s.sqlite")
    assert results.measures == ("own/only 0", "own/only 1", "own/only 2")
    assert all(row["measure"][-1] == str(row["fold"]) for row in results.rows())
    assert {spread.n for spread in results.summary().spreads.values()} == {2}


def test_a_run_measures_time_memory_and_versions(tmp_path):
    row = study().run(tmp_path / "s.sqlite").rows()[0]
    assert all(row[name] > 0 for name in COSTS)
    assert row["numpy"] == np.__version__
    assert set(row) >= {"labelwise", "python", "scipy", "scikit-learn"}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_rows_are_the_rows(tmp_path, ending):
    results = study(undefined="nan").run(tmp_path / "s.sqlite")
    path = tmp_path / f"rows.{ending}"
    results.export(path)
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}[ending](path)
    expected = pd.DataFrame(results.rows())
    pd.testing.assert_frame_equal(read, expected, check_dtype=False, rtol=0, atol=0)


def test_other_endings_are_refused_and_nothing_is_written(tmp_path):
    results = study().run(tmp_path / "s.sqlite")
    with pytest.raises(ValueError, match=r"path must end with .parquet or .csv, got .*rows.xlsx"):
        results.export(tmp_path / "rows.xlsx")
    assert not (tmp_path / "rows.xlsx").exists()


def test_several_studies_in_one_store_are_distinguished(tmp_path):
    store = tmp_path / "s.sqlite"
    first = study().run(store)
    second = study(seeds=(5,), name="second").run(store)
    both = read_results(store)
    assert essence(both) == essence(second) + essence(first)
    assert both.summary().by[0] == "study"
    assert essence(read_results(store, study="second")) == essence(second)
    with pytest.raises(ValueError, match="study must be the name of a study in"):
        read_results(store, study="third")


def test_cells_of_older_settings_stay_in_the_store_but_are_not_shown(tmp_path):
    store = tmp_path / "s.sqlite"
    study(seeds=(0, 1, 2)).run(store)
    study(seeds=(0,)).run(store)
    results = read_results(store)
    assert {row["seed"] for row in results.rows()} == {0}
    seen = []
    assert study(seeds=(0, 1, 2)).run(store, progress=seen.append).n_done == 36
    assert seen == []
    with Store(store) as opened:
        assert {kind for kind, *_ in opened.settings("study")} == {
            "dataset",
            "direction",
            "model",
            "split",
        }


def test_nothing_found_prints_as_a_sentence():
    empty = Results({name: [] for name in COLUMNS}, {})
    assert repr(empty) == "0 of 0 cells are done."
    assert empty.rows() == []
    assert len(empty.summary().spreads) == 0


def test_a_cell_that_is_done_stays_as_it_is_and_a_failed_one_is_replaced(tmp_path):
    cell = Cell("k", "d", "m", "s", 0, 0)
    with Store(tmp_path / "s.sqlite") as store:
        store.start_run("study", StudyPlan(StudyInputs({}, {}, {}, {}, {}, "nan"), (cell,), ()))
        for values, error in (({}, "failed"), ({"m": 1.0}, None), ({"m": 2.0}, None), ({}, "late")):
            store.save([CellRecord("k", values, error, 0.0, 0.0, None, (), {})])
    (row,) = read_results(tmp_path / "s.sqlite").rows()
    assert row["value"] == 1.0


def test_parameters_of_models_and_splits_are_those_of_the_objects(tmp_path):
    models = {"tuned": TunedThresholds(KNeighborsClassifier(7), cv=3), "near": Frequent(shift=0.5)}
    splits = {"cv": KFold(3), "fixed": "train-test"}
    planned = study(models=models, splits=splits, name="study")
    found = planned.run(tmp_path / "s").parameters()
    stored = {(one["kind"], one["name"]): one for one in found}
    assert stored[("model", "near")]["parameters"] == "shift=0.5"
    tuned = stored[("model", "tuned")]
    assert tuned["class"] == "TunedThresholds"
    assert "cv=3, estimator=KNeighborsClassifier(" in tuned["parameters"]
    assert "n_neighbors=7" in tuned["parameters"]
    assert stored[("split", "cv")]["class"] == "KFold"
    assert stored[("split", "fixed")] == {
        "study": "study",
        "kind": "split",
        "name": "fixed",
        "class": "train-test",
        "parameters": "",
    }
