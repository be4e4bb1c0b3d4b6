"""FBR raises the thresholds of labels whose F-measure is low."""

import numpy as np
import pytest
from hypothesis import given

from labelwise.decisions import best_thresholds
from labelwise.measures import count, f_measure, macro, micro
from labelwise.splitting import assign
from tests.decisions.problems import problems
from tests.tuning.problems import make_problem

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
AVERAGES = pytest.mark.parametrize("average", ["micro", "macro"])
AMOUNTS = [step / 10 for step in range(10)]  # that "auto" chooses from
JOINED = {"micro": micro, "macro": macro}


def weak_labels_raised(scores, Y, fbr, rule, average):
    """FBR by its definition."""
    tuned = best_thresholds(scores, Y, maximize=f"{average}-f")
    f = f_measure(count(Y, tuned.decide(scores)))
    return np.where(f < fbr, scores.max(axis=0) if rule else np.inf, tuned.values)


@AVERAGES
@pytest.mark.parametrize("rule", [0, 1])
@given(problem=problems(most_samples=12, most_labels=4))
def test_fbr_raises_the_thresholds_of_labels_with_a_low_f(problem, rule, average):
    scores, Y = problem
    for fbr in (0.0, 0.55, 1.0):
        tuned = best_thresholds(scores, Y, maximize=f"{average}-f", fbr=(fbr, rule))
        expected = weak_labels_raised(scores, Y, fbr, rule, average)
        np.testing.assert_array_equal(tuned.values, expected)
        reached = JOINED[average](f_measure, count(Y, tuned.decide(scores)))
        assert tuned.value == pytest.approx(reached)


@AVERAGES
def test_the_automatic_fbr_is_the_best_on_unseen_folds(average):
    scores, Y = make_problem(seed=4, shape=(120, 10))
    fold = assign(Y, 5, method="rarest-label", random_state=7)
    means = [
        np.mean(
            [
                JOINED[average](
                    f_measure,
                    count(
                        Y[fold == k],
                        scores[fold == k]
                        >= weak_labels_raised(scores[fold != k], Y[fold != k], fbr, 1, average),
                    ),
                )
                for k in range(5)
            ]
        )
        for fbr in AMOUNTS
    ]
    tuned = best_thresholds(scores, Y, maximize=f"{average}-f", fbr="auto", random_state=7)
    assert tuned.evidence.fbr == AMOUNTS[int(np.argmax(means))]
