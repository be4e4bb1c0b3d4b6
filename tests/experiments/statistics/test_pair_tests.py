"""Tests (`_pair_tests`) and intervals (`_paired_difference`) of two methods, by other sources."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom, wilcoxon

from labelwise.experiments import paired_difference, sign_test, wilcoxon_test
from tests.experiments.statistics.published_comparison import COLUMNS
from tests.oracles import comparisons as oracle

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=9)
ALTERNATIVES = ("two-sided", "better", "worse")


@given(pairs=PAIRS)
def test_sign_test_is_the_share_of_sequences_as_uneven(pairs):
    found = sign_test(pairs, higher_is_better=True)
    assert found.wins == sum(a > b for a, b in pairs)
    assert found.wins + found.losses + found.ties == len(pairs)
    assert found.p_value == pytest.approx(oracle.sign_p_value(found.wins, found.losses))


@given(pairs=PAIRS, alternative=st.sampled_from(ALTERNATIVES))
def test_signed_ranks_are_exact_also_with_ties(pairs, alternative):
    found = wilcoxon_test(pairs, higher_is_better=True, alternative=alternative)
    expected = oracle.wilcoxon_p_value([a - b for a, b in pairs], alternative)
    assert found.p_value == pytest.approx(expected)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n=st.integers(1, 50), alternative=st.sampled_from(ALTERNATIVES))
def test_signed_ranks_equal_scipy_without_ties(seed, n, alternative):
    values = np.random.default_rng(seed).normal(size=(n, 2)) + np.array([0.3, 0])
    found = wilcoxon_test(values, higher_is_better=True, alternative=alternative)
    words = {"two-sided": "two-sided", "better": "greater", "worse": "less"}
    expected = wilcoxon(*values.T, alternative=words[alternative], method="exact")
    assert found.p_value == pytest.approx(expected.pvalue)


def test_exact_and_approximate_values_meet_where_one_takes_over():
    values = np.random.default_rng(0).normal(size=(201, 2)) + np.array([0.1, 0])
    more = wilcoxon_test(values, higher_is_better=True).p_value
    fewer = wilcoxon_test(values[:-1], higher_is_better=True).p_value
    assert more == pytest.approx(fewer, rel=0.2)
    assert more == pytest.approx(wilcoxon(*values.T, method="asymptotic").pvalue)


def test_rounding_of_decimals_does_not_break_ties_of_sizes():
    # 0.3 - 0.2 and 0.8 - 0.7 differ in their last bits only.
    values = [(0.3, 0.2), (0.7, 0.8), (0.9, 0.6)]
    whole = [(3, 2), (7, 8), (9, 6)]
    found = wilcoxon_test(values, higher_is_better=True)
    assert found.statistic == wilcoxon_test(whole, higher_is_better=True).statistic == 4.5


def test_lower_is_better_exchanges_wins_and_losses():
    high = sign_test(COLUMNS, ("C4.5+m", "C4.5"), measure="macro-auc")
    low = sign_test(COLUMNS, ("C4.5+m", "C4.5"), measure="hamming-loss")
    assert (high.wins, high.losses, high.ties) == (10, 2, 2)
    assert (low.wins, low.losses, low.ties) == (2, 10, 2)
    assert high.p_value == low.p_value


def test_where_all_tie_nothing_is_found_and_that_is_said():
    for test in (sign_test, wilcoxon_test):
        found = test([[1, 1], [2, 2]], higher_is_better=True)
        assert (found.p_value, found.ties) == (1.0, 2)
        assert "All data sets tie" in repr(found)
    found = paired_difference([[1, 1], [2, 2]], random_state=0)
    assert (found.mean, found.low, found.high) == (0, 0, 0)
    assert "All data sets tie" in repr(found)


@given(
    differences=st.lists(st.integers(-4, 4), min_size=1, max_size=8),
    confidence=st.sampled_from([0.5, 0.8, 0.95]),
    seed=st.integers(0, 99),
)
def test_interval_of_a_difference_is_the_studentized_bootstrap(differences, confidence, seed):
    values = [[d, 0] for d in differences]
    options = {"confidence": confidence, "n_bootstrap": 200, "random_state": seed}
    found = paired_difference(values, **options)
    n = len(differences)
    drawn = np.random.RandomState(seed).randint(n, size=(200, n))
    expected = oracle.studentized_interval(differences, drawn, confidence)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("n_blocks", [2, 5, 40])
@pytest.mark.parametrize("kind", ["standard_normal", "standard_exponential"])
def test_intervals_of_95_percent_contain_the_true_difference_as_often(n_blocks, kind):
    random, n_simulations, n_held = np.random.default_rng(4), 1000, 0
    centre = {"standard_normal": 0.0, "standard_exponential": 1.0}[kind]
    # Of few skewed differences, none has to come from the long tail: no interval shows it.
    aimed_at = 0.95 if kind == "standard_normal" or n_blocks >= 40 else 0.9
    for seed in range(n_simulations):
        values = np.zeros((n_blocks, 2))
        values[:, 0] = getattr(random, kind)(n_blocks) - centre
        found = paired_difference(values, n_bootstrap=400, random_state=seed)
        n_held += found.low <= 0 <= found.high
    assert n_held >= binom.ppf(0.005, n_simulations, aimed_at)


def test_one_data_set_says_nothing_of_the_spread_of_differences():
    found = paired_difference([[3.0, 1.0]], random_state=0)
    assert (found.mean, found.low, found.high) == (2, -np.inf, np.inf)


def test_interval_ignores_what_both_methods_share():
    values = np.random.default_rng(2).normal(size=(12, 2))
    harder = values + np.arange(12)[:, None] * 1000
    found, shifted = (paired_difference(one, random_state=3) for one in (values, harder))
    assert (shifted.low, shifted.high) == pytest.approx((found.low, found.high), abs=1e-9)


def test_same_seed_gives_the_same_interval_and_more_confidence_a_wider_one():
    first, second = (paired_difference(COLUMNS, ("C4.5", "C4.5+m"), random_state=7) for _ in "ab")
    assert first == second
    wide = paired_difference(COLUMNS, ("C4.5", "C4.5+m"), random_state=7, confidence=0.999)
    assert wide.low < first.low < first.high < wide.high


def test_difference_is_first_minus_second_whichever_end_is_good():
    values = [[3.0, 1.0], [2.0, 1.0]]
    for measure in ("hamming-loss", "micro-f"):
        assert paired_difference(values, measure=measure, random_state=0).mean == 1.5


def test_wrong_pairs_and_options_are_named():
    with pytest.raises(ValueError, match="pair must name two methods, as there are 4"):
        sign_test(COLUMNS, measure="micro-f")
    with pytest.raises(ValueError, match=r"pair must name one of .* got 'x'"):
        sign_test(COLUMNS, ("x", "C4.5"), measure="micro-f")
    with pytest.raises(ValueError, match="two different methods"):
        wilcoxon_test(COLUMNS, ("C4.5", "C4.5"), measure="micro-f")
    with pytest.raises(ValueError, match="alternative must be one of"):
        sign_test([[1, 2]], higher_is_better=True, alternative="less")
    with pytest.raises(ValueError, match="n_bootstrap must be at least 2"):
        paired_difference([[1, 2]], n_bootstrap=1)
    with pytest.raises(ValueError, match="confidence must be between"):
        paired_difference([[1, 2]], confidence=95)
