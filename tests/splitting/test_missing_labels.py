"""Splits and missing labels: a cell without truth is neither positive nor negative."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from labelwise.splitting import (
    MultilabelStratifiedKFold,
    assign,
    compare_splits,
    split_quality,
    train_test_split,
)

METHODS = ("random", "labelset", "iterative", "pairs", "balanced", "auto")


def gappy_labels(seed=0):
    random = np.random.default_rng(seed)
    Y = (random.random((60, 4)) < 0.3).astype(float)
    Y[random.random(Y.shape) < 0.2] = np.nan
    return Y


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_label_is_no_positive_for_the_assignment(method):
    Y = gappy_labels()
    found = assign(Y, 3, method=method, random_state=0)
    expected = assign(np.nan_to_num(Y), 3, method=method, random_state=0)
    np.testing.assert_array_equal(found, expected)


def test_splitters_take_missing_labels():
    Y = gappy_labels()
    X = np.arange(60)[:, None]
    for train, test in MultilabelStratifiedKFold(3, random_state=0, shuffle=True).split(X, Y):
        assert sorted([*train, *test]) == list(range(60))
    parts = train_test_split(X, Y, random_state=0)
    assert np.isnan(parts[-1]).any()


def test_compared_splits_have_the_quality_of_cells_with_truth():
    Y = gappy_labels()
    found = compare_splits(Y, 3, random_state=0)
    assert found.quality == split_quality(Y, found.subsets, 3)


def distance(Y, subsets, n_subsets):
    """LD by its definition, of the cells with truth."""
    found = []
    for column in Y.T:
        positives, negatives = column == 1, column == 0
        if not negatives.any():
            continue
        odds = positives.sum() / negatives.sum()
        apart = []
        for k in range(n_subsets):
            n_negatives = (negatives & (subsets == k)).sum()
            n_positives = (positives & (subsets == k)).sum()
            apart.append(abs(n_positives / n_negatives - odds) if n_negatives else np.inf)
        found.append(np.mean(apart))
    return np.mean(found) if found else 0.0


@given(
    Y=hnp.arrays(np.float64, (8, 3), elements=st.sampled_from([0.0, 1.0, np.nan])),
    subsets=hnp.arrays(np.int64, 8, elements=st.integers(0, 1)),
)
def test_the_quality_counts_only_cells_with_truth(Y, subsets):
    found = split_quality(Y, subsets, 2)
    np.testing.assert_allclose(found.ld, distance(Y, subsets, 2))
    positives = np.array([(Y[subsets == k] == 1).sum(axis=0) for k in (0, 1)])
    assert found.flz == (positives == 0).sum()
