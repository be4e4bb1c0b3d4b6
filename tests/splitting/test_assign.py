"""Every way of splitting gives each row a subset, and keeps what it promises."""

from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.splitting import assign, split_quality
from labelwise.splitting._iterative import without_empty
from labelwise.splitting._subsets import check_proportions, subset_sizes, turns
from tests.kernels import COMPILED_ONLY
from tests.splitting.problems import correlated, label_matrices, shares

WAYS = ["balanced", "iterative", "labelset", "pairs", "random", "rarest-label"]
METHODS = ["auto", *WAYS]
WITHOUT_GROUPS = ["labelset", "rarest-label"]
WITH_GROUPS = [method for method in WAYS if method not in WITHOUT_GROUPS]
EXACT = ["balanced", "labelset", "random", "rarest-label"]
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("method", WAYS)
@given(Y=label_matrices(min_rows=14, max_rows=30), proportions=shares(), seed=SEEDS)
def test_subsets_partition_the_rows(method, Y, proportions, seed):
    subset = assign(Y, [float(r) for r in proportions], method=method, random_state=seed)
    assert subset.shape == (len(Y),)
    assert subset.dtype == np.int64
    assert np.isin(subset, np.arange(len(proportions))).all()


@pytest.mark.parametrize("method", EXACT)
@given(Y=label_matrices(min_rows=14, max_rows=30), proportions=shares(), seed=SEEDS)
def test_exact_methods_round_the_sizes_as_well_as_can_be(method, Y, proportions, seed):
    subset = assign(Y, [float(r) for r in proportions], method=method, random_state=seed)
    sizes = np.bincount(subset, minlength=len(proportions))
    wanted = [len(Y) * share for share in proportions]
    assert all(abs(size - want) < 1 for size, want in zip(sizes, wanted, strict=True))
    # The remainders of those rounded up are at least as large as those rounded down.
    up = [want % 1 for size, want in zip(sizes, wanted, strict=True) if size > want]
    down = [want % 1 for size, want in zip(sizes, wanted, strict=True) if size < want]
    assert min(up, default=1) >= max(down, default=0)


@given(n_rows=st.integers(1, 30), proportions=shares())
def test_no_whole_sizes_are_nearer(n_rows, proportions):
    wanted = [n_rows * share for share in proportions]
    sizes = subset_sizes(n_rows, np.array([float(share) for share in proportions]))
    assert sizes.sum() == n_rows
    found = sum(abs(int(size) - want) for size, want in zip(sizes, wanted, strict=True))
    # A row more here and a row fewer there never helps, so by convexity nothing does.
    for here in range(len(sizes)):
        for there in range(len(sizes)):
            other = (
                sizes + np.eye(len(sizes), dtype=int)[here] - np.eye(len(sizes), dtype=int)[there]
            )
            assert found <= sum(abs(int(s) - w) for s, w in zip(other, wanted, strict=True))


@pytest.mark.parametrize("method", WITH_GROUPS)
@given(Y=label_matrices(min_rows=8), seed=SEEDS)
def test_groups_are_never_split(method, Y, seed):
    groups = np.random.default_rng(seed).integers(len(Y) // 2, size=len(Y))
    groups[:3] = [0, 1, 2]
    subset = assign(Y, 3, method=method, groups=groups, random_state=seed)
    assert all(np.unique(subset[groups == group]).size == 1 for group in np.unique(groups))


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_subsets_and_another_seed_others(method):
    Y = correlated(300, 8, seed=1)
    first, again, other = (assign(Y, 4, method=method, random_state=s) for s in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("method", METHODS)
def test_labels_may_come_in_any_form(method):
    Y = correlated(60, 4, seed=2)
    names = list("abcd")
    forms = [
        Y.tolist(),
        Y.astype(bool),
        Y.astype(float),
        sparse.csr_array(Y),
        sparse.csc_matrix(Y),
        sparse.coo_array(Y),
        pd.DataFrame(Y, columns=names),
        pl.DataFrame(Y, schema=names),
        [{name for name, has in zip(names, row, strict=True) if has} for row in Y],
    ]
    expected = assign(Y, 3, method=method, random_state=0)
    for form in forms:
        assert np.array_equal(assign(form, 3, method=method, random_state=0), expected)


def test_a_whole_number_means_equal_parts():
    Y = correlated(50, 4, seed=3)
    assert np.array_equal(
        assign(Y, 5, random_state=0), assign(Y, [0.2, 0.2, 0.2, 0.2, 0.2], random_state=0)
    )


def test_labelsets_are_shared_out_evenly():
    Y = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [7, 13, 5, 15], axis=0)
    Y = np.random.default_rng(0).permutation(Y)
    subset = assign(Y, 4, method="labelset", random_state=0)
    for labelset in ([0, 0], [0, 1], [1, 0], [1, 1]):
        counts = np.bincount(subset[(labelset == Y).all(axis=1)], minlength=4)
        assert np.ptp(counts) <= 1


@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=2))
def test_turns_of_two_are_in_proportion_at_any_time(sizes):
    turn = turns(np.array(sizes))
    assert np.bincount(turn).tolist() == sizes
    due = np.arange(1, sum(sizes) + 1) * sizes[0] / sum(sizes)
    assert (np.abs(np.cumsum(turn == 0) - due) <= 1).all()


@COMPILED_ONLY
@pytest.mark.parametrize(("method", "budget"), [("iterative", None), ("balanced", 20_000)])
def test_a_hundred_thousand_labels_work(method, budget):
    random = np.random.default_rng(0)
    place = (random.integers(20_000, size=150_000), random.integers(100_000, size=150_000))
    Y = sparse.csc_array((np.ones(150_000), place), shape=(20_000, 100_000)) > 0
    subset = assign(Y, 10, method=method, random_state=0, budget=budget)
    by_chance = split_quality(Y, assign(Y, 10, method="random", random_state=0))
    assert split_quality(Y, subset).flz < by_chance.flz


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"proportions": 1}, "proportions must make at least 2 subsets, got 1."),
        ({"proportions": [1.0]}, "proportions must make at least 2 subsets, got 1."),
        ({"proportions": True}, "proportions must be a whole number of subsets or a sequence"),
        ({"proportions": "half"}, "proportions must be a whole number of subsets or a sequence"),
        ({"proportions": [0.5, 0.4]}, "proportions must sum to 1, got 0.9."),
        ({"proportions": [1.5, -0.5]}, "proportions must be positive, got -0.5."),
        ({"proportions": [0.5, float("nan")]}, "proportions must be positive, got nan."),
        ({"proportions": 7}, r"subset 6 \(0.143 of 6 samples\) gets none."),
        ({"method": "best"}, "method must be one of auto, balanced, .*, got 'best'."),
        ({"groups": [1, 2]}, r"groups must name a group for each of 6 samples, got \(2,\)."),
        ({"groups": [1, 1, 1, 1, 1, 1]}, "at least as many as the 2 subsets, got 1."),
        ({"groups": ["a", None, "a", "b", "b", "b"]}, "for every sample, got none at sample 1."),
        ({"groups": [0, 0, 0, 1, 1, np.nan]}, "for every sample, got none at sample 5."),
        ({"groups": list("aabbcc"), "method": "labelset"}, "groups cannot stay together under"),
        ({"budget": 5, "method": "random"}, 'budget is for method "balanced", got it with'),
        ({"budget": -1}, "budget must not be negative, got -1."),
        ({"budget": timedelta(seconds=-1)}, "budget must not be negative"),
        ({"budget": 0.5}, "budget must be a number of trials or a timedelta, got 0.5."),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(arguments, message):
    Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]]
    with pytest.raises((TypeError, ValueError), match=message):
        assign(Y, **{"proportions": 2, "random_state": 0, **arguments})


def test_groups_may_have_names_of_any_kind():
    Y = correlated(12, 3, seed=4)
    expected = assign(Y, 2, groups=np.array([7, 3, 5, 9] * 3), random_state=0)
    for names in (["x", "a", "y", "b"], [2.5, 1.5, 0.5, 9.5], [1, "1", (2, 3), 2]):
        assert np.array_equal(assign(Y, 2, groups=names * 3, random_state=0), expected)
    for names in (pd.Series(["x", "a", "y", "b"] * 3), pl.Series([3, 2, 1, 0] * 3)):
        assert np.array_equal(assign(Y, 2, groups=names, random_state=0), expected)


def test_thirds_need_not_be_written_out():
    assert check_proportions([0.333333, 0.333333, 0.333334]).sum() == pytest.approx(1)


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(6), [5, 1, 1, 1, 1, 3])])
@pytest.mark.parametrize("method", ["balanced", "iterative", "pairs", "random"])
def test_no_subset_is_empty_and_no_group_is_torn(method, groups):
    Y = np.random.default_rng(1).random((12, 3)) < 0.5
    for seed in range(40):
        subset = assign(Y, [0.7, 0.1, 0.1, 0.1], method=method, groups=groups, random_state=seed)
        assert np.bincount(subset, minlength=4).min() > 0
        if groups is not None:
            assert all(np.unique(subset[groups == group]).size == 1 for group in range(6))


@given(st.integers(0, 2**32 - 1))
def test_only_empty_subsets_take_units_and_each_takes_one(seed):
    rng = np.random.default_rng(seed)
    weight, wanted = rng.integers(1, 4, 9), np.array([9.0, 3.0, 3.0, 3.0])
    before = rng.integers(0, rng.integers(1, 5), 9)
    after = without_empty(weight, before, wanted)
    empty = np.setdiff1d(np.arange(4), before)
    moved = np.flatnonzero(after != before)
    assert sorted(after[moved]) == empty.tolist()
    assert np.bincount(after, minlength=4).min() > 0
