"""The quality of a split is what sechidis2011 section 4.2 says."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.splitting import split_quality
from tests.oracles import splitting as oracle
from tests.splitting.problems import label_matrices, shares


@given(Y=label_matrices(), proportions=shares(), seed=st.integers(0, 2**32 - 1))
def test_quality_agrees_with_its_definition(Y, proportions, seed):
    proportions = [float(share) for share in proportions]
    subsets = np.random.default_rng(seed).integers(len(proportions), size=len(Y))
    found = split_quality(Y, subsets, proportions)
    expected = oracle.quality(Y.tolist(), subsets.tolist(), proportions)
    assert (found.ld, found.ed, found.fz, found.flz) == pytest.approx(expected)
    assert found.n_left_out == (Y.sum(axis=0) == len(Y)).sum()
    assert found.sizes == tuple(np.bincount(subsets, minlength=len(proportions)))


def test_a_label_of_every_row_is_left_out_and_counted():
    found = split_quality([[1, 1], [1, 0], [1, 1], [1, 0]], [0, 0, 1, 1])
    assert (found.ld, found.n_left_out, found.worst_label) == (0.0, 1, "1")


def test_a_subset_without_negatives_makes_ld_infinite():
    found = split_quality([[1], [1], [0], [0]], [0, 0, 1, 1])
    assert found.ld == np.inf


def test_a_label_that_nobody_carries_costs_no_ld_but_counts_in_flz():
    found = split_quality([[0, 1], [0, 0], [0, 1], [0, 0]], [0, 0, 1, 1])
    assert (found.ld, found.fz, found.flz) == (0.0, 2, 2)


def test_the_worst_label_is_named():
    sets = [{"sea"}, {"sea", "sky"}, {"sky"}, set(), {"sea"}, {"sky"}]
    found = split_quality(sets, [0, 0, 0, 1, 1, 1])
    by_label = [
        oracle.quality([[int(name in row)] for row in sets], [0, 0, 0, 1, 1, 1], [0.5, 0.5])[0]
        for name in ("sea", "sky")
    ]
    assert found.worst_ld == pytest.approx(max(by_label))
    assert found.worst_label == ("sea", "sky")[int(np.argmax(by_label))]


def test_a_quality_prints_as_a_table_and_never_as_markup():
    found = split_quality([{"<b>"}, set(), {"<b>"}, set()], [0, 0, 0, 1])
    assert "LD, labels distribution" in str(found)
    assert "<b>" in str(found)
    assert "<b>" not in found._repr_html_()
    assert found.to_dict()["flz"] == 1


@pytest.mark.parametrize(
    ("subsets", "proportions", "message"),
    [
        ([0, 1], None, "subsets has 2 entries but Y has 3 samples."),
        ([0, 1, -1], None, "subsets must be counted from 0, got -1."),
        ([0, 1, 2], 2, "subsets must be below the 2 of proportions, got 2."),
        ([0.0, 1.0, 0.0], None, "subsets must be a 1-D array of whole numbers"),
    ],
)
def test_wrong_subsets_are_refused(subsets, proportions, message):
    with pytest.raises((TypeError, ValueError), match=message):
        split_quality([[1], [0], [1]], subsets, proportions)


def test_quality_needs_rows():
    with pytest.raises(ValueError, match="Y must have at least one sample"):
        split_quality(np.zeros((0, 2)), np.zeros(0, dtype=int))
