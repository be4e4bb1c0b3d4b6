"""Weights of a study: models are fitted with them, and measures count rows by them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import Dataset
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.experiments import Study, read_results
from tests.cli.shell import run_program

N_TIMES = np.arange(40) % 3 + 1
X = np.random.default_rng(0).random((40, 2))
Y = np.random.default_rng(1).random((40, 3)) < 0.4
MEASURES = ["micro-f", "macro-f", "sample-f", "hamming-loss", "micro-auc"]


class Parts:
    """Two folds of given rows."""

    def __init__(self, is_first):
        self.is_first = is_first

    def get_n_splits(self, X=None, y=None, groups=None):  # noqa: ARG002
        return 2

    def split(self, X, y=None, groups=None):  # noqa: ARG002
        for is_test in (self.is_first, ~self.is_first):
            yield np.flatnonzero(~is_test), np.flatnonzero(is_test)


def values(data, is_first, folder, **options):
    models = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    study = Study([data], models, {"parts": Parts(is_first)}, MEASURES, **options)
    results = study.run(folder / "s.sqlite", resume=False)
    assert results.failed == ()
    return [row["value"] for row in results.rows()]


def test_a_row_of_weight_n_counts_as_n_rows(tmp_path):
    is_first = np.arange(40) < 20
    weighted = Dataset(X, Y, name="rows", ids={"seen": N_TIMES.astype(str)})
    repeated = Dataset(*(np.repeat(part, N_TIMES, axis=0) for part in (X, Y)), name="rows")
    found = values(weighted, is_first, tmp_path, weights="seen")
    expected = values(repeated, np.repeat(is_first, N_TIMES), tmp_path)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    alike = values(weighted, is_first, tmp_path)
    assert not np.allclose(found, alike)


def test_measures_of_the_user_get_the_weights_of_the_test_samples(tmp_path):
    data = Dataset(X, Y, name="rows", ids={"seen": N_TIMES.astype(str)})
    study = Study(
        [data],
        {"tree": DecisionTreeClassifier()},
        {"cv": KFold(2)},
        {"total": lambda outcome: outcome.sample_weight.sum()},
        weights="seen",
    )
    totals = [row["value"] for row in study.run(tmp_path / "s.sqlite").rows()]
    assert totals == [N_TIMES[:20].sum(), N_TIMES[20:].sum()]


def test_thresholds_around_a_model_without_weights_are_weighted(tmp_path):
    data = Dataset(X, Y, name="rows", ids={"seen": N_TIMES.astype(str)})
    near = KNeighborsClassifier()
    models = {
        "tuned": TunedThresholds(near, cv=2),
        "both": TunedThresholds(CalibratedLabels(near, method="sigmoid", cv=2), cv=2),
    }
    is_weighted = {"weighted": lambda outcome: outcome.model.thresholds_.evidence.weighted}
    study = Study([data], models, {"cv": KFold(2)}, is_weighted, weights="seen")
    results = study.run(tmp_path / "s.sqlite")
    assert [row["value"] for row in results.rows()] == [1.0] * 4
    told = "sample_weight counts for the {} only: the fit of KNeighborsClassifier takes none."
    assert {text.removeprefix("UserWarning: ") for text in results.warnings} == {
        told.format("thresholds"),
        told.format("calibration"),
    }


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("heavy", "weights must name a column of identifiers of 'rows', which has 'seen', got"),
        ("seen", "weights must name a column of numbers, got 'seen'"),
    ],
)
def test_wrong_columns_are_refused(column, message):
    data = Dataset(X, Y, name="rows", ids={"seen": ["often"] * 40})
    models = {"tree": DecisionTreeClassifier()}
    with pytest.raises(ValueError, match=message):
        Study([data], models, {"cv": KFold(2)}, MEASURES, weights=column).plan()


def test_a_study_file_names_the_columns_of_a_table(tmp_path):
    labels = {"sea": Y[:, 0] * 1, "sky": Y[:, 1] * 1}
    columns = {"nr": np.arange(40), "x": X[:, 0], "seen": N_TIMES} | labels
    pd.DataFrame(columns).to_csv(tmp_path / "data.csv", index=False)
    text = """datasets = { mine = { load = "data.csv", labels = ["sea", "sky"], ids = "nr" } }
measures = ["micro-accuracy"]
weights = "seen"
[models.near]
class = "sklearn.neighbors.KNeighborsClassifier"
[models.tree]
class = "sklearn.tree.DecisionTreeClassifier"
[splits.cv]
class = "sklearn.model_selection.KFold"
params = { n_splits = 2 }
"""
    (tmp_path / "study.toml").write_text(text)
    done = run_program(tmp_path, "compare", "study.toml")
    assert done.code == 0, done.stderr
    told = "weights count for the measures only: the fit of KNeighborsClassifier takes none."
    results = read_results(tmp_path / "study.sqlite")
    assert results.warnings == {f"UserWarning: {told}": 2}
    by_hand = [
        np.average(
            KNeighborsClassifier().fit(X[~part, :1], Y[~part, :2]).predict(X[part, :1])
            == Y[part, :2],
            weights=np.repeat(N_TIMES[part, None], 2, axis=1),
        )
        for part in (np.arange(40) < 20, np.arange(40) >= 20)
    ]
    found = [row["value"] for row in results.rows() if row["model"] == "near"]
    np.testing.assert_allclose(found, by_hand)
