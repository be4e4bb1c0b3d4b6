"""Options that name a column, such as --groups: a refusal names option, rule and what came."""

import numpy as np
import pandas as pd
import pytest

from tests.cli.shell import run_program

NAMES = ["sea", "sky"]
BESIDE = ("--ids", "id", "--labels", "sea,sky")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("columns")
    draw = np.random.default_rng(0)
    truth = pd.DataFrame(draw.integers(0, 2, (30, 2)), columns=NAMES)
    table = pd.DataFrame({"id": [f"r{i}" for i in range(30)], "patient": np.arange(30) // 3})
    table = table.assign(times=1, size=draw.normal(size=30).round(2), **truth)
    table.to_csv(path / "data.csv", index=False)
    changes = {"text": "many", "negative": -1, "gap": None}
    for name, value in changes.items():
        wrong = table.astype({"times": object})
        wrong.loc[7, "times"] = value
        wrong.to_csv(path / f"{name}.csv", index=False)
    scores = (truth + draw.normal(size=truth.shape)).assign(id=table["id"])
    scores.to_csv(path / "scores.csv", index=False)
    truth.assign(id=table["id"]).to_csv(path / "decided.csv", index=False)
    np.save(path / "labels.npy", truth.to_numpy())
    np.savez(path / "labels.npz", matrix=truth, label_names=NAMES, ids=table["id"].astype(str))
    return path


def commands(data):
    return {
        "tune": ("scores.csv", data),
        "evaluate": (data, "--scores", "scores.csv"),
        "report": ("scores.csv", data, "-o", "page.html"),
        "fit": (data, "--learner", "br", "-o", "model.skops"),
        "split": (data, "-o", "folds.csv", "--folds", "3"),
    }


every_command = pytest.mark.parametrize("command", commands(""))


def refused(folder, command, data, *words):
    done = run_program(folder, command, *commands(data)[command], *words)
    assert done.code in (1, 2), done.stdout
    return done.stderr.splitlines()[-1]


@every_command
def test_a_column_that_is_not_there_is_answered_with_a_near_one(folder, command):
    told = refused(folder, command, "data.csv", "--groups", "patiant", *BESIDE)
    assert told.startswith("labelwise: --groups must name a column of data.csv that is not its ids")
    assert told.endswith("got 'patiant', did you mean 'patient'?")


@every_command
def test_a_label_cannot_be_the_group(folder, command):
    told = refused(folder, command, "data.csv", "--groups", "sky", *BESIDE)
    assert told == "labelwise: --labels must not name 'sky', which is the column of --groups."


@pytest.mark.parametrize("command", ["tune", "evaluate", "report"])
@pytest.mark.parametrize("data", ["labels.npy", "labels.npz"])
def test_a_matrix_has_no_column_of_groups(folder, command, data):
    told = refused(folder, command, data, "--groups", "patient", "--by-position")
    assert told == (
        f"labelwise: {data}: must be a csv, JSON lines or parquet table with --groups, which names "
        "a column beside the labels."
    )


@pytest.mark.parametrize("command", ["tune", "evaluate", "report", "fit"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("text.csv", "--weights must name a column of numbers, got 'many' in row 7."),
        ("negative.csv", "not negative, and not zero everywhere, got -1 at row 7."),
        ("gap.csv", "--weights 'times' has no value in row 7."),
    ],
)
def test_a_wrong_weight_is_named_with_its_row(folder, command, data, said):
    told = refused(folder, command, data, "--weights", "times", *BESIDE)
    assert told.startswith("labelwise: --weights ")
    assert told.endswith(said)


def test_one_group_has_no_interval(folder):
    table = pd.read_csv(folder / "data.csv").assign(patient="all")
    table.to_csv(folder / "one.csv", index=False)
    words = ("evaluate", "one.csv", "--decided", "decided.csv", "--groups", "patient", *BESIDE)
    done = run_program(folder, *words, "--bootstrap", "5")
    assert "--groups must be at least 2 for intervals, got 1." in done.stderr
    assert run_program(folder, *words).code == 0


@pytest.mark.parametrize("text", [(), ("--text", "words")], ids=["numbers", "texts"])
def test_lists_of_cells_have_all_columns_of_ids(folder, text):
    table = pd.read_csv(folder / "data.csv")
    table["words"] = np.where(table["sea"] == 1, "wave of water", "cloud of air")
    table = table if text else table.drop(columns="words")
    table.to_csv(folder / "train.csv", index=False)
    fit = ("fit", "train.csv", *BESIDE, *text, "--groups", "patient", "--learner", "br")
    done = run_program(folder, *fit, "-o", "model.skops", "--force")
    assert done.code == 0, done.stderr
    table.drop(columns=NAMES)[::-1].to_csv(folder / "new.csv", index=False)
    predict = ("predict", "model.skops", "new.csv", "--ids", "id,patient")
    done = run_program(folder, *predict, "--why", "1", "-o", "why.csv", "--force")
    assert done.code == 0, done.stderr
    found = pd.read_csv(folder / "why.csv").drop_duplicates("id").set_index("id")
    assert len(found)
    wanted = table.set_index("id").loc[found.index, "patient"]
    assert found["patient"].tolist() == wanted.tolist()
    for ids in ("key", "id,key"):
        words = ("predict", "model.skops", "new.csv", "-o", "no.csv", "--ids", ids)
        assert "new.csv: has no column 'key'" in run_program(folder, *words).stderr
    run_program(folder, *predict, "-o", "wide.csv", "--force")
    assert pd.read_csv(folder / "wide.csv").columns.tolist() == ["id", *NAMES]


def blocks(folder, name, values, alike):
    """Write 40 patients of 10 rows each, whose labels are alike or not."""
    draw = np.random.default_rng(1)
    patients = np.repeat(np.arange(40), 10)
    share = draw.random((40, 2)).round()[patients] if alike else 0.5
    labels = pd.DataFrame(draw.random((400, 2)) < 0.1 + 0.8 * share, columns=NAMES).astype(int)
    table = pd.DataFrame({"id": [f"r{i}" for i in range(400)], "patient": values[patients]})
    table = table.assign(born=1900 + values[patients] % 97, size=draw.normal(size=400), **labels)
    table.to_csv(folder / name, index=False)


def block_notes(folder, command, name, *words):
    given = {"fit": ("--learner", "br", "-o", "m.skops", "--force")}.get(command, ())
    done = run_program(folder, command, name, "--labels", "sea,sky", *given, *words)
    assert done.code == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "in blocks of rows" in line]


@pytest.mark.parametrize("command", ["describe", "split", "fit"])
def test_a_number_of_blocks_with_labels_alike_is_remarked_on(folder, command):
    numbers = np.random.default_rng(0).permutation(40) * 7919
    blocks(folder, "alike.csv", numbers, alike=True)
    (told,) = block_notes(folder, command, "alike.csv")
    assert "'patient' (40 values) repeats in blocks of rows: if rows of a value" in told
    if command != "describe":
        assert block_notes(folder, command, "alike.csv", "--groups", "patient") == []


def test_rows_that_are_sorted_by_a_number_are_no_groups(folder):
    blocks(folder, "sorted.csv", np.arange(40), alike=False)
    assert block_notes(folder, "describe", "sorted.csv") == []
