"""`labelwise tune --rule` writes rules by rank, which `labelwise decide` applies."""

import json

import numpy as np
import pandas as pd
import pytest

from labelwise.decisions import load_rule, proportion_cut, proportion_rule, rank_cut, rank_rule
from tests.cli.shell import run_program
from tests.cli.test_decide_by_rank import decided_in

NAMES = ["sea", "sky", "sun"]


def write(path, ids, names, values):
    rows = [",".join([one, *map(str, row)]) for one, row in zip(ids, values.tolist(), strict=True)]
    path.write_text("\n".join([",".join(["id", *names]), *rows]) + "\n")


@pytest.fixture
def problem():
    random = np.random.default_rng(0)
    Y = (random.random((40, 3)) < [0.8, 0.5, 0.2]).astype(int)
    return (Y + random.normal(size=Y.shape)).round(3), Y


@pytest.fixture
def folder(tmp_path, problem):
    scores, Y = problem
    ids = [f"r{i}" for i in range(40)]
    write(tmp_path / "scores.csv", ids, NAMES, scores)
    write(tmp_path / "labels.csv", ids, NAMES, Y)
    # Other rows, and the labels in another order.
    new = [f"n{i}" for i in range(15)]
    write(tmp_path / "new.csv", new, ["sun", "sea", "sky"], scores[:15, [2, 0, 1]] + 0.1)
    return tmp_path


@pytest.mark.parametrize("options", [(), ("--maximize", "macro-f", "--beta", "2")])
def test_the_best_number_of_labels_is_found_saved_and_applied(folder, problem, options):
    scores, Y = problem
    done = run_program(
        folder, "tune", "scores.csv", "labels.csv", "--rule", "rank", *options, "-o", "rule.json"
    )
    assert done.code == 0, done.stderr
    given = {"maximize": "macro-f", "beta": 2.0} if options else {}
    expected = rank_rule(scores, Y, label_names=NAMES, random_state=0, **given)
    assert load_rule(folder / "rule.json").max_rank == expected.max_rank
    assert done.stdout.startswith(expected.report())
    done = run_program(folder, "decide", "rule.json", "new.csv", "-o", "-")
    names, _, decided = decided_in(done.stdout)
    assert names == ("id", "sun", "sea", "sky")
    np.testing.assert_array_equal(decided, rank_cut(scores[:15, [2, 0, 1]], expected.max_rank))


def test_proportions_are_saved_and_applied_to_all_rows_together(folder, problem):
    scores, Y = problem
    words = ("scores.csv", "labels.csv", "--rule", "proportion", "-o", "rule.json")
    done = run_program(folder, "tune", *words)
    assert done.code == 0, done.stderr
    expected = proportion_rule(scores, Y, label_names=NAMES, random_state=0)
    assert done.stdout.startswith(expected.report())
    done = run_program(folder, "decide", "rule.json", "new.csv", "-o", "-")
    _, _, decided = decided_in(done.stdout)
    order = [2, 0, 1]
    np.testing.assert_array_equal(decided, proportion_cut(scores[:15, order], Y[:, order]))
    # As by the labels themselves.
    again = run_program(folder, "decide", "new.csv", "--as-in", "labels.csv", "-o", "-")
    assert sorted(decided_in(again.stdout)[2].sum(axis=0)) == sorted(decided.sum(axis=0))


def test_json_has_the_value_and_the_labels(folder, problem):
    scores, Y = problem
    for rule, build in (("rank", rank_rule), ("proportion", proportion_rule)):
        words = ("tune", "scores.csv", "labels.csv", "--rule", rule, "--json")
        record = json.loads(run_program(folder, *words).stdout)
        expected = build(scores, Y, random_state=0)
        assert record["value"] == pytest.approx(expected.value)
        assert record["unseen_value"] == pytest.approx(expected.evidence.corrected_value)
        assert [one["label"] for one in record["labels"]] == NAMES
    assert [one["share"] for one in record["labels"]] == pytest.approx(Y.mean(axis=0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--rule best", "--rule must be one of thresholds, rank, proportion, got 'best'."),
        ("--rule rank --shrink 0.5", "--rule rank does not go together with --shrink."),
        ("--rule rank --fbr 0.5", "--rule rank does not go together with --fbr."),
        ("--rule rank --bootstrap 20", "--rule rank does not go together with --bootstrap."),
        ("--rule rank --review 5", "--rule rank does not go together with --review."),
        ("--rule proportion --plot a.png", "--rule proportion does not go together with --plot."),
        (
            "--rule proportion --weights sea",
            "--rule proportion does not go together with --weights",
        ),
        (
            "--rule rank --min-precision 0.5",
            "--rule rank does not go together with --min-precision",
        ),
    ],
)
def test_other_options_are_refused(folder, options, message):
    done = run_program(folder, "tune", "scores.csv", "labels.csv", *options.split())
    assert done.code == 2
    assert done.stderr.strip().startswith(f"labelwise: {message}")


def test_rows_that_are_read_in_blocks_are_not_decided_by_proportions(folder, problem):
    proportion_rule(*problem, label_names=NAMES).save(folder / "rule.json")
    (folder / "parts").mkdir()
    pd.DataFrame(problem[0], columns=NAMES).to_parquet(folder / "parts" / "0.parquet")
    done = run_program(folder, "decide", "rule.json", "parts", "-o", "decided.npy")
    assert done.code == 2
    assert done.stderr.strip() == (
        "labelwise: rule.json must have thresholds to decide rows that are read in blocks, got "
        "proportions, which need all rows in memory."
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("check rule.json scores.csv labels.csv --at-least micro-f=0.5", "has proportions of"),
        ("audit rule.json scores.csv -o cells.csv", "has proportions of labels"),
        ("adapt rule.json scores.csv -o new.json", "is not a file of labelwise thresholds."),
        ("report scores.csv labels.csv --thresholds rule.json -o a.html", "is not a file of"),
    ],
)
def test_commands_that_decide_row_by_row_refuse_proportions(folder, problem, command, message):
    proportion_rule(*problem, label_names=NAMES).save(folder / "rule.json")
    done = run_program(folder, *command.split())
    assert done.code in (1, 2)
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
