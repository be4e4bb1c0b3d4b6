"""Constraints are met, costs are minimal, and the gap to the optimum is reported."""

import math

import numpy as np
import pytest
from hypothesis import given

from labelwise.decisions import best_thresholds
from labelwise.measures import count, f_measure, g_mean, precision, recall
from tests.decisions.problems import problems, random_problems
from tests.oracles import thresholds as oracle
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings(
    "ignore:Y has no positives", "ignore:Constraints that new samples may break"
)
LIMITS = [
    {"min_precision": 0.75},
    {"min_precision": 0.5, "maximize": recall},
    {"min_recall": 0.7},
    {"min_recall": 0.5, "maximize": precision},
    {"max_decisions": 3},
    {"max_decisions": 0.5, "maximize": recall},
    {"min_precision": 0.5, "max_decisions": 4},
    {"min_recall": 0.5, "max_decisions": 4, "maximize": precision},
]


def keeps(limits, Y, decided):
    """Whether decisions (…, n, N) keep to the constraints."""
    most = limits.get("max_decisions", Y.size)
    limits = {**limits, "max_decisions": most * len(Y) if isinstance(most, float) else most}
    return oracle.keeps(limits, Y, decided.sum(axis=(-1, -2)), (decided & Y).sum(axis=(-1, -2)))


@pytest.mark.parametrize("limits", LIMITS, ids=spoken)
def test_no_thresholds_that_keep_to_the_constraints_have_a_higher_value(limits):
    measure = limits.get("maximize", f_measure)
    n_kept = 0
    for scores, Y in random_problems(150, seed=31):
        tried = scores >= oracle.vectors(scores)[:, None, :]
        allowed = keeps(limits, Y, tried)
        if not allowed.any():
            with pytest.raises(ValueError, match="cannot be met"):
                best_thresholds(scores, Y, **limits)
            continue
        n_kept += 1
        tuned = best_thresholds(scores, Y, **limits)
        decided = tuned.decide(scores).astype(bool)
        assert keeps(limits, Y, decided)
        values = oracle.micro(measure, Y, tried)[allowed]
        np.testing.assert_allclose(tuned.value, oracle.micro(measure, Y, decided))
        assert tuned.value == pytest.approx(np.nanmax(values), rel=1e-12)
        assert tuned.evidence.exact
    assert n_kept > 60


def test_a_constraint_that_does_not_bind_changes_nothing():
    random = np.random.default_rng(0)
    Y = random.random((50, 4)) < 0.3
    scores = random.standard_normal(Y.shape) + 1.5 * Y
    free = best_thresholds(scores, Y)
    bound = best_thresholds(scores, Y, min_precision=0.1, min_recall=0.1, max_decisions=4.0)
    np.testing.assert_array_equal(free.values, bound.values)
    assert bound.evidence.exact


def test_with_macro_every_label_keeps_to_the_rates_or_is_not_decided():
    for scores, Y in random_problems(60, seed=32):
        tuned = best_thresholds(scores, Y, average="macro", maximize=recall, min_precision=0.6)
        for j in range(Y.shape[1]):
            tried = scores[:, [j]] >= oracle.vectors(scores[:, [j]])[:, None, :]
            allowed = oracle.micro(precision, Y[:, [j]], tried) >= 0.6
            decided = (scores[:, j] >= tuned.values[j])[:, None]
            if not allowed.any() or not Y[:, j].any():
                assert not decided.any()
            else:
                best = oracle.micro(recall, Y[:, [j]], tried)[allowed].max()
                assert oracle.micro(precision, Y[:, [j]], decided) >= 0.6
                assert oracle.micro(recall, Y[:, [j]], decided) == best


def test_a_common_threshold_keeps_to_the_constraints():
    for scores, Y in random_problems(60, seed=33):
        tried = scores >= oracle.shared_vectors(scores)[:, None, :]
        allowed = keeps({"min_precision": 0.5}, Y, tried)
        if not allowed.any():
            with pytest.raises(ValueError, match="cannot be met by one threshold"):
                best_thresholds(scores, Y, shared=True, min_precision=0.5)
            continue
        tuned = best_thresholds(scores, Y, shared=True, min_precision=0.5)
        assert tuned.value == pytest.approx(oracle.micro(f_measure, Y, tried)[allowed].max())


@pytest.mark.parametrize("by_label", [False, True])
def test_no_threshold_vector_costs_less(by_label):
    random = np.random.default_rng(5)
    for scores, Y in random_problems(150, seed=34, with_positives=False):
        n_labels = Y.shape[1]
        cost = tuple(random.integers(0, 4, size=n_labels if by_label else None) for _ in range(2))
        tuned = best_thresholds(scores, Y, cost=cost)
        tried = scores >= oracle.vectors(scores)[:, None, :]
        counts = oracle.counts(Y, tried)
        costs = (cost[0] * counts.fp + cost[1] * counts.fn).sum(axis=-1)
        assert tuned.value == costs.min()
        assert tuned.evidence.decided.sum() == tried.sum(axis=(1, 2))[costs == costs.min()].min()
        reached = count(Y, tuned.decide(scores))
        assert (cost[0] * reached.fp + cost[1] * reached.fn).sum() == tuned.value


@given(problem=problems())
def test_equal_costs_have_the_fewest_errors(problem):
    scores, Y = problem
    tuned = best_thresholds(scores, Y, cost=(1.0, 1.0))
    assert tuned.evidence.measure == "cost"
    tried = scores >= oracle.vectors(scores)[:, None, :]
    assert tuned.value == (tried != Y).sum(axis=(1, 2)).min()


def with_branch(counts):
    return counts.tp / (counts.tp + counts.fp) if counts.tp > 0 else 0.0


def with_math(counts):
    return math.sqrt(counts.tp)


def summed(counts):
    return np.sum(counts.tp)


ARRAYS = "measure must take Counts of arrays and return an array of numbers of their shape, but "
BAD = [
    ({"maximize": with_branch}, ARRAYS + "with_branch raised ValueError: The truth value"),
    ({"maximize": with_math}, ARRAYS + "with_math raised TypeError"),
    ({"maximize": summed}, ARRAYS + r"summed returned array\(6\) for counts of shape \(3,\)"),
    ({"maximize": lambda counts: counts.tp.astype(str)}, ARRAYS + "<lambda> returned array"),
    ({"maximize": 3, "beta": 2}, "maximize must be a name such as .*, got 3"),
    ({"min_precision": 1.5}, "min_precision must be from 0 to 1, got 1.5"),
    ({"min_recall": "high"}, "min_recall must be a number, got 'high'"),
    ({"max_decisions": -1}, "max_decisions must be a whole number in total or a decimal"),
    ({"max_decisions": True}, "max_decisions must be"),
    ({"cost": 3}, "cost must be a pair"),
    ({"cost": (1, -1)}, "cost must be finite and not negative, got -1"),
    ({"cost": (1, [1, 2, 3])}, "cost must have 2 numbers by label"),
    ({"cost": (1, 1), "min_recall": 0.5}, "cost does not go together with min_precision"),
    ({"shrink": 0.5, "min_recall": 0.5}, "shrink does not go together with min_precision"),
    ({"shrink": 0.5, "fbr": 0.1}, "shrink does not go together with fbr"),
    ({"shrink": 0.5, "maximize": "sample-f"}, "shrink does not go together with average"),
    ({"shrink": 0.1, "cost": (1, 1)}, "shrink does not go together with cost"),
    ({"fbr": 0.5, "cost": (1, 1)}, "fbr does not go together with cost"),
    (
        {"maximize": "macro-f", "max_decisions": 3},
        "max_decisions does not go together with average",
    ),
    ({"maximize": "macro-f", "shared": True, "min_recall": 0.1}, "shared=True needs average"),
    ({"maximize": recall, "average": "weighted"}, "average must be one of micro, macro, sample"),
    ({"shrink": 2}, 'shrink must be between 0 and 1, or "auto", got 2'),
    ({"fbr": "some"}, 'fbr must be between 0 and 1, or "auto"'),
    ({"fbr": (0.1, 2)}, "fbr must have 0 or 1 as its rule, got 2"),
    ({"beta": -1}, "beta must be a positive number, got -1"),
    ({"beta": 2, "maximize": g_mean}, "beta must be 1 for g_mean"),
    ({"maximize": 3}, "maximize must be a name such as .*, got 3"),
    ({"min_precision": 0.9}, "min_precision=0.9 cannot be met on these data, the highest is 0.5"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=lambda value: spoken(value)[:40])
def test_errors_of_bad_constraints_name_the_value(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        best_thresholds([[0.5, 0.5], [0.5, 0.5]], [[1, 0], [0, 1]], **options)


@pytest.mark.parametrize(
    ("scores", "Y", "message"),
    [
        ([[np.nan, 0.1]], [[1, 0]], "scores must be finite, got nan at row 0, label 0"),
        ([[0.1, np.inf]], [[1, 0]], "scores must be finite, got inf at row 0, label 1"),
        ([[0.1, 0.2]], [[1, 2]], "Y must contain only 0 and 1, got 2 at row 0, label 1"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "Y must have a row and a label"),
        (np.zeros((2, 0)), np.zeros((2, 0)), "Y must have a row and a label"),
        ([[0.1], [0.2]], [[1]], "scores has 2 rows but Y has 1"),
        ([[0.1, 0.2]], [[1]], "scores has 2 labels but Y has 1"),
        (None, [[1]], "scores must be an array"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_data_are_refused_with_what_came(scores, Y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        best_thresholds(scores, Y)


def test_one_row_and_one_label_are_enough():
    assert best_thresholds([[0.3]], [[1]]).values == -np.inf
    for options in ({"shrink": "auto"}, {"fbr": "auto"}):
        with pytest.raises(ValueError, match="needs at least 2 rows"):
            best_thresholds([[0.3]], [[1]], **options)
