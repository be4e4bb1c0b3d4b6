"""--json prints one document with the documented keys, and nothing else on the standard output."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import Dataset, write_svmlight
from labelwise.decisions import best_thresholds
from labelwise.experiments import Study
from labelwise.splitting import MultilabelStratifiedKFold
from tests.cli.shell import run_program

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"
LABELS = ("--labels", "sea,sky")
COMMANDS = {
    "describe": ("describe", "data.csv", *LABELS),
    "split": ("split", "data.csv", *LABELS, "--folds", "3", "-o", "folds.csv"),
    "select -n": ("select", "data.svm", "-n", "2", "--cut", "0"),
    "select --curve": ("select", "data.svm", "--curve", "--cut", "0", "--k", "5"),
    "learners": ("learners",),
    "fit": ("fit", "data.csv", *LABELS, "--time", "1", "-o", "m.skops"),
    "tune": ("tune", "scores.csv", "labels.csv", "-o", "t.json"),
    "tune --rule proportion": ("tune", "scores.csv", "labels.csv", "--rule", "proportion"),
    "tune --review": ("tune", "scores.csv", "labels.csv", "--review", "0.5", "-o", "b.json"),
    "adapt": ("adapt", "tuned.json", "labels.csv"),
    "evaluate": (
        *("evaluate", "labels.csv", "--scores", "scores.csv"),
        *("--decided", "labels.csv", "--per-label"),
    ),
    "results": ("results", "store.sqlite", "--measure", "micro-f"),
    "results --ranks": ("results", "store.sqlite", "--measure", "micro-f", "--ranks"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of each kind that the commands read."""
    made = tmp_path_factory.mktemp("made")
    random = np.random.default_rng(0)
    X = random.poisson(1.0, (40, 4)).astype(float)
    Y = (X[:, :2] + random.poisson(0.3, (40, 2)) > 1).astype(int)
    write_csv(made / "data.csv", "a,b,c,d,sea,sky", np.hstack([X, Y]))
    write_csv(made / "labels.csv", "sea,sky", Y)
    write_csv(made / "scores.csv", "sea,sky", np.round(Y + random.normal(size=Y.shape), 3))
    best_thresholds(Y.astype(float), Y, label_names=["sea", "sky"]).save(made / "tuned.json")
    data = Dataset(X, Y)
    write_svmlight(data, made / "data.svm")
    models = {"near": KNeighborsClassifier(), "tree": DecisionTreeClassifier()}
    splits = {"cv": MultilabelStratifiedKFold(2)}
    sets = {"first": data, "second": data.take(np.arange(20))}
    Study(sets, models, splits, ["micro-f", "macro-f"]).run(made / "store.sqlite")
    return made


def write_csv(path, names, rows):
    path.write_text(names + "\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows.tolist()))


def result(folder, name):
    done = run_program(folder, *COMMANDS[name], "--json", *(["--force"] * ("-o" in COMMANDS[name])))
    assert done.code == 0, done.stderr
    return json.loads(done.stdout)


def documented_keys(name):
    """The keys that the page lists for a command, as text such as "labels[].threshold"."""
    section = PAGE.read_text().split(f"\n### {name}\n")[1].split("\n##")[0]
    return set(re.findall(r"^- `([^`]+)`", section, re.MULTILINE))


def keys_of(value, before=""):
    """The keys of a document; those of a list are the keys of its first item."""
    found = set()
    for key, inner in value.items():
        found.add(f"{before}{key}")
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            found |= keys_of(inner[0], f"{before}{key}[].")
    return found


DEPLOYED = ("tuned.json", "labels.csv", "labels.csv")
EXAMPLES = {
    "audit --answers": ("audit", "--answers", "cells.csv"),
    "check": ("check", *DEPLOYED, "--at-least", "micro-f=0.1"),
    "monitor": ("monitor", *DEPLOYED, "--at-least", "micro-f=0.1", "--state", "state.json"),
    "expect": ("expect", *DEPLOYED[:2]),
    "doctor": ("doctor", "scores.csv", "labels.csv"),
}


def are_in(example, found):
    """Whether an example has no key that a document lacks, at any depth."""
    if isinstance(example, dict):
        return all(key in found and are_in(one, found[key]) for key, one in example.items())
    return not (isinstance(example, list) and example) or are_in(example[0], found[0])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_the_page_has_the_keys_of_the_command(folder, name):
    if name == "audit --answers":
        words = ("--cells", "9", "--at-least", "micro-f=0.3", "-o", "cells.csv", "--force")
        assert run_program(folder, "audit", *DEPLOYED[:2], *words).code == 0
    (folder / "state.json").unlink(missing_ok=True)
    found = json.loads(run_program(folder, *EXAMPLES[name], "--json").stdout)
    section = PAGE.read_text().split(f"\n### {name}\n")[1]
    example = json.loads(section.split("```json\n")[1].split("```")[0])
    assert set(example) == set(found)
    assert are_in(example, found)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_keys_are_those_of_the_page(folder, name):
    assert keys_of(result(folder, name)) == documented_keys(name)


def test_the_values_are_those_of_the_text(folder):
    tuned = result(folder, "tune")
    shown = run_program(folder, *COMMANDS["tune"], "--force").stdout
    assert tuned["measure"] == "f_measure"
    assert f"micro F {tuned['value']:.4f} on 40 samples" in shown
    for label in tuned["labels"]:
        assert re.search(rf"{label['label']} +{label['threshold']:.6g}", shown)
    found = result(folder, "evaluate")["measures"]["macro-auc"]["value"]
    assert f"{found:.4f}" in run_program(folder, *COMMANDS["evaluate"]).stdout


def test_messages_are_on_stderr(folder):
    done = run_program(folder, *COMMANDS["split"], "--json", "--force")
    assert done.stderr.endswith("written to folds.csv\n")


def test_a_number_that_json_lacks_is_null(folder):
    path = folder / "one.csv"
    path.write_text("sea,sky\n0,1\n0,0\n0,1\n")
    words = ("evaluate", "one.csv", "--scores", "one.csv", "--json")
    done = run_program(folder, *words, "--undefined", "nan")
    assert json.loads(done.stdout)["measures"]["macro-auc"]["value"] is None
    mean_of_defined = json.loads(run_program(folder, *words).stdout)["measures"]["macro-auc"]
    assert (mean_of_defined["value"], mean_of_defined["n_undefined"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tune", "scores.csv", "labels.csv", "-o", "-"), "--json cannot be given with an output"),
        (("results", "store.sqlite", "--latex"), "--latex and --json cannot be given together"),
    ],
)
def test_two_results_on_the_standard_output_are_refused(folder, words, said):
    done = run_program(folder, *words, "--json")
    assert (done.code, done.stdout) == (2, "")
    assert said in done.stderr
