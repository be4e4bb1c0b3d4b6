"""Commands read files with missing labels, and say how many there are."""

import json

import numpy as np
import pytest

from labelwise.decisions import Bands, Thresholds, best_thresholds, review_bands
from labelwise.measures import evaluate
from tests.cli.shell import refusal, run

NAMES = ["sea", "sky", "sun"]
FEATURES = ["x1", "x2", "x3"]


def gappy_problem(n_rows=90):
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(n_rows, 3)), 3)
    Y = (X @ random.normal(size=(3, 3)) > 0.2).astype(float)
    scores = np.round(Y + random.normal(size=Y.shape), 3)
    Y[random.random(Y.shape) < 0.2] = np.nan
    return X, Y, scores


def table(path, columns, values):
    cells = [["" if np.isnan(cell) else f"{cell:g}" for cell in row] for row in values]
    path.write_text("\n".join(map(",".join, [columns, *cells])) + "\n")
    return str(path)


@pytest.fixture
def files(tmp_path):
    X, Y, scores = gappy_problem()
    return {
        "data": table(tmp_path / "data.csv", [*FEATURES, *NAMES], np.hstack([X, Y])),
        "labels": table(tmp_path / "labels.csv", NAMES, Y),
        "scores": table(tmp_path / "scores.csv", NAMES, scores),
    }


def test_describe_counts_missing_labels(files):
    _, Y, _ = gappy_problem()
    options = [files["data"], "--labels", ",".join(NAMES)]
    assert json.loads(run("describe", *options, "--json"))["n_missing"] == np.isnan(Y).sum()
    shown = run("describe", *options)
    assert f"({np.isnan(Y).sum()} cells missing)" in shown
    assert "missing labels (cells)" in shown


def test_split_takes_missing_labels(files, tmp_path):
    output = tmp_path / "folds.csv"
    run("split", files["data"], "--labels", ",".join(NAMES), "--folds", "3", "-o", output)
    assert len(output.read_text().splitlines()) == 91


@pytest.mark.parametrize("source", ["labels", "data"])
def test_tune_and_evaluate_leave_missing_labels_out(files, tmp_path, source):
    _, Y, scores = gappy_problem()
    labels = [files[source], *(["--labels", ",".join(NAMES)] if source == "data" else [])]
    tuned, decided = tmp_path / "t.json", tmp_path / "d.csv"
    shown = run("tune", files["scores"], *labels, "--shrink", "0", "-o", tuned)
    expected = best_thresholds(scores, Y)
    assert f"{expected.evidence.n_missing} cells without truth not counted" in shown
    np.testing.assert_array_equal(Thresholds.load(tuned).values, expected.values)
    run("decide", tuned, files["scores"], "-o", decided)
    options = ["--scores", files["scores"], "--decided", decided, "--json"]
    found = json.loads(run("evaluate", *labels, *options))
    value = evaluate(Y, scores=scores, decided=expected.decide(scores))
    assert found["n_missing"] == np.isnan(Y).sum()
    assert found["measures"]["micro-f"]["value"] == pytest.approx(value["micro-f"])
    assert found["measures"]["macro-auc"]["value"] == pytest.approx(value["macro-auc"])


def test_fit_learns_each_label_from_the_rows_that_have_it(files, tmp_path):
    options = [files["data"], "--labels", ",".join(NAMES)]
    assert "micro-f is 0." in run("fit", *options, "-o", tmp_path / "model.skops")


def test_fit_refuses_missing_labels_for_learners_of_whole_rows(
    files, tmp_path, monkeypatch, capsys
):
    options = [files["data"], "--labels", ",".join(NAMES), "--learner", "clr"]
    said = refusal(monkeypatch, capsys, "fit", *options, "-o", tmp_path / "model.skops")
    assert "y has missing labels, with which CalibratedLabelRanking cannot be fitted" in said


def test_scores_and_decisions_must_have_no_gaps(files, monkeypatch, capsys):
    labels = files["labels"]
    said = refusal(monkeypatch, capsys, "evaluate", labels, "--decided", labels)
    assert "has no value in column" in said
    said = refusal(monkeypatch, capsys, "tune", labels, labels)
    assert "has no value in column" in said


def test_review_leaves_missing_labels_out(files, tmp_path):
    _, Y, scores = gappy_problem()
    expected = review_bands(scores, Y, min_precision=0.6, max_review=0.1, label_names=NAMES)
    path = tmp_path / "b.json"
    for labels in ([files["labels"]], [files["data"], "--labels", ",".join(NAMES)]):
        options = ["--review", "0.1", "--min-precision", "0.6", "-o", path, "--force"]
        run("tune", files["scores"], *labels, *options)
        found = Bands.load(path)
        assert found.upper.tolist() == expected.upper.tolist()
        assert found.evidence.support.tolist() == expected.evidence.support.tolist()
