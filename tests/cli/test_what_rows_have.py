"""The table of docs/command_line.md: what rows have, and the commands that take it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labelwise.cli.running import load_command
from tests.cli.shell import run_program

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"
NAMES = ["sea", "sky"]
# What a column of the table is called among the options.
OPTIONS = {
    "groups": ("--groups",),
    "ids": ("--ids",),
    "weights": ("--weights",),
    "missing labels": (),
    "texts": ("--text", "--texts"),
}
STUDY = """measures = ["micro-accuracy"]
groups = "patient"
weights = "times"
[datasets]
mine = { load = "full.csv", labels = ["sea", "sky"], ids = "id", text = "words" }
[models.br]
class = "sklearn.pipeline.Pipeline"
params.steps = [
    ["features", { class = "labelwise.features.TableFeatures" }],
    ["tree", { class = "sklearn.tree.DecisionTreeClassifier" }],
]
[splits.cv]
class = "labelwise.splitting.MultilabelStratifiedKFold"
params = { n_splits = 2 }
"""


def table():
    """Return the cells of each command, by the heading of their column."""
    text = PAGE.read_text().split("(what-rows-have)=")[1].split("\n- ")[0]
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    heads, *rows = lines
    return {row[0].strip("`"): dict(zip(heads[1:], row[1:], strict=True)) for row in rows}


@pytest.mark.parametrize("command", [name for name in table() if name != "compare"])
def test_the_table_names_the_options_of_a_command(command):
    known = {option for one in load_command(command).params for option in one.opts}
    for kind, cell in table()[command].items():
        named = [one for one in OPTIONS[kind] if f"`{one}`" in cell]
        assert named == [one for one in OPTIONS[kind] if one in known], (command, kind)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of rows with ids, patients, weights, words and missing labels."""
    path = tmp_path_factory.mktemp("rows")
    draw = np.random.default_rng(0)
    truth = pd.DataFrame(draw.random((40, 2)) < 0.5, columns=NAMES).astype(int)
    beside = pd.DataFrame({"patient": np.arange(40) // 2, "times": np.arange(40) % 3 + 1})
    ids = pd.DataFrame({"id": [f"r{i}" for i in range(40)]})
    words = pd.DataFrame({"words": [f"{'wave' if sea else 'cloud'} {sea}" for sea in truth.sea]})
    full = pd.concat([ids, words, beside, truth], axis=1)
    full.to_csv(path / "full.csv", index=False)
    gaps = full.astype({"sea": object})
    gaps.loc[[3, 8], "sea"] = ""
    gaps.to_csv(path / "data.csv", index=False)
    gaps.drop(columns="words").to_csv(path / "labels.csv", index=False)
    scores = truth * 0.5 + draw.random(truth.shape)
    pd.concat([ids, scores], axis=1)[::-1].to_csv(path / "scores.csv", index=False)
    pd.concat([ids, words], axis=1).to_csv(path / "words.csv", index=False)
    (path / "study.toml").write_text(STUDY)
    return path


# In an order in which each command finds the files of those before.
RUNS = {
    "tune": ("scores.csv", "labels.csv", "--groups", "patient", "--weights", "times", "-o t.json"),
    "decide": ("t.json", "scores.csv", "-o d.csv"),
    "evaluate": (
        *("labels.csv", "--scores scores.csv --decided d.csv --bootstrap 5"),
        *("--groups", "patient", "--weights", "times"),
    ),
    "report": (
        *("scores.csv", "labels.csv", "--texts words.csv", "-o p.html"),
        *("--groups", "patient", "--weights", "times"),
    ),
    "split": (
        *("data.csv", "--labels sea,sky --text words --folds 2 -o f.csv"),
        *("--groups", "patient"),
    ),
    "fit": (
        *("data.csv", "--labels sea,sky --text words --learner br -o m.skops"),
        *("--groups", "patient", "--weights", "times"),
    ),
    "audit": (
        *("t.json", "scores.csv", "--calibrate scores.csv labels.csv --texts words.csv"),
        *("--labels sea,sky", "--groups", "patient", "--cells 20 -o a.csv"),
    ),
    "compare": ("study.toml",),
}


def test_every_command_takes_what_the_table_says(folder):
    assert set(RUNS) == set(table())
    for command, words in RUNS.items():
        given = " ".join(words).split()
        for kind in ("groups", "weights"):
            asked = re.search(rf"`(--)?{kind}`", table()[command][kind]) is not None
            assert command == "compare" or asked == (f"--{kind}" in given)
        ids = () if command == "compare" else ("--ids", "id")
        done = run_program(folder, command, *given, *ids)
        assert done.code == 0, (command, done.stderr)
    patients = pd.read_csv(folder / "data.csv")["patient"]
    subsets = pd.read_csv(folder / "f.csv")["subset"]
    assert subsets.groupby(patients).nunique().max() == 1
    assert "patient" not in (folder / "d.csv").read_text()
    assert set(pd.read_csv(folder / "a.csv")["words"]) <= {"wave 1", "cloud 0"}
