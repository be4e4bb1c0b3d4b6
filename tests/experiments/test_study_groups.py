"""Rows of a group stay in one fold of a study, and in the folds inside of its models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GroupKFold, KFold

from labelwise.data import Dataset
from labelwise.experiments import Study, read_results
from labelwise.splitting import MultilabelStratifiedKFold
from tests.cli.shell import run_program

PATIENTS = np.arange(40) // 4


class Memory(BaseEstimator):
    """Decides the labels of the nearest training row; stores the groups that `fit` gets."""

    def fit(self, X, Y, groups=None):
        self.X_, self.Y_, self.groups_ = X, Y, groups
        return self

    def predict(self, X):
        return self.Y_[np.abs(X[:, :1] - self.X_[:, 0]).argmin(axis=1)]


def rows():
    """Rows of a patient are near each other and have the same random labels."""
    Y = (np.random.default_rng(0).random((10, 3)) < 0.5)[PATIENTS]
    X = np.arange(40.0)[:, None]
    return Dataset(X, Y, name="patients", ids={"patient": [f"p{i}" for i in PATIENTS]})


def study(**changed):
    seen = []

    def known(outcome):
        groups = outcome.model.groups_
        seen.append((outcome.train_indices, outcome.test_indices, groups))
        return 1.0

    settings = {"measures": {"micro-f": "micro-f", "known": known}, "groups": "patient"}
    splits = {"cv": MultilabelStratifiedKFold(4), "by group": GroupKFold(2)}
    return Study([rows()], {"near": Memory()}, splits, **(settings | changed)), seen


def test_rows_of_a_group_are_in_the_same_fold(tmp_path):
    planned, seen = study()
    found = planned.run(tmp_path / "s")
    assert found.failed == ()
    assert len(seen) == 6
    for train, test, groups in seen:
        assert not set(PATIENTS[train]) & set(PATIENTS[test])
        assert len(set(groups)) == len(set(PATIENTS[train]))
    apart = study(groups=None, measures=["micro-f"])[0]
    apart.splits.pop("by group")
    loose = apart.run(tmp_path / "s2").summary()
    values = [next(iter(one.spreads.values())).mean for one in (found.summary(), loose)]
    assert values[0] < 0.8 < values[1]


def test_cells_with_and_without_groups_are_different(tmp_path):
    with_groups = {cell.key for cell in study(measures=["micro-f"])[0].plan().cells}
    splits = {"cv": KFold(2)}
    models, measures = {"near": Memory()}, ["micro-f"]
    plain = Study([rows()], models, splits, measures).plan()
    grouped = Study([rows()], models, splits, measures, groups="patient").plan()
    assert {cell.key for cell in plain.cells}.isdisjoint(cell.key for cell in grouped.cells)
    assert with_groups


def test_a_data_set_without_the_column_is_refused():
    data = Dataset(np.eye(4), np.eye(4, 2), name="small")
    with pytest.raises(ValueError, match="groups must name a column of identifiers of 'small'"):
        Study([data], {"near": Memory()}, {"cv": KFold(2)}, ["micro-f"], groups="patient").plan()


def test_a_study_file_names_the_column_of_a_table(tmp_path):
    table = pd.DataFrame(
        {"x": PATIENTS + np.arange(40) / 100, "patient": PATIENTS, "sea": rows().Y.toarray()[:, 0]}
    )
    table.to_csv(tmp_path / "data.csv", index=False)
    text = """datasets = { mine = { load = "data.csv", labels = ["sea"] } }
measures = ["micro-accuracy"]
groups = "patient"
[models.near]
class = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = 1 }
[splits.cv]
class = "labelwise.splitting.MultilabelStratifiedKFold"
params = { n_splits = 4 }
"""
    (tmp_path / "study.toml").write_text(text)
    done = run_program(tmp_path, "compare", "study.toml")
    assert done.code == 0, done.stderr
    honest = read_results(tmp_path / "study.sqlite").rows()
    assert np.mean([row["value"] for row in honest]) < 0.9
    (tmp_path / "study.toml").write_text(text.replace('groups = "patient"', ""))
    assert run_program(tmp_path, "compare", "study.toml", "--anew").code == 0
