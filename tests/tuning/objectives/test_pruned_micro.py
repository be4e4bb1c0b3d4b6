"""Pruned cuts contain the optimum: scores that are not sorted do not matter.

Tests the pruned optimum of `_micro`.
"""

import math
from functools import partial

import numpy as np
import pytest

from labelwise._curves import cuts_of
from labelwise._tuning.objectives import _micro
from labelwise._tuning.objectives._linear_fractional import certificate_of, least_certificate
from labelwise._tuning.objectives._micro import MicroRule
from labelwise._tuning.problem._problem import check_problem
from labelwise.decisions import LinearFractional
from labelwise.measures import accuracy, balanced_accuracy, f_measure, g_mean, jaccard, precision
from tests.decisions.problems import random_problems
from tests.spoken import spoken

TVERSKY = LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0))
MEASURES = [
    *(partial(f_measure, beta=beta) for beta in (0.5, 1.0, 2.0, math.pi / 3)),
    jaccard,
    precision,
    accuracy,
    balanced_accuracy,
    TVERSKY,
]


@pytest.mark.parametrize("measure", MEASURES, ids=spoken)
@pytest.mark.parametrize("n_sampled", [1, 3, 8])
def test_few_scores_give_the_same_thresholds_as_all(monkeypatch, measure, n_sampled):
    monkeypatch.setattr(_micro, "_FEW", 0)
    # Poor estimates of ranks: from a few rows, often sorted by a label's scores.
    monkeypatch.setattr(_micro, "_N_SAMPLED", n_sampled)
    rule, n_found = MicroRule(measure), 0
    for scores, Y in random_problems(40, seed=41, most_samples=60, most_labels=5):
        for rows in (slice(None), np.argsort(scores[:, 0])):
            problem = check_problem(np.ascontiguousarray(scores[rows]), Y[rows], None)
            found = _micro.best_of_few(problem, rule)
            if found is not None:
                n_found += 1
                expected = rule(cuts_of(problem.scores, problem.Y))
                for part, other in zip(found, expected, strict=True):
                    np.testing.assert_array_equal(part, other)
    assert n_found > 20


def test_problems_that_pruning_does_not_serve_are_left_to_sorting(monkeypatch):
    monkeypatch.setattr(_micro, "_FEW", 0)
    monkeypatch.setattr(_micro, "_N_SAMPLED", 10)
    random = np.random.default_rng(0)
    scores, Y = random.random((50, 3)), random.random((50, 3)) < 0.3
    problem = check_problem(scores, Y, None)
    assert _micro.best_of_few(problem, MicroRule(f_measure)) is not None
    assert _micro.best_of_few(problem, MicroRule(g_mean)) is None
    columns = check_problem(np.asfortranarray(scores), Y, None)
    assert _micro.best_of_few(columns, MicroRule(f_measure)) is None
    monkeypatch.undo()
    assert _micro.best_of_few(problem, MicroRule(f_measure)) is None


@pytest.mark.parametrize("measure", MEASURES, ids=spoken)
def test_the_certificate_of_a_higher_value_is_no_lower(measure):
    for low, high in ((0.2, 0.3), (0.5, 0.9)):
        least = least_certificate(measure, low, 30, 100)
        if least is not None:
            assert least <= certificate_of(measure, high, 30, 100)


def test_a_certificate_that_falls_as_the_value_rises_bounds_nothing():
    falling = LinearFractional((0, 0, 0, 1), (0, 0, 1, 0))
    low, high = (certificate_of(falling, value, 30, 100) for value in (0.3, 0.6))
    assert high < low
    assert least_certificate(falling, 0.3, 30, 100) is None
