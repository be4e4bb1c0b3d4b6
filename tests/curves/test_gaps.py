"""Cuts from blocks of rows: any blocks, in any order, give the cuts of all rows."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise._curves import _gaps, hulls_of, joined
from labelwise._curves._gaps import (
    add_block,
    added_gaps,
    cuts_of,
    cuts_of_label,
    merged_hits,
    no_gaps,
    on_hull,
    ranks_of_hits,
    sorted_hits,
)
from labelwise._tuning.objectives._micro import MicroRule
from labelwise.measures import f_measure, jaccard, precision
from tests.decisions.problems import problems
from tests.oracles.row_blocks import blocks, cuts_at_positives

SIZES = st.lists(st.integers(0, 3), max_size=4)
PARTS = ("decided", "hits", "lows", "thresholds", "starts", "positives")


def parts_of(problem, sizes, kind):
    """Scores and labels of each block, some of them without rows."""
    scores, Y = problem[0].astype(kind), sparse.csc_array(problem[1])
    rows = blocks(len(scores), sizes)
    return scores, Y, [(scores[one], sparse.csc_array(Y[one])) for one in rows]


def assert_same(found, wanted):
    for part in PARTS:
        np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part), part)


def cuts_in_place(parts, n_samples):
    hits = merged_hits([sorted_hits(*part) for part in parts])
    gaps = no_gaps(hits, n_samples)
    for scores, _ in parts:
        add_block(gaps, hits, scores)
    return hits, gaps


@given(problems(), SIZES, st.sampled_from([np.float32, np.float64]))
def test_blocks_of_any_size_give_the_cuts_of_all_rows(problem, sizes, kind):
    scores, Y, parts = parts_of(problem, sizes, kind)
    hits, gaps = cuts_in_place(parts, len(scores))
    found = [cuts_of_label(hits, gaps, j) for j in range(Y.shape[1])]
    assert_same(joined(found, hits.support, len(scores)), cuts_of(scores, Y))


@given(problems(), SIZES)
def test_cuts_of_blocks_are_those_of_the_definition(problem, sizes):
    scores, Y, parts = parts_of(problem, sizes, np.float64)
    hits, gaps = cuts_in_place(parts, len(scores))
    for j in range(Y.shape[1]):
        decided, n_hits, lows, thresholds = cuts_of_label(hits, gaps, j)
        wanted = cuts_at_positives(scores[:, j], Y[:, [j]].toarray().ravel())
        assert list(zip(decided, n_hits, lows, strict=True)) == [one[:3] for one in wanted]
        for threshold, (_, _, upper, lower) in zip(thresholds, wanted, strict=True):
            decides_upper = threshold <= upper
            assert decides_upper
            assert threshold == -np.inf if lower is None and upper < np.inf else True
            assert lower is None or threshold > lower


@given(problems(most_samples=9), SIZES, st.randoms(), st.booleans())
def test_gaps_join_in_any_order_and_grouping(problem, sizes, random, for_ranks):
    scores, _, parts = parts_of(problem, sizes, np.float32)
    hits = merged_hits([sorted_hits(*part) for part in parts])

    def gaps_of(some):
        gaps = no_gaps(hits, len(scores), for_ranks=for_ranks)
        for block, _ in some:
            add_block(gaps, hits, block)
        return gaps

    wanted = gaps_of(parts)
    random.shuffle(parts)
    cut = random.randint(0, len(parts))
    for one, other in zip(
        added_gaps(gaps_of(parts[:cut]), gaps_of(parts[cut:])), wanted, strict=True
    ):
        np.testing.assert_array_equal(one, other)


@given(problems(), st.integers(1, 4))
def test_ranks_of_positives_are_numbers_of_higher_and_of_equal_scores(problem, n_together):
    scores, Y = problem
    hits = sorted_hits(scores, sparse.csc_array(Y))
    gaps = no_gaps(hits, len(scores), for_ranks=True)
    add_block(gaps, hits, scores)
    for j in range(Y.shape[1]):
        with mock.patch.object(_gaps, "_PIECE", n_together):
            pieces = list(ranks_of_hits(hits, gaps, j))
        assert max(part[0].size for part in pieces) <= n_together
        column, best_first = scores[:, j], np.sort(scores[Y[:, j], j])[::-1]
        of_hits = best_first[:, None]
        wanted = [column > of_hits, column >= of_hits, best_first > of_hits, best_first >= of_hits]
        for found, is_counted in zip(zip(*pieces, strict=True), wanted, strict=True):
            np.testing.assert_array_equal(np.concatenate(found), is_counted.sum(axis=1))


@given(problems(), SIZES, st.randoms())
def test_hits_join_in_any_order_and_grouping(problem, sizes, random):
    _, _, parts = parts_of(problem, sizes, np.float64)
    found = [sorted_hits(*part) for part in parts]
    wanted = merged_hits(found)
    random.shuffle(found)
    cut = random.randint(1, len(found))
    together = merged_hits([merged_hits(found[:cut]), *found[cut:]])
    for one, other in zip(together, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("measure", [f_measure, jaccard, precision])
@given(problem=problems())
def test_the_cuts_on_the_hull_are_enough_for_the_micro_optimum(measure, problem):
    scores, Y, _ = parts_of(problem, [], np.float64)
    every = cuts_of(scores, Y)
    hits, gaps = cuts_in_place([(scores, Y)], len(scores))
    columns = [on_hull(cuts_of_label(hits, gaps, j)) for j in range(Y.shape[1])]
    few = joined(columns, hits.support, len(scores))
    assert_same(hulls_of(few), hulls_of(every))
    found, wanted = MicroRule(measure)(few), MicroRule(measure)(every)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_cuts_of_uneven_blocks_with_many_ties_are_those_of_all_rows():
    random = np.random.default_rng(0)
    scores = random.integers(0, 5000, (4000, 17)).astype(np.float32)
    Y = sparse.csc_array(random.random(scores.shape) < random.random(17) ** 3)
    parts = [(scores[one], sparse.csc_array(Y[one])) for one in blocks(4000, [1, 7, 2000])]
    hits, gaps = cuts_in_place(parts, 4000)
    found = [cuts_of_label(hits, gaps, j) for j in range(17)]
    assert_same(joined(found, hits.support, 4000), cuts_of(scores, Y))


def test_counts_are_wide_enough_for_the_number_of_samples():
    hits = sorted_hits(np.zeros((1, 1)), sparse.csc_array(np.ones((1, 1), dtype=bool)))
    assert no_gaps(hits, 2**31 - 1).counts.dtype == np.int32
    assert no_gaps(hits, 2**31).counts.dtype == np.int64
