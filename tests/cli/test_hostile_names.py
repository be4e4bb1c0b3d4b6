"""Names of labels, features and files that would like to control the terminal or a sheet."""

import csv
import os
import subprocess
import sys
from unicodedata import category

import numpy as np
import pytest
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.experiments import Study, read_results
from tests.cli.shell import refusal, run

LABELS = [
    "\x1b]0;owned\x07",
    "\u202eyks",
    "\x9b2J",
    "new\nline",
    "[red]sun[/]",
    "[/]",
    "l" * 100_000,
]
FEATURES = ["\x1b[2J", "=1+1", "f\rg", "t" * 100_000]


def write(path, names, rows):
    with path.open("w", newline="", encoding="utf-8") as lines:
        csv.writer(lines).writerows([names, *rows])
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    random = np.random.default_rng(0)
    Y = random.integers(0, 2, (40, len(LABELS)))
    Y[:, 2] = 0
    X = random.poisson(1.0, (40, len(FEATURES)))
    scores = np.round(Y + random.normal(size=Y.shape), 3)
    whole = [[*x, *y] for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    write(folder / "data.csv", [*FEATURES, *(f"y {name}" for name in LABELS)], whole)
    write(folder / "truth.csv", LABELS, Y.tolist())
    write(folder / "scores.csv", LABELS, scores.tolist())
    return folder


def check_harmless(text):
    kinds = {category(c) for c in text if c not in "\n\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn"}
    assert len(text) < 20_000


def commands(files):
    data = ("--labels", "y *")
    yield ("describe", files / "data.csv", *data)
    yield ("split", files / "data.csv", *data, "--folds", 2)
    yield ("select", files / "data.csv", *data, "-n", 4, "-o", files / "few.svm")
    yield ("tune", files / "scores.csv", files / "truth.csv", "-o", files / "t.json")
    yield ("decide", files / "t.json", files / "scores.csv", "-o", files / "decided.csv")
    yield ("evaluate", files / "truth.csv", "--scores", files / "scores.csv")
    yield ("report", files / "scores.csv", files / "truth.csv", "-o", files / "page.html")
    yield ("fit", files / "data.csv", *data, "--learner", "br", "-o", files / "model.skops")
    yield ("predict", files / "model.skops", files / "data.csv", *data, "-o", files / "p.csv")


@pytest.mark.filterwarnings("ignore:Y has one class only")
def test_no_command_prints_what_controls_a_terminal(files):
    for words in commands(files):
        done = CliRunner().invoke(app, list(map(str, words)))
        assert done.exit_code == 0, (words, done.exception)
        check_harmless(done.output)


def test_names_are_cut_where_they_are_printed_and_whole_where_they_are_written(files, tmp_path):
    thresholds, decided = tmp_path / "t.json", tmp_path / "decided.csv"
    shown = run("tune", files / "scores.csv", files / "truth.csv", "-o", thresholds)
    assert "\\x1b]0;owned\\x07" in shown
    assert "[red]sun[/]" in shown
    assert "(100,000 characters)" in shown
    run("decide", thresholds, files / "scores.csv", "-o", decided)
    with decided.open(newline="", encoding="utf-8") as lines:
        assert next(csv.reader(lines)) == LABELS


def test_refusals_are_one_harmless_line(files, tmp_path, monkeypatch, capsys):
    other = write(tmp_path / "other.csv", LABELS[:-1], [[0.5] * (len(LABELS) - 1)] * 40)
    for name in ("x\x1b[2J\n.csv", "\u202e.csv", "x" * 100_000 + ".csv", "[/red].csv"):
        check_harmless(refusal(monkeypatch, capsys, "describe", tmp_path / name))
        check_harmless(refusal(monkeypatch, capsys, "tune", tmp_path / name, files / "truth.csv"))
    told = refusal(monkeypatch, capsys, "tune", other, files / "truth.csv")
    check_harmless(told)
    assert "lacks label 'lll" in told


def test_a_file_name_that_is_no_text_is_printed(files, tmp_path):
    folder = os.fsencode(tmp_path)
    (tmp_path / "data.csv").write_bytes((files / "data.csv").read_bytes())
    program = [sys.executable, "-c", "from labelwise.cli import main; main()"]
    words = [b"split", folder + b"/data.csv", b"--labels", b"y *", b"-o", folder + b"/a\xff\n.csv"]
    done = subprocess.run([*program, *words], capture_output=True, check=True)
    assert done.stdout.splitlines()[-1].endswith(b"/a\\udcff\\n.csv")


def test_a_terminal_without_the_letters_gets_escapes(files):
    program = [sys.executable, "-c", "from labelwise.cli import main; main()", "describe"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    words = [str(files / "data.csv"), "--labels", "y *"]
    subprocess.run([*program, *words], env=environment, capture_output=True, check=True)


def results(folder):
    from sklearn.neighbors import KNeighborsClassifier

    from labelwise.data import make_multilabel
    from labelwise.splitting import MultilabelStratifiedKFold

    data, _ = make_multilabel(30, random_state=0)
    models = {"=near": KNeighborsClassifier(), "\x1b[2Jfar": KNeighborsClassifier(5000)}
    splits = {"+cv": MultilabelStratifiedKFold(2)}
    return Study({"@data\n": data}, models, splits, ["micro-f"]).run(folder / "store.sqlite")


def test_results_are_printed_and_exported_harmlessly(tmp_path):
    found = results(tmp_path)
    check_harmless(repr(found))
    check_harmless(run("results", tmp_path / "store.sqlite"))
    for safe, mark in ((False, ""), (True, "'")):
        found.export(tmp_path / "rows.csv", safe_csv=safe)
        with (tmp_path / "rows.csv").open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert rows[0]["dataset"] == f"{mark}@data\n"
        assert rows[0]["model"] == f"{mark}=near"
        assert rows[0]["split"] == f"{mark}+cv"
        assert [float(row["value"]) for row in rows] == [row["value"] for row in found.rows()]
    assert read_results(tmp_path / "store.sqlite").n_done == 2


def test_a_safe_csv_file_has_no_formulas_and_the_same_numbers(tmp_path, monkeypatch, capsys):
    names = ["id", "=cmd", "-1", "@x", "sea"]
    rows = [["+r0", -0.5, 1.5, 2, -3], ["r1", 0.25, -1, 2, 3]]
    scores = write(tmp_path / "scores.csv", names, rows)
    truth = write(tmp_path / "truth.csv", names, [["+r0", 0, 1, 1, 0], ["r1", 1, 0, 1, 1]])
    thresholds = tmp_path / "t.json"
    run("tune", scores, truth, "-o", thresholds)
    decide = ("decide", thresholds, scores, "-o")
    run(*decide, tmp_path / "plain.csv")
    run(*decide, tmp_path / "safe.csv", "--safe-csv")
    plain, safe = (
        list(csv.reader((tmp_path / f"{word}.csv").read_text().splitlines()))
        for word in ("plain", "safe")
    )
    assert plain[0] == names
    assert safe[0] == ["id", "'=cmd", "'-1", "'@x", "sea"]
    assert [row[0] for row in safe[1:]] == ["'+r0", "r1"]
    assert [row[1:] for row in safe[1:]] == [row[1:] for row in plain[1:]]
    told = refusal(monkeypatch, capsys, *decide, tmp_path / "d.npz", "--safe-csv")
    assert told == "labelwise: --safe-csv is for csv files, and this command writes none.\n"


def test_the_names_of_selected_terms_can_be_made_safe(files, tmp_path):
    words = ("select", files / "data.csv", "--labels", "y *", "-n", 4, "-o", tmp_path / "few.svm")
    for safe, name in (((), "=1+1"), (("--safe-csv",), "'=1+1")):
        run(*words, *safe, "--force")
        with (tmp_path / "few-columns.csv").open(newline="") as lines:
            assert name in [row["name"] for row in csv.DictReader(lines)]
