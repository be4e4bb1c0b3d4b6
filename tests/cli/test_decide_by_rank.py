"""`labelwise decide` decides by the ranks of scores without thresholds."""

import csv
import io

import numpy as np
import pytest

from labelwise.decisions import proportion_cut, rank_cut
from tests.cli.shell import run_program

SCORES = np.array([[0.9, 0.2, 0.3], [0.5, 0.6, 0.1], [0.4, 0.3, 0.7], [0.1, 0.1, 0.2]])
TRUTH = np.array([[1, 1, 0], [1, 0, 0]])


@pytest.fixture
def folder(tmp_path):
    rows = [",".join([f"r{i}", *map(str, row)]) for i, row in enumerate(SCORES.tolist())]
    (tmp_path / "scores.csv").write_text("\n".join(["id,sea,sky,sun", *rows]) + "\n")
    # Other rows, and the labels in another order.
    (tmp_path / "labels.csv").write_text("id,sun,sky,sea\na,0,1,1\nb,0,0,1\n")
    return tmp_path


def decided_in(text):
    names, *rows = csv.reader(io.StringIO(text))
    return tuple(names), [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=int)


@pytest.mark.parametrize("k", [0, 1, 3])
def test_top_decides_the_labels_of_the_highest_scores_of_each_row(folder, k):
    done = run_program(folder, "decide", "scores.csv", "--top", str(k), "-o", "-")
    names, ids, decided = decided_in(done.stdout)
    assert names == ("id", "sea", "sky", "sun")
    assert ids == ["r0", "r1", "r2", "r3"]
    np.testing.assert_array_equal(decided, rank_cut(SCORES, k))
    assert f"{4 * k} decisions on 4 rows" in done.stderr


def test_as_in_decides_each_label_as_often_as_it_is_true_in_a_file(folder):
    done = run_program(folder, "decide", "scores.csv", "--as-in", "labels.csv", "-o", "-")
    names, _, decided = decided_in(done.stdout)
    assert names == ("id", "sea", "sky", "sun")
    np.testing.assert_array_equal(decided, proportion_cut(SCORES, TRUTH))
    assert decided.sum(axis=0).tolist() == [4, 2, 0]


def test_scores_by_rank_may_come_from_the_standard_input(folder):
    text = (folder / "scores.csv").read_bytes()
    done = run_program(folder, "decide", "-", "--top", "1", "-o", "-", stdin=text)
    np.testing.assert_array_equal(decided_in(done.stdout)[2], rank_cut(SCORES, 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("decide scores.csv --top 4", "--top must be from 0 to the 3 labels, got 4."),
        ("decide scores.csv --top -1", "--top must be from 0 to the 3 labels, got -1."),
        ("decide t.json scores.csv --top 1", "SCORES does not go together with --top, which"),
        ("decide scores.csv", "SCORES must be given after THRESHOLDS, or --top or --as-in."),
        ("decide scores.csv --top 1 --as-in labels.csv", "--top does not go together with --as-in"),
        ("decide scores.csv --top 1 --queue q.csv", "--queue does not go together with --top."),
        ("decide scores.csv --as-in labels.csv --slices id", "--slices does not go together with"),
        ("decide scores.csv --as-in none.csv", "none.csv: does not exist"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(folder, arguments, message):
    done = run_program(folder, *arguments.split(), "-o", "decided.csv")
    assert done.code != 0
    assert message in done.stderr
    assert not (folder / "decided.csv").exists()
