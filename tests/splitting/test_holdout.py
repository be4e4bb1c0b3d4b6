"""train_test_split takes the place of scikit-learn's and keeps label ratios."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.model_selection import train_test_split as sklearn_split

from labelwise.splitting import split_quality, train_test_split
from tests.splitting.problems import correlated

Y = correlated(90, 4, seed=0)
X = np.arange(90)[:, None]
SIZES = st.one_of(st.none(), st.integers(1, 89), st.floats(0.02, 0.98))


@given(test_size=SIZES, train_size=SIZES)
def test_parts_are_as_large_as_scikit_learn_makes_them(test_size, train_size):
    sizes = {"test_size": test_size, "train_size": train_size}
    try:
        expected = [len(part) for part in sklearn_split(X, Y, random_state=0, **sizes)]
    except ValueError:
        with pytest.raises(ValueError, match="test_size and train_size must"):
            train_test_split(X, Y, random_state=0, **sizes)
        return
    found = [len(part) for part in train_test_split(X, Y, random_state=0, method="random", **sizes)]
    assert found == expected


def test_rows_of_all_arrays_stay_together_in_order():
    names = [f"row {i}" for i in range(90)]
    X_train, X_test, Y_train, Y_test, names_train, names_test = train_test_split(
        X, Y, names, test_size=1 / 3, random_state=0
    )
    assert names_train == [f"row {i}" for i in X_train[:, 0]]
    assert names_test == [f"row {i}" for i in X_test[:, 0]]
    assert np.array_equal(Y[X_train[:, 0]], Y_train)
    assert np.array_equal(Y[X_test[:, 0]], Y_test)
    assert (np.diff(X_train[:, 0]) > 0).all()


def test_each_array_keeps_its_kind():
    frame, table = pd.DataFrame(Y, index=range(100, 190)), pl.DataFrame(Y)
    series, matrix = pd.Series(range(90)), sparse.csr_array(Y)
    parts = train_test_split(frame, matrix, table, series, random_state=0)
    assert isinstance(parts[0], pd.DataFrame)
    assert isinstance(parts[4], pl.DataFrame)
    assert isinstance(parts[6], pd.Series)
    assert sparse.issparse(parts[2])
    rows = parts[7].to_numpy()
    assert parts[1].index.tolist() == (100 + rows).tolist()
    assert np.array_equal(parts[3].toarray(), Y[rows])
    assert np.array_equal(parts[5].to_numpy(), Y[rows])


def test_three_way_holdouts_come_by_proportions():
    parts = train_test_split(X, Y, proportions=(0.6, 0.2, 0.2), random_state=0)
    rows = [part[:, 0] for part in parts[:3]]
    assert [part.size for part in rows] == [54, 18, 18]
    assert np.array_equal(np.sort(np.concatenate(rows)), np.arange(90))
    subset = np.empty(90, dtype=int)
    for number, part in enumerate(rows):
        subset[part] = number
    assert split_quality(Y, subset, (0.6, 0.2, 0.2)).ld < 0.05


def test_labels_may_be_given_apart():
    parts = train_test_split(X, stratify=Y, random_state=0)
    assert np.array_equal(parts[1], train_test_split(X, Y, random_state=0)[1])
    assert len(parts) == 2


def test_groups_stay_together():
    groups = np.arange(90) // 3
    X_train, X_test, *_ = train_test_split(X, Y, groups=groups, random_state=0)
    assert not set(X_train[:, 0] // 3) & set(X_test[:, 0] // 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test_size": 90}, "test_size must be between 1 and 89 samples, got 90."),
        ({"test_size": 1.0}, "test_size must be a share between 0 and 1, got 1.0."),
        ({"train_size": "all"}, "train_size must be a share or a number of samples, got 'all'."),
        ({"test_size": 60, "train_size": 60}, r"must fit into 90 samples, got 60 \+ 60."),
        ({"train_size": 0.01}, "must leave a sample on both sides, got 0 for training and 90"),
        ({"proportions": 3, "test_size": 0.1}, "proportions must come without test_size"),
    ],
)
def test_wrong_sizes_are_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        train_test_split(X, Y, random_state=0, **arguments)


def test_one_array_alone_has_no_labels_to_go_by():
    with pytest.raises(TypeError, match=r"needs two arrays, the second with labels, got 1\."):
        train_test_split(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        train_test_split(X, Y[:5])


@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["iterative", "pairs", "random"]))
def test_each_array_comes_in_as_many_parts_as_there_are_shares_and_none_is_empty(seed, method):
    rng = np.random.default_rng(seed)
    labels = rng.random((12, 3)) < 0.3
    groups = np.concatenate([[0, 1, 2], rng.integers(0, 4, 9)])
    options = {"groups": groups, "method": method, "random_state": 0}
    parts = train_test_split(np.arange(12), labels, proportions=(0.6, 0.25, 0.15), **options)
    assert len(parts) == 6
    assert all(len(part) for part in parts)
    assert np.array_equal(np.sort(np.concatenate(parts[:3])), np.arange(12))
    assert all(len(part) for part in train_test_split(labels, labels, test_size=0.2, **options))
