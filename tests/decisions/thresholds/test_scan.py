"""Algorithm 1 of Pillai et al. (2012) runs as published, and reaches the optimum."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given

from labelwise.decisions import best_thresholds, scan_thresholds
from labelwise.measures import f_measure
from tests.decisions.problems import problems, random_problems
from tests.oracles import thresholds as oracle

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
BETAS = pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, math.pi / 3])


@BETAS
def test_it_evaluates_and_finds_what_the_published_steps_do(beta):
    for scores, Y in random_problems(60, seed=11):
        values, n_evaluated = oracle.scan(scores, Y, beta)
        found = scan_thresholds(scores, Y, beta=beta)
        assert found.thresholds.value == pytest.approx(values[-1], rel=1e-12)
        assert found.value_after_first_scan == pytest.approx(values[0], rel=1e-12)
        assert (found.n_scans, found.n_evaluated) == (len(values), n_evaluated)


@BETAS
@given(problem=problems(most_samples=15, most_labels=5))
def test_it_reaches_the_same_value_as_the_hulls(problem, beta):
    scores, Y = problem
    scan = scan_thresholds(scores, Y, beta=beta)
    assert scan.thresholds.value == pytest.approx(best_thresholds(scores, Y, beta=beta).value)
    decided = scan.thresholds.decide(scores).astype(bool)
    measure = partial(f_measure, beta=beta)
    assert oracle.micro(measure, Y, decided) == pytest.approx(scan.thresholds.value)
    n, n_labels = scores.shape
    sets = n_labels * (n + 1)
    assert scan.n_evaluated <= (sets**2 + sets) / 2
    assert scan.thresholds.evidence.exact


def test_one_scan_is_the_greedy_rule_and_not_called_exact():
    random = np.random.default_rng(0)
    Y = random.random((60, 8)) < 0.2
    scores = random.standard_normal(Y.shape) + Y
    whole, first = (scan_thresholds(scores, Y, max_scans=scans) for scans in (None, 1))
    assert whole.n_scans > 1
    assert first.n_scans == 1
    assert first.thresholds.value == whole.value_after_first_scan < whole.thresholds.value
    assert not first.thresholds.evidence.exact
    assert first.thresholds.evidence.certificate is None
    assert whole.thresholds.evidence.certificate == whole.thresholds.value / 2


def test_without_positives_nothing_is_decided():
    with pytest.warns(UserWarning, match="no positives"):
        scan = scan_thresholds([[0.2, 0.1]], [[0, 0]])
    assert scan.thresholds.value == 1
    assert scan.thresholds.evidence.decided.sum() == 0


@pytest.mark.parametrize("wrong", [0, 1.5, True])
def test_max_scans_must_be_a_positive_whole_number(wrong):
    with pytest.raises((TypeError, ValueError), match="max_scans must be"):
        scan_thresholds([[0.2]], [[1]], max_scans=wrong)
