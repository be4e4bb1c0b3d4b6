"""A part of a checked problem is solved as the function solves the part."""

import numpy as np
import pytest
from scipy import sparse

from labelwise._tuning import Problem, Request, solve
from labelwise.decisions import best_thresholds
from labelwise.measures import accuracy, g_mean

pytestmark = pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
OPTIONS = [
    {},
    {"maximize": "macro-f"},
    {"maximize": accuracy, "average": "macro"},
    {"maximize": g_mean},
    {"maximize": "sample-f"},
    {"shared": True},
    {"shrink": "auto"},
    {"shrink": 1},
    {"fbr": ("auto", 0)},
    {"max_decisions": 0.5},
    {"min_recall": 0.6, "maximize": "macro-f"},
    {"cost": (1.0, [1.0, 2.0, 3.0])},
]


def some_problem(seed=0):
    random = np.random.default_rng(seed)
    Y = random.random((40, 3)) < 0.4
    return np.round(Y * 0.3 + random.random(Y.shape), 2), Y


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options))
def test_a_part_of_a_checked_problem_gives_what_the_function_gives_for_the_part(options):
    scores, Y = some_problem(1)
    rows = np.flatnonzero(np.random.default_rng(1).random(40) < 0.7)
    request = Request(**options, n_labels=3)
    for form in (scores, sparse.csr_array(scores)):
        found = solve(Problem(form, sparse.csc_array(Y), None).rows(rows), request, 3)
        expected = best_thresholds(form[rows], Y[rows], random_state=3, **options)
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.value == expected.value
