"""Pieces of cuts are those of some labels after another, and the best cuts are the same."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise._curves import _cuts, cuts_of
from labelwise._tuning.objectives._by_label import MacroRule
from labelwise.measures import f_measure


def some_cuts(seed, n_labels):
    random = np.random.default_rng(seed)
    scores = np.round(random.normal(size=(30, n_labels)), 1)
    return cuts_of(scores, sparse.csc_array(random.random(scores.shape) < random.random(n_labels)))


@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 8), room=st.integers(1, 60))
def test_pieces_are_all_cuts_in_order(seed, n_labels, room):
    cuts = some_cuts(seed, n_labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cuts, "_CACHED", room)
        pieces = list(cuts.pieces())
        choice = MacroRule(f_measure)(cuts)
    for name in ("decided", "hits", "lows", "thresholds", "positives"):
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        np.testing.assert_array_equal(joined, getattr(cuts, name))
    sizes = np.concatenate([np.diff(piece.starts) for piece in pieces])
    np.testing.assert_array_equal(sizes, np.diff(cuts.starts))
    for piece in pieces:
        assert piece.decided.size < room + np.diff(piece.starts)[-1]
    whole = MacroRule(f_measure)(cuts)
    np.testing.assert_array_equal(choice.thresholds, whole.thresholds)
    assert choice.value == whole.value


def test_labels_may_have_numbers_of_samples_of_their_own():
    cuts = some_cuts(0, 4)._replace(n_samples=np.array([30, 29, 28, 27]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cuts, "_CACHED", 1)
        pieces = list(cuts.pieces())
    assert [piece.n_samples.tolist() for piece in pieces] == [[30], [29], [28], [27]]
    for number, piece in enumerate(pieces):
        mine = slice(cuts.starts[number], cuts.starts[number + 1])
        np.testing.assert_array_equal(piece.counts.tn, cuts.counts.tn[mine])
