"""Thresholds for at most k labels a sample: the best of those that decide among its k highest."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labelwise.decisions import Thresholds, TunedThresholds, best_thresholds
from labelwise.learners import BinaryRelevance
from labelwise.measures import f_measure
from tests.cli.shell import run
from tests.decisions.problems import random_problems
from tests.oracles import thresholds as oracle

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("k", [1, 2])
def test_no_thresholds_are_better_with_at_most_k_labels_a_sample(average, k):
    for scores, Y in random_problems(150, seed=k):
        tuned = best_thresholds(scores, Y, maximize=f"{average}-f", max_decisions=f"{k} per sample")
        decided = tuned.decide(scores).astype(bool)
        value, _ = oracle.highest(scores, Y, f_measure, average, k=k)
        assert decided.sum(axis=1).max(initial=0) <= k
        assert tuned.value == pytest.approx(value, rel=1e-12)
        assert oracle.AVERAGES[average](f_measure, Y, decided) == pytest.approx(value, rel=1e-12)
        np.testing.assert_array_equal(tuned.evidence.decided, decided.sum(axis=0))


def test_sparse_scores_are_decided_as_dense_ones():
    for scores, Y in random_problems(50, seed=5):
        lowest = scores.min() - 1
        stored = sparse.csr_array(scores - lowest)
        tuned = best_thresholds(stored, Y, max_decisions="1 per sample")
        wanted = tuned.decide(scores - lowest)
        np.testing.assert_array_equal(tuned.decide(stored).toarray(), wanted)
        again = best_thresholds(scores - lowest, Y, max_decisions="1 per sample")
        np.testing.assert_array_equal(again.values, tuned.values)


RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(80, 4))
Y = X @ RANDOM.normal(size=(4, 5)) + RANDOM.normal(size=(80, 5)) > 0.5


def test_the_limit_is_stored_with_the_thresholds(tmp_path):
    tuned = best_thresholds(X[:, :3], Y[:, :3], max_decisions="2 per sample")
    assert "only the 2 highest scores of a sample" in repr(tuned)
    tuned.save(tmp_path / "thresholds.json")
    loaded = Thresholds.load(tmp_path / "thresholds.json")
    np.testing.assert_array_equal(loaded.decide(X[:, :3]), tuned.decide(X[:, :3]))
    one = best_thresholds(X[:, :3], Y[:, :3], max_decisions="1 per sample")
    assert "only the highest score of a sample" in repr(one)


def test_the_spelling_of_0_2_is_read():
    old, new = (
        best_thresholds(X[:, :3], Y[:, :3], max_decisions=f"2 per {word}")
        for word in ("row", "sample")
    )
    np.testing.assert_array_equal(old.values, new.values)


def test_a_tuned_model_decides_at_most_k_labels_a_sample():
    model = BinaryRelevance(LogisticRegression())
    tuned = TunedThresholds(model, max_decisions="1 per sample", cv=3, random_state=0)
    assert tuned.fit(X, Y).predict(X).sum(axis=1).max() == 1


def test_the_command_line_takes_a_limit_per_sample(tmp_path):
    np.save(tmp_path / "scores.npy", X[:, :3])
    np.save(tmp_path / "labels.npy", Y[:, :3])
    files = (tmp_path / "scores.npy", tmp_path / "labels.npy")
    thresholds, decided = tmp_path / "thresholds.json", tmp_path / "decided.npy"
    run("tune", *files, "--max-decisions", "1 per sample", "-o", thresholds)
    run("decide", thresholds, files[0], "-o", decided)
    assert np.load(decided).sum(axis=1).max() == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"max_decisions": "0 per sample"}, 'must be a number, or a text as "3 per sample"'),
        ({"max_decisions": "per sample"}, 'must be a number, or a text as "3 per sample"'),
        (
            {"max_decisions": "2 per sample", "guarantee": 0.9, "min_precision": 0.5},
            "guarantee does not go together with max_decisions per sample",
        ),
    ],
)
def test_limits_that_cannot_be_met_are_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        best_thresholds(X[:, :3], Y[:, :3], **options)


def test_missing_labels_are_refused():
    gaps = np.where(X[:, :3] > 2, np.nan, Y[:, :3])
    with pytest.raises(ValueError, match="per sample does not go together with missing labels"):
        best_thresholds(X[:, :3], gaps, max_decisions="2 per sample")
