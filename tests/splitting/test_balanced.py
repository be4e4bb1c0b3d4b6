"""Balanced subsets have exact sizes, and no start has a smaller LD at these sizes."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise.data import load
from labelwise.splitting import _assign as door, assign, split_quality
from labelwise.splitting._balanced import (
    ZERO_PRICE,
    _draws,
    _seats,
    _Task,
    _with_exact_sizes,
    kernel_rows,
    level,
    priced,
    with_nearest_sizes,
)
from labelwise.splitting._balanced_kernels import (
    Aims,
    Load,
    best_in_return,
    carry,
    cheapest_to_leave,
    cost_of_leaving,
    distance_change,
    pick,
    relocate,
    trade,
    try_swaps,
)
from labelwise.splitting._iterative import assign_iteratively, units_of
from labelwise.splitting._subsets import (
    check_proportions,
    label_set_subsets,
    positives_by_subset,
    random_subsets,
    subset_sizes,
)
from tests.benchmark_sets import ABSENT, FACTS, HOME
from tests.kernels import COMPILED_ONLY, from_python
from tests.oracles import splitting as oracle
from tests.splitting.problems import correlated, label_matrices, shares

SEEDS = st.integers(0, 2**32 - 1)
STARTS = ("random", "labelset", "iterative")
# Two rows can't be split by label.
NAMES = [facts["name"] for facts in FACTS if facts["examples"] >= 100]


def task_of(Y, proportions):
    Y = sparse.csc_array(Y.astype(bool))
    sizes = subset_sizes(Y.shape[0], check_proportions(proportions))
    return _Task(Y, kernel_rows(units_of(Y, None)), sizes)


@COMPILED_ONLY
@pytest.mark.skipif(not FACTS, reason=ABSENT)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("proportions", [10, (2 / 3, 1 / 3)], ids=["folds", "holdout"])
def test_balanced_beats_the_paper_s_methods_on_every_count_on_every_set(name, proportions):
    Y = load(name, data_home=HOME).Y
    balanced, *others = (
        split_quality(Y, assign(Y, proportions, method=method, random_state=0), proportions)
        for method in ("balanced", *STARTS)
    )
    assert balanced.ed == pytest.approx(others[0].ed, abs=1e-9)
    assert balanced.ld <= min(other.ld for other in others) + 1e-12
    assert balanced.flz <= others[-1].flz


@COMPILED_ONLY
@pytest.mark.parametrize("name", ["scene", "emotions", "yeast", "image"])
def test_no_split_into_such_folds_has_a_smaller_ld(name, benchmark_home):
    Y = load(name, data_home=benchmark_home).Y
    subset = assign(Y, 10, method="balanced", random_state=0)
    least = oracle.least_ld(Y.toarray(), np.bincount(subset).tolist())
    assert split_quality(Y, subset).ld == pytest.approx(least, rel=1e-9)


@given(Y=label_matrices(min_rows=14, max_rows=30), proportions=shares(max_subsets=3), seed=SEEDS)
def test_ld_is_never_below_what_labels_by_themselves_allow(Y, proportions, seed):
    Y = Y[:, Y.sum(axis=0) < len(Y)]
    if Y.shape[1] == 0:
        return
    shares_ = [float(share) for share in proportions]
    subset = assign(Y, shares_, method="balanced", random_state=seed)
    sizes = np.bincount(subset, minlength=len(shares_)).tolist()
    assert split_quality(Y, subset, shares_).ld >= oracle.least_ld(Y, sizes) - 1e-12


@given(
    Y=label_matrices(min_rows=10, max_rows=40),
    proportions=st.sampled_from([(1 / 3, 1 / 3, 1 / 3), (0.7, 0.2, 0.1)]),
    seed=SEEDS,
    budget=st.sampled_from([0, 1, 50]),
)
@example(  # the swaps of a subset of one sample lead to an infinite LD
    Y=np.array([4, 14, 4, 4, 0, 2, 4, 3, 4, 1])[:, np.newaxis] >> np.arange(4)[::-1] & 1,
    proportions=(0.7, 0.2, 0.1),
    seed=254,
    budget=50,
)
def test_whatever_the_budget_no_start_of_these_sizes_has_a_smaller_ld(Y, proportions, seed, budget):
    subset = assign(Y, proportions, random_state=seed, budget=budget)
    found, spread = split_quality(Y, subset, proportions), Y[:, Y.sum(axis=0) < len(Y)]
    if spread.shape[1] == 0:
        return
    # The starts, drawn as `assign` draws them.
    rng, task = door.generator(seed), task_of(spread, proportions)
    assert found.sizes == tuple(task.sizes)
    iterative = assign_iteratively(units_of(task.Y, None), check_proportions(proportions), rng)
    starts = [
        _with_exact_sizes(task, iterative, rng),
        label_set_subsets(task.Y, task.sizes, rng),
        random_subsets(task.sizes, rng),
    ]
    least = min(split_quality(spread, start, proportions).ld for start in starts)
    assert found.ld <= least + 1e-12


@given(Y=label_matrices(max_rows=30), seed=SEEDS)
def test_swaps_keep_counts_and_prices_up_to_date(Y, seed):
    Y = Y[:, Y.sum(axis=0) < len(Y)]
    if Y.shape[1] == 0:
        return
    rng, task = np.random.default_rng(seed), task_of(Y, 3)
    subsets = random_subsets(task.sizes, rng)
    aims = task.aims(10.0)
    spread, seats = priced(task.counts(subsets), aims), _seats(subsets, task.sizes)
    before, carried = total_misfit(spread.counts, aims), np.zeros(Y.shape[1], dtype=bool)
    # A threshold this high keeps every swap that is tried.
    try_swaps(task.rows, seats, _draws(rng, 50, 8), np.inf, spread, aims, carried)
    after = np.empty_like(subsets)
    after[seats.rows] = np.repeat(np.arange(3), task.sizes)
    assert np.array_equal(spread.counts, positives_by_subset(task.Y, after, 3))
    anew = priced(spread.counts.copy(), aims)
    assert np.array_equal(spread.more, anew.more)
    assert np.array_equal(spread.fewer, anew.fewer)
    # And in the cold the misfit only goes down.
    try_swaps(task.rows, seats, _draws(rng, 200, 8), -1e-12, spread, aims, carried)
    assert total_misfit(spread.counts, aims) <= total_misfit(anew.counts, aims) + 1e-9
    assert np.isfinite(before)


@given(Y=label_matrices(max_rows=20), seed=SEEDS)
def test_the_price_of_a_swap_is_the_change_of_the_total(Y, seed):
    Y = Y[:, Y.sum(axis=0) < len(Y)]
    if Y.shape[1] == 0:
        return
    rng, task = np.random.default_rng(seed), task_of(Y, 3)
    subsets = random_subsets(task.sizes, rng)
    aims = task.aims(10.0)
    spread, seats = priced(task.counts(subsets), aims), _seats(subsets, task.sizes)
    draws = _draws(rng, 1, 10)
    here, cost = from_python(cheapest_to_leave)(task.rows, seats, draws, 0, 0, 2, spread)
    leaver = seats.rows[here]
    there, change = from_python(best_in_return)(
        task.rows, seats, draws, 0, 0, 2, spread, Y[leaver] == 1
    )
    before = total_misfit(spread.counts, aims)
    from_python(relocate)(task.rows, leaver, 0, 2, spread, aims)
    from_python(relocate)(task.rows, seats.rows[there], 2, 0, spread, aims)
    after = total_misfit(spread.counts, aims)
    assert cost + change == pytest.approx(after - before, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_subsets", [2, 3])
def test_after_many_draws_no_swap_of_two_rows_lowers_the_misfit(seed, n_subsets):
    rng = np.random.default_rng(seed)
    Y = np.vstack((rng.random((8, 3)) < 0.4, np.zeros((1, 3)), np.ones((1, 3)))).astype(int)
    task = task_of(Y, n_subsets)
    aims, subsets = task.aims(10.0), random_subsets(task.sizes, rng)
    spread, seats = priced(task.counts(subsets), aims), _seats(subsets, task.sizes)
    carried = np.zeros(Y.shape[1], dtype=bool)
    # One row of each subset is drawn at a time, so that any two rows may be swapped.
    try_swaps(task.rows, seats, _draws(rng, 1500, 4), -1e-12, spread, aims, carried)
    found = np.empty_like(subsets)
    found[seats.rows] = np.repeat(np.arange(n_subsets), task.sizes)
    least = total_misfit(task.counts(found), aims)
    for a in range(len(Y)):
        for b in range(a):
            swapped = found.copy()
            swapped[[a, b]] = found[[b, a]]
            assert total_misfit(task.counts(swapped), aims) >= least - 1e-9


def grouped_problem(seed):
    """Groups of one to four rows in three subsets, as `trade` takes them."""
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(8), rng.integers(8, size=10))
    Y = sparse.csc_array(rng.random((18, 3)) < 0.4)
    units, wanted = units_of(Y, groups), np.array([9.0, 6.0, 3.0])
    placed = with_nearest_sizes(units.weight, rng.integers(3, size=8), wanted)
    excess = np.bincount(placed, weights=units.weight, minlength=3) - wanted
    load = Load(placed.copy(), excess, np.bincount(placed, minlength=3))
    totals = np.diff(Y.indptr)
    aims = Aims(np.rint(wanted + excess).astype(np.int64), totals / (18 - totals), ZERO_PRICE)
    counts = positives_by_subset(Y, units.to_samples(placed), 3)
    return Y, units, wanted, load, counts, aims, rng


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [-1e-12, np.inf])
def test_trading_groups_keeps_all_books_and_takes_no_size_further_away(seed, threshold):
    Y, units, wanted, load, counts, aims, rng = grouped_problem(seed)
    before = np.abs(load.excess).sum()
    for _ in range(20):
        draws = rng.integers(2**32, size=(20, 3), dtype=np.uint32)
        trade(kernel_rows(units), units.weight, load, draws, threshold, counts, aims)
        sizes = np.bincount(load.subset, weights=units.weight, minlength=3)
        np.testing.assert_allclose(load.excess, sizes - wanted)
        np.testing.assert_array_equal(load.n_groups, np.bincount(load.subset, minlength=3))
        assert load.n_groups.min() > 0
        now = positives_by_subset(Y, units.to_samples(load.subset), 3)
        np.testing.assert_array_equal(counts, now)
        after = np.abs(load.excess).sum()
        assert after <= before + 1e-9
        before = after


@pytest.mark.parametrize("seed", range(5))
def test_carrying_a_group_returns_the_change_of_the_misfit(seed):
    _, units, _, load, counts, aims, _ = grouped_problem(seed)
    for group, j in enumerate(load.subset):
        before = total_misfit(counts, aims)
        change = carry(kernel_rows(units), group, j, (j + 1) % 3, counts, aims)
        assert change == pytest.approx(total_misfit(counts, aims) - before, abs=1e-9)
        carry(kernel_rows(units), group, (j + 1) % 3, j, counts, aims)


def total_misfit(counts, aims):
    """The sum of all distances, with the price of zeros, straight from the definition."""
    total = 0.0
    for i, odds in enumerate(aims.odds):
        for j, size in enumerate(aims.sizes):
            count = counts[i, j]
            apart = 2.0 * size if count >= size else abs(count / (size - count) - odds)
            total += apart + (aims.zero_price if count == 0 else 0)
    return total


@given(Y=label_matrices(max_rows=30), seed=SEEDS)
def test_levelled_subsets_have_exact_sizes_and_move_as_few_rows_as_can_be(Y, seed):
    Y = Y[:, Y.sum(axis=0) < len(Y)]
    rng, task = np.random.default_rng(seed), task_of(Y, 3)
    subsets = rng.integers(3, size=len(Y))
    levelled = _with_exact_sizes(task, subsets, rng)
    assert np.array_equal(np.bincount(levelled, minlength=3), task.sizes)
    excess = np.bincount(subsets, minlength=3) - task.sizes
    assert (levelled != subsets).sum() == excess[excess > 0].sum()


@given(Y=label_matrices(max_rows=20), seed=SEEDS)
def test_levelling_moves_the_row_that_costs_least_of_those_drawn(Y, seed):
    Y = Y[:, Y.sum(axis=0) < len(Y)]
    rng, task = np.random.default_rng(seed), task_of(Y, 2)
    subsets = np.append(np.zeros(len(Y) - 1, dtype=int), 1)
    seats = _seats(subsets, np.bincount(subsets))
    spread, draws = priced(task.counts(subsets), task.aims(ZERO_PRICE)), _draws(rng, 1, 6)
    rows = [seats.rows[from_python(pick)(bits, len(Y) - 1)] for bits in draws[0]]
    costs = [from_python(cost_of_leaving)(task.rows, row, 0, 1, spread) for row in rows]
    levelled = level(task, subsets, np.array([[0, 1]]), draws)
    moved = np.flatnonzero(levelled != subsets)
    assert moved.tolist() == [rows[int(np.argmin(costs))]]


def test_levelling_never_moves_a_row_twice():
    task = task_of(np.eye(6, 4, dtype=int), 2)
    subsets = np.array([0, 0, 0, 0, 0, 1])
    # Both draws point at the first row, which can leave only once.
    draws = np.zeros((2, 3), dtype=np.uint32)
    levelled = level(task, subsets, np.array([[0, 1], [0, 1]]), draws)
    assert levelled.tolist() == [1, 1, 0, 0, 0, 1]


@COMPILED_ONLY
def test_a_rare_label_reaches_even_small_subsets():
    random = np.random.default_rng(0)
    rare = np.zeros((1000, 8), dtype=int)
    for label in range(8):
        rare[random.choice(1000, size=4, replace=False), label] = 1
    Y = np.column_stack((correlated(1000, 12, seed=0, cardinality=4), rare))
    shares_ = (0.8, 0.1, 0.1)
    balanced, iterative = (
        split_quality(Y, assign(Y, shares_, method=method, random_state=0), shares_)
        for method in ("balanced", "iterative")
    )
    assert balanced.flz == 0 < iterative.flz
    assert balanced.ld < iterative.ld


def test_a_time_budget_stops_by_the_clock():
    Y = correlated(200, 6, seed=0)
    subset = assign(Y, 4, random_state=0, budget=timedelta(milliseconds=20))
    assert np.bincount(subset).tolist() == [50, 50, 50, 50]


@COMPILED_ONLY
def test_auto_is_balanced_up_to_a_size_and_iterative_above(monkeypatch):
    Y = correlated(100, 4, seed=1)
    small = assign(Y, 3, random_state=0)
    assert np.array_equal(small, assign(Y, 3, method="balanced", random_state=0))
    monkeypatch.setattr(door, "BALANCED_UP_TO", 0)
    large = assign(Y, 3, random_state=0)
    assert np.array_equal(large, assign(Y, 3, method="iterative", random_state=0))
    assert np.array_equal(small, assign(Y, 3, random_state=0, budget=40_000))


@COMPILED_ONLY
def test_labels_of_every_row_do_not_disturb_the_search():
    Y = correlated(120, 5, seed=2)
    with_all = np.column_stack((Y, np.ones(120, dtype=int)))
    found = split_quality(with_all, assign(with_all, 4, random_state=0))
    alone = split_quality(Y, assign(Y, 4, random_state=0))
    assert found.ld == pytest.approx(alone.ld)
    assert np.bincount(assign(np.ones((10, 2), dtype=int), 3, random_state=0)).tolist() == [4, 3, 3]


@settings(max_examples=60)
@given(Y=label_matrices(min_rows=8, max_rows=20), seed=SEEDS, budget=st.sampled_from([0, 10, None]))
def test_no_move_or_swap_of_groups_brings_sizes_nearer(Y, seed, budget):
    random = np.random.default_rng(seed)
    groups = np.append(np.arange(6), random.integers(6, size=len(Y) - 6))
    weight, wanted = np.bincount(groups), np.full(3, len(Y) / 3)
    subset = assign(Y, 3, groups=groups, random_state=seed, budget=budget)
    placed = np.array([subset[groups == group][0] for group in range(6)])
    assert_no_step_brings_nearer(placed, weight, wanted)
    anyhow = with_nearest_sizes(weight, random.integers(3, size=6), wanted)
    assert_no_step_brings_nearer(anyhow, weight, wanted)


def assert_no_step_brings_nearer(placed, weight, wanted):
    """Every move of a group and every swap of two leaves sizes as far away, or a subset empty."""

    def distance(placing):
        return np.abs(np.bincount(placing, weights=weight, minlength=3) - wanted).sum()

    assert distance(placed) >= oracle.nearest_sizes(weight.tolist(), wanted.tolist()) - 1e-9
    assert np.unique(placed).size == 3
    for a in range(weight.size):
        for j in range(3):
            moved = placed.copy()
            moved[a] = j
            assert np.unique(moved).size < 3 or distance(moved) >= distance(placed) - 1e-9
        for b in range(a):
            swapped = placed.copy()
            swapped[[a, b]] = placed[[b, a]]
            assert distance(swapped) >= distance(placed) - 1e-9


@COMPILED_ONLY
def test_many_groups_get_exact_sizes_and_a_better_ld_than_iterative_assignment():
    Y = correlated(3000, 10, seed=5)
    groups = np.random.default_rng(0).integers(600, size=3000)
    balanced, iterative = (
        split_quality(Y, assign(Y, 5, method=method, groups=groups, random_state=0))
        for method in ("balanced", "iterative")
    )
    assert balanced.ed == 0
    assert balanced.ld < 0.5 * iterative.ld


@COMPILED_ONLY
def test_groups_of_one_row_are_as_good_as_none():
    Y = correlated(400, 6, seed=6)
    alone = split_quality(Y, assign(Y, 4, random_state=0))
    grouped = split_quality(Y, assign(Y, 4, groups=np.arange(400), random_state=0))
    assert grouped.ed == alone.ed == 0
    assert grouped.ld <= 1.1 * alone.ld


def test_no_subset_is_left_without_groups_even_if_sizes_were_nearer():
    wanted = np.array([0.5, 5.5])
    placed = with_nearest_sizes(np.array([2, 2, 2]), np.array([0, 1, 1]), wanted)
    assert np.bincount(placed).tolist() == [1, 2]
    Y, groups = np.tile([[0], [1]], (3, 1)), [0, 0, 1, 1, 2, 2]
    subset = assign(Y, [1 / 12, 11 / 12], groups=groups, random_state=0)
    assert np.bincount(subset).tolist() == [2, 4]


@given(hnp.arrays(np.float64, 3, elements=st.integers(-9, 9)), st.integers(-9, 9))
def test_moved_rows_change_the_distance_of_two_sizes_from_their_targets(excess, shifted):
    after = excess + np.array([-shifted, shifted, 0])
    expected = np.abs(after).sum() - np.abs(excess).sum()
    plain = getattr(distance_change, "py_func", distance_change)
    assert plain(excess, 0, 1, shifted) == expected
