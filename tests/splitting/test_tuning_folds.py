"""Folds on which values of a parameter are compared: every rarest label is in all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from labelwise.splitting import tuning_folds
from tests.splitting.problems import label_matrices

SEEDS = st.integers(0, 2**32 - 1)


def rarest_labels(Y):
    """The rarest label of each row, by the definition; the first of equally rare ones."""
    support = Y.sum(axis=0)
    by_rarity = sorted(range(Y.shape[1]), key=lambda label: (support[label], label))
    return [next((label for label in by_rarity if row[label]), -1) for row in Y]


@given(Y=label_matrices(max_rows=30), n_folds=st.integers(2, 5), seed=SEEDS)
def test_folds_have_equal_sizes_and_share_the_rows_of_each_rarest_label(Y, n_folds, seed):
    Y = np.tile(Y, (n_folds, 1))
    fold = tuning_folds(sparse.csc_array(Y.astype(bool)), n_folds, None, seed)
    assert set(np.bincount(fold, minlength=n_folds)) == {len(Y) // n_folds}
    rarest = np.array(rarest_labels(Y))
    for label in set(rarest.tolist()):
        counts = np.bincount(fold[rarest == label], minlength=n_folds)
        assert counts.max() - counts.min() <= 1


@given(Y=label_matrices(max_rows=30), seed=SEEDS)
def test_folds_are_repeated_by_the_seed_and_sizes_differ_by_one_at_most(Y, seed):
    Y = sparse.csc_array(np.vstack([Y, Y]).astype(bool))
    fold = tuning_folds(Y, 2, None, seed)
    assert np.array_equal(fold, tuning_folds(Y, 2, None, seed))
    sizes = np.bincount(fold, minlength=2)
    assert abs(sizes[0] - sizes[1]) <= 1


def test_groups_stay_together():
    Y = sparse.csc_array(np.random.default_rng(0).random((40, 3)) < 0.4)
    groups = np.repeat(np.arange(20), 2)
    fold = tuning_folds(Y, 5, groups, 0)
    assert np.array_equal(fold[::2], fold[1::2])


def test_more_folds_than_rows_are_refused():
    with pytest.raises(ValueError, match="every subset a sample"):
        tuning_folds(sparse.csc_array(np.eye(4, 2, dtype=bool)), 5, None, 0)
