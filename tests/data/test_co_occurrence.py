"""Pairs of labels are counted as one would by hand."""

import numpy as np
import pytest
from hypothesis import given

from tests.data.test_label_profile import MATRICES, labelled
from tests.oracles.label_statistics import pair_counts


@given(MATRICES)
def test_pairs_are_counted_and_the_most_frequent_labels_come_first(Y):
    found = labelled(Y).co_occurrence()
    order = [int(name) for name in found.label_names]
    assert found.counts.tolist() == (Y.T.astype(int) @ Y)[np.ix_(order, order)].tolist()
    assert (np.diff(np.diagonal(found.counts)) <= 0).all()
    counted = pair_counts(Y)
    pairs = {tuple(sorted((int(p.first), int(p.second)))): p for p in found.pairs()}
    assert {pair: p.together for pair, p in pairs.items()} == dict(counted)
    for (i, j), pair in pairs.items():
        first = Y[:, int(pair.first)].sum()
        assert pair.share_of_first == pytest.approx(counted[i, j] / first)
        expected = Y[:, i].sum() * Y[:, j].sum() / len(Y)
        assert pair.lift == pytest.approx(counted[i, j] / expected)


def test_shares_are_those_of_the_label_of_the_row():
    found = labelled([[1, 1, 0], [1, 0, 0], [1, 1, 0]]).co_occurrence()
    assert found.label_names == ("0", "1", "2")
    np.testing.assert_allclose(found.shares[:2, :2], [[1, 2 / 3], [1, 1]])
    assert np.isnan(found.shares[2]).all()


def test_rarer_labels_are_left_out_and_counted():
    found = labelled([[1, 0, 1], [1, 0, 1], [1, 1, 0]]).co_occurrence(max_labels=2)
    assert found.label_names == ("0", "2")
    assert found.n_left_out == 1
    assert repr(found).splitlines()[1].split() == ["0", "2", "2", "1"]
    with pytest.raises(ValueError, match="max_labels must be at least 1"):
        labelled([[1]]).co_occurrence(max_labels=0)
