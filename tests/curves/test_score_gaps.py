"""Counts of scores between positives: buckets and groups give what the definition says."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import sparse

from labelwise._curves._gaps import LARGE, add_to_gaps, buckets_of, counts_at_cuts
from labelwise._curves._gaps_kernels import put_in_groups
from labelwise._measuring import _ranks, find_places
from tests.oracles.row_blocks import gaps_between

# The largest floats, whose difference overflows, and the smallest, whose reciprocal does.
EXTREME = st.sampled_from([-1.7e308, 1.7e308, -5e-324, 0.0, 5e-324, 1e-300, 1.0, 2.0])
NUMBERS = st.one_of(EXTREME, st.floats(-3, 3), st.integers(-3, 3).map(float))


@given(st.lists(NUMBERS, max_size=20), st.lists(NUMBERS, max_size=60), st.booleans())
@example([2.0, 9.0, 1e308], [1.0, 2.0, 2.0], False)
@example([0.0, 1e-308, 1.0], [0.0, 1e-308, 1e-308], False)
def test_a_score_is_in_the_gap_of_the_last_positive_that_is_not_above_it(scores, hits, is_spread):
    hits = np.sort(np.array(hits + list(np.linspace(-3, 3, 50) if is_spread else []), dtype=float))
    counts, ties = np.zeros((2, hits.size), np.int32)
    highest = np.full(hits.size, -np.inf)
    below = add_to_gaps(np.array(scores, dtype=float), hits, counts, highest, ties)
    wanted = gaps_between(scores, hits)
    if hits.size:
        np.testing.assert_equal((list(counts), list(highest), list(ties), below), wanted)


@given(st.lists(NUMBERS, max_size=30), st.lists(NUMBERS, min_size=1, max_size=9), st.integers(0, 3))
def test_groups_have_the_scores_of_neighbouring_buckets_in_rising_order(scores, hits, shift):
    hits, scores = np.sort(hits), np.array([*scores, -np.inf, np.inf], dtype=float)
    n_buckets, scale = buckets_of(hits, scores.size)
    n_groups = ((n_buckets - 1) >> shift) + 1
    numbers, places = np.empty(scores.size, np.uint8), np.zeros(n_groups + 1, np.int64)
    found = np.empty_like(scores)
    put_in_groups(scores, hits, scale, shift, numbers, places, found)
    assert sorted(found) == sorted(scores)
    ends = np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=n_groups))))
    groups = [found[start:end] for start, end in pairwise(ends)]
    for number, mine in enumerate(groups):
        np.testing.assert_array_equal(mine, scores[numbers == number])
    filled = [mine for mine in groups if mine.size]
    assert all(one.max() < other.min() for one, other in pairwise(filled))


def test_more_positives_than_a_cache_has_room_for_are_counted_in_groups():
    random = np.random.default_rng(0)
    hits = np.sort(np.round(random.normal(size=LARGE + 5), 4))
    scores = np.round(random.normal(size=LARGE), 4)
    counts, ties = np.zeros((2, hits.size), np.int64)
    highest = np.full(hits.size, -np.inf)
    below = add_to_gaps(scores, hits, counts, highest, ties)
    entries = np.searchsorted(hits, scores, side="right") - 1
    reached = entries >= 0
    np.testing.assert_array_equal(counts, np.bincount(entries[reached], minlength=hits.size))
    is_tied = reached & (hits[entries] == scores)
    np.testing.assert_array_equal(ties, np.bincount(entries[is_tied], minlength=hits.size))
    wanted = np.full(hits.size, -np.inf)
    np.maximum.at(wanted, entries[reached], scores[reached])
    np.testing.assert_array_equal(highest, wanted)
    assert below == max(scores[~reached], default=-np.inf)


@given(*2 * [st.lists(st.one_of(NUMBERS, st.just(-np.inf)), max_size=30)])
@example([1.0, 2.0], [1.0, 1.0])
@example([-np.inf, 2.0], [-np.inf, 1.0])
def test_counts_above_a_cut_are_those_of_the_definition(values, cuts):
    values, cuts = np.array(values, dtype=float), np.sort(np.array(cuts, dtype=float))
    above, at_least = counts_at_cuts(values, cuts)
    falling = cuts[::-1, None]
    np.testing.assert_array_equal(above, (values > falling).sum(axis=1))
    np.testing.assert_array_equal(at_least, (values >= falling).sum(axis=1))


@pytest.mark.parametrize("by", ["label", "all"])
def test_long_rankings_have_the_ranks_of_sorted_ones(by, monkeypatch):
    random = np.random.default_rng(0)
    scores = np.round(random.normal(size=(500, 7)), 2)
    Y = sparse.csc_array(random.random(scores.shape) < np.linspace(0, 0.9, 7))
    wanted = find_places(Y, scores, by)
    monkeypatch.setattr(_ranks, "_LONG", 1)
    for one, other in zip(find_places(Y, scores, by), wanted, strict=True):
        np.testing.assert_array_equal(one, other)
