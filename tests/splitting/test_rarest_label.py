"""Method "rarest-label": samples of each rarest label are divided evenly."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.splitting import assign
from tests.splitting.problems import label_matrices

SEEDS = st.integers(0, 2**32 - 1)


def rarest_labels(Y):
    """The two rarest labels of each row, by the definition; the first of equally rare ones."""
    support = Y.sum(axis=0)
    by_rarity = sorted(range(Y.shape[1]), key=lambda label: (support[label], label))
    return [[*(label for label in by_rarity if row[label]), -1, -1][:2] for row in Y]


@given(Y=label_matrices(max_rows=30), n_folds=st.integers(2, 5), seed=SEEDS)
def test_folds_have_equal_sizes_and_share_the_rows_of_the_rarest_labels(Y, n_folds, seed):
    Y = np.tile(Y, (n_folds, 1))
    fold = assign(Y, n_folds, method="rarest-label", random_state=seed)
    assert set(np.bincount(fold, minlength=n_folds)) == {len(Y) // n_folds}
    two_rarest = np.array(rarest_labels(Y))
    for n_labels in (1, 2):
        for labels in np.unique(two_rarest[:, :n_labels], axis=0):
            here = (two_rarest[:, :n_labels] == labels).all(axis=1)
            counts = np.bincount(fold[here], minlength=n_folds)
            assert counts.max() - counts.min() <= 1


@given(Y=label_matrices(max_rows=30), seed=SEEDS)
def test_folds_are_repeated_by_the_seed_and_sizes_differ_by_one_at_most(Y, seed):
    Y = np.vstack([Y, Y])
    fold = assign(Y, 2, method="rarest-label", random_state=seed)
    assert np.array_equal(fold, assign(Y, 2, method="rarest-label", random_state=seed))
    sizes = np.bincount(fold, minlength=2)
    assert abs(sizes[0] - sizes[1]) <= 1


def test_more_folds_than_rows_are_refused():
    with pytest.raises(ValueError, match="every subset a sample"):
        assign(np.eye(4, 2), 5, method="rarest-label", random_state=0)
