"""labelwise tune and decide with --slices, and tune with --weights."""

import json

import numpy as np
import pytest

from labelwise.decisions import Thresholds, best_thresholds
from labelwise.measures import count, f_measure, micro
from tests.cli.shell import notes, refusal, run

N = 90
RANDOM = np.random.default_rng(0)
Y = (RANDOM.random((N, 2)) < 0.4).astype(int)
PLACES = RANDOM.choice(["north", "south"], N)
SCORES = np.round(Y + (PLACES == "south")[:, None] + 0.5 * RANDOM.normal(size=Y.shape), 3)
COLUMNS = ("--slices", "place", "--labels", "sea,sky")
WEIGHTS = RANDOM.integers(1, 4, N)


def table(path, columns):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = {"id": [f"r{i}" for i in range(N)]}
    of_rows = {"place": PLACES, "times": WEIGHTS}
    table(tmp_path / "labels.csv", ids | {"sea": Y[:, 0], "sky": Y[:, 1]} | of_rows)
    table(tmp_path / "scores.csv", ids | {"sea": SCORES[:, 0], "sky": SCORES[:, 1]})
    # Rows in another order, with the slice beside the scores.
    back = slice(None, None, -1)
    new = {"id": ids["id"][back], "place": PLACES[back]}
    new |= {"sky": SCORES[back, 1], "sea": SCORES[back, 0]}
    table(tmp_path / "new.csv", new)
    return tmp_path


def test_rows_are_tuned_and_decided_by_slice(folder):
    columns = ("--slices", "place", "--weights", "times", "--shrink", "0")
    shown = run("tune", "scores.csv", "labels.csv", *columns, "-o", "t.json")
    assert "in 2 slices" in shown
    tuned = Thresholds.load("t.json")
    expected = best_thresholds(
        SCORES, Y, slices=PLACES, sample_weight=WEIGHTS, label_names=["sea", "sky"]
    )
    assert tuned.slices.values.tolist() == expected.slices.values.tolist()
    assert tuned.evidence.weighted
    run("decide", "t.json", "new.csv", "--slices", "place", "-o", "decided.csv")
    written = np.genfromtxt("decided.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert written.dtype.names == ("id", "sky", "sea")
    decided = expected.decide(SCORES, slices=PLACES)
    assert written["sea"].tolist() == decided[::-1, 0].tolist()
    assert written["sky"].tolist() == decided[::-1, 1].tolist()
    shown = run("evaluate", "labels.csv", "--decided", "decided.csv", *COLUMNS)
    assert "slice  samples  micro-precision" in shown
    by_slice = json.loads(
        run("evaluate", "labels.csv", "--decided", "decided.csv", *COLUMNS, "--json")
    )["slices"]
    north = PLACES == "north"
    counts = count(Y[north], decided[north])
    assert by_slice["north"]["micro-f"] == pytest.approx(micro(f_measure, counts))
    record = json.loads(run("tune", "scores.csv", "labels.csv", *columns, "--json"))
    assert record["slices"]["names"] == ["north", "south"]


def test_a_slice_that_was_not_tuned_on_gives_a_note(folder):
    run(
        "tune",
        "scores.csv",
        "labels.csv",
        "--slices",
        "place",
        "--labels",
        "sea,sky",
        "-o",
        "t.json",
    )
    table(folder / "new.csv", {"id": ["a"], "sea": [0.5], "sky": [0.5], "place": ["west"]})
    (said,) = notes("decide", "t.json", "new.csv", "--slices", "place", "-o", "d.csv")
    assert "1 sample of slices that were not tuned on: 'west'" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("tune", "scores.csv", "labels.csv", "--slices", "town"),
            "--slices must name a column of",
        ),
        (
            ("tune", "scores.csv", "labels.csv", "--weights", "place", *COLUMNS[2:]),
            "--weights must name a column",
        ),
        (
            ("tune", "scores.csv", "labels.csv", "--slices", "place", "--plot", "p.png"),
            "--plot does not go together with --slices",
        ),
        (("decide", "t.json", "new.csv", "-o", "d.csv"), "--slices must name a column: the thres"),
        (
            ("decide", "plain.json", "new.csv", "--slices", "place", "-o", "d.csv"),
            "--slices needs thresholds of labelwise tune --slices",
        ),
    ],
)
def test_wrong_columns_of_slices_are_refused(folder, monkeypatch, capsys, arguments, message):
    names = ["sea", "sky"]
    best_thresholds(SCORES, Y, slices=PLACES, label_names=names).save("t.json")
    best_thresholds(SCORES, Y, label_names=names).save("plain.json")
    assert message in refusal(monkeypatch, capsys, *arguments)
