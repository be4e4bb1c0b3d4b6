"""Files of every released version load, and do what they did when they were written.

``formats`` has a folder for each release, written by that release, and one of the formats of today,
which later versions must read. Beside the files are the decisions and values of the writer.
"""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from labelwise import load
from labelwise._saving import _files
from labelwise._tuning._rule_files import BandFile, ProportionFile, ThresholdFile
from labelwise.decisions import Bands, Proportions, Thresholds
from labelwise.deployment import AuditPlan, Monitor
from labelwise.deployment._files import MonitorFile, PlanFile
from labelwise.experiments import read_results
from labelwise.experiments.running import _store_file
from tests.cli.shell import run_program

FORMATS = Path(__file__).parent / "formats"
FOLDERS = sorted(FORMATS.iterdir())
PAGE = Path(__file__).parents[2] / "docs" / "file_formats.md"


def written(path):
    """The decisions or values that the writer of a file stored beside it."""
    return json.loads((path.parent / "decided.json").read_text())[path.stem.removeprefix("model_")]


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name)
def folder(request):
    return request.param


def test_every_release_and_the_formats_of_today_are_here():
    assert [path.name for path in FOLDERS] == ["0.2.0", "current"]


def test_thresholds_and_bands_decide_as_they_did(folder):
    scores = np.loadtxt(folder / "scores.csv", delimiter=",")
    rules = [*folder.glob("thresholds*.json"), folder / "bands.json"]
    assert len(rules) >= 5
    for path in rules:
        kind = Bands if path.stem == "bands" else Thresholds
        rule = kind.load(path)
        assert rule.label_names == ("sea", "sky", "old town")
        if path.stem != "thresholds_sliced":
            assert np.asarray(rule.decide(scores)).tolist() == written(path)


def test_proportions_decide_as_they_did():
    folder = FORMATS / "current"
    rule = Proportions.load(folder / "proportions.json")
    assert rule.label_names == ("sea", "sky", "old town")
    scores = np.loadtxt(folder / "scores.csv", delimiter=",")
    assert rule.decide(scores).tolist() == written(folder / "proportions.json")


def test_files_that_are_saved_again_are_of_today(folder, tmp_path):
    for path in [*folder.glob("thresholds*.json"), folder / "bands.json"]:
        kind = Bands if path.stem == "bands" else Thresholds
        rule = kind.load(path)
        rule.save(tmp_path / path.name)
        assert repr(kind.load(tmp_path / path.name)) == repr(rule)


@pytest.mark.filterwarnings("ignore:.*scikit-learn")
def test_models_predict_as_they_did(folder):
    X = np.loadtxt(folder / "features.csv", delimiter=",")
    models = sorted(folder.glob("model_*.skops"))
    assert len(models) >= 2
    for path in models:
        assert load(path).predict(X).tolist() == written(path)


def test_stores_of_studies_have_the_values_that_they_had(folder, tmp_path):
    # Reading a store may write journals beside it.
    shutil.copy(folder / "study.sqlite", tmp_path)
    found = read_results(tmp_path / "study.sqlite").rows()
    wanted = json.loads((folder / "study.json").read_text())
    assert [{name: row[name] for name in wanted[0]} for row in found] == wanted
    assert run_program(tmp_path, "results", "study.sqlite").code == 0


def test_plans_and_monitors_load():
    plan, state = AuditPlan.load(FORMATS / "current/plan.json"), FORMATS / "current/monitor.json"
    assert len(plan.ids) == 20
    rule = Thresholds.load(FORMATS / "current/thresholds.json")
    assert Monitor.load(state, rule).n_samples == [80]


def test_the_page_on_formats_names_the_versions_that_are_written_and_read():
    text = PAGE.read_text()
    rows = dict(re.findall(r"^\| ([^|]+?) +\| +([\d, ]+?) +\|", text, re.MULTILINE))
    read = {
        "thresholds": sorted(ThresholdFile.later),
        "bands": sorted(BandFile.later),
        "proportions": sorted(ProportionFile.later),
        "plan of an audit": sorted(PlanFile.later),
        "state of a monitor": sorted(MonitorFile.later),
        "model": [_files.VERSION],
        "store of studies": [_store_file.FORMAT],
    }
    assert rows == {name: ", ".join(map(str, versions)) for name, versions in read.items()}
