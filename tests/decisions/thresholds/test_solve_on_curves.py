"""Requests solved on the cuts of labels alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelwise.decisions.thresholds._request import Request
from labelwise.decisions.thresholds._solve import solve
from labelwise.decisions.thresholds._solve_on_curves import check_for_curves, solve_on_curves
from labelwise.decisions.thresholds.curves._hit_gaps import cuts_of
from labelwise.decisions.thresholds.curves._problem import Problem
from tests.decisions.problems import problems


@dataclass
class CurvesInMemory:
    """Curves of a problem in memory, which gives no rows away."""

    problem: Any
    names: Any = None

    def __post_init__(self):
        self.n_samples, self.n_labels = self.problem.n_samples, self.problem.n_labels
        self.support = self.problem.support
        self.every_cut, self.counts = self.problem.every_cut, self.problem.counts
        self.weights, self.everyone = None, self.problem.everyone
        self.total_weight = self.n_samples

    def label_cuts(self):
        for j in range(self.problem.n_labels):
            yield cuts_of(self.problem.scores[:, [j]], self.problem.Y[:, [j]])

    def hull_cuts(self):
        return cuts_of(self.problem.scores, self.problem.Y)


@settings(max_examples=60, deadline=None)
@given(
    problems(),
    st.sampled_from(
        [
            {},
            {"maximize": "macro-f"},
            {"maximize": "macro-accuracy"},
            {"maximize": "micro-matthews"},
            {"cost": (1, 3)},
            {"max_decisions": 2},
            {"maximize": "macro-f", "min_precision": 0.5},
        ]
    ),
)
def test_the_solution_is_that_of_all_rows(data, params):
    problem = Problem(data[0], sparse.csc_array(data[1]), None)
    request = Request(**params, n_labels=problem.n_labels)
    wanted = solve(problem, request, 0)
    found = solve_on_curves(CurvesInMemory(problem), request)
    for name in ("values", "value", "decided", "support", "gap", "certificate", "measure"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), name)
    assert [check.name for check in found.constraints] == [
        name for name in ("min_precision", "max_decisions") if name in params
    ]


@pytest.mark.parametrize("option", [{"shared": True}, {"shrink": 0.1}, {"fbr": 0.2}])
def test_options_that_need_rows_are_refused(option):
    with pytest.raises(ValueError, match="needs all scores in memory"):
        check_for_curves(Request(**option, n_labels=2))
