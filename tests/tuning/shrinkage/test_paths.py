"""Paths of shrunk thresholds equal their definition, for dense and for sparse scores.

Tests `_micro_path` with its kernels, `_macro_path` and `_pooled_curve`.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise import _jit
from labelwise._tuning import Problem
from labelwise._tuning.shrinkage import _macro_path, _micro_path
from labelwise._tuning.shrinkage._macro_path import RangeMaxima
from labelwise._tuning.shrinkage._pooled_curve import N_COMMON, _quantiles
from labelwise._tuning.shrinkage._shrinkage import AMOUNTS, Shrinkage, _weights
from labelwise.decisions import best_thresholds
from labelwise.measures import accuracy, f_measure, jaccard, matthews, precision
from tests.decisions.problems import problems
from tests.oracles import shrinkage as oracle

MEASURES = [f_measure, jaccard, accuracy, precision, matthews]


def stored_and_dense(problem, stored):
    """The same scores, dense with NaN and as CSR, or both dense if all are stored."""
    scores, Y = problem[0] + 5.0, sparse.csc_array(problem[1])
    rows, columns = np.nonzero(stored)
    sparse_scores = sparse.csr_array((scores[stored], (rows, columns)), scores.shape)
    return (
        np.where(stored, scores, np.nan),
        Problem(sparse_scores, Y, None),
        Problem(scores, Y, None),
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("average", ["micro", "macro"])
@settings(max_examples=30)
@given(
    problem=problems(most_samples=10, most_labels=4),
    amount=st.sampled_from([0.1, 0.5, 0.8, 1.0]),
    compiles=st.booleans(),
    data=st.data(),
)
def test_thresholds_of_a_path_are_those_of_the_definition(
    measure, average, problem, amount, compiles, data
):
    Y = problem[1]
    stored = data.draw(hnp.arrays(bool, Y.shape) | st.just(np.ones(Y.shape, dtype=bool)))
    dense, as_stored, as_dense = stored_and_dense(problem, stored)
    checked = as_dense if stored.all() else as_stored
    shares = _weights(checked.support, amount)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_jit, "FEW_STEPS", 0 if compiles else np.inf)
        found = Shrinkage(checked, measure, average).thresholds(checked.everyone, (amount,))[0]
    if not (Y & stored).any():
        return
    if average == "micro":
        expected = oracle.micro_thresholds(dense, Y, shares, measure)
    else:
        every_cut = measure in (accuracy, precision, matthews)
        expected = oracle.macro_thresholds(dense, Y, shares, measure, every_cut)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_bands_and_blocks_do_not_change_the_thresholds(measure, average, monkeypatch):
    random = np.random.default_rng(0)
    scores = random.random((300, 40)) * (random.random((300, 40)) < 0.3)
    Y = random.random(scores.shape) < scores**2
    checked = Problem(sparse.csr_array(scores), sparse.csc_array(Y), None)
    shrinkage, amounts = Shrinkage(checked, measure, average), (0.02, 0.3, 0.7, 0.98)
    expected = shrinkage.thresholds(checked.everyone, amounts)
    monkeypatch.setattr(_micro_path, "_FEW", 0)
    monkeypatch.setattr(_micro_path, "_N_BANDS", 64)
    monkeypatch.setattr(_macro_path, "_TOGETHER", 50)
    for one, other in zip(shrinkage.thresholds(checked.everyone, amounts), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@given(
    values=hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-9, 9) | st.just(np.nan))
)
def test_the_largest_between_two_places_is_found(values):
    table = RangeMaxima(values)
    first, last = np.triu_indices(values.size)
    filled = np.where(np.isnan(values), -np.inf, values)
    expected = [filled[i : j + 1].max() for i, j in zip(first, last, strict=True)]
    np.testing.assert_array_equal(table.highest(first, last), expected)


def test_amounts_rise_from_none_to_all():
    assert AMOUNTS[0] == 0
    assert AMOUNTS[-1] == 1
    assert (np.diff(AMOUNTS) > 0).all()


def test_quantiles_are_scores_at_even_places_among_repeated_scores():
    random = np.random.default_rng(0)
    scores, weights = -np.sort(random.random(3 * N_COMMON)), random.integers(0, 4, 3 * N_COMMON)
    repeated = np.repeat(scores, weights)
    places = np.linspace(0, repeated.size - 1, N_COMMON).round().astype(int)
    np.testing.assert_array_equal(_quantiles(scores, weights), repeated[places])
    # No more repeated scores than places: all scores, each of them once.
    few = scores[: N_COMMON // 2]
    np.testing.assert_array_equal(_quantiles(few, np.full(few.size, 2)), few)
    # With other weights, the places are even in the sum of weights, which has no last number.
    shares = weights / 7
    ends = np.cumsum(shares)
    found = [
        scores[np.flatnonzero(ends > place)[0]] for place in np.linspace(0, ends[-1], N_COMMON)[:-1]
    ]
    np.testing.assert_array_equal(_quantiles(scores, shares)[:-1], found)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_a_threshold_between_two_neighbouring_floats_is_the_upper_one(average):
    scores = np.array([[5.0], [np.nextafter(5.0, 6.0)]])
    tuned = best_thresholds(scores, [[0], [1]], maximize=f"{average}-precision", shrink=0.1)
    assert tuned.values == scores[1]
    assert tuned.decide(scores).tolist() == [[0], [1]]
