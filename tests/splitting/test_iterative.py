"""Iterative stratification is Algorithm 1 of sechidis2011, only faster."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise import _jit
from labelwise.splitting import _iterative, assign
from labelwise.splitting._iterative import (
    _wanted_and_left,
    _weight_in_order,
    assign_iteratively,
    assign_labels,
    label_pairs,
    subsets_of,
    tree_of_minima,
    unit_labels,
    units_of,
)
from labelwise.splitting._iterative_kernels import AHEAD, Demand, fill, least, lower, remove
from tests.oracles import splitting as oracle
from tests.splitting.problems import correlated, label_matrices, shares

SEEDS = st.integers(0, 2**32 - 1)


def assign_all(Y, groups, proportions, order, rank, lots):
    """The subset of each unit by our kernels, and the labels in the order of their assignment."""
    units = units_of(sparse.csc_array(Y.astype(bool)), groups)
    proportions = np.array([float(share) for share in proportions])
    heads = np.zeros((units.n_units + 1, 2))
    heads[:-1, 0] = lots
    examples = Y.shape[0] * proportions
    labels = unit_labels(units, order)
    assigned = assign_labels(labels, proportions, rank, examples, heads)
    no_label = Demand(np.zeros((1, examples.size)), examples)
    fill(units.weight[order], no_label, heads)
    subset = np.empty(units.n_units, dtype=int)
    subset[order] = subsets_of(heads, proportions.size)
    return subset, assigned


def test_single_rows_share_one_weight_and_groups_have_theirs_in_order():
    Y, order = sparse.csc_array(np.eye(4, 2, dtype=bool)), np.array([2, 0, 1])
    assert _weight_in_order(units_of(Y, None), np.arange(4)).tolist() == [1]
    assert _weight_in_order(units_of(Y, np.array([0, 1, 1, 2])), order).tolist() == [1, 1, 2]


def as_units(Y, groups, order):
    """The same units for the oracle, in the order of assignment."""
    units = [(0, Counter())] * (groups.max() + 1)
    for row, group in zip(Y, groups, strict=True):
        n_rows, labels = units[group]
        units[group] = (n_rows + 1, labels + Counter(np.flatnonzero(row).tolist()))
    return [units[unit] for unit in order]


@given(Y=label_matrices(), proportions=shares(), seed=SEEDS, grouped=st.booleans())
def test_assignment_follows_algorithm_1_line_by_line(Y, proportions, seed, grouped):
    random = np.random.default_rng(seed)
    n_groups = max(2, len(Y) // 2)
    groups = np.arange(len(Y))
    if grouped:
        groups = np.append(np.arange(n_groups), random.integers(n_groups, size=len(Y) - n_groups))
    order = random.permutation(groups.max() + 1)
    rank, lots = random.permutation(Y.shape[1]), random.random(order.size)
    given_groups = groups if grouped else None
    subset, assigned = assign_all(Y, given_groups, proportions, order, rank, lots)
    expected, labels = oracle.iterative(as_units(Y, groups, order), proportions, rank, lots)
    assert subset[order].tolist() == expected
    assert assigned.tolist() == labels


def test_labels_of_more_units_than_are_read_together_are_assigned_by_algorithm_1_too():
    random = np.random.default_rng(0)
    Y = (random.random((4 * AHEAD, 3)) < [0.9, 0.5, 0.45]).astype(int)
    order, rank, lots = random.permutation(len(Y)), np.arange(3), random.random(len(Y))
    subset, _ = assign_all(Y, None, [Fraction(1, 3)] * 3, order, rank, lots)
    units = as_units(Y, np.arange(len(Y)), order)
    assert subset[order].tolist() == oracle.iterative(units, [Fraction(1, 3)] * 3, rank, lots)[0]


def test_few_units_are_assigned_in_python_as_by_compiled_kernels(monkeypatch):
    random = np.random.default_rng(0)
    Y = sparse.csc_array(random.random((200, 80)) < random.random(80) / 5)
    groups = np.append(np.arange(60), random.integers(60, size=140))
    drawn = [(units, seed) for units in (units_of(Y, None), units_of(Y, groups)) for seed in (0, 1)]

    def subsets():
        shares_ = np.array([0.5, 0.3, 0.2])
        rngs = ((units, np.random.default_rng(seed)) for units, seed in drawn)
        return [assign_iteratively(units, shares_, rng).tolist() for units, rng in rngs]

    compiled = subsets()
    monkeypatch.setattr(_jit, "FEW_STEPS", np.inf)
    assert subsets() == compiled


@given(Y=label_matrices(), seed=SEEDS)
def test_the_rarest_label_is_assigned_first(Y, seed):
    random = np.random.default_rng(seed)
    rank, lots = random.permutation(Y.shape[1]), random.random(len(Y))
    _, assigned = assign_all(Y, None, [0.5, 0.5], np.arange(len(Y)), rank, lots)
    left = Y.copy()
    for label in assigned:
        counts = left.sum(axis=0)
        assert counts[label] == counts[counts > 0].min()
        left[left[:, label] == 1] = 0
    assert left.sum() == 0


@given(Y=label_matrices(), proportions=shares(), seed=SEEDS)
def test_permuting_rows_with_their_order_permutes_the_subsets(Y, proportions, seed):
    random = np.random.default_rng(seed)
    order, shuffle = random.permutation(len(Y)), random.permutation(len(Y))
    rank, lots = random.permutation(Y.shape[1]), random.random(len(Y))
    subset, _ = assign_all(Y, None, proportions, order, rank, lots)
    place = np.empty_like(shuffle)
    place[shuffle] = np.arange(len(Y))
    moved, _ = assign_all(Y[shuffle], None, proportions, place[order], rank, lots)
    assert np.array_equal(moved, subset[shuffle])


@given(Y=label_matrices(), proportions=shares(), seed=SEEDS)
def test_permuting_labels_changes_nothing_but_ties(Y, proportions, seed):
    random = np.random.default_rng(seed)
    order, shuffle = random.permutation(len(Y)), random.permutation(Y.shape[1])
    rank, lots = random.permutation(Y.shape[1]), random.random(len(Y))
    subset, _ = assign_all(Y, None, proportions, order, rank, lots)
    # The same labels in other columns, ties settled for the same labels: the same subsets.
    moved, _ = assign_all(Y[:, shuffle], None, proportions, order, rank[shuffle], lots)
    assert np.array_equal(moved, subset)


def test_ties_between_labels_and_between_subsets_are_settled_at_random():
    Y = np.eye(3, dtype=int)
    seen = Counter(
        tuple(assign(Y, 3, method="iterative", random_state=seed)) for seed in range(600)
    )
    assert len(seen) == 6
    assert all(60 < times < 145 for times in seen.values())


def test_examples_without_labels_fill_up_sizes():
    Y = np.zeros((100, 2), dtype=int)
    Y[:7, 0] = 1
    subset = assign(Y, [0.5, 0.3, 0.2], method="iterative", random_state=0)
    assert np.bincount(subset).tolist() == [50, 30, 20]


def test_products_that_round_do_not_break_ties():
    # In floats 0.29 * 100 is less than 29; after 42 rows both subsets want 29 on paper.
    Y, order = np.ones((100, 1), dtype=int), np.arange(100)
    subset, _ = assign_all(Y, None, [0.29, 0.71], order, np.zeros(1, dtype=int), np.zeros(100))
    assert subset[:43].tolist() == [1] * 42 + [0]


@given(n_labels=st.sampled_from([1, 2, 63, 64, 65, 200, 4096, 4200]), seed=SEEDS)
def test_the_tree_of_minima_always_knows_the_least(n_labels, seed):
    random = np.random.default_rng(seed)
    minima = tree_of_minima(random.integers(2, size=n_labels), random.permutation(n_labels))
    keys = minima.keys[:n_labels].copy()
    for _ in range(40):
        if random.random() < 0.3:
            label = least(minima)
            remove(minima, label)
            keys[label] = 2**62
        else:
            # Near the least, where one more or less decides.
            label = random.choice(np.argsort(keys)[:5])
            step = random.integers(1, 4)
            lower(minima, label, step)
            keys[label] -= step
        assert keys[least(minima)] == keys.min()


@given(Y=label_matrices(max_labels=4))
def test_a_pair_is_carried_by_the_rows_that_carry_both_labels(Y):
    pairs = label_pairs(sparse.csc_array(Y.astype(bool))).toarray()
    n_labels = Y.shape[1]
    expected = [Y[:, a] * Y[:, b] for a in range(n_labels) for b in range(a + 1, n_labels)]
    expected = [column.tolist() for column in expected if column.any()]
    assert sorted(pairs.astype(int).T.tolist()) == sorted(expected)


@given(Y=label_matrices(), proportions=shares(), seed=SEEDS)
def test_pairs_are_assigned_before_labels(Y, proportions, seed):
    sparse_Y = sparse.csc_array(Y.astype(bool))
    pairs, units = units_of(label_pairs(sparse_Y), None), units_of(sparse_Y, None)
    shares_ = np.array([float(share) for share in proportions])
    subset = assign_iteratively(units, shares_, np.random.default_rng(seed), pairs=pairs)
    # The rows with a pair lie where assignment of the pairs alone puts them.
    alone = assign_iteratively(pairs, shares_, np.random.default_rng(seed))
    several = Y.sum(axis=1) > 1
    assert np.array_equal(subset[several], alone[several])


@given(Y=label_matrices(), proportions=shares(), seed=SEEDS, grouped=st.booleans())
def test_positives_of_assigned_units_are_no_longer_wanted_nor_left(Y, proportions, seed, grouped):
    random = np.random.default_rng(seed)
    groups = np.unique(random.integers(len(Y), size=len(Y)), return_inverse=True)[1]
    units = units_of(sparse.csc_array(Y.astype(bool)), groups if grouped else None)
    proportions = np.array([float(share) for share in proportions])
    order = random.permutation(units.n_units)
    subset = random.integers(-1, proportions.size, size=units.n_units)
    wanted, left = _wanted_and_left(unit_labels(units, order), proportions, subset)
    counts = units.counts.toarray()[order]
    has = np.array([counts[subset == j].sum(axis=0) for j in range(proportions.size)]).T
    np.testing.assert_allclose(wanted, Y.sum(axis=0)[:, None] * proportions - has, atol=1e-9)
    np.testing.assert_array_equal(left, counts[subset < 0].sum(axis=0))


def test_pairs_keep_pairs_closer_than_labels_alone():
    Y = correlated(2000, 12, seed=3, cardinality=3)
    pairs = label_pairs(sparse.csc_array(Y.astype(bool)))

    def unevenness(method):
        subset = assign(Y, 5, method=method, random_state=0)
        counts = np.array([pairs[subset == j].sum(axis=0) for j in range(5)])
        return np.abs(counts - counts.mean(axis=0)).sum()

    assert unevenness("pairs") < 0.8 * unevenness("iterative")


@given(Y=label_matrices().filter(np.any), data=st.data())
def test_labels_of_many_units_are_those_of_few(Y, data):
    groups = data.draw(st.none() | st.lists(st.integers(0, 2), min_size=len(Y), max_size=len(Y)))
    numbers = None if groups is None else np.unique(groups, return_inverse=True)[1]
    units = units_of(sparse.csc_array(Y.astype(bool)), numbers)
    order = np.random.default_rng(0).permutation(units.n_units)
    few = unit_labels(units, order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_iterative, "_MANY", 0)
        many = unit_labels(units, order)
    for one, other in zip(few, many, strict=True):
        np.testing.assert_array_equal(one, other)
