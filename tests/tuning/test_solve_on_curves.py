"""Requests solved on curves of labels whose rows are not in memory."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from labelwise._curves import cuts_of
from labelwise._tuning import Problem, Request, solve, tune_and_correct
from tests.decisions.problems import problems


class CurvesByLabel:
    """Curves of a problem in memory, one label at a time, which give no rows away."""

    weights = None

    def __init__(self, problem):
        self.problem, self.names = problem, None
        self.n_samples = self.total_weight = problem.n_samples
        self.n_labels, self.support = problem.n_labels, problem.support
        self.every_cut, self.counts = problem.every_cut, problem.counts
        self.cuts_of_all = self.frontier_cuts = problem.cuts_of_all

    def pieces(self, everywhere):
        if everywhere:
            yield from self.every_cut()
            return
        for j in range(self.n_labels):
            yield cuts_of(self.problem.scores[:, [j]], self.problem.Y[:, [j]])


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
    found = tune_and_correct(CurvesByLabel(problem), request, None)[0]
    np.testing.assert_array_equal(found.values, wanted.values)
    for name in ("value", "decided", "support", "gap", "certificate", "measure"):
        one, other = (getattr(result.evidence, name) for result in (found, wanted))
        np.testing.assert_array_equal(one, other, name)
    assert [check.name for check in found.evidence.constraints] == [
        name for name in ("min_precision", "max_decisions") if name in params
    ]


@pytest.mark.parametrize("option", [{"shared": True}, {"shrink": 0.1}, {"fbr": 0.2}])
def test_options_that_need_rows_are_refused(option):
    problem = Problem(np.eye(2), sparse.csc_array(np.eye(2, dtype=bool)), None)
    name = next(iter(option))
    with pytest.raises(ValueError, match=f"^{name}.* needs all rows in memory"):
        solve(CurvesByLabel(problem), Request(**option), None)
