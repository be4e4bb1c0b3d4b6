"""Rows and labels of files go by id and name, by position only if nothing else is known.

The options are those of labelwise.cli._options, columns of ids those of labelwise._tables.
"""

import json

import numpy as np
import pandas as pd
import pytest

from labelwise.decisions import Thresholds, best_thresholds
from labelwise.measures import count, f_measure, macro
from tests.cli.shell import notes, refusal, run
from tests.cli.test_tune import NAMES, problem, table


def written(path, values, names=NAMES):
    """A table without ids."""
    rows = [",".join(map(str, row)) for row in values.tolist()]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path


@pytest.fixture
def files(tmp_path):
    scores, Y = problem()
    table(tmp_path / "s.csv", scores)
    table(tmp_path / "y.csv", Y)
    written(tmp_path / "s-no-ids.csv", scores)
    written(tmp_path / "y-no-ids.csv", Y)
    np.save(tmp_path / "s.npy", scores)
    np.save(tmp_path / "y.npy", Y)
    return tmp_path


@pytest.fixture
def numbered(tmp_path):
    """Scores in another order than the labels; ids are numbers in columns of two names."""
    scores, Y = problem()
    keys = 7 * np.arange(len(Y)) + 1000
    order = np.random.default_rng(5).permutation(len(Y))
    scored = np.column_stack([keys.astype(object), scores])[order]
    written(tmp_path / "y.csv", np.column_stack([keys, Y]), ["key", *NAMES])
    written(tmp_path / "s.csv", scored, ["key", *NAMES])
    written(tmp_path / "nr.csv", scored, ["nr", *NAMES])
    written(tmp_path / "data.csv", np.column_stack([Y, keys])[order], [*NAMES, "key"])
    table(tmp_path / "named.csv", Y)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("tune", "s.csv", "y.csv"), "label 'key': give --ids key if this column identifies"),
        (("evaluate", "y.csv", "--decided", "s.csv"), "label 'key': give --ids key if this"),
        (("tune", "s.csv", "named.csv"), "name the column by --ids NAME (such as --ids id,key)"),
        (("tune", "s.csv", "data.csv", "--labels", ",".join(NAMES)), "give --ids key if this"),
    ],
)
def test_a_column_of_distinct_whole_numbers_is_proposed_as_ids(
    numbered, monkeypatch, capsys, words, hint
):
    monkeypatch.chdir(numbered)
    assert hint in refusal(monkeypatch, capsys, *words)


def test_ids_may_have_another_name_in_each_file(numbered, monkeypatch, capsys):
    monkeypatch.chdir(numbered)
    wanted = run("tune", "s.csv", "y.csv", "--ids", "key")
    assert run("tune", "nr.csv", "y.csv", "--ids", "nr,key") == wanted
    assert run("tune", "nr.csv", "y.csv", "--ids", "key,nr") == wanted
    # Folds and shrinkage depend on the order of the rows, thresholds without shrinkage do not.
    free, labels = ["--shrink", "0"], ["--labels", ",".join(NAMES)]
    wanted = run("tune", "s.csv", "y.csv", "--ids", "key", *free)
    found = run("tune", "nr.csv", "data.csv", *labels, "--ids", "nr,key", *free)
    assert found.splitlines()[:4] == wanted.splitlines()[:4]
    rows = [json.dumps({"nr": 1000 + i, "sea": i % 2}) for i in range(9)]
    (numbered / "s.jsonl").write_text("\n".join(rows))
    (numbered / "y.jsonl").write_text("\n".join(rows).replace("nr", "key"))
    assert "1.0000" in run("evaluate", "y.jsonl", "--scores", "s.jsonl", "--ids", "nr,key")
    for ids, problem_named in (("key", "has no column 'key', but 'nr'"), ("a,b", "'a' or 'b'")):
        shown = refusal(monkeypatch, capsys, "tune", "nr.csv", "y.csv", "--ids", ids)
        assert problem_named in shown


COMMANDS = {
    "tune": lambda scores, Y: ["tune", scores, Y],
    "evaluate": lambda scores, Y: ["evaluate", Y, "--scores", scores],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("scores", "Y", "message"),
    [
        ("s-no-ids.csv", "y.csv", "s-no-ids.csv: has no ids and"),
        ("s.csv", "y-no-ids.csv", "y-no-ids.csv: has no ids and"),
        ("s-no-ids.csv", "y.npy", "y.npy: has no label names and"),
        ("s.npy", "y-no-ids.csv", "s.npy: has no label names and"),
    ],
)
def test_ids_or_names_of_one_file_are_not_ignored(
    files, monkeypatch, capsys, command, scores, Y, message
):
    arguments = command(files / scores, files / Y)
    shown = refusal(monkeypatch, capsys, *arguments)
    assert message in shown
    assert "--by-position" in shown
    assert notes(*arguments, "--by-position")[0].endswith(" by position.")


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_matching_by_position_is_said(files, command):
    places = f"{files / 's.npy'} are matched with those of {files / 'y.npy'}"
    arguments = command(files / "s.npy", files / "y.npy")
    assert notes(*arguments) == [f"rows and labels of {places} by position."]
    assert notes(*arguments, "--quiet") == []
    (named,) = notes(*command(files / "s-no-ids.csv", files / "y-no-ids.csv"))
    assert named.startswith("rows of")
    assert notes(*command(files / "s.csv", files / "y.csv")) == []


def test_decide_refuses_names_of_one_file(files, monkeypatch, capsys):
    run("tune", files / "s.npy", files / "y.npy", "-o", files / "t.json")
    arguments = ["decide", files / "t.json", files / "s.csv", "-o", files / "d.csv"]
    assert "t.json: has no label names and" in refusal(monkeypatch, capsys, *arguments)
    assert notes(*arguments, "--by-position")[0].endswith(" by position.")
    assert (files / "d.csv").read_text().startswith('"id","sea","sky","sun","fog"')


def test_labels_that_not_all_files_have_are_named_or_dropped(files, monkeypatch, capsys):
    scores, Y = problem()
    less = table(files / "less.csv", np.delete(scores, 1, 1), ["sea", "sun", "fog"])
    more = table(files / "more.csv", Y[:, [0, 1, 2, 3, 0]], [*NAMES, "extra"])
    shown = refusal(monkeypatch, capsys, "tune", less, more)
    assert "less.csv: lacks labels 'sky', 'extra', which" in shown
    assert "--missing-labels drop" in shown
    (found,) = notes("tune", less, more, "--missing-labels", "drop", "-o", files / "t.json")
    assert found.startswith("2 labels are dropped, which")
    assert found.endswith("lacks: sky, extra.")
    assert Thresholds.load(files / "t.json").label_names == ("sea", "sun", "fog")
    words = ("evaluate", more, "--scores", files / "s.csv", "--decided", files / "y.csv")
    assert "Evaluation of 60 samples and 4 labels" in run(*words, "--missing-labels", "drop")
    assert "1 label is dropped" in notes(*words, "--missing-labels", "drop")[0]
    odd = refusal(monkeypatch, capsys, "tune", less, more, "--missing-labels", "keep")
    assert "--missing-labels must be drop or error, got 'keep'." in odd


@pytest.mark.parametrize("options", [(), ("--review", "auto", "--min-recall", "0.9")])
def test_tuned_files_have_the_order_of_the_scores(files, options):
    _, Y = problem()
    run("tune", files / "s.csv", files / "y.csv", "-o", files / "wanted.json", *options)
    other = table(files / "other.csv", Y[:, [2, 0, 3, 1]], [NAMES[j] for j in (2, 0, 3, 1)])
    said = notes("tune", files / "s.csv", other, "-o", files / "t.json", *options)
    assert any("other.csv are in another order than those of" in line for line in said)
    assert (files / "t.json").read_text() == (files / "wanted.json").read_text()
    # Lists of labels have no order.
    ids = pd.read_csv(files / "y.csv")["id"]
    rows = [
        {"id": name, "labels": [NAMES[j] for j in np.flatnonzero(row)]}
        for name, row in zip(ids, Y, strict=True)
    ]
    sets = files / "sets.jsonl"
    sets.write_text("\n".join(map(json.dumps, rows)) + "\n")
    said = notes("tune", files / "s.csv", sets, "-o", files / "u.json", *options)
    assert not any("order" in line for line in said)
    assert (files / "u.json").read_text() == (files / "wanted.json").read_text()


def test_decide_uses_the_labels_in_common(files):
    scores, _ = problem()
    run("tune", files / "s.csv", files / "y.csv", "-o", files / "t.json")
    other = table(files / "o.csv", scores[:, [2, 0, 1, 3]], ["sun", "sea", "sky", "ice"])
    words = ("decide", files / "t.json", other, "-o", files / "d.jsonl")
    fog, ice = notes(*words, "--missing-labels", "drop")
    assert fog.endswith("lacks: fog.")
    assert ice.endswith("lacks: ice.")
    rows = [json.loads(line) for line in (files / "d.jsonl").read_text().splitlines()]
    assert list(rows[0]) == ["id", "sun", "sea", "sky"]  # the order of the scores
    expected = Thresholds.load(files / "t.json").decide(scores)[:, :3]
    assert np.array_equal([[row[name] for name in NAMES[:3]] for row in rows], expected)


def test_files_without_a_common_label_are_refused(files, monkeypatch, capsys):
    other = table(files / "o.csv", problem()[0], ["a", "b", "c", "d"])
    shown = refusal(monkeypatch, capsys, "tune", other, files / "y.csv", "--missing-labels", "drop")
    assert "no label in common" in shown


def test_the_ids_option_names_the_column_in_each_command(files):
    scores, Y = problem()
    order = np.arange(60)[::-1]
    ids = [[i, 100 + i] for i in range(60)]
    for name, values, rows in (("s", scores, order), ("y", Y, np.arange(60))):
        lines = [f"{values[i, 0]},{ids[i][1]},{values[i, 1]}" for i in rows]
        (files / f"{name}-mid.csv").write_text("\n".join(["sea,doc,sky", *lines]) + "\n")
    paths = files / "s-mid.csv", files / "y-mid.csv"
    run("tune", *paths, "--ids", "doc", "--shrink", "0", "-o", files / "t.json")
    best = best_thresholds(scores[:, :2], Y[:, :2])
    assert np.array_equal(Thresholds.load(files / "t.json").values, best.values)
    run("decide", files / "t.json", paths[0], "--ids", "doc", "-o", files / "d.csv")
    assert (files / "d.csv").read_text().splitlines()[1].startswith('"159",')
    shown = run("evaluate", paths[1], "--decided", files / "d.csv", "--ids", "doc")
    assert notes("evaluate", paths[1], "--decided", files / "d.csv", "--ids", "doc") == []
    assert f"{best.value:.4f}" in shown


@pytest.mark.parametrize("separator", ["; ", ";"])
def test_a_column_of_label_names_is_the_truth(files, separator):
    scores, Y = problem()
    lists = [separator.join(np.array(NAMES)[row > 0]) for row in Y]
    lines = [f"{100 + i},{text}" for i, text in enumerate(lists)]
    (files / "lists.csv").write_text("\n".join(["doc,topics", *lines]) + "\n")
    rows = [f"{100 + i},{','.join(map(str, scores[i]))}" for i in range(60)]
    (files / "s-doc.csv").write_text("\n".join([",".join(["doc", *NAMES]), *rows[::-1]]) + "\n")
    options = ["--labels", "topics", "--ids", "doc"]
    run("tune", files / "s-doc.csv", files / "lists.csv", *options, "--shrink", "0",
        "-o", files / "t.json")  # fmt: skip
    run("tune", files / "s.csv", files / "y.csv", "--shrink", "0", "-o", files / "same.json")
    tuned, same = Thresholds.load(files / "t.json"), Thresholds.load(files / "same.json")
    place = [tuned.label_names.index(name) for name in NAMES]  # fog has no positives
    assert np.array_equal(tuned.values[place], same.values)
    shown = run("evaluate", files / "lists.csv", *options, "--scores", files / "s-doc.csv")
    assert "Evaluation of 60 samples and 4 labels" in shown


def test_each_label_is_shown_with_the_worst_first(files):
    Y = problem()[1]
    decided = np.roll(Y, 1, axis=0)
    decided[:, 0] = Y[:, 0]
    paths = [files / "y.csv", "--decided", table(files / "d.csv", decided)]
    shown = run("evaluate", *paths, "--per-label")
    rows = [line.split() for line in shown.splitlines()]
    at = rows.index(["label", "positives", "decided", "precision", "recall", "f"])
    values = dict(zip(NAMES, f_measure(count(Y, decided)), strict=True))
    assert [row[0] for row in rows[at + 1 : at + 5]] == sorted(values, key=values.get)
    assert rows[at + 3][5] == f"{sorted(values.values())[2]:.4f}"
    told = run("evaluate", *paths, "--per-label", "-o", files / "labels.csv")
    assert "label  " not in told
    lines = (files / "labels.csv").read_text().splitlines()
    assert lines[0].startswith("label,positives,decided,precision,recall,f,")
    assert [line.split(",")[0] for line in lines[1:]] == NAMES


def test_the_file_of_labels_is_csv_and_safe_if_asked(files, monkeypatch, capsys):
    names = ["=1+1", *NAMES[1:]]
    path = table(files / "odd.csv", problem()[1], names)
    run("evaluate", path, "--decided", path, "-o", files / "l.csv", "--safe-csv")
    assert "\n'=1+1," in (files / "l.csv").read_text()
    shown = refusal(monkeypatch, capsys, "evaluate", path, "--decided", path, "-o", "l.xlsx")
    assert shown == "labelwise: l.xlsx must end in .csv.\n"


def test_at_most_twenty_labels_are_shown(tmp_path):
    random = np.random.default_rng(0)
    names = [f"l{j}" for j in range(30)]
    Y = (random.random((50, 30)) < 0.3).astype(int)
    path = table(tmp_path / "y.csv", Y, names)
    scores = table(tmp_path / "s.csv", np.round(random.random((50, 30)), 3), names)
    shown = run("evaluate", path, "--scores", scores, "--per-label")
    assert "... and 10 more (-o FILE has all)" in shown
    assert "label  positives     auc  average-precision" in shown
    tuned = run("tune", scores, path)
    assert "... and 10 more, which are better" in tuned


def test_labels_counted_as_one_are_reported(files):
    Y = problem()[1]
    decided = np.zeros_like(Y)
    decided[:, 0] = Y[:, 0]
    shown = run("evaluate", files / "y.csv", "--decided", table(files / "d.csv", decided))
    values = f_measure(count(Y, decided))
    assert values[3] == 1.0
    assert "1 label has no positives and no decisions and counts as 1" in shown
    n_empty = int((Y.sum(axis=1) + decided.sum(axis=1) == 0).sum())
    assert f"{n_empty} samples have no positives and no decisions and count as 1 in" in shown
    assert f"{values[:3].mean():.4f} over labels with positives" in shown
    assert "--undefined skip" in shown
    zero = run("evaluate", files / "y.csv", "--decided", files / "d.csv", "--undefined", "zero")
    line = next(line for line in zero.splitlines() if line.startswith("f "))
    assert line.split()[2] == f"{macro(f_measure, count(Y[:, :3], decided[:, :3])) * 3 / 4:.4f}"


@pytest.mark.parametrize("step", ["1D", "1h"], ids=["days", "hours"])
def test_times_as_ids_match_between_csv_and_parquet(tmp_path, step):
    scores, Y = problem()
    times = pd.Series(pd.date_range("2024-01-31", periods=len(Y), freq=step), name="time")
    frames = [pd.DataFrame(one, columns=NAMES, index=times) for one in (scores, Y)]
    frames[0].to_csv(tmp_path / "s.csv")
    frames[1].to_csv(tmp_path / "y.csv")
    frames[1].iloc[::-1].reset_index().to_parquet(tmp_path / "y.parquet")
    both = [
        run("tune", tmp_path / "s.csv", tmp_path / name, "--ids", "time", "--shrink", "0", "--json")
        for name in ("y.csv", "y.parquet")
    ]
    # The value on unseen samples is estimated on folds, which depend on the order of the rows.
    of_csv, of_parquet = (json.loads(shown)["labels"] for shown in both)
    assert of_csv == of_parquet
