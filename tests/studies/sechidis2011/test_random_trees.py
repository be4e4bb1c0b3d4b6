"""Random trees as Weka grows them: each split is the best, and leaves cannot be split."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from studies.sechidis2011.random_trees import (
    MOST_SAMPLES,
    Columns,
    IdentifiedForest,
    WekaForest,
    coded,
)
from studies.sechidis2011.random_trees_kernels import draw_bag, grow_forest
from tests.oracles import random_trees as oracle

# Values with many ties, two values, and constants.
NUMBERS = st.sampled_from([-1.5, 0.0, 0.25, 1.0, 3.0])
PROBLEMS = st.tuples(st.integers(2, 45), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(np.float32, shape, elements=NUMBERS),
        hnp.arrays(np.int64, shape[0], elements=st.integers(0, 1)),
        st.integers(0, 1000),
    )
)


def bag_of(y, seed):
    """How often each sample is in the bag of the first tree."""
    random = np.random.RandomState(seed)
    drawn = random.randint(1, np.iinfo(np.int64).max, size=1, dtype=np.int64)
    counts, rows, places = (np.empty(y.size, dtype=np.int64) for _ in range(3))
    draw_bag(y, counts, rows, places, drawn.astype(np.uint64))
    assert np.array_equal(counts >> 32, (counts & (2**32 - 1)) * y)
    return counts & (2**32 - 1)


def grown(X, y, seed, n_tried):
    """A forest of one tree whose nodes try so many features."""
    columns, shape = coded(X), (1, 2 * y.size)
    tree = *(np.empty(shape, np.int32) for _ in range(4)), np.empty(shape)
    drawn = np.random.RandomState(seed).randint(1, np.iinfo(np.int64).max, size=1, dtype=np.int64)
    forest = WekaForest(1)
    forest._keep(columns, tree, grow_forest(columns, y, drawn.astype(np.uint64), n_tried, tree))
    return forest


def check_splits(X, y, seed, n_tried):
    """Check each node of a tree: a split is the best cut of its feature, a leaf has none."""
    forest = grown(X, y, seed, n_tried)
    weights = bag_of(y, seed)
    assert weights.sum() == y.size
    feature, threshold, _, share = forest.trees_
    for node, rows in oracle.nodes_with_rows(X, weights, forest.trees_, 0):
        here = X[rows], y[rows], weights[rows]
        assert share[node] == pytest.approx(np.average(here[1], weights=here[2]))
        whole = oracle.entropy(*here[1:])
        lowest = [oracle.lowest_entropy(column, *here[1:]) for column in here[0].T]
        if feature[node] < 0:
            assert whole == 0 or min(lowest) >= whole - 1e-6
            continue
        column = here[0][:, feature[node]]
        reached = oracle.parts_at(column, threshold[node], *here[1:])
        assert reached == pytest.approx(lowest[feature[node]], abs=1e-6)
        assert reached < whole
        if n_tried == X.shape[1]:
            assert reached == pytest.approx(min(lowest), abs=1e-6)


@settings(max_examples=40)
@given(PROBLEMS)
def test_every_split_is_the_best_cut_and_leaves_cannot_be_split(problem):
    check_splits(*problem, n_tried=1)
    check_splits(*problem, n_tried=problem[0].shape[1])


@pytest.mark.parametrize(("seed", "n_tried"), [(13, 1), (13, 6), (13, 40), (16, 40), (20, 40)])
def test_a_leaf_among_many_features_cannot_be_split(seed, n_tried):
    # A node has few features that vary, and other nodes know other constants.
    random = np.random.default_rng(seed)
    X = (random.random((60, 40)) < 0.08).astype(np.float32)
    X[:, :3] = random.integers(0, 4, size=(60, 3))
    check_splits(X, random.integers(0, 2, size=60), seed, n_tried)


@settings(max_examples=40)
@given(PROBLEMS)
def test_codes_number_the_values_of_each_feature(problem):
    X, _, _ = problem
    columns = coded(X)
    for f, column in enumerate(X.T):
        values, codes = np.unique(column, return_inverse=True)
        assert columns.n_values[f] == values.size
        np.testing.assert_array_equal(columns.codes[f], codes)
        start = columns.starts[f]
        np.testing.assert_array_equal(columns.values[start : start + values.size], values)
        bits = np.unpackbits(columns.flags[f], count=column.size, bitorder="little")
        np.testing.assert_array_equal(bits, codes > 0)
        rows = columns.indices[columns.indptr[f] : columns.indptr[f + 1]]
        np.testing.assert_array_equal(rows, np.flatnonzero(codes) if values.size == 2 else [])


def test_sparse_features_of_two_values_give_the_same_trees():
    random = np.random.default_rng(0)
    X = (random.random((80, 30)) < 0.1).astype(np.float32)
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    dense = WekaForest(5, 0).fit(X, y)
    few = WekaForest(5, 0).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.predict_proba(X), few.predict_proba(sparse.csr_array(X)))


def test_a_forest_tries_as_many_features_as_in_weka():
    random = np.random.default_rng(0)
    X = random.random((50, 9)).astype(np.float32)
    y = random.integers(0, 2, size=50)
    trees = WekaForest(1, 3).fit(X, y).trees_
    for found, expected in zip(trees, grown(X, y, 3, 4).trees_, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_codes_are_made_anew_for_other_samples():
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    first, second = random.random((2, 40, 3)).astype(np.float32)
    alone = WekaForest(3, 0).fit(second, y).predict_proba(second)
    WekaForest(3, 0).fit(first, y)
    again = WekaForest(3, 0).fit(second, y)
    np.testing.assert_array_equal(again.predict_proba(second), alone)
    assert (again.predict(second) == (alone[:, 1] >= 0.5)).all()


def test_forests_are_about_those_of_scikit_learn():
    X, y = make_classification(300, 20, n_informative=5, random_state=0)
    X = X.astype(np.float32)
    ours = WekaForest(60, 0).fit(X[:200], y[:200])
    theirs = RandomForestClassifier(60, max_features=5, criterion="entropy", random_state=0)
    theirs.fit(X[:200], y[:200])
    n_nodes = np.mean([tree.tree_.node_count for tree in theirs.estimators_])
    assert len(ours.trees_[0]) / 60 == pytest.approx(n_nodes, rel=0.1)
    chances = [model.predict_proba(X[200:])[:, 1] for model in (ours, theirs)]
    # The share of 60 trees has a standard error of at most 0.065 in each.
    assert np.sqrt(np.mean((chances[0] - chances[1]) ** 2)) < 0.09
    assert np.corrcoef(chances)[0, 1] > 0.9


def test_a_node_that_tries_the_identifier_is_a_leaf_unless_it_is_separated_before():
    y = np.arange(40) % 2
    X = np.column_stack([np.arange(40) % 3, np.arange(40)]).astype(np.float32)
    # Both features are tried at the root, and the first one does not separate the classes.
    forest = IdentifiedForest(20, 0).fit(X, y)
    assert (forest.trees_[0] == -1).all()
    assert len(forest.roots_) == len(forest.trees_[0]) == 20
    # Where the first feature separates them, it is chosen if it was drawn first.
    feature = IdentifiedForest(200, 0).fit(np.column_stack([y, X[:, 1]]), y).trees_[0]
    assert set(feature.tolist()) == {-1, 0}
    assert 70 < (feature == 0).sum() < 130


def test_too_many_samples_for_codes_of_16_bits_are_refused():
    with pytest.raises(ValueError, match="fewer than 65536 samples"):
        coded(np.zeros((MOST_SAMPLES, 1)))
    assert isinstance(coded(np.zeros((3, 1))), Columns)
