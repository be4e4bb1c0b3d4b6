"""Labels of many rows in a random order are those of a matrix with permuted rows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.splitting import _iterative, assign
from labelwise.splitting._iterative import cells_of, labels_in_order
from labelwise.splitting._iterative_kernels import SHIFT


def assert_labels_of(Y, order):
    found = labels_in_order(lambda: cells_of(sparse.csc_array(Y)), order, Y.shape[1])
    permuted = sparse.csr_array(Y)[order]
    permuted.sort_indices()
    by_label = sparse.csc_array(permuted)
    for array, wanted in [
        (found.starts, permuted.indptr),
        (found.labels, permuted.indices),
        (found.holder_starts, by_label.indptr),
        (found.holders, by_label.indices),
    ]:
        np.testing.assert_array_equal(array, wanted)


@given(st.integers(1, 12), st.integers(1, 5), st.floats(0, 1), st.integers(0, 999))
def test_labels_are_those_of_permuted_rows(n_rows, n_labels, share, seed):
    random = np.random.default_rng(seed)
    Y = random.random((n_rows, n_labels)) < share
    assert_labels_of(Y, random.permutation(n_rows))


@pytest.mark.parametrize("block", [7, 2**19])
def test_labels_of_several_buckets_and_blocks_are_in_order(monkeypatch, block):
    monkeypatch.setattr(_iterative, "_BLOCK", block)
    monkeypatch.setattr(_iterative, "_ROWS", 9000)
    random = np.random.default_rng(1)
    n_rows = (2 << SHIFT) + 3
    Y = sparse.random_array((n_rows, 4), density=0.05, rng=random, dtype=np.float64) > 0
    assert_labels_of(Y, random.permutation(n_rows))


@pytest.mark.parametrize("n_labels", [2**16, 2**16 + 1])
def test_labels_whose_numbers_need_more_bits_are_in_order(n_labels):
    random = np.random.default_rng(2)
    place = (
        random.integers(50, size=300),
        np.append(random.integers(n_labels, size=299), n_labels - 1),
    )
    Y = sparse.coo_array((np.ones(300, dtype=bool), place), shape=(50, n_labels)).tocsc()
    assert_labels_of(Y, random.permutation(50))


def test_subsets_of_many_positives_are_those_of_few(monkeypatch):
    Y = np.random.default_rng(2).random((300, 6)) < 0.2
    wanted = assign(Y, 3, method="iterative", random_state=5)
    monkeypatch.setattr("labelwise.splitting._iterative._MANY", 0)
    np.testing.assert_array_equal(assign(Y, 3, method="iterative", random_state=5), wanted)
