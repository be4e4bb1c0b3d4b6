"""Tests of ranks (`_average_ranks`, `_friedman`, `_post_hoc_tests`, `_p_value_adjustment`)."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import friedmanchisquare

from labelwise.experiments import (
    average_ranks,
    friedman_test,
    holm_adjusted,
    holm_test,
    nemenyi_test,
)
from tests.experiments.statistics.published_comparison import (
    CHI2,
    COLUMNS,
    DISTANCE_05,
    DISTANCE_10,
    METHODS,
    RANKS,
    VALUES,
    F,
)
from tests.oracles import comparisons as oracle


@st.composite
def tables(draw, least_methods=2, least_blocks=1):
    """Small whole numbers, so that ties abound."""
    k = draw(st.integers(least_methods, 6))
    row = st.lists(st.integers(0, 4), min_size=k, max_size=k)
    return draw(st.lists(row, min_size=least_blocks, max_size=8))


@given(values=tables(), higher=st.booleans())
def test_average_ranks_are_those_of_the_definition(values, higher):
    found = average_ranks(values, higher_is_better=higher)
    losses = [[-value if higher else value for value in row] for row in values]
    np.testing.assert_allclose(found.ranks, oracle.average_ranks(losses))
    assert found.ranks.sum() == pytest.approx(len(values[0]) * (len(values[0]) + 1) / 2)


def test_published_ranks_and_statistics_come_out_as_printed():
    found = average_ranks(COLUMNS, measure="macro-auc")
    np.testing.assert_allclose(found.ranks, RANKS, atol=0.0005)
    chi2, f = oracle.friedman_without_ties(-np.array(VALUES))
    assert chi2 == pytest.approx(CHI2, abs=0.005)
    assert f == pytest.approx(F, abs=0.005)
    assert nemenyi_test(COLUMNS, measure="macro-auc").distance == pytest.approx(
        DISTANCE_05, abs=0.005
    )
    at_10 = nemenyi_test(COLUMNS, measure="macro-auc", alpha=0.1)
    assert at_10.distance == pytest.approx(DISTANCE_10, abs=0.005)
    # Demšar: at 0.10, C4.5 is worse than both variants that choose m, and C4.5+cf is not.
    assert [at_10.differ("C4.5", other) for other in METHODS[1:]] == [True, False, True]


def test_published_holm_steps_reject_two_of_three():
    found = holm_test(COLUMNS, control="C4.5", measure="macro-auc")
    error = np.sqrt(4 * 5 / (6 * 14))
    raw = [2 * oracle.normal_tail((RANKS[0] - r) / error) for r in RANKS[1:]]
    # Printed there: 0.019, 0.607, 0.016, for m, cf, and both.
    np.testing.assert_allclose(raw, [0.019, 0.607, 0.016], atol=0.002)
    np.testing.assert_allclose(found.p_values[0, 1:], holm_adjusted(raw), atol=0.001)
    assert [found.differ("C4.5", other) for other in METHODS[1:]] == [True, False, True]


@given(values=tables(least_methods=3, least_blocks=2))
def test_friedman_equals_scipy_and_refuses_where_all_tie(values):
    if all(len(set(row)) == 1 for row in values):
        with pytest.raises(ValueError, match="all methods tie"):
            friedman_test(values, higher_is_better=True)
        return
    found = friedman_test(values, higher_is_better=True)
    expected = friedmanchisquare(*np.transpose(values))
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@given(orders=st.lists(st.permutations(range(4)), min_size=3, max_size=8))
def test_iman_davenport_follows_from_chi_square_without_ties(orders):
    found = friedman_test(orders, higher_is_better=False)
    if len(set(map(tuple, orders))) == 1:
        assert found.f_statistic == np.inf
        return
    assert (found.statistic, found.f_statistic) == pytest.approx(
        oracle.friedman_without_ties(orders)
    )


def test_iman_davenport_is_infinite_where_all_data_sets_agree():
    found = friedman_test([[1, 2, 3]] * 4, higher_is_better=True)
    assert (found.f_statistic, found.f_p_value) == (np.inf, 0.0)


@given(values=tables(least_methods=2, least_blocks=2))
def test_holm_of_all_pairs_is_that_of_an_outsider(values):
    k, n = len(values[0]), len(values)
    found = holm_test(values, higher_is_better=False)
    ranks = oracle.average_ranks(values)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    error = (k * (k + 1) / (6 * n)) ** 0.5
    raw = [2 * oracle.normal_tail(abs(ranks[i] - ranks[j]) / error) for i, j in pairs]
    for alpha in (0.01, 0.05, 0.3):
        rejected = oracle.holm_rejects(raw, alpha)
        values_of_pairs = [found.p_values[pair] for pair in pairs]
        assert {i for i, p in enumerate(values_of_pairs) if p <= alpha} == rejected


@settings(max_examples=40)
@given(values=tables(least_methods=2, least_blocks=2), alpha=st.sampled_from([0.05, 0.3, 0.9]))
def test_groups_are_the_maximal_sets_without_a_difference(values, alpha):
    for test in (nemenyi_test, holm_test):
        found = test(values, higher_is_better=False, alpha=alpha)
        names = found.ranks.methods
        expected = oracle.maximal_groups(names, lambda a, b: not found.differ(a, b))  # noqa: B023
        assert {frozenset(group) for group in found.groups} == expected
        assert len(found.groups) == len(expected)


@settings(max_examples=40)
@given(values=tables(least_methods=2, least_blocks=2))
def test_nemenyi_differs_exactly_beyond_the_critical_difference(values):
    found = nemenyi_test(values, higher_is_better=False)
    ranks = np.array(oracle.average_ranks(values))
    apart = np.abs(ranks[:, None] - ranks[None, :])
    clear = np.abs(apart - found.distance) > 1e-6
    assert np.array_equal((apart > found.distance)[clear], (found.p_values < 0.05)[clear])
    assert np.array_equal(found.p_values, found.p_values.T)


@settings(max_examples=40)
@given(values=tables(least_methods=2, least_blocks=2))
def test_nemenyi_is_that_of_scikit_posthocs(values):
    from scikit_posthocs import posthoc_nemenyi_friedman

    expected = posthoc_nemenyi_friedman(np.array(values, dtype=float)).to_numpy()
    found = nemenyi_test(values, higher_is_better=False)
    np.testing.assert_allclose(found.p_values, expected, rtol=1e-9, atol=1e-12)
    assert (np.diag(found.p_values) == 1).all()


def test_holm_agrees_with_scikit_posthocs_on_the_published_example():
    from scikit_posthocs import posthoc_siegel_friedman

    expected = posthoc_siegel_friedman(-np.array(VALUES), p_adjust="holm").to_numpy()
    found = holm_test(VALUES, higher_is_better=True)
    np.testing.assert_allclose(found.p_values, expected, atol=1e-12)


def test_holm_against_one_compares_only_with_it_and_draws_no_groups():
    found = holm_test(COLUMNS, control="C4.5+cf", measure="macro-auc")
    assert np.isnan(found.p_values[0, 1])
    assert np.isfinite(found.p_values[2]).all()
    assert found.groups == ()
    assert "-" in repr(found)


@pytest.mark.parametrize("bad", [[0.5, 1.1], [-0.1], [[0.5]], [np.nan]])
def test_holm_refuses_what_is_no_chance(bad):
    with pytest.raises(ValueError, match="p_values must"):
        holm_adjusted(bad)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="alpha must be between 0 and 1, got 5"):
        nemenyi_test(VALUES, higher_is_better=True, alpha=5)
    with pytest.raises(ValueError, match="control must name one of 0, 1, 2, 3, got 'x'"):
        holm_test(VALUES, control="x", higher_is_better=True)
    with pytest.raises(ValueError, match="at least 3 methods"):
        friedman_test([[1, 2], [2, 1]], higher_is_better=True)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_level_may_be_a_numpy_number(kind):
    found = nemenyi_test(VALUES, higher_is_better=True, alpha=kind(0.25))
    assert found.distance == nemenyi_test(VALUES, higher_is_better=True, alpha=0.25).distance


def test_results_print_as_tables_that_say_what_was_left_out():
    values = {name: [*column, None] for name, column in COLUMNS.items()}
    text = repr(nemenyi_test(values, measure="macro-auc", missing="drop"))
    assert "Critical difference: 1.254" in text
    assert "Left out, as a value is missing: 14." in text
    assert text.index("C4.5+m+cf") < text.index("C4.5+cf")
    assert "All methods tie on 1 of them." in repr(average_ranks(COLUMNS, measure="macro-auc"))
    assert repr(friedman_test(VALUES, higher_is_better=True)).startswith("Friedman: chi2(3)")


def test_an_unknown_method_is_refused_with_the_known_ones():
    found = nemenyi_test([[1, 2, 3]] * 5, higher_is_better=False)
    with pytest.raises(ValueError, match="second must name one of 0, 1, 2, got 'x'"):
        found.differ("0", "x")
