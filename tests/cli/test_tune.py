"""tune, decide and evaluate, from file to file."""

import json

import numpy as np
import pandas as pd
import pytest

from labelwise.decisions import (
    Bands,
    Certify,
    Thresholds,
    best_thresholds,
    certified_frontier,
)
from labelwise.measures import count, f_measure, jaccard, micro
from tests.cli.shell import refusal, run, run_program

NAMES = ["sea", "sky", "sun", "fog"]


def problem(seed=0, n_rows=60):
    """Scores that know something of the labels; fog has no positives."""
    random = np.random.default_rng(seed)
    Y = (random.random((n_rows, 4)) < [0.5, 0.3, 0.15, 0.0]).astype(int)
    return np.round(Y + random.normal(size=Y.shape), 2), Y


def table(path, values, names=NAMES, order=None):
    order = np.arange(len(values)) if order is None else order
    rows = [",".join(map(str, [f"r{i}", *values[i].tolist()])) for i in order]
    path.write_text("\n".join([",".join(["id", *names]), *rows]) + "\n")
    return str(path)


@pytest.fixture
def files(tmp_path):
    scores, Y = problem()
    return table(tmp_path / "s.csv", scores), table(tmp_path / "y.csv", Y)


def test_the_file_holds_the_best_thresholds(files, tmp_path):
    output = tmp_path / "t.json"
    shown = run("tune", *files, "--shrink", "0", "-o", output)
    tuned, (scores, Y) = Thresholds.load(output), problem()
    best = best_thresholds(scores[:, :3], Y[:, :3])
    assert tuned.value == best.value
    assert np.array_equal(tuned.values[:3], best.values)
    assert tuned.label_names == tuple(NAMES)
    for words in (
        f"micro F {best.value:.4f}",
        f"certificate {best.evidence.certificate:.6g}",
        "on new samples (cross-validation), 0.",
        "never decided: 1 label without positives (fog)",
        f"written to {output}",
    ):
        assert words in shown


def test_from_files_in_any_order_the_decisions_are_those_of_the_library(files, tmp_path):
    scores, Y = problem()
    back = np.arange(60)[::-1]
    turned = table(tmp_path / "turned.csv", scores[:, ::-1], NAMES[::-1], order=back)
    tuned, decided = tmp_path / "t.json", tmp_path / "d.csv"
    run("tune", turned, files[1], "-o", tuned)
    shown = run("decide", tuned, turned, "-o", decided)
    lines = decided.read_text().splitlines()
    assert lines[0] == '"id","fog","sun","sky","sea"'  # the order of the scores
    assert lines[1].startswith('"r59",')
    found = np.array([[int(cell) for cell in line.split(",")[1:]] for line in lines[1:]])
    expected = Thresholds.load(tuned).decide(scores[:, ::-1])[:, ::-1]
    assert np.array_equal(found[::-1, ::-1], expected)
    assert f"{expected.sum()} decisions on 60 rows" in shown
    table_of_values = run("evaluate", files[1], "--scores", turned, "--decided", decided)
    value = micro(f_measure, count(Y, expected))
    line = next(line for line in table_of_values.splitlines() if line.startswith("f "))
    assert line.split()[1] == f"{value:.4f}"
    assert "ranking-loss" in table_of_values


def test_the_value_on_unseen_rows_is_that_of_thresholds_from_the_others(tmp_path):
    # Five rows are five folds of one: leave one out can be written down.
    scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.4, 0.6], [0.3, 0.2], [0.1, 0.8]])
    Y = np.array([[1, 0], [0, 1], [1, 0], [0, 0], [0, 1]])
    decided = np.vstack(
        [
            best_thresholds(np.delete(scores, i, 0), np.delete(Y, i, 0)).decide(scores[[i]])
            for i in range(5)
        ]
    )
    names = ["sea", "sky"]
    paths = table(tmp_path / "s.csv", scores, names), table(tmp_path / "y.csv", Y, names)
    value = micro(f_measure, count(Y, decided))
    difference = best_thresholds(scores, Y).value - value
    expected = f"Expect {value:.4f} on new samples (cross-validation), {difference:.4f} less"
    assert expected in run("tune", *paths, "--shrink", "0")
    shown = run("tune", *paths, "--shrink", "0.5")
    assert "shrink 0.5 (0: each label has its own threshold, 1: all labels share one)" in shown
    shown = run("tune", *paths, "--fbr", "0.5")
    assert "fbr 0.5 (thresholds of labels with a lower F are raised)" in shown


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["--maximize", "macro-jaccard"], {"average": "macro", "maximize": jaccard}),
        (["--beta", "2"], {"beta": 2.0}),
        (["--cost", "1,5"], {"cost": (1, 5)}),
        (["--shared"], {"shared": True}),
        (["--shrink", "0.5"], {"shrink": 0.5}),
        (["--shrink", "auto"], {"shrink": "auto", "random_state": 0}),
        (["--fbr", "0.6,0"], {"fbr": (0.6, 0)}),
        (["--min-precision", "0.9"], {"min_precision": 0.9}),
        (["--min-recall", "0.9"], {"min_recall": 0.9}),
        (["--max-decisions", "20"], {"max_decisions": 20}),
        (["--max-decisions", "0.5"], {"max_decisions": 0.5}),
        (["--maximize", "sample-f"], {"maximize": "sample-f"}),
    ],
    ids=lambda given: "".join(given) if isinstance(given, list) else "",
)
@pytest.mark.filterwarnings("ignore:Y has no positives", "ignore:Constraints that new samples")
def test_each_option_is_that_of_best_thresholds(files, tmp_path, options, arguments):
    output = tmp_path / "t.json"
    options = options if "--shrink" in options else ["--shrink", "0", *options]
    run("tune", *files, *options, "-o", output)
    tuned, best = Thresholds.load(output), best_thresholds(*problem(), **arguments)
    assert np.array_equal(tuned.values, best.values)
    assert tuned.value == best.value


def test_labels_never_decided_are_named_with_the_reason(tmp_path):
    Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]])
    scores = np.array([[9, 1, 0], [8, 2, 0], [1, 6, 0], [2, 5, 0], [7, 4, 0], [3, 3, 0]]) * 1.0
    names = ["good", "poor", "gone"]
    paths = table(tmp_path / "s.csv", scores, names), table(tmp_path / "y.csv", Y, names)
    shown = run("tune", *paths, "--shrink", "0")
    assert "never decided: 1 label without positives (gone)" in shown
    assert "never decided: 1 label not worth a decision for this measure (poor)" in shown
    with_fbr = run("tune", *paths, "--maximize", "macro-f", "--fbr", "0.5,0")
    assert "never decided: 1 label with F below fbr 0.5 (poor)" in with_fbr


def test_no_value_on_new_rows_is_printed_if_some_folds_cannot_meet_a_limit(tmp_path):
    scores, Y = np.array([[0.9], [0.5], [0.6], [0.4]]), np.array([[1], [1], [0], [0]])
    paths = table(tmp_path / "s.csv", scores, ["sea"]), table(tmp_path / "y.csv", Y, ["sea"])
    shown = run("tune", *paths, "--min-precision", "1", "--min-recall", "0.5")
    assert "on new samples: not known, the other folds give no thresholds" in shown


@pytest.mark.parametrize(("n_rows", "shrink"), [(1, "0"), (2, "auto")])
def test_few_rows_are_tuned_without_a_value_for_others(tmp_path, n_rows, shrink):
    scores, Y = np.array([[0.9], [0.5]])[:n_rows], np.array([[1], [0]])[:n_rows]
    paths = table(tmp_path / "s.csv", scores, ["sea"]), table(tmp_path / "y.csv", Y, ["sea"])
    shown = run("tune", *paths, "--shrink", shrink)
    assert "micro F 1.0000" in shown
    assert "on new samples: not known, the other folds give no thresholds" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--maximize", "micro-magic"], "--maximize must be micro-, macro- or sample- and one of"),
        (["--shrink", "much"], "--shrink must be auto or a number from 0 to 1, got 'much'."),
        (["--fbr", "2"], "fbr must be between 0 and 1"),
        (["--fbr", "much"], "--fbr must be auto, nested or a number from 0 to 1, got 'much'."),
        (["--fbr", "nested"], "--fbr must not be nested for scores that are given, because it"),
        (["--fbr", "nested,0"], "--fbr must not be nested for scores that are given, because it"),
        (["--max-decisions", "few"], "--max-decisions must be a number, got 'few'."),
        (["--cost", "1,much"], "--cost must be numbers with commas, got '1,much'."),
        (["--cost", "1,5,2"], "--cost must be a pair, of a false positive and of a false negative"),
        (["--min-precision", "3"], "--min-precision must be from 0 to 1, got 3.0."),
        (["--maximize", "micro-jaccard", "--beta", "2"], "beta must be 1 for jaccard"),
        (["--shared", "--shrink", "0.5"], "--shrink does not go together with --shared."),
    ],
)
def test_bad_options_end_with_one_sentence_and_no_file(
    files, tmp_path, monkeypatch, capsys, options, message
):
    output = tmp_path / "t.json"
    assert message in refusal(monkeypatch, capsys, "tune", *files, *options, "-o", output)
    assert not output.exists()


def test_an_output_that_cannot_be_written_is_refused_before_anything_is_read(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "file").write_text("")
    gone = tmp_path / "gone.csv"
    for arguments in (
        ["tune", gone, gone, "-o", tmp_path / "file" / "t.json"],
        ["decide", gone, gone, "-o", tmp_path / "file" / "d.csv"],
    ):
        assert "cannot be written" in refusal(monkeypatch, capsys, *arguments)
    odd = ["decide", gone, gone, "-o", tmp_path / "d.xlsx"]
    assert "must end in .csv" in refusal(monkeypatch, capsys, *odd)


def test_thresholds_of_other_labels_are_refused(files, tmp_path, monkeypatch, capsys):
    run("tune", *files, "-o", tmp_path / "t.json")
    scores, _ = problem()
    other = table(tmp_path / "o.csv", scores, ["sea", "sky", "sun", "ice"])
    output = tmp_path / "d.csv"
    shown = refusal(monkeypatch, capsys, "decide", tmp_path / "t.json", other, "-o", output)
    assert "o.csv: lacks label 'fog', which" in shown
    assert "--missing-labels drop" in shown
    assert not output.exists()


def test_evaluate_needs_something_to_measure(files, monkeypatch, capsys):
    shown = refusal(monkeypatch, capsys, "evaluate", files[1])
    assert shown == "labelwise: --scores or --decided must be given, got neither.\n"


def test_evaluate_gives_intervals(files):
    shown = run("evaluate", files[1], "--decided", files[1], "--bootstrap", "20")
    assert "1.0000 [1.0000, 1.0000]" in shown
    assert "Intervals: 95%, by bootstrap" in shown


def test_decisions_on_one_part_are_measured_against_that_part(tmp_path, monkeypatch, capsys):
    rows = ["0 1:1", "1 1:2", "0,1 1:1"]
    (tmp_path / "d-train.svm").write_text("\n".join(rows) + "\n")
    (tmp_path / "d-test.svm").write_text("1 1:1\n0 1:2\n")
    decided = tmp_path / "decided.csv"
    decided.write_text("0,1\n0,1\n1,1\n")
    shown = run("evaluate", tmp_path, "--part", "test", "--decided", decided)
    assert "Evaluation of 2 samples and 2 labels" in shown
    told = refusal(monkeypatch, capsys, "evaluate", tmp_path, "--part", "dev", "--decided", decided)
    assert "--part must be one of train, test, all, got 'dev'" in told


def test_a_broken_constraint_is_printed_with_what_helps(tmp_path, monkeypatch, capsys):
    random = np.random.default_rng(0)
    Y = (random.random((150, 6)) < 0.2).astype(int)
    scores, names = Y + random.normal(size=Y.shape), list("abcdef")
    paths = table(tmp_path / "s.csv", scores, names), table(tmp_path / "y.csv", Y, names)
    done = run_program(tmp_path, "tune", *paths, "--min-precision", "0.8")
    assert "\n--min-precision 0.8: precision 0.8" in done.stdout
    assert "note: Constraints that new samples may break: --min-precision 0.8: " in done.stderr
    assert "With --guarantee 0.95 precision and recall hold on new samples" in done.stderr
    certified = run("tune", *paths, "--min-recall", "0.5", "--guarantee", "0.9")
    assert "guaranteed on new samples with probability 0.9: micro recall at least 0.5" in certified
    assert "tested on 75 samples" in certified
    command = ["tune", *paths, "--min-precision", "0.99", "--guarantee", "0.9"]
    refused = refusal(monkeypatch, capsys, *command)
    assert "cannot be guaranteed with probability 0.9" in refused


def test_groups_of_the_labels_file_are_the_units_of_a_guarantee(tmp_path, monkeypatch, capsys):
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(700), np.where(np.arange(700) == 3, 40, 1))
    Y = random.random((groups.size, 2)) < 0.4
    scores = Y + 0.4 * random.normal(size=Y.shape)
    ids = [f"i{i}" for i in range(groups.size)]
    columns = {"sea": Y[:, 0].astype(int), "sky": Y[:, 1].astype(int)}
    labels = pd.DataFrame({"id": ids, "patient": [f"p{g}" for g in groups], **columns})
    labels.to_csv(tmp_path / "y.csv", index=False)
    backwards = pd.DataFrame({"id": ids, "sea": scores[:, 0], "sky": scores[:, 1]})[::-1]
    backwards.to_csv(tmp_path / "s.csv", index=False)
    files = (tmp_path / "s.csv", tmp_path / "y.csv")
    asked = ("--min-precision", "0.8", "--guarantee", "0.9", "--groups", "patient")
    run("tune", *files, *asked, "--weigh", "group", "-o", tmp_path / "t.json")
    found = Thresholds.load(tmp_path / "t.json")
    wanted = best_thresholds(
        scores,
        Y,
        min_precision=0.8,
        guarantee=Certify(0.9, weigh="group"),
        groups=np.unique(labels["patient"], return_inverse=True)[1],
        random_state=0,
    )
    np.testing.assert_allclose(found.values, wanted.values)
    assert found.evidence.guarantee.n_groups == wanted.evidence.guarantee.n_groups
    run("tune", *files, *asked, "--weigh", "group", "--review", "auto", "-o", tmp_path / "b.json")
    assert Bands.load(tmp_path / "b.json").evidence.guarantee.weigh == "group"
    shown = refusal(
        monkeypatch, capsys, "tune", *files, "--labels", "sea,sky", "--groups", "doctor"
    )
    assert "--groups must name a column of" in shown
    assert "got 'doctor'" in shown


def test_a_point_of_a_certified_path_is_chosen_after_looking(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    Y = (random.random((1500, 2)) < 0.3).astype(int)
    scores = Y + 0.5 * random.normal(size=Y.shape)
    np.save("Y.npy", Y)
    np.save("scores.npy", scores)
    frontier = certified_frontier(scores, Y, random_state=0)
    record = json.loads(run("tune", "scores.npy", "Y.npy", "--certify-path", "--json"))
    assert record["chosen"] is None
    assert [one["min_recall"] for one in record["points"]] == frontier.min_recall.tolist()
    asked = ("--certify-path", "--min-precision", "0.7", "-o", "t.json", "--plot", "p.svg")
    shown = run("tune", "scores.npy", "Y.npy", *asked)
    point = frontier.find(min_precision=0.7)
    assert f"point {point}: guaranteed on new samples with probability 0.95" in shown
    saved = Thresholds.load("t.json")
    assert saved.values.tolist() == frontier.at(point).values.tolist()
    assert saved.evidence.guarantee.min_precision == frontier.min_precision[point] >= 0.7
    assert (tmp_path / "p.svg").stat().st_size > 1000
    for option, message in [
        (("--shrink", "0.5"), "--certify-path does not go together with --shrink"),
        (("-o", "u.json"), "--output of --certify-path needs --min-precision or --min-recall"),
    ]:
        refused = refusal(
            monkeypatch, capsys, "tune", "scores.npy", "Y.npy", "--certify-path", *option
        )
        assert message in refused
