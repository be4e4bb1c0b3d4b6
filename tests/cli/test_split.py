"""`labelwise split` writes subsets and shows how fair they are."""

import csv
import re
from pathlib import Path

import numpy
import numpy as np
import pytest
import sklearn.model_selection

from labelwise.splitting import assign
from tests.cli.shell import refusal, run, run_program
from tests.splitting.problems import correlated

Y = correlated(40, 3, seed=0)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "tiny.csv"
    rows = "".join(f"{i},{','.join(map(str, row))}\n" for i, row in enumerate(Y))
    path.write_text("x,label_sea,label_sky,label_sun\n" + rows)
    return str(path)


def split(table, *options):
    return run("split", table, "--labels", "label_*", *options)


def test_the_file_has_the_subset_of_each_row(table, tmp_path):
    output = tmp_path / "folds.csv"
    shown = split(table, "--folds", 4, "--method", "balanced", "--seed", 3, "-o", output)
    with output.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["row"]) for row in rows] == list(range(40))
    expected = assign(Y, 4, method="balanced", random_state=3)
    assert np.array_equal([int(row["subset"]) for row in rows], expected)
    for word in ("balanced (chosen)", "random", "labelset", "iterative", "FLZ", str(output)):
        assert word in shown
    assert "worst label label_s" in shown


def test_holdouts_come_by_proportions(table):
    shown = split(table, "--proportions", "0.5,0.25,0.25", "--method", "pairs")
    assert "pairs (chosen)" in shown
    assert "subsets of 10 to 20 rows; worst label" in shown
    assert "subsets of 10 rows; worst label" in split(table, "--folds", 4)


def test_wrong_proportions_are_refused_before_anything_is_written(table, tmp_path):
    output = tmp_path / "folds.csv"
    with pytest.raises(ValueError, match="--proportions must be numbers separated by commas"):
        split(table, "--proportions", "a half", "-o", output)
    with pytest.raises(ValueError, match=r"proportions must sum to 1, got 0\.7"):
        split(table, "--proportions", "0.5,0.2", "-o", output)
    assert not output.exists()


def test_the_columns_of_the_table_are_explained_under_it(table):
    lines = split(table, "--folds", 4).splitlines()
    legend = next(line for line in lines if line.startswith("Smaller is better. "))
    for word in ("LD: ", "ED: ", "FZ: ", "FLZ: "):
        assert word in legend


@pytest.mark.parametrize("folds", [500, 1])
def test_too_many_or_too_few_folds_are_refused_as_folds(table, monkeypatch, capsys, folds):
    told = refusal(monkeypatch, capsys, "split", table, "--labels", "label_*", "--folds", folds)
    assert told == f"labelwise: --folds must be from 2 to the number of rows, 40, got {folds}.\n"


@pytest.mark.parametrize("names", [[f"p{i % 13}" for i in range(40)], [i % 13 for i in range(40)]])
def test_rows_of_a_group_stay_together(tmp_path, names):
    path, output = tmp_path / "groups.csv", tmp_path / "folds.csv"
    rows = "".join(
        f"{i},{name},{','.join(map(str, row))}\n"
        for i, (name, row) in enumerate(zip(names, Y, strict=True))
    )
    path.write_text("x,patient,label_sea,label_sky,label_sun\n" + rows)
    options = ("--labels", "label_*", "--folds", "3", "-o", output)
    shown = run("split", path, *options, "--groups", "patient")
    assert "labelset" not in shown
    with output.open() as lines:
        found = {(names[int(row["row"])], row["subset"]) for row in csv.DictReader(lines)}
    assert len(found) == 13


def test_groups_do_not_hide_which_columns_are_identifiers(small_folder):
    lines = (small_folder / "labels.csv").read_text().splitlines()
    rows = [f"p{i % 5},{line}" for i, line in enumerate(lines[1:])]
    (small_folder / "groups.csv").write_text("\n".join([f"patient,{lines[0]}", *rows]))
    words = ("split", "groups.csv", "--labels", "sea,sky", "--folds", "2", "--groups", "patient")
    noted = "labelwise: note: 'id' taken as identifiers, not as features (--ids).\n"
    assert run_program(small_folder, *words).stderr == noted
    assert run_program(small_folder, *words, "--ids", "id").stderr == ""


def test_a_row_without_a_group_is_refused(tmp_path, monkeypatch, capsys):
    path = tmp_path / "groups.csv"
    path.write_text("patient,label_sea\na,1\nb,0\n,1\nc,0\na,1\n")
    told = refusal(
        monkeypatch,
        capsys,
        "split",
        path,
        "--labels",
        "label_*",
        "--folds",
        2,
        "--groups",
        "patient",
    )
    assert told == "labelwise: --groups 'patient' has no value in row 2.\n"


def test_a_column_of_groups_that_does_not_exist_is_refused(table, monkeypatch, capsys):
    told = refusal(monkeypatch, capsys, "split", table, "--labels", "label_*", "--groups", "y")
    assert "--groups must name a column of " in told
    assert "tiny.csv that is not its ids: 'x', 'label_sea', 'label_sky', " in told


def test_scikit_learn_reads_the_folds_back_as_help_and_page_say(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("split", table, "--labels", "label_*", "--folds", "4", "-o", "folds.csv")
    page = Path(__file__).parents[2] / "docs" / "stages" / "splitting.md"
    lines = re.search(r"\n(folds = .*?)```", page.read_text(), re.DOTALL)[1]
    for line in lines.splitlines():
        assert line in run("split", "--help")
    known = {"numpy": numpy, "sklearn": sklearn}
    exec(lines, known)
    expected = assign(Y, 4, random_state=0)
    for fold, (_, test) in enumerate(known["cv"].split()):
        assert np.array_equal(test, np.flatnonzero(expected == fold))
