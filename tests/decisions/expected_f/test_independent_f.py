"""For independent labels, the best label set follows from the probabilities alone."""

from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise.data import Posterior
from labelwise.decisions import maximize_expected_f, maximize_expected_f_independent
from labelwise.decisions.expected_f import _independent_f_kernels as kernels
from labelwise.measures import count, f_measure
from tests.oracles import expected_f as oracle

BETAS = st.sampled_from([0.5, 1.0, 2.0, np.pi / 3])
SOME = [0.0, 1.0, 0.5, 0.25, 1e-300, 1e-17, 1e-9, 1 - 1e-9, 1 - 2**-53, 0.5 + 2**-53, 0.5 - 2**-54]
PROBAS = st.sampled_from(SOME) | st.floats(0, 1)


def values_of(proba, beta):
    return [float(value) for value in oracle.values_by_number(proba, beta)]


@settings(max_examples=60)
@given(st.lists(PROBAS, min_size=1, max_size=7), BETAS)
def test_no_label_set_beats_the_decided_one(proba, beta):
    decided, value = maximize_expected_f_independent([proba], beta=beta)
    of_all = oracle.expected_f_of_all(oracle.independent(proba), beta)
    assert value[0] == pytest.approx(of_all.max(), rel=1e-13)
    place = int("".join(map(str, decided[0])), 2)
    assert of_all[place] == pytest.approx(of_all.max(), rel=1e-13)


@settings(max_examples=60)
@given(st.lists(PROBAS, min_size=1, max_size=7), BETAS)
def test_without_empty_sets_no_other_label_set_beats_the_decided_one(proba, beta):
    decided, value = maximize_expected_f_independent([proba], beta=beta, allow_empty=False)
    if not any(proba):
        assert not decided.any()
        return
    of_all = oracle.expected_f_of_all(oracle.independent(proba), beta)
    place = int("".join(map(str, decided[0])), 2)
    assert place > 0
    assert value[0] == pytest.approx(of_all[1:].max(), rel=1e-13)
    assert of_all[place] == pytest.approx(of_all[1:].max(), rel=1e-13)


@given(st.lists(PROBAS, min_size=1, max_size=25), BETAS)
def test_values_agree_with_200_bit_arithmetic(proba, beta):
    decided, value = maximize_expected_f_independent([proba], beta=beta)
    exact = oracle.values_by_number(proba, beta)
    assert abs(Decimal(value[0]) / max(exact) - 1) < Decimal("1e-13")
    k = decided.sum()
    assert abs(exact[k] / max(exact) - 1) < Decimal("1e-13")
    assert sorted(np.array(proba)[decided[0] == 1]) == sorted(proba)[len(proba) - k :]


HARD = {
    "tiny": np.full(60, 1e-12),
    "almost certain": np.full(60, 1 - 2**-53),
    "about a half": 0.5 + np.linspace(-1e-9, 1e-9, 60),
    "both ends": np.r_[np.full(30, 1e-15), np.full(30, 1 - 1e-15)],
    "halves and certain": np.r_[np.full(20, 0.5), np.ones(20), np.full(20, 0.5 + 2**-53)],
    "down to nothing": 2.0 ** -np.arange(60.0),
    "up to certain": 1 - 2.0 ** -np.arange(1.0, 53.0),
    "long tail": 0.9 / np.arange(1, 61),
    "denormal": np.r_[np.full(10, 5e-324), 0.3, 0.6],
}


@pytest.mark.parametrize("beta", [0.05, 1.0, np.sqrt(2), 30.0])
@pytest.mark.parametrize("name", HARD)
def test_hard_cases_agree_with_200_bit_arithmetic(name, beta):
    decided, value = maximize_expected_f_independent(HARD[name][None], beta=beta)
    exact = oracle.values_by_number(HARD[name], beta)
    assert abs(Decimal(value[0]) / max(exact) - 1) < Decimal("1e-13")
    assert abs(exact[decided.sum()] / max(exact) - 1) < Decimal("1e-13")


@pytest.mark.parametrize("name", HARD)
def test_leaving_a_label_out_keeps_twelve_digits_of_the_mass(name):
    proba = HARD[name]
    chance = kernels.count_distribution(proba, proba.size)
    others = np.empty(chance.size)
    for i in range(0, proba.size, 7):
        kernels.leave_out(chance, proba[i], others)
        rest = [Decimal(float(p)) for p in np.delete(proba, i)]
        exact = [float(p) for p in oracle.count_distribution(rest)]
        np.testing.assert_allclose(others[:-1], exact, atol=1e-14, rtol=0)


@pytest.mark.parametrize("name", HARD)
def test_the_distribution_of_the_count_keeps_its_digits(name):
    proba = HARD[name]
    exact = oracle.count_distribution([Decimal(float(p)) for p in proba])
    chance = kernels.count_distribution(proba, proba.size)
    # Below 1e-290 numbers run out of digits.
    np.testing.assert_allclose(chance, [float(p) for p in exact], rtol=1e-13, atol=1e-290)


@given(st.floats(1e-6, 200), st.integers(1, 400))
def test_the_count_left_out_has_less_than_1e_18_of_the_mass(mean, n_labels):
    proba = np.full(n_labels, min(1.0, mean / n_labels))
    last = kernels.last_count(proba.sum(), n_labels)
    assert proba.sum() <= last <= n_labels or last == n_labels
    assert kernels.count_distribution(proba, n_labels)[last + 1 :].sum() < 1e-18


@given(st.lists(PROBAS, min_size=1, max_size=25), BETAS)
def test_among_equal_values_the_fewest_labels_are_decided(proba, beta):
    decided, _ = maximize_expected_f_independent([proba], beta=beta)
    exact = oracle.values_by_number(proba, beta)
    fewest = next(k for k, v in enumerate(exact) if v >= max(exact) * (1 - Decimal("1e-15")))
    assert decided.sum() <= fewest


@pytest.mark.parametrize("beta", [1.0, np.sqrt(3)])
def test_rounding_does_not_break_a_tie_for_more_labels(beta):
    # Beside certain labels, one that makes no difference if it is decided: for F1, one half.
    for n_certain in range(1, 60):
        hits = (1 + beta**2) * n_certain
        missed, added = hits / (hits + beta**2), hits / (hits + 1)
        chance = (1 - added) / (2 - missed - added)
        decided, _ = maximize_expected_f_independent([[1.0] * n_certain + [chance]], beta=beta)
        assert decided.sum() == n_certain


def test_the_first_of_equal_labels_are_decided():
    # For precision alone, a second label of equal probability gains nothing.
    decided, value = maximize_expected_f_independent([[0.1, 0.75, 0.5, 0.75]], beta=1e-200)
    assert (decided.tolist(), value.tolist()) == ([[0, 1, 0, 0]], [0.75])


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=5), BETAS)
def test_expected_f_equals_f_when_proba_is_certain(Y, beta):
    decided, value = maximize_expected_f_independent(np.array(Y, dtype=float), beta=beta)
    np.testing.assert_array_equal(decided, Y)
    np.testing.assert_allclose(value, f_measure(count(Y, decided, by="sample"), beta=beta))


@given(st.lists(PROBAS, min_size=1, max_size=12), BETAS)
def test_general_and_independent_rule_agree_on_independent_labels(proba, beta):
    posterior = Posterior(groups=[[1.0]], rates=[proba])
    _, of_joint = maximize_expected_f(posterior.joint, posterior.p_empty, beta=beta)
    _, of_marginals = maximize_expected_f_independent([proba], beta=beta)
    np.testing.assert_allclose(of_marginals, of_joint, rtol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_stopping_early_loses_nothing(seed, beta):
    random = np.random.default_rng(seed)
    proba = random.random(40) ** random.uniform(0.2, 30)
    _, value = maximize_expected_f_independent([proba], beta=beta)
    assert value[0] == pytest.approx(max(values_of(proba, beta)), rel=1e-13)


def test_the_search_ends_soon_after_the_best_number(monkeypatch):
    proba = np.r_[np.full(5, 0.8), np.full(900, 0.003)]
    left_out = []
    original = kernels.leave_out
    monkeypatch.setattr(
        kernels, "leave_out", lambda c, p, o: left_out.append(p) or original(c, p, o)
    )
    best_number = getattr(kernels.best_number, "py_func", kernels.best_number)
    chance = kernels.count_distribution(proba, kernels.last_count(proba.sum(), proba.size))
    heap = np.arange(proba.size)
    k, _ = best_number(proba, heap, proba.sum(), chance, np.array([0.5, 0.5]), True)
    assert k == 5
    assert len(left_out) <= 7


def random_rows(n_samples=60, n_labels=40):
    proba = np.random.default_rng(0).random((n_samples, n_labels)) ** 8
    proba[proba < 0.01] = 0
    return proba


def test_sparse_input_gives_the_same_as_dense_and_stays_as_it_was():
    proba = random_rows()
    dense, dense_value = maximize_expected_f_independent(proba)
    rows = sparse.csr_array(proba)
    before = rows.copy()
    decided, value = maximize_expected_f_independent(rows)
    assert (decided.format, decided.dtype, decided.nnz) == ("csr", bool, dense.sum())
    np.testing.assert_array_equal(decided.toarray(), dense)
    np.testing.assert_array_equal(value, dense_value)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(rows, part), getattr(before, part))


def test_single_precision_is_added_up_in_double():
    single = random_rows().astype(np.float32)
    decided, value = maximize_expected_f_independent(single)
    as_double, double_value = maximize_expected_f_independent(single.astype(np.float64))
    np.testing.assert_array_equal(decided, as_double)
    np.testing.assert_array_equal(value, double_value)


@pytest.mark.parametrize("n_cores", [1, 2, 5])
def test_the_number_of_threads_and_the_order_in_memory_change_nothing(monkeypatch, n_cores):
    proba = random_rows()
    decided, value = maximize_expected_f_independent(proba)
    monkeypatch.setattr("joblib.cpu_count", lambda: n_cores)
    monkeypatch.setattr("labelwise._parallel._TOGETHER", 200)
    again, same_value = maximize_expected_f_independent(np.asfortranarray(proba))
    np.testing.assert_array_equal(again, decided)
    np.testing.assert_array_equal(same_value, value)


@given(st.permutations(range(6)))
def test_the_order_of_the_labels_changes_nothing_but_the_order_of_the_decisions(order):
    proba = np.array([[0.7, 0.1, 0.4, 0.35, 0.05, 0.6]])
    decided, value = maximize_expected_f_independent(proba)
    again, same_value = maximize_expected_f_independent(proba[:, order])
    np.testing.assert_array_equal(again, decided[:, order])
    assert same_value == pytest.approx(value)


def test_no_samples_and_no_labels_are_allowed():
    decided, value = maximize_expected_f_independent(np.empty((0, 3)))
    assert (decided.shape, value.shape) == ((0, 3), (0,))
    decided, value = maximize_expected_f_independent(np.empty((2, 0)))
    assert (decided.shape, value.tolist()) == ((2, 0), [1.0, 1.0])


@pytest.mark.parametrize("bad", [1.5, -0.25])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_first_entry_that_is_no_probability_is_named(bad, make):
    proba = np.full((3, 4), 0.5)
    proba[1, 3] = proba[2] = bad
    message = f"proba must contain probabilities from 0 to 1, got {bad:g} at row 1, label 3; "
    with pytest.raises(ValueError, match=f"^{message}calibrate .* CalibratedLabels"):
        maximize_expected_f_independent(make(proba))


def test_a_frame_is_taken_and_an_offender_named_by_its_column():
    frame = pd.DataFrame({"sea": [0.9, 0.1], "sky": [0.2, 1.1]})
    with pytest.raises(ValueError, match=r"got 1\.1 at row 1, label 'sky'"):
        maximize_expected_f_independent(frame)
    decided, _ = maximize_expected_f_independent(frame.clip(0, 1))
    assert decided.tolist() == [[1, 0], [0, 1]]


def test_bad_beta_and_nan_are_refused():
    with pytest.raises(ValueError, match="beta must be a positive number, got -1"):
        maximize_expected_f_independent([[0.5]], beta=-1)
    with pytest.raises(ValueError, match="proba must be finite, got nan at row 0, label 1"):
        maximize_expected_f_independent([[0.5, np.nan]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_in_several_blocks_have_the_sets_of_rows_alone(form, monkeypatch):
    random = np.random.default_rng(0)
    proba = random.random((11, 4)) * (random.random((11, 4)) < 0.7)
    small = partial(for_row_blocks, together=8)
    monkeypatch.setattr("labelwise.decisions.expected_f._independent_f.for_row_blocks", small)
    decided, value = maximize_expected_f_independent(form(proba))
    for i in range(len(proba)):
        alone, best = maximize_expected_f_independent(form(proba[[i]]))
        assert value[i] == best[0]
        one, other = (sparse.csr_array(part).toarray() for part in (decided[[i]], alone))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_blocks_of_rows_are_decided_as_all_rows_together(form, monkeypatch):
    proba = form(np.random.default_rng(0).random((7, 4)).round(1))
    expected = maximize_expected_f_independent(proba)
    # As plain Python, in which a row beyond the block has no place for its value.
    monkeypatch.setattr(
        kernels, "decide_rows", getattr(kernels.decide_rows, "py_func", kernels.decide_rows)
    )
    small = partial(for_row_blocks, together=8)
    monkeypatch.setattr("labelwise.decisions.expected_f._independent_f.for_row_blocks", small)
    decided, value = maximize_expected_f_independent(proba)
    np.testing.assert_array_equal(value, expected[1])
    assert (decided != expected[0]).sum() == 0
