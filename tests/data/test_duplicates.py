"""Equal samples are found, whatever form the features have."""

import numpy as np
import pandas as pd
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise.data import Dataset
from tests.oracles.label_statistics import equal_rows, label_sets

FEATURES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 15), st.integers(1, 3)),
    elements=st.sampled_from([0.0, -0.0, 1.5]),
)


@given(FEATURES, st.integers(0, 2**32 - 1))
def test_equal_rows_are_found_dense_and_sparse(X, seed):
    Y = np.random.default_rng(seed).integers(0, 2, (len(X), 2))
    first = equal_rows(X)
    for given_form in (X, sparse.csr_array(X)):
        found = Dataset(given_form, Y).find_duplicates()
        assert found.first.tolist() == first
        assert found.n_repeated == sum(row != i for i, row in enumerate(first))
        labels = label_sets(Y)
        groups = {row: {labels[i] for i in range(len(X)) if first[i] == row} for row in first}
        assert found.contradicting.tolist() == [
            i for i, row in enumerate(first) if len(groups[row]) > 1
        ]
        assert found.n_test is None


@given(FEATURES)
def test_test_samples_in_training_are_found_with_their_source(X):
    half = len(X) // 2
    train, test = np.arange(half)[::-1], np.arange(half, len(X))
    found = Dataset(X, np.ones((len(X), 1)), train=train, test=test).find_duplicates()
    rows = [tuple(row) for row in X]
    expected = [(i, rows.index(rows[i])) for i in test if rows[i] in rows[:half]]
    assert list(zip(found.leaked.tolist(), found.leaked_from.tolist(), strict=True)) == expected
    assert found.n_test == len(test)


def test_stored_zeros_and_the_order_of_entries_do_not_matter():
    X = sparse.csr_array(
        (np.array([1.0, 2.0, 2.0, 1.0, 0.0]), np.array([0, 1, 1, 0, 2]), np.array([0, 2, 5])),
        shape=(2, 3),
    )
    assert Dataset(X, [[1], [1]]).find_duplicates().n_repeated == 1


def test_missing_values_are_equal_to_each_other():
    assert Dataset([[np.nan], [np.nan], [0.0]], [[1], [1], [0]]).find_duplicates().n_repeated == 1


def test_bags_are_equal_if_their_rows_are():
    bags = [[[1.0], [2.0]], [[1.0]], [[1.0], [2.0]], [[2.0], [1.0]]]
    found = Dataset([np.array(bag) for bag in bags], np.ones((4, 1))).find_duplicates()
    assert found.first.tolist() == [0, 1, 0, 3]


def test_texts_tell_samples_apart():
    frame = pd.DataFrame(
        {"x": [1, 1, 1], "words": ["old red wine here", "blue sky far away", "old red wine here"]}
    )
    data = Dataset(frame, [[1], [0], [1]], texts=["words"])
    assert data.texts == ("words",)
    assert data.find_duplicates().first.tolist() == [0, 1, 0]


def test_data_without_labels_have_no_contradictions():
    found = Dataset([[1.0], [1.0]], None).find_duplicates()
    assert found.n_repeated == 1
    assert found.contradicting.size == 0
    assert "1 sample with the features of an earlier sample." in repr(found)


def test_missing_labels_contradict_no_others():
    nan = np.nan
    X = np.array([[1.0], [1.0], [2.0], [2.0]])
    Y = np.array([[1, nan], [nan, 0], [1, 0], [1, 1]])
    assert Dataset(X, Y).find_duplicates().contradicting.tolist() == [2, 3]
    assert Dataset(X[:2], [[1, nan], [0, nan]]).find_duplicates().contradicting.tolist() == [0, 1]


def test_a_training_part_alone_leaks_nothing():
    data = Dataset(np.zeros((2, 1)), np.ones((2, 1)), train=np.array([0]))
    found = data.find_duplicates()
    assert (found.leaked.size, found.leaked_from.size, found.n_test) == (0, 0, None)
