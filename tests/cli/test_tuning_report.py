"""What tune says of its thresholds: what they reach and cost, and whether to trust the value."""

import numpy as np
import pytest

from labelwise.decisions import Thresholds, best_thresholds
from tests.cli.shell import run
from tests.cli.test_tune import NAMES, problem, table


@pytest.fixture
def files(tmp_path):
    scores, Y = problem()
    table(tmp_path / "s.csv", scores)
    table(tmp_path / "y.csv", Y)
    return tmp_path


def test_the_constraint_and_its_cost_are_shown(files):
    scores, Y = problem()
    best = best_thresholds(scores[:, :3], Y[:, :3])
    limited = best_thresholds(scores[:, :3], Y[:, :3], min_precision=0.9)
    shown = run("tune", files / "s.csv", files / "y.csv", "--min-precision", "0.9")
    decided = limited.decide(scores[:, :3])
    hits = (decided & Y[:, :3]).sum()
    reached = f"micro precision {hits / decided.sum():.4f}, recall {hits / Y.sum():.4f}"
    assert f"{reached}, F {limited.value:.4f} with {decided.sum()} decisions" in shown
    cost = f"the constraint costs {best.value - limited.value:.4f}"
    assert (
        f"without --min-precision the highest value (--shrink 0) is {best.value:.4f}: {cost}"
        in shown
    )


def test_thresholds_of_few_positives_are_marked_and_the_value_is_judged(files):
    shown = run("tune", files / "s.csv", files / "y.csv", "-o", files / "t.json")
    few = Thresholds.load(files / "t.json").evidence.support < 10
    rows = [line.split() for line in shown.splitlines()]
    marked = {row[0]: row[1].endswith("*") for row in rows if row and row[0] in NAMES}
    assert marked == dict(zip(NAMES, few.tolist(), strict=True))
    assert f"* fewer than 10 positives ({few.sum()} labels): not reliable" in shown
    last = [line for line in shown.splitlines() if not line.startswith("written")][-1]
    assert last.startswith(("Do not rely on", "Expect 0.", "Some labels have too few"))


def test_a_perfect_value_is_remarked(files):
    Y = problem()[1]
    perfect = run("tune", table(files / "p.csv", Y.astype(float)), files / "y.csv")
    assert "a perfect value: are these the scores of a model on its own training samples" in perfect
    assert "Do not rely on 1.0000 unless these samples are new to the model." in perfect
    assert "Expect" not in perfect
    assert "a perfect value" not in run("tune", files / "s.csv", files / "y.csv")


def test_tune_shrinks_as_the_estimator_does(tmp_path):
    scores, Y = (matrix[:, :3] for matrix in problem(seed=5))
    names = NAMES[:3]
    paths = table(tmp_path / "s.csv", scores, names), table(tmp_path / "y.csv", Y, names)
    run("tune", *paths, "-o", tmp_path / "t.json")
    best = best_thresholds(scores, Y, shrink="auto", random_state=0)
    assert best.evidence.shrink > 0
    assert np.array_equal(Thresholds.load(tmp_path / "t.json").values, best.values)
