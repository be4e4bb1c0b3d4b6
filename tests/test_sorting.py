"""Pieces of an array are sorted as each of them would be by itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise import _sorting
from labelwise._sorting import falling_order, sort_pieces


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.data())
def test_chosen_pieces_are_sorted_and_the_others_stay(sizes, data):
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    values = np.random.default_rng(len(sizes)).integers(0, 4, bounds[-1]).astype(np.float32)
    chosen = data.draw(st.sets(st.integers(0, len(sizes) - 1)))
    numbers = np.array(sorted(chosen), dtype=np.intp)
    expected = values.copy()
    for i in numbers:
        expected[bounds[i] : bounds[i + 1]].sort()
    sort_pieces(values, bounds, numbers)
    np.testing.assert_array_equal(values, expected)


def test_long_pieces_are_sorted_too(monkeypatch):
    monkeypatch.setattr(_sorting, "_LONG_PIECE", 4)
    values = np.arange(20.0)[::-1].copy()
    sort_pieces(values, np.array([0, 3, 20]), np.array([0, 1]))
    np.testing.assert_array_equal(values, [17, 18, 19, *range(17)])


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 12))
def test_the_order_of_each_piece_falls_and_stays_within_it(sizes, longest):
    bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    values = np.random.default_rng(len(sizes)).integers(-2, 2, bounds[-1]).astype(np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sorting, "_LONG_PIECE", longest)
        patch.setattr(_sorting, "_TOGETHER", 8)
        order = falling_order(values, bounds)
    for first, end in pairwise(bounds.tolist()):
        assert sorted(order[first:end]) == list(range(first, end))
        assert values[order[first:end]].tolist() == sorted(values[first:end], reverse=True)
