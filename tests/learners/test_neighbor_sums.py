"""Scores of OkapiNeighbors do not depend on where joblib computes them."""

import joblib
import numpy as np
import pytest

from labelwise.learners import OkapiNeighbors

RANDOM = np.random.default_rng(5)
X = RANDOM.poisson(0.4, (60, 30))
Y = RANDOM.random((60, 4)) < 0.3


@pytest.mark.parametrize("n_queries", [1, 3, 60])
def test_scores_by_joblib_are_those_of_this_process(n_queries):
    model = OkapiNeighbors(n_neighbors=7).fit(X, Y)
    wanted = model.decision_function(X[:n_queries])
    with joblib.parallel_config("threading", n_jobs=3):
        found = model.decision_function(X[:n_queries])
    np.testing.assert_array_equal(found, wanted)
