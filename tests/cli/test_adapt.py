"""`labelwise adapt` writes thresholds for label frequencies that have moved."""

import json

import numpy as np
import pytest
from scipy.special import logit

from labelwise.decisions import Thresholds, adapt_thresholds, best_thresholds
from tests.cli.shell import run, run_program
from tests.label_shift.draws import TUNED_AT, draw

NAMES = ("sea", "sky")


def write_scores(path, scores, names=NAMES):
    lines = [",".join(("id", *names))]
    lines += [f"r{i}," + ",".join(map(repr, row)) for i, row in enumerate(scores.tolist())]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path):
    """Thresholds tuned on probabilities, and scores with and without a shift of one label."""
    random = np.random.default_rng(0)
    scores, Y = draw(random, 1000, [TUNED_AT] * 2)
    best_thresholds(scores, Y, label_names=NAMES).save(tmp_path / "tuned.json")
    write_scores(tmp_path / "same.csv", draw(random, 500, [TUNED_AT] * 2)[0])
    write_scores(tmp_path / "new.csv", draw(random, 500, [0.6, TUNED_AT])[0])
    return tmp_path


def scores_in(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2))


def test_the_file_has_the_thresholds_of_the_function(folder):
    done = run_program(folder, "adapt", "tuned.json", "new.csv", "-o", "adapted.json")
    assert done.code == 0
    assert done.stderr == (
        "labelwise: note: scores are taken as calibrated probabilities; if they are not, give the "
        "scores and labels of other rows by --calibrate.\n"
    )
    found = adapt_thresholds(Thresholds.load(folder / "tuned.json"), scores_in(folder / "new.csv"))
    assert done.stdout == f"{found!r}\nwritten to adapted.json\n"
    adapted = Thresholds.load(folder / "adapted.json")
    np.testing.assert_array_equal(adapted.values, found.thresholds.values)
    decided = run_program(folder, "decide", "adapted.json", "new.csv", "-o", "-")
    assert decided.stdout.startswith('"id","sea","sky"\n"r0",')


def test_thresholds_are_written_as_they_are_if_nothing_moved(folder):
    shown = run("adapt", folder / "tuned.json", folder / "same.csv", "-o", folder / "a.json")
    assert "the thresholds stay as they are" in shown
    assert (folder / "a.json").read_text() == (folder / "tuned.json").read_text()


def test_only_the_labels_of_the_option_are_tested(folder):
    words = ("adapt", folder / "tuned.json", folder / "new.csv", "--json", "--labels")
    labels = json.loads(run(*words, "sky"))["labels"]
    assert [label["p_value"] is None for label in labels] == [True, False]
    assert not any(label["moved"] for label in labels)
    assert json.loads(run(*words, "sky, sea"))["n_moved"] == 1
    done = run_program(folder, "adapt", "tuned.json", "new.csv", "--labels", "fog")
    assert done.stderr == "labelwise: --labels must be those of the thresholds, got 'fog'.\n"


def test_labels_are_matched_by_name(folder):
    scores = scores_in(folder / "new.csv")
    write_scores(folder / "turned.csv", scores[:, ::-1], NAMES[::-1])
    first, second = (
        json.loads(run("adapt", folder / "tuned.json", folder / name, "--json"))
        for name in ("new.csv", "turned.csv")
    )
    assert first == second
    assert [label["moved"] for label in first["labels"]] == [True, False]


def test_a_label_that_the_scores_lack_can_be_dropped(folder):
    write_scores(folder / "one.csv", scores_in(folder / "new.csv")[:, :1], NAMES[:1])
    words = ("adapt", "tuned.json", "one.csv", "-o", "one.json")
    assert "lacks label 'sky'" in run_program(folder, *words).stderr
    done = run_program(folder, *words, "--missing-labels", "drop")
    assert "1 label is dropped" in done.stderr
    assert Thresholds.load(folder / "one.json").label_names == ("sea",)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tuned.json", "wild.csv"), "got 3 at row 1, label 'sea'; calibrate the scores first"),
        (("tuned.json", "new.csv", "--alpha", "3"), "alpha must be from 0 to 1, got 3.0."),
        (("tuned.json", "new.csv", "-o", "a.csv"), "a.csv must end in .json."),
        (("tuned.json", "new.csv", "-o", "tuned.json"), "this command reads it"),
    ],
)
def test_what_cannot_be_adapted_is_one_sentence(folder, words, said):
    write_scores(folder / "wild.csv", np.array([[0.5, 0.5], [3.0, 0.5]]))
    done = run_program(folder, "adapt", *words)
    assert done.code in (1, 2)
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_standard_input_is_read_and_the_standard_output_written(folder):
    done = run_program(
        folder, "adapt", "tuned.json", "-", "-o", "-", stdin=(folder / "new.csv").read_bytes()
    )
    assert done.code == 0
    assert json.loads(done.stdout)["adapted"] is True
    assert "labels moved" in done.stderr


def test_any_scores_are_calibrated_on_labelled_rows(tmp_path):
    random = np.random.default_rng(0)
    (scores, Y), (new, _) = (draw(random, 1000, shares) for shares in ([TUNED_AT] * 2, [0.6, 0.2]))
    scores, new = 3 * logit(scores) + 5, 3 * logit(new) + 5
    tuned = best_thresholds(scores, Y, label_names=NAMES)
    tuned.save(tmp_path / "tuned.json")
    write_scores(tmp_path / "old.csv", scores)
    # In another order of rows and of labels: both are matched by name.
    order = random.permutation(len(Y))
    lines = [f"r{i},{int(Y[i, 1])},{int(Y[i, 0])}" for i in order]
    (tmp_path / "labels.csv").write_text("\n".join(["id,sky,sea", *lines]) + "\n")
    write_scores(tmp_path / "new.csv", new)
    words = ("adapt", "tuned.json", "new.csv", "-o", "adapted.json")
    refused = run_program(tmp_path, *words)
    assert refused.code == 2
    assert "labelwise adapt --calibrate" in refused.stderr
    done = run_program(tmp_path, *words, "--calibrate", "old.csv", "labels.csv")
    assert (done.code, done.stderr) == (0, "")
    found = adapt_thresholds(tuned, new, calibrate=(scores, Y))
    assert found.moved.tolist() == [True, False]
    adapted = Thresholds.load(tmp_path / "adapted.json")
    np.testing.assert_array_equal(adapted.values, found.thresholds.values)
