"""Study files (`_study_file`, `_named_classes`): their meaning, and messages for wrong fields."""

import subprocess
import sys

import pytest
from sklearn.neighbors import KNeighborsClassifier

from labelwise.data import DataError
from labelwise.experiments import Study
from labelwise.experiments._study_file import _class

GOOD = """
name = "first"
datasets = ["digits"]
measures = ["micro-f", "coverage"]
seeds = [3, 4]

[models.knn]
class = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = 3 }

[models.tuned]
class = "labelwise.decisions.TunedThresholds"
params.cv = { class = "sklearn.model_selection.KFold", params = { n_splits = 2 } }
params.estimator.class = "sklearn.pipeline.Pipeline"
params.estimator.params.steps = [
    ["scale", { class = "sklearn.preprocessing.MaxAbsScaler" }],
    ["knn", { class = "sklearn.neighbors.KNeighborsClassifier" }],
]

[splits]
fixed = "train-test"

[splits.cv]
class = "labelwise.splitting.MultilabelStratifiedKFold"
params = { n_splits = 2, shuffle = true }
"""


def write(folder, text):
    path = folder / "study.toml"
    path.write_text(text)
    return path


def test_a_file_is_the_study_it_describes(tmp_path):
    lines = 'timeout = 600\nlower_is_better = ["coverage"]\n'
    study = Study.read(write(tmp_path, lines + GOOD))
    assert study.lower_is_better == ["coverage"]
    assert study.timeout == 600
    assert study.store == tmp_path / "study.sqlite"
    assert repr(study) == "Study 'first': 1 data sets x 2 models x 2 splits x 2 seeds"
    by_hand = Study(
        ["digits"],
        {"knn": KNeighborsClassifier(n_neighbors=3)},
        {"fixed": "train-test"},
        ["micro-f", "coverage"],
        seeds=(3, 4),
    )
    keys = {cell.key for cell in study.plan().cells}
    assert {cell.key for cell in by_hand.plan().cells} <= keys
    assert len(keys) == 2 * (1 + 2) * 2
    assert Study.read(tmp_path / "study.toml").seeds == (3, 4)


def test_paths_are_relative_to_the_file(tmp_path):
    (tmp_path / "my.csv").write_text("x,label_a,label_b\n" + "0.5,1,0\n0.25,0,1\n" * 20)
    text = GOOD.replace('datasets = ["digits"]', 'store = "kept/cells.db"').replace(
        "[models.knn]", '[datasets]\nmine = { load = "my.csv", labels = "label_*" }\n\n[models.knn]'
    )
    study = Study.read(write(tmp_path, text.replace('fixed = "train-test"', "")))
    assert study.store == tmp_path / "kept" / "cells.db"
    assert not study.run().failed


def test_the_size_of_data_files_can_be_limited_in_the_file_and_by_the_caller(tmp_path):
    (tmp_path / "my.csv").write_text("x,label_a,label_b\n" + "0.5,1,0\n0.25,0,1\n" * 20)
    text = GOOD.replace('datasets = ["digits"]', "max_bytes = 100").replace(
        "[models.knn]", '[datasets]\nmine = { load = "my.csv", labels = "label_*" }\n\n[models.knn]'
    )
    path = write(tmp_path, text.replace('fixed = "train-test"', ""))
    with pytest.raises(DataError, match="more than max_bytes=100 bytes"):
        Study.read(path).plan()
    study = Study.read(path, max_bytes=1_000_000)
    assert len(study.plan().cells) == 8


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = [3, 4]", "max_bytes = 0", r"max_bytes: Input should be greater than or equal"),
        ("seeds = [3, 4]", 'max_bytes = "1"', r"max_bytes: Input should be a valid integer"),
        ("seeds = [3, 4]", "sedes = [3]", r"study.toml: sedes: Extra inputs are not permitted"),
        ("seeds = [3, 4]", 'seeds = ["3"]', r"seeds.0: Input should be a valid integer"),
        ("seeds = [3, 4]", "seeds = [3, 3]", r"seeds must be distinct"),
        (
            "seeds = [3, 4]",
            'lower_is_better = ["micro-f"]',
            r"lower_is_better must not name 'micro-f'",
        ),
        ("seeds = [3, 4]", "timeout = 0", r"timeout must be from 0.1 to 1e\+07, got 0"),
        ('measures = ["micro-f", "coverage"]', "", r"measures: Field required"),
        ('"coverage"]', '"covrage"]', r"got 'covrage'"),
        ('datasets = ["digits"]', 'datasets = ["a/x", "b/x"]', r"datasets must be distinct"),
        ('datasets = ["digits"]', "datasets = []", r"datasets: List should have at least 1"),
        ("n_neighbors = 3", "n_neighbours = 3", r"models.knn: params are wrong for .*n_neighbours"),
        ('"sklearn.neighbors.KN', '"os.KN', r"models.knn: class must be of sklearn or labelwise"),
        ("KNeighborsClassifier", "KNeighborsGuesser", r"models.knn: class .* does not exist"),
        ("neighbors.KNeighborsClassifier", "utils.Bunch", r"must be a public estimator or splitt"),
        ("neighbors.KNeighborsClassifier", "svm.os.system", r"does not exist"),
        ("neighbors.KNeighborsClassifier", "base.clone", r"must be a public estimator or splitt"),
        ("neighbors.KNeighborsClassifier", "datasets.load_files", r"must be a public estimator"),
        ("neighbors.KNeighborsClassifier", "svm._base.BaseSVC", r"must be a public estimator"),
        ("neighbors.KNeighborsClassifier", "tree.tests.test_tree.T", r"must be a public estima"),
        ("neighbors.KNeighborsClassifier", "pipeline.Bunch", r"must be an estimator or a splitter"),
        ("neighbors.KNeighborsClassifier", "pipeline.clone", r"must be an estimator or a splitter"),
        ('"sklearn.neighbors.KN', '"sklearn.KN', r"must be a public estimator or splitter"),
        ("params = { n_neighbors = 3 }", "parms = {}", r"models.knn.parms: Extra inputs"),
        ('"sklearn.preprocessing', '"shutil', r"tuned: params.estimator.params.steps\[0\]\[1\]"),
        ("params.estimator.class", "params.estimator.clas", r"params.estimator.clas is not"),
        ('{ class = "sklearn.model_selection.KFold", ', "{ ", r"params.cv must have a class"),
        (
            "params.estimator.params.steps",
            "params.estimator.params.memory",
            r"params.memory cannot",
        ),
        ('fixed = "train-test"', 'fixed = "train"', r"splits\['fixed'\] must be"),
        ('fixed = "train-test"', "fixed = 3", r"splits.fixed: Input should be"),
        ("[models.knn]", "[models.knn", r"study.toml: is not a TOML file"),
    ],
)
def test_what_is_wrong_is_said_with_the_path_of_the_field(tmp_path, old, new, message):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(DataError, match=message):
        Study.read(path)


SEARCH = """
class = "sklearn.model_selection.GridSearchCV"
params.estimator.class = "sklearn.pipeline.Pipeline"
params.estimator.params.steps = [["knn", { class = "sklearn.neighbors.KNeighborsClassifier" }]]
params.param_grid = GRID
"""


@pytest.mark.parametrize(
    ("grid", "place"),
    [
        ('{ memory = ["cache"] }', "params.param_grid.memory"),
        ('[{ knn__p = [1] }, { memory = ["cache"] }]', "params.param_grid[1].memory"),
        ('{ outer__inner__memory = ["cache"] }', "params.param_grid.outer__inner__memory"),
        ("[[{ a = { memory = 1 } }]]", "params.param_grid[0][0].a.memory"),
        (
            '{ knn = [{ class = "sklearn.cluster.OPTICS", params = { memory = "cache" } }] }',
            "params.param_grid.knn[0].params.memory",
        ),
        ('{ text__input = ["content", "filename"] }', "params.param_grid.text__input"),
        ('{ text = { input = "file" } }', "params.param_grid.text.input"),
    ],
)
def test_no_file_or_folder_can_be_named_at_any_depth(tmp_path, grid, place):
    start, end = GOOD.index('class = "sklearn.neigh'), GOOD.index("[models.tuned]")
    path = write(tmp_path, GOOD[:start] + SEARCH.replace("GRID", grid) + GOOD[end:])
    with pytest.raises(DataError) as refused:
        Study.read(path)
    assert f"study.toml: models.knn: {place} cannot be given" in str(refused.value)


def test_every_estimator_of_scikit_learn_can_be_named():
    from sklearn.utils import all_estimators

    for name, kind in all_estimators():
        public = kind.__module__.split("._")[0]
        assert _class(f"{public}.{name}") is kind


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none.toml: does not exist"):
        Study.read(tmp_path / "none.toml")


def test_pydantic_and_dask_are_not_loaded_with_the_stage():
    program = "import sys, labelwise.experiments; print({'pydantic', 'dask'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
