"""Constraints say what they reach on the tuning samples and on others."""

import numpy as np
import pytest

from labelwise.decisions import ConstraintCheck, TunedThresholds, best_thresholds
from labelwise.measures import count, micro, precision, recall
from tests.decisions.columns import Columns


def noisy(n_samples=120, n_labels=10, seed=0):
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, n_labels)) < 0.2
    return Y + random.normal(size=Y.shape), Y


@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
def test_values_are_those_of_the_decisions_on_the_tuning_samples():
    scores, Y = noisy()
    tuned = best_thresholds(scores, Y, min_recall=0.3, min_precision=0.5)
    counts = count(Y, tuned.decide(scores))
    of_precision, of_recall = tuned.evidence.constraints
    assert of_precision.name == "min_precision"
    assert of_precision.value == pytest.approx(micro(precision, counts))
    assert of_recall.value == pytest.approx(micro(recall, counts))
    assert of_recall.limit == 0.3


def test_a_limit_that_other_samples_break_is_warned_of():
    scores, Y = noisy()
    with pytest.warns(UserWarning, match=r"min_precision 0\.8: precision 0\.8.* not tuned on"):
        tuned = best_thresholds(scores, Y, min_precision=0.8)
    (check,) = tuned.evidence.constraints
    assert check.is_broken
    assert check.corrected_value < 0.8 <= check.value
    assert check.line() in repr(tuned)
    new_scores, new_Y = noisy(20_000, seed=1)
    reached = micro(precision, count(new_Y, tuned.decide(new_scores)))
    assert abs(check.corrected_value - reached) < abs(check.value - reached)


def test_an_estimator_warns_too():
    scores, Y = noisy()
    model = TunedThresholds(Columns(), min_precision=0.8)
    with pytest.warns(UserWarning, match="Constraints that new samples may break"):
        model.fit(scores, Y)
    assert model.thresholds_.evidence.constraints[0].is_broken


def test_with_macro_the_lowest_rate_of_a_decided_label_counts():
    scores, Y = noisy()
    with pytest.warns(UserWarning, match="min_precision"):
        tuned = best_thresholds(scores, Y, maximize="macro-f", min_precision=0.6)
    rates = precision(count(Y, tuned.decide(scores)))
    (check,) = tuned.evidence.constraints
    assert check.value == pytest.approx(np.nanmin(rates))
    assert check.label == str(np.nanargmin(rates))


def test_the_label_of_the_lowest_rate_is_named():
    scores, Y = noisy()
    names = [f"label {j}" for j in range(10)]
    shown = (
        r"the lowest precision of a label 0\.\d+ \(of 'label \d'\) on these samples, 0\.\d+ \(of '"
    )
    with pytest.warns(UserWarning, match=shown):
        tuned = best_thresholds(scores, Y, maximize="macro-f", min_precision=0.6, label_names=names)
    (check,) = tuned.evidence.constraints
    assert {check.label, check.corrected_label} <= set(names)
    assert f"{check.corrected_value:.4f} (of '{check.corrected_label}') on samples" in repr(tuned)


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_the_label_of_the_lowest_rate_has_truth():
    scores, Y = noisy()
    gaps = Y.astype(float)
    gaps[:, 0] = np.nan  # a label without truth has no rate
    options = {"maximize": "macro-f", "min_precision": 0.6, "random_state": 0}
    with pytest.warns(UserWarning, match="min_precision"):
        less = best_thresholds(scores, gaps, **options)
    with pytest.warns(UserWarning, match="min_precision"):
        wanted = best_thresholds(scores[:, 1:], Y[:, 1:], **options)
    (check,), (expected,) = less.evidence.constraints, wanted.evidence.constraints
    assert check.corrected_value == expected.corrected_value
    assert int(check.corrected_label) == int(expected.corrected_label) + 1


def test_decisions_are_limited_from_above():
    assert ConstraintCheck("max_decisions", 10, 9.0, 11.0).is_broken
    assert not ConstraintCheck("max_decisions", 10, 9.0, 10.0).is_broken
    assert not ConstraintCheck("min_recall", 0.5, 0.5, float("nan")).is_broken
    line = ConstraintCheck("max_decisions", 1000, 999.0, float("nan")).line()
    assert line == (
        "max_decisions 1000: decisions 999 on these samples, unknown on samples that were not "
        "tuned on"
    )


def test_without_constraints_nothing_is_checked():
    scores, Y = noisy()
    assert best_thresholds(scores, Y).evidence.constraints == ()


@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
def test_constraints_that_each_can_be_met_exactly_are_refused_together():
    scores, Y = np.array([[3.0], [2.0], [1.0], [0.0]]), np.array([[1], [0], [0], [1]])
    for limit in ({"min_precision": 1.0}, {"min_recall": 1.0}):
        assert best_thresholds(scores, Y, **limit).evidence.gap == 0
    with pytest.raises(ValueError, match="cannot be met together on these data"):
        best_thresholds(scores, Y, min_precision=1.0, min_recall=1.0)
