"""Pieces of an array are sorted as each of them would be by itself."""

import numpy as np
from hypothesis import given, strategies as st

from labelwise._measuring import _ranks
from labelwise._measuring._ranks import sort_pieces


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
    monkeypatch.setattr(_ranks, "_LONG_PIECE", 4)
    values = np.arange(20.0)[::-1].copy()
    sort_pieces(values, np.array([0, 3, 20]), np.array([0, 1]))
    np.testing.assert_array_equal(values, [17, 18, 19, *range(17)])
