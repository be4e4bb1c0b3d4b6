"""Labels that are ranked once give the cuts of any subset or resampling of the rows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise._curves import cuts_of, every_cut
from labelwise._tuning import check_problem
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


@given(problem=problems(most_samples=40), data=st.data())
def test_sparse_scores_have_the_cuts_of_dense_scores_without_the_absent_ones(problem, data):
    scores, Y = problem
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    scores = (scores + 5.0).astype(dtype)
    stored = data.draw(hnp.arrays(bool, scores.shape))
    found = check_problem(sparse.csr_array(np.where(stored, scores, 0)), Y, None)
    for everywhere in (False, True):
        cuts = found.cuts(found.everyone, everywhere)
        for j in range(Y.shape[1]):
            rows = stored[:, j]
            mine = [part[cuts.starts[j] : cuts.starts[j + 1]] for part in cuts[1:5]]
            expected = [(np.zeros(1), np.zeros(1), np.array([np.inf]), np.array([np.inf]))]
            if rows.any():
                column = check_problem(scores[rows][:, [j]], Y[rows][:, [j]], None)
                expected = [column.cuts(column.everyone, everywhere)[1:5]]
            for part, other in zip(mine, expected[0], strict=True):
                np.testing.assert_array_equal(part, other)


def test_the_cells_of_a_long_column_are_in_the_order_of_falling_score():
    random = np.random.default_rng(0)
    scores = random.integers(1, 900, (1500, 2)).astype(np.float32)
    Y = random.random(scores.shape) < 0.3
    ranking = check_problem(sparse.csr_array(scores), Y, None).ranking
    for j in range(2):
        mine = slice(ranking.starts[j], ranking.starts[j + 1])
        rows = ranking.cells[mine] >> 1
        assert sorted(rows) == list(range(1500))
        np.testing.assert_array_equal(ranking.cells[mine] & 1, Y[rows, j])
        np.testing.assert_array_equal(ranking.scores[mine], scores[rows, j])
        assert (np.diff(ranking.scores[mine]) <= 0).all()


@given(problem=problems())
def test_every_cut_of_sparse_scores_comes_label_by_label(problem):
    scores, Y = problem
    dense, stored = (check_problem(form, Y, None) for form in (scores, sparse_form(scores)))
    for one, other in zip(dense.every_cut(), stored.every_cut(), strict=True):
        for part, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(part, same)


def sparse_form(scores):
    """The scores with every cell stored, zeros as well."""
    rows, columns = np.indices(scores.shape)
    return sparse.csr_array((scores.ravel(), (rows.ravel(), columns.ravel())), scores.shape)


@given(problem=problems(), data=st.data())
def test_counts_at_thresholds_are_those_of_the_decisions(problem, data):
    scores, Y = problem
    rows = [data.draw(st.integers(0, len(Y) - 1)) for _ in range(Y.shape[1])]
    stored = scores + 5.0
    stored[data.draw(hnp.arrays(bool, Y.shape))] = 0
    for given_scores, present in (
        (scores, np.isfinite(scores)),
        (sparse.csr_array(stored), stored > 0),
    ):
        dense = scores if given_scores is scores else stored
        thresholds = dense[rows, np.arange(Y.shape[1])].astype(np.float64)
        decided = (dense >= thresholds) & present
        counts = check_problem(given_scores, Y, None).counts(thresholds)
        np.testing.assert_array_equal(counts.tp, (decided & Y.astype(bool)).sum(axis=0))
        np.testing.assert_array_equal(counts.fp, (decided & ~Y.astype(bool)).sum(axis=0))


@given(problem=problems(), data=st.data())
def test_counts_under_weights_are_those_of_repeated_rows(problem, data):
    scores, Y = problem
    weights = data.draw(hnp.arrays(np.int64, len(Y), elements=st.integers(0, 3)))
    levels = -np.sort(-data.draw(hnp.arrays(np.float64, 4, elements=st.sampled_from([0, 0.25, 1]))))
    rows = np.repeat(np.arange(len(Y)), weights)
    counts = check_problem(scores, Y, None).counts_under(weights, levels[:, None])
    for k, level in enumerate(levels):
        decided, truth = scores[rows] >= level, Y[rows]
        np.testing.assert_array_equal(counts.tp[k], (decided & truth).sum(axis=0))
        np.testing.assert_array_equal(counts.fp[k], (decided & ~truth).sum(axis=0))
        np.testing.assert_array_equal(counts.fn[k], (~decided & truth).sum(axis=0))


@given(problem=problems())
def test_positives_of_all_labels_fall_together_with_their_rows(problem):
    scores, Y = problem
    falling, rows = check_problem(scores, Y, None).pooled_hits
    expected = [(-scores[i, j], i) for i, j in zip(*np.nonzero(Y), strict=True)]
    np.testing.assert_array_equal(falling, -np.sort([score for score, _ in expected]))
    assert sorted(zip(-falling, rows, strict=True)) == sorted(expected)
