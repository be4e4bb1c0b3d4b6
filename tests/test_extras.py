"""An installation without extras: arrays work, and a missing package is named with its extra."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import zarr
from pyarrow import parquet

import labelwise
from labelwise._extras import EXTRA_OF
from labelwise.learners import BinaryRelevance

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
# No import finds the packages of extras, as if they were not installed.
HIDDEN = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(EXTRA_OF)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
import importlib.util
found = importlib.util.find_spec
def find_spec(name, package=None):
    return None if name.partition(".")[0] in {sorted(EXTRA_OF)!r} else found(name, package)
importlib.util.find_spec = find_spec
import labelwise._extras
"""
ARRAYS = """
import numpy as np
from labelwise.decisions import Thresholds, TunedThresholds, best_thresholds, review_bands
from labelwise.learners import BestLearner, BinaryRelevance
from labelwise.measures import evaluate
from labelwise.splitting import assign

rng = np.random.default_rng(0)
scores = rng.random((80, 3))
Y = (scores + rng.normal(0, 0.3, scores.shape) > 0.6).astype(int)
found = best_thresholds(scores, Y, maximize="macro-f", shrink="auto")
found.save("t.json")
assert (Thresholds.load("t.json").decide(scores) == found.decide(scores)).all()
assert best_thresholds("scores.npy", "labels.npy").value > 0
evaluate(Y, scores=scores, decided=found.decide(scores))
review_bands(scores, Y, min_precision=0.9)
assign(Y, 3, random_state=0)
TunedThresholds(BinaryRelevance()).fit(scores, Y).predict(scores)
BestLearner(["br"], random_state=0).fit(scores, Y).predict(scores)
"""
# Progress is drawn on a terminal by a package of the extra cli.
STUDY = """
import sys
from labelwise import data, experiments, learners, splitting

sys.stderr.isatty = lambda: True
experiments.Study(
    {"generated": data.make_multilabel(60, random_state=0)[0]},
    {"br": learners.BinaryRelevance()},
    {"folds": splitting.MultilabelStratifiedKFold(2)},
    ["micro-f"],
).run(store="study")
"""
DOORS = {
    "data.load('data.csv', labels='b')": "files",
    "data.load('data.arff')": "files",
    "data.read_scores('data.csv')": "files",
    "data.load('texts.jsonl', labels='labels')": "files",
    "data.read_labels('data.csv')": "files",
    "decisions.best_thresholds('scores.parquet', 'scores.parquet')": "files",
    "thresholds.decide('scores.npy', output='decided.parquet')": "files",
    "thresholds.decide('scores.npy', output='decided.zarr')": "cluster",
    "decisions.best_thresholds('scores.zarr', 'scores.zarr')": "cluster",
    "features.TableFeatures().fit([[1.0]])": "files",
    "features.TextTerms().fit(['ships at sea'])": "files",
    "experiments.read_results('study').to_table()": "files",
    "labelwise.save(learners.BinaryRelevance(), 'other.skops')": "save",
    "labelwise.load('model.skops')": "save",
    "reports.write_report(measures.evaluate([[1]], decided=[[1]]), 'page.html')": "reports",
    "reports.write_report(reports.Desk([[1.0], [0.0]], [[1], [0]]), 'page.html')": "reports",
    "reports.ThresholdDisplay.from_predictions([[1], [0]], [[0.5], [0.2]])": "reports",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files that can be read only with an extra, and two arrays."""
    folder = tmp_path_factory.mktemp("extras")
    (folder / "data.csv").write_text("a,b\n1,0\n2,1\n")
    (folder / "data.arff").write_text(
        "@relation 'r: -C 1'\n@attribute b {0,1}\n@attribute a numeric\n@data\n1,2\n0,3\n"
    )
    (folder / "data.xml").write_text("<labels><label name='b'></label></labels>")
    labelwise.save(BinaryRelevance(), folder / "model.skops")
    parquet.write_table(pa.table({"a": [0.0, 1.0]}), folder / "scores.parquet")
    zarr.create_array(str(folder / "scores.zarr"), shape=(2, 1), dtype="f8")
    (folder / "texts.jsonl").write_text('{"text": "ships", "labels": ["sea"]}\n')
    scores = np.random.default_rng(0).random((30, 2))
    np.save(folder / "scores.npy", scores)
    np.save(folder / "labels.npy", (scores > 0.5).astype(np.int8))
    return folder


def run(program, folder):
    command = [sys.executable, "-c", HIDDEN + program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_each_extra_is_the_one_of_the_project():
    declared = {
        re.split(r"[^\w-]", requirement)[0]: extra
        for extra in ("files", "cli", "reports", "save", "cluster")
        for requirement in EXTRAS[extra]
        if not requirement.startswith("labelwise")
    }
    assert declared == EXTRA_OF


def test_arrays_need_no_extra(folder):
    done = run(ARRAYS, folder)
    assert done.returncode == 0, done.stderr


def test_a_study_on_a_terminal_needs_no_extra(folder):
    done = run(STUDY, folder)
    assert done.returncode == 0, done.stderr


def test_a_missing_package_is_named_with_its_extra(folder):
    run(STUDY, folder)
    program = f"""
import labelwise
from labelwise import data, decisions, experiments, features, learners, measures, reports
thresholds = decisions.best_thresholds('scores.npy', 'labels.npy')
for door in {list(DOORS)!r}:
    try:
        eval(door)
        print("nothing was missing")
    except ImportError as error:
        print(error)
"""
    done = run(program, folder)
    assert done.returncode == 0, done.stderr
    said = dict(zip(DOORS, done.stdout.splitlines(), strict=True))
    for door, extra in DOORS.items():
        sentence = (
            r".+ needs \w+, which is not installed: python3 -m pip install 'labelwise\[{}\]'\."
        )
        assert re.fullmatch(sentence.format(extra), said[door]), (door, said[door])


def test_the_program_says_what_it_needs(folder):
    done = run("from labelwise.cli import main; main()", folder)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "labelwise: the command line needs typer, which is not installed: "
        "python3 -m pip install 'labelwise[cli]'."
    ]


@pytest.mark.parametrize(
    "words",
    [
        "tune scores.npy labels.npy -o plotted.json --plot f.png",
        "evaluate labels.npy --scores scores.npy --plot f.svg",
        "select data.svm --curve -o f.png",
        "results study.sqlite --figure f.svg",
        "demo",
    ],
)
def test_a_figure_needs_its_extra_before_any_work_is_done(folder, words):
    hidden = HIDDEN.replace(repr(sorted(EXTRA_OF)), "['matplotlib']")
    program = f"""
sys.argv = ["labelwise", *{words.split()!r}]
from labelwise.cli import main
main()
"""
    command = [sys.executable, "-c", hidden + program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        "needs matplotlib, which is not installed: python3 -m pip install 'labelwise[reports]'."
    )
    assert not (folder / "plotted.json").exists()
