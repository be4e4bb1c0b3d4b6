"""Labels that are ranked once give the cuts of any subset or resampling of the rows.

Tests `_weighted_cuts` and `_weighted_cuts_kernels` through `_problem`, and `_cuts` with
`_cuts_kernels`. `_frontier_steps` is tested in `test_frontier.py` and
`objectives/test_off_frontier.py`, `_pruned_cuts` in `objectives/test_pruned_micro.py`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from labelwise.decisions.thresholds.curves._cuts import cuts_of, every_cut
from labelwise.decisions.thresholds.curves._problem import check_problem
from tests.decisions.problems import problems
from tests.oracles import thresholds as oracle

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


def definition(column, truth, everywhere):
    """(decided, hits, lowest score, threshold) of each cut of a label."""
    found = [(0, 0, np.inf, np.inf)]
    for low in oracle.cuts(column)[1:]:
        decided = column >= low
        if everywhere or truth[column == low].any():
            below = column[~decided]
            threshold = (low + below.max()) / 2 if below.size else -np.inf
            found.append((decided.sum(), (decided & truth).sum(), low, threshold))
    return found


@given(problem=problems(), data=st.data())
def test_cuts_under_weights_are_those_of_repeated_rows(problem, data):
    scores, Y = problem
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(Y), max_size=len(Y)))
    rows = np.repeat(np.arange(len(Y)), weights)
    weights = np.array(weights, dtype=np.int64)
    for given_scores in (scores, sparse.csr_array(scores + 5.0)):
        checked = check_problem(given_scores, Y, None)
        dense = scores if given_scores is scores else scores + 5.0
        for everywhere in (False, True):
            cuts = checked.cuts(weights, everywhere)
            np.testing.assert_array_equal(cuts.positives, Y[rows].sum(axis=0))
            assert cuts.n_samples == rows.size
            for j in range(Y.shape[1]):
                mine = slice(cuts.starts[j], cuts.starts[j + 1])
                found = np.stack([part[mine] for part in cuts[1:5]], axis=1)
                expected = definition(dense[rows, j], Y[rows, j], everywhere)
                np.testing.assert_allclose(found, expected, rtol=1e-15)


@given(problem=problems())
def test_values_sorted_alone_give_the_same_cuts(problem):
    scores, Y = problem
    checked = check_problem(scores, Y, None)
    for found, expected in (
        (cuts_of(scores, checked.Y), checked.cuts(checked.everyone, False)),
        *(
            (cuts, (None, *expected))
            for j, cuts in enumerate(every_cut(scores, checked.Y))
            if (expected := label_cuts(checked, j))
        ),
    ):
        for part, other in zip(found[1:5], expected[1:5], strict=True):
            np.testing.assert_array_equal(part, other)


def label_cuts(checked, j):
    cuts = checked.cuts(checked.everyone, True)
    return [part[cuts.starts[j] : cuts.starts[j + 1]] for part in cuts[1:5]]
