"""RCut takes the best labels of each sample, PCut the best samples of each label."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.decisions import proportion_cut, rank_cut
from tests.decisions.problems import problems


@given(problem=problems(most_labels=5), data=st.data())
def test_the_k_best_labels_of_each_sample_are_taken(problem, data):
    scores, _ = problem
    k = data.draw(st.integers(0, scores.shape[1]))
    decided = rank_cut(scores, k)
    assert decided.dtype == np.int8
    assert (decided.sum(axis=1) == k).all()
    for row, taken in zip(scores, decided.astype(bool), strict=True):
        assert not taken.any() or taken.all() or row[taken].min() >= row[~taken].max()
        # Among equal scores the first labels.
        order = sorted(range(row.size), key=lambda j: (-row[j], j))[:k]
        assert set(np.flatnonzero(taken)) == set(order)


@given(problem=problems(most_labels=5))
def test_each_label_is_decided_as_often_as_in_training(problem):
    scores, Y = problem
    decided = proportion_cut(scores, Y)
    np.testing.assert_array_equal(decided.sum(axis=0), Y.sum(axis=0))
    twice = proportion_cut(np.concatenate([scores, scores]), Y, factor=0.5)
    np.testing.assert_array_equal(twice.sum(axis=0), Y.sum(axis=0))
    for column, taken in zip(scores.T, decided.T.astype(bool), strict=True):
        assert not taken.any() or taken.all() or column[taken].min() >= column[~taken].max()


def test_sparse_scores_give_sparse_decisions_and_absent_ones_are_never_taken():
    scores = sparse.csr_array([[0.0, 0.3, 0.2], [0.0, 0.0, 0.1], [0.5, 0.4, 0.0]])
    decided = rank_cut(scores, 2)
    assert decided.dtype == bool
    np.testing.assert_array_equal(decided.toarray(), [[0, 1, 1], [0, 0, 1], [1, 1, 0]])
    decided = proportion_cut(scores, [[1, 1, 0], [1, 0, 1], [1, 0, 0]])
    np.testing.assert_array_equal(decided.toarray(), [[0, 0, 1], [0, 0, 0], [1, 1, 0]])


def test_columns_are_matched_by_name():
    scores = pd.DataFrame({"sky": [0.1, 0.9], "sea": [0.8, 0.3]})
    decided = proportion_cut(scores, pd.DataFrame({"sea": [1, 0], "sky": [0, 0]}))
    np.testing.assert_array_equal(decided, [[0, 1], [0, 0]])  # in the order of the scores


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_cut([[0.1, 0.2]], 3), "k must be at most the 2 labels, got 3"),
        (lambda: rank_cut([[0.1, 0.2]], 1.0), "k must be a whole number, got 1.0"),
        (lambda: proportion_cut([[0.1]], [[1, 0]]), "scores has 1 labels but Y_train has 2"),
        (
            lambda: proportion_cut([[0.1]], [[1]], factor=-1),
            "factor must be finite",
        ),
        (lambda: proportion_cut([[0.1]], np.zeros((0, 1))), "Y_train must have a row"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
