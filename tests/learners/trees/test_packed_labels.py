"""Packed forests of many labels score as the trees that they were packed from."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from labelwise.data import make_multilabel
from labelwise.learners.trees._packed_trees import (
    PackedLabels,
    joined,
    pack_joint,
    packed,
    samples_seen,
)
from tests.oracles.forests import mean_chances


def some_forest(n_labels=3, base=RandomForestClassifier):
    data, _ = make_multilabel(80, n_features=4, n_labels=n_labels, random_state=0)
    X, Y = data.X.astype(np.float32), data.Y.toarray().astype(int)
    forest = base(6, max_depth=4, bootstrap=True, random_state=0)
    return X, Y, forest.fit(X, Y[:, 0] if n_labels == 1 else Y)


@pytest.mark.parametrize("base", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize("n_labels", [1, 3])
def test_a_joint_forest_scores_as_its_trees(n_labels, base):
    X, _, forest = some_forest(n_labels, base)
    trees = pack_joint(forest)
    np.testing.assert_allclose(trees.chances(X, n_labels), mean_chances(forest, X), rtol=1e-12)
    thin = trees.chances(sparse.csr_array(X), n_labels)
    np.testing.assert_array_equal(thin, trees.chances(X, n_labels))


def test_out_of_bag_scores_are_means_of_the_trees_that_have_not_seen_the_sample():
    X, _, forest = some_forest()
    is_seen = samples_seen(forest, len(X))
    assert 0.5 < is_seen.mean() < 0.75
    found = pack_joint(forest).chances(X, 3, is_seen)
    np.testing.assert_allclose(found, mean_chances(forest, X, is_seen), rtol=1e-12)
    is_seen[:, 5] = True
    assert np.isnan(pack_joint(forest).chances(X, 3, is_seen)[5]).all()


@given(
    X=hnp.arrays(
        np.float32,
        st.tuples(st.integers(4, 20), st.integers(1, 3)),
        elements=st.sampled_from([0.0, 1.0, -2.0]),
    ),
    seed=st.integers(0, 50),
)
@settings(max_examples=25)
def test_forests_of_single_labels_score_as_their_trees(X, seed):
    Y = np.random.default_rng(seed).integers(0, 2, (len(X), 2))
    Y[:2] = [[0, 1], [1, 0]]
    fitted = [RandomForestClassifier(3, random_state=seed).fit(X, y) for y in Y.T]
    trees = PackedLabels(joined([packed(one) for one in fitted]), None)
    seen = np.concatenate([samples_seen(one, len(X)) for one in fitted])
    whole = np.column_stack([mean_chances(one, X)[:, 0] for one in fitted])
    np.testing.assert_allclose(trees.chances(X, 2), whole, rtol=1e-12)
    parts = [
        mean_chances(one, X, part)[:, 0]
        for one, part in zip(fitted, np.split(seen, 2), strict=True)
    ]
    np.testing.assert_allclose(trees.chances(X, 2, seen), np.column_stack(parts), rtol=1e-12)


def test_nodes_take_16_bytes_and_leaves_only_the_labels_that_occur():
    _, _, forest = some_forest()
    trees = pack_joint(forest)
    nodes = trees.forests
    assert nodes.code.nbytes + nodes.value.nbytes + nodes.jump.nbytes == 16 * nodes.code.size
    assert (trees.leaves.data > 0).all()
    assert trees.leaves.shape[0] == (nodes.code == -1).sum()


@pytest.mark.parametrize("row", [-1.0, 0.5, 1e9, np.nan])
def test_leaves_that_are_not_in_the_table_are_refused(row):
    _, _, forest = some_forest()
    trees = pack_joint(forest)
    trees.check(4, 3)
    trees.forests.value[-1] = row
    with pytest.raises(ValueError, match="leaves_ must be those of the trees"):
        trees.check(4, 3)


def test_trees_of_other_labels_are_refused():
    _, _, forest = some_forest()
    with pytest.raises(ValueError, match="leaves_ must be those of the trees and of 2 labels"):
        pack_joint(forest).check(4, 2)
    _, _, one = some_forest(1)
    with pytest.raises(ValueError, match="forests_ must be those of 2 labels"):
        PackedLabels(packed(one), None).check(4, 2)
    with pytest.raises(ValueError, match="leaves_ must be a CSR array"):
        PackedLabels(packed(one), "leaves").check(4, 1)
