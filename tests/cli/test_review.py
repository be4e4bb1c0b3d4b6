"""tune --review, decide and evaluate with three states, from file to file."""

import csv
import json
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest
from scipy import sparse

from labelwise._tuning import parse_count
from labelwise.cli._cell_lists import queue_columns, row_columns, write_cells
from labelwise.cli.commands._evaluate import answered_states
from labelwise.decisions import Bands, best_thresholds, review_bands, review_measures
from labelwise.measures import evaluate
from tests.cli.shell import run_program

PROGRAM = [sys.executable, "-c", "from labelwise.cli import main; main()"]
NAMES = ["sea", "sky", "sun"]
RATES = ("--min-precision", "0.8", "--min-recall", "0.9")


def problem(seed=0, n_rows=80):
    random = np.random.default_rng(seed)
    Y = (random.random((n_rows, 3)) < [0.5, 0.3, 0.15]).astype(int)
    return np.round(1.5 * Y + random.normal(size=Y.shape), 2), Y


def table(path, values, names=NAMES, *, ids=True):
    rows = [[*([f"r{i}"] if ids else []), *row] for i, row in enumerate(values.tolist())]
    head = [*(["id"] if ids else []), *names]
    path.write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n")


def written(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def matrix(path):
    return np.array([[int(row[name]) for name in NAMES] for row in written(path)])


@pytest.fixture
def folder(tmp_path):
    scores, Y = problem()
    table(tmp_path / "s.csv", scores)
    table(tmp_path / "y.csv", Y)
    return tmp_path


@pytest.fixture
def decided(folder):
    """The folder with bands, decisions and the queue of new samples."""
    scores, Y = problem(1)
    table(folder / "new.csv", scores)
    table(folder / "truth.csv", Y)
    assert run_program(folder, "tune", "s.csv", "y.csv", "--review", "auto", *RATES, "-o", "b.json")
    words = ("decide", "b.json", "new.csv", "-o", "d.csv", "--queue", "q.csv")
    assert run_program(folder, *words).code == 0
    return folder


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (("--review", "0.25"), {"max_review": 0.25}),
        (("--review", "30"), {"max_review": 30}),
        (("--review", "30", "--min-recall", "0.9"), {"max_review": 30, "min_recall": 0.9}),
        (("--review", "auto", *RATES), {"min_precision": 0.8, "min_recall": 0.9}),
        (("--review", "auto", "--min-recall", "1"), {"min_recall": 1}),
        (("--review", "auto", "--cost", "1,5,0.2"), {"cost": (1, 5, 0.2)}),
    ],
    ids=str,
)
def test_the_file_has_the_bands_of_the_library(folder, words, arguments):
    done = run_program(folder, "tune", "s.csv", "y.csv", *words, "-o", "b.json")
    assert done.code == 0, done.stderr
    found, expected = Bands.load(folder / "b.json"), review_bands(*problem(), **arguments)
    np.testing.assert_array_equal(found.upper, expected.upper)
    np.testing.assert_array_equal(found.lower, expected.lower)
    assert found.label_names == tuple(NAMES)
    assert (
        f"about {expected.evidence.review_per_1000:,.0f} cells of 1,000 samples go to review"
        in done.stdout
    )
    assert "on new samples (cross-validation): precision" in done.stdout


def test_the_executable_tunes_decides_and_evaluates(folder):
    for words in (
        ("tune", "s.csv", "y.csv", "--review", "0.5", "-o", "b.json"),
        ("decide", "b.json", "s.csv", "-o", "d.csv", "--queue", "q.csv"),
        ("evaluate", "y.csv", "--decided", "d.csv"),
    ):
        done = subprocess.run(
            [*PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "if the person answers everything right:" in done.stdout


def test_the_column_of_a_label_has_three_states(decided):
    bands, (scores, _) = Bands.load(decided / "b.json"), problem(1)
    states = bands.decide(scores)
    assert set(np.unique(states)) == {-1, 0, 1}
    np.testing.assert_array_equal(matrix(decided / "d.csv"), states)


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "npy", "npz"])
def test_every_format_has_the_same_states_and_can_be_evaluated(decided, ending):
    words = ("decide", "b.json", "new.csv", "-o", f"d.{ending}")
    assert run_program(decided, *words).code == 0
    by_position = ("--by-position",) if ending == "npy" else ()
    shown = [
        run_program(decided, "evaluate", "truth.csv", "--decided", name, "--json", *options).stdout
        for name, options in (("d.csv", ()), (f"d.{ending}", by_position))
    ]
    assert json.loads(shown[0]) == json.loads(shown[1])


def test_the_queue_has_a_row_for_each_cell_to_review_in_the_order_of_the_library(decided):
    bands, (scores, _) = Bands.load(decided / "b.json"), problem(1)
    queue, rows = bands.queue(scores), written(decided / "q.csv")
    columns = ["id", "label", "score", "lower", "upper", "probability", "answer"]
    assert list(rows[0]) == columns
    assert {row["answer"] for row in rows} == {""}
    assert [row["id"] for row in rows] == [f"r{i}" for i in queue.rows]
    assert [row["label"] for row in rows] == [NAMES[j] for j in queue.labels]
    for row, score, j in zip(rows, queue.scores, queue.labels, strict=True):
        assert float(row["score"]) == score
        assert (float(row["lower"]), float(row["upper"])) == (bands.lower[j], bands.upper[j])
        assert float(row["lower"]) <= score < float(row["upper"])


def test_rows_without_ids_have_numbers_and_infinite_thresholds_are_empty(folder):
    scores, Y = problem()
    table(folder / "s.csv", scores, ids=False)
    table(folder / "y.csv", Y, ids=False)
    words = ("--review", "auto", "--min-precision", "0.9", "-o", "b.json")
    assert run_program(folder, "tune", "s.csv", "y.csv", *words).code == 0
    words = ("decide", "b.json", "s.csv", "-o", "d.csv", "--queue", "q.csv")
    assert run_program(folder, *words).code == 0
    rows = written(folder / "q.csv")
    assert {row["lower"] for row in rows} == {""}
    assert sorted({int(row["row"]) for row in rows})[0] == 0


def test_labels_in_another_order_and_dropped_labels_are_decided_and_queued_by_name(decided):
    scores, _ = problem(1)
    table(decided / "turned.csv", scores[:, [2, 0]], ["sun", "sea"])
    words = ("decide", "b.json", "turned.csv", "-o", "e.csv", "--queue", "p.csv")
    assert run_program(decided, *words, "--missing-labels", "drop").code == 0
    all_rows = written(decided / "q.csv")
    kept = [row for row in all_rows if row["label"] != "sky"]
    assert written(decided / "p.csv") == kept
    states = matrix(decided / "d.csv")
    found = written(decided / "e.csv")
    assert [int(row["sea"]) for row in found] == states[:, 0].tolist()
    assert [int(row["sun"]) for row in found] == states[:, 2].tolist()


def test_names_that_a_spreadsheet_would_run_are_written_safely(folder):
    scores, Y = problem()
    for name, values in (("s.csv", scores), ("y.csv", Y)):
        table(folder / name, values, ["=1+1", "sky", "sun"])
    assert (
        run_program(folder, "tune", "s.csv", "y.csv", "--review", "1.0", "-o", "b.json").code == 0
    )
    words = ("decide", "b.json", "s.csv", "-o", "d.npy", "--queue", "q.csv", "--safe-csv")
    assert run_program(folder, *words).code == 0
    assert "'=1+1" in {row["label"] for row in written(folder / "q.csv")}


def test_evaluate_measures_what_is_accepted_and_what_right_answers_make_of_the_rest(decided):
    (_, Y), states = problem(1), matrix(decided / "d.csv")
    done = run_program(decided, "evaluate", "truth.csv", "--decided", "d.csv", "--json")
    record = json.loads(done.stdout)
    expected = review_measures(Y, states)
    assert record["review"]["precision_accepted"] == expected.precision
    assert record["review"]["recall_accepted"] == expected.recall_accepted
    assert record["review"]["recall_kept"] == expected.recall
    assert record["review"]["share_reviewed"] == (states == -1).mean()
    assert record["review"]["rows_reviewed"] == (states == -1).any(axis=1).mean()
    answered = evaluate(Y, decided=np.where(states == -1, Y, states))
    for name in ("micro-f", "macro-recall", "hamming-loss"):
        assert record["measures"][name]["value"] == pytest.approx(answered.measured[name].value)
    assert record["measures"]["micro-precision"]["value"] == expected.precision_answered
    shown = run_program(decided, "evaluate", "truth.csv", "--decided", "d.csv").stdout
    assert shown.startswith(
        f"accepted: {expected.accepted} cells, precision {expected.precision:.4f}"
    )


def test_decisions_without_reviews_are_measured_as_before(folder):
    done = run_program(folder, "evaluate", "y.csv", "--decided", "y.csv", "--json")
    assert "review" not in json.loads(done.stdout)


def test_other_numbers_than_the_three_states_are_refused(decided):
    text = (decided / "d.csv").read_text().replace("-1", "-2", 1)
    (decided / "wrong.csv").write_text(text)
    done = run_program(decided, "evaluate", "truth.csv", "--decided", "wrong.csv")
    assert done.code == 1
    assert "must contain only 1, 0 and -1 for review, got -2" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--review", "auto"), "--review auto needs --min-precision, --min-recall or --cost."),
        (("--review", "few"), "--review must be a number, got 'few'."),
        (("--review", "1", "--shared"), "--review does not go together with --shared."),
        (("--review", "1", "--shrink", "0"), "--review does not go together with --shrink."),
        (("--review", "1", "--plot", "p.png"), "--review does not go together with --plot."),
        (("--review", "0", *RATES), "cells need a review."),
        (("--review", "-3"), "--review must be a whole number in total or a decimal number"),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(folder, words, said):
    done = run_program(folder, "tune", "s.csv", "y.csv", *words)
    assert (done.code, done.stdout) == (1 if "need a review" in said else 2, "")
    assert said in done.stderr


def test_a_queue_of_thresholds_is_refused_before_anything_is_written(folder):
    best_thresholds(*problem(), label_names=NAMES).save(folder / "t.json")
    done = run_program(folder, "decide", "t.json", "s.csv", "-o", "d.csv", "--queue", "q.csv")
    assert done.code == 2
    assert "--queue needs bands, which labelwise tune --review writes" in done.stderr
    assert not (folder / "d.csv").exists()


def test_rates_that_new_rows_will_not_keep_are_named(folder):
    words = ("--review", "auto", "--min-precision", "1", "--min-recall", "1")
    shown = run_program(folder, "tune", "s.csv", "y.csv", *words).stdout
    assert "Expect a recall of about 0.9" in shown
    assert "--min-recall 1 is met on the tuning samples only." in shown


def test_a_whole_number_is_a_total_and_a_decimal_number_a_mean_of_a_row():
    assert parse_count("3", "--review") == 3
    assert isinstance(parse_count("3.0", "--review"), float)


def test_decisions_without_reviews_have_no_answers():
    truth = sparse.csc_array([[True, False]])
    assert answered_states(truth, truth) is None
    answered = answered_states(truth, sparse.csc_array(np.array([[-1, -1]], dtype=np.int8)))
    assert answered.decided.toarray().tolist() == [[True, False]]


def test_an_empty_queue_is_a_file_with_a_heading(tmp_path):
    bands = review_bands([[0.1], [0.9]], [[0], [1]], min_precision=1, min_recall=1)
    queue = bands.queue([[0.1]])
    columns = row_columns(queue.rows, (None, "id"), {}) | queue_columns(queue, bands, ["0"])
    write_cells(tmp_path / "q.csv", columns)
    assert (tmp_path / "q.csv").read_text() == "row,label,score,lower,upper,probability\n"


def test_guaranteed_bands_are_tuned_and_say_so(folder):
    scores, Y = problem(2, n_rows=1500)
    table(folder / "many.csv", 2 * Y + scores)
    table(folder / "truth.csv", Y)
    words = ("tune", "many.csv", "truth.csv", "--review", "auto", *RATES, "--guarantee", "0.9")
    done = run_program(folder, *words, "-o", "b.json")
    assert done.code == 0, done.stderr
    assert "guaranteed on new samples with probability 0.9: micro precision at" in done.stdout
    assert "cross-validation" not in done.stdout
    record = json.loads(run_program(folder, *words, "--json").stdout)
    found = Bands.load(folder / "b.json").evidence.guarantee
    assert record["guarantee"] == asdict(found)
    assert record["unseen_recall"] == found.recall
    refused = run_program(folder, *words, "--tuning-share", "0.3")
    assert "--review does not go together with --tuning-share." in refused.stderr
