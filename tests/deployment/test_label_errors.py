"""Labels that are probably wrong: the chances of the definition, and planted errors."""

import csv

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import sparse
from scipy.special import expit

from labelwise._error_chances import chances_of_errors
from labelwise.deployment import find_label_errors
from tests.cli.shell import refusal, run
from tests.oracles import label_errors as oracle


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=14),
    st.sampled_from([0.01, 0.05, 0.3]),
)
@example([(1, True)], 0.05)
@example([(1, True), (1, False), (0, True)], 0.05)
def test_chances_are_those_of_the_definition(cells, rate):
    scores, truth = (np.array(part) for part in zip(*cells, strict=True))
    expected = oracle.chances(scores.tolist(), truth.tolist(), rate)
    found = chances_of_errors(scores.astype(float), truth.astype(bool), rate)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_scores_that_differ_by_little_are_different_scores():
    chances = chances_of_errors(np.array([-1.5, 2.9e-34, 0.0]), np.array([True, False, False]))
    expected = oracle.chances([-1.5, 2.9e-34, 0.0], [True, False, False], 0.05)
    np.testing.assert_allclose(chances, expected)


def planted(seed, n_errors=60):
    """Scores of a weak model, labels with errors, and where these are; one label is rare."""
    random = np.random.default_rng(seed)
    scores = expit(random.normal([-0.5, -2, -4], 2, size=(1500, 3)))
    Y = random.random(scores.shape) < scores
    positives = np.argwhere(Y)
    lost = positives[random.choice(len(positives), n_errors, replace=False)]
    labels = lost[random.permutation(n_errors), 1]
    added = [(random.choice(np.flatnonzero(~Y[:, j])), j) for j in labels]
    wrong = np.zeros(Y.shape, dtype=bool)
    wrong[tuple(lost.T)] = wrong[tuple(np.array(added).T)] = True
    return scores, (Y ^ wrong).astype(np.int64), wrong


def test_more_planted_errors_are_found_than_by_confidence_alone():
    by_chance, by_confidence = [], []
    for seed in range(5):
        scores, Y, wrong = planted(seed)
        found = find_label_errors(scores, Y, n_cells=int(wrong.sum()))
        by_chance.append(wrong[found.rows, found.labels].mean())
        doubt = np.where(Y == 1, 1 - scores, scores)
        first = np.argsort(-doubt.ravel(), kind="stable")[: wrong.sum()]
        by_confidence.append(wrong.ravel()[first].mean())
    assert np.mean(by_chance) > 1.1 * np.mean(by_confidence)
    assert 0.4 * wrong.sum() < found.n_errors.sum() < 2 * wrong.sum()


def test_the_list_is_ranked_and_cells_without_truth_or_score_are_left_out():
    scores, Y, _ = planted(9)
    partly = Y.astype(float)
    partly[:700, 0] = np.nan
    found = find_label_errors(scores, partly, n_cells=5000)
    assert (np.diff(found.chance) <= 0).all()
    assert not ((found.labels == 0) & (found.rows < 700)).any()
    stored = sparse.csr_array(np.where(scores > 0.3, scores, 0))
    listed = find_label_errors(stored, Y, n_cells=5000)
    assert (scores[listed.rows, listed.labels] > 0.3).all()
    assert find_label_errors(scores, np.zeros_like(Y)).n_errors.sum() == 0
    assert len(find_label_errors(scores, np.zeros_like(Y))) == 0


def test_a_command_writes_the_list(tmp_path, monkeypatch, capsys):
    scores, Y, _ = planted(3)
    for name, matrix in {"scores": scores.round(6), "labels": Y}.items():
        lines = [f"r{i}," + ",".join(map(str, row)) for i, row in enumerate(matrix.tolist())]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,sea,sky,sand", *lines]) + "\n")
    words = ("evaluate", tmp_path / "labels.csv", "--suspects", tmp_path / "s.csv")
    said = refusal(monkeypatch, capsys, *words, "--decided", tmp_path / "labels.csv")
    assert said == "labelwise: --suspects needs --scores.\n"
    run(*words, "--scores", tmp_path / "scores.csv")
    found = find_label_errors(scores.round(6), Y, label_names=["sea", "sky", "sand"])
    with (tmp_path / "s.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["id", "label", "score", "truth", "chance", "n_errors"]
    assert [row["id"] for row in rows] == [f"r{i}" for i in found.rows]
    assert float(rows[0]["chance"]) == pytest.approx(found.chance[0], rel=1e-5)
    assert "wrong labels are to be expected" in repr(found)
