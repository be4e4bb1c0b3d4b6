"""Summaries of bags are the means and the maxima of their rows, dense and sparse."""

import numpy as np
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.data import Bags
from labelwise.learners import BagSummary
from tests.learners.bags.problems import scored_bags
from tests.oracles.bags import (
    aggregate,
)


@given(scored_bags())
def test_summaries_are_means_and_maxima(problem):
    rows, starts, _ = problem
    summary = BagSummary(["max", "mean"])
    found = summary.fit_transform(Bags(rows, starts))
    expected = np.hstack([aggregate(rows, starts, how) for how in ("max", "mean")])
    np.testing.assert_allclose(found, expected)
    assert len(summary.get_feature_names_out()) == found.shape[1]


@given(scored_bags(), st.sampled_from(["max", "mean"]), st.sampled_from([0.0, 0.2, 2.0]))
def test_sparse_summaries_are_the_dense_ones(problem, part, less):
    rows, starts, _ = problem
    rows = np.where(rows == 0.0, 0.0, rows - less)
    found = BagSummary(part).fit_transform(Bags(sparse.csr_array(rows), starts))
    assert isinstance(found, sparse.csr_array)
    assert (found.data != 0).all() or part == "mean"
    np.testing.assert_allclose(found.toarray(), aggregate(rows, starts, part), atol=1e-12)


def test_duplicate_entries_of_sparse_rows_are_summed_before_the_maximum():
    twice = sparse.csr_array(([1.0, 2.0, 2.5], [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    assert BagSummary("max").fit_transform(Bags(twice, [0, 2])).toarray().tolist() == [[3.0]]
    assert twice.nnz == 3
