"""At most k labels a sample: exact for micro and linear measures, within the bound for others.

Tests `_best_at_k` with `_ascent`, `_bounds` and `_expected_measures`.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise.decisions import best_at_k, rank_cut
from labelwise.decisions.at_k import _best_at_k
from labelwise.decisions.at_k._ascent import bound_of_sum, check_goal, ratios_of
from labelwise.decisions.at_k._at_k_kernels import Decisions
from tests.oracles import at_k as oracle
from tests.oracles.maximized import maximized

EXACT = [
    *(f"micro-{name}" for name in ("f", "jaccard", "precision", "recall", "accuracy", "g-mean")),
    "micro-balanced-accuracy",
    "micro-matthews",
    "macro-recall",
    "macro-accuracy",
    "macro-balanced-accuracy",
]
BOUNDED = ["macro-f", "macro-jaccard", "macro-precision"]


@st.composite
def probabilities(draw, most_samples=3, most_labels=3):
    """Probabilities with ties, zeros and ones."""
    shape = (draw(st.integers(1, most_samples)), draw(st.integers(1, most_labels)))
    some = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0.01, 1)
    return draw(hnp.arrays(np.float64, shape, elements=some))


def value_of(proba, decided, maximize):
    if maximize == "coverage":
        return 1 - np.prod(1 - proba * decided, axis=0).mean()
    return oracle.expected_value(proba, decided, *maximized({"maximize": maximize}))


# Differences of sums of these probabilities are rounding errors, of which some measures take roots.
ROUNDED = [
    np.full((2, 1), 0.1),
    np.full((3, 2), 0.3),
    np.array([[1.0], [1 - 2.0**-53]]),
    np.array([[1 - 2e-12], [1 - 1e-14], [1 - 6e-16]]),
    np.array([[1e-9, 1.0], [3e-17, 1 - 2.0**-53]]),
]


@pytest.mark.parametrize("maximize", [*EXACT, *BOUNDED, "coverage"])
@settings(max_examples=15)
@given(proba=probabilities(), k=st.integers(1, 3))
@example(ROUNDED[0], 1)
@example(ROUNDED[1], 2)
@example(ROUNDED[2], 2)
@example(ROUNDED[3], 1)
@example(ROUNDED[4], 1)
def test_no_decisions_have_a_value_above_the_bound(maximize, proba, k):
    best = best_at_k(proba, k, maximize=maximize)
    assert best.decided.sum(axis=1).max() <= k
    assert best.value == pytest.approx(value_of(proba, best.decided, maximize), abs=1e-14)
    shape_and_k = (*proba.shape, min(k, proba.shape[1]))
    highest = max(value_of(proba, one, maximize) for one in oracle.all_decisions(*shape_and_k))
    assert highest <= best.value + best.gap
    assert best.gap == best.bound - best.value
    if maximize in EXACT and not any(np.array_equal(proba, one) for one in ROUNDED):
        assert best.value == pytest.approx(highest, abs=1e-12)
        assert best.gap < 1e-10


@pytest.mark.parametrize("maximize", [*BOUNDED, "coverage"])
@settings(max_examples=15)
@given(proba=probabilities(6, 4), k=st.integers(1, 2))
def test_no_sample_alone_can_have_better_labels(maximize, proba, k):
    best = best_at_k(proba, k, maximize=maximize)
    rows = list(oracle.all_decisions(1, proba.shape[1], min(k, proba.shape[1])))
    for i in range(len(proba)):
        for row in rows:
            other = best.decided.copy()
            other[i] = row[0]
            assert value_of(proba, other, maximize) <= best.value * (1 + 1e-6) + 1e-9


def make_proba(shape=(400, 60), stored=12, seed=0):
    random = np.random.default_rng(seed)
    labels = random.integers(0, shape[1], (shape[0], stored))
    rows = np.repeat(np.arange(shape[0]), stored)
    cells = random.beta(0.5, 2.0, labels.size), (rows, labels.ravel())
    proba = sparse.csr_array(cells, shape=shape)
    proba.data = np.minimum(proba.data, 1.0)
    return proba


@pytest.mark.parametrize("maximize", [*BOUNDED, "coverage", "macro-recall", "micro-f"])
def test_the_form_of_the_probabilities_does_not_matter(maximize):
    proba = make_proba(shape=(50, 12), stored=6)
    stored = best_at_k(proba, 2, maximize=maximize)
    dense = best_at_k(proba.toarray(), 2, maximize=maximize)
    frame = best_at_k(pd.DataFrame(proba.toarray()), 2, maximize=maximize)
    np.testing.assert_array_equal(stored.decided.toarray(), dense.decided)
    np.testing.assert_array_equal(frame.decided.to_numpy(), dense.decided)
    assert stored.decided.dtype == bool
    assert dense.decided.dtype == np.int8
    assert stored.value == dense.value == frame.value


@pytest.mark.parametrize("maximize", ["macro-f", "macro-precision", "coverage"])
def test_the_value_is_near_the_bound_and_above_that_of_the_most_probable_labels(maximize):
    proba = make_proba()
    best = best_at_k(proba, 3, maximize=maximize)
    dense = proba.toarray()
    most_probable = rank_cut(dense, 3)
    assert best.value > value_of(dense, most_probable, maximize)
    assert best.gap < 0.01


@pytest.mark.parametrize("maximize", [*BOUNDED, "coverage"])
@settings(max_examples=15)
@given(proba=probabilities(), k=st.integers(1, 2), data=st.data())
def test_any_decisions_give_a_bound_of_the_best(maximize, proba, k, data):
    _, measure = check_goal(maximize, 1.0)
    expected, _ = _best_at_k._expected(proba, is_coverage=measure is None)
    size = expected.cells.proba.size
    chosen = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    labels, n_labels = expected.cells.labels[chosen], proba.shape[1]
    hits = np.bincount(labels, expected.cells.amounts[chosen], minlength=n_labels)
    decided = np.bincount(labels, minlength=n_labels).astype(float)
    decisions = Decisions(chosen, hits, decided)
    bound = bound_of_sum(expected, ratios_of(measure, expected), decisions, k) / n_labels
    shape_and_k = (*proba.shape, min(k, proba.shape[1]))
    highest = max(value_of(proba, one, maximize) for one in oracle.all_decisions(*shape_and_k))
    assert highest <= bound


@settings(max_examples=15)
@given(proba=probabilities(2, 3))
def test_coverage_is_the_expected_share_of_labels_with_a_hit(proba):
    best = best_at_k(proba, 1, maximize="coverage")
    assert best.value == pytest.approx(oracle.expected_coverage(proba, best.decided), abs=1e-12)


@pytest.mark.parametrize("maximize", [*EXACT, *BOUNDED, "coverage"])
@settings(max_examples=10)
@given(proba=probabilities(), new=probabilities(), k=st.integers(1, 3))
def test_the_rule_decides_each_sample_by_itself(maximize, proba, new, k):
    best = best_at_k(proba, k, maximize=maximize)
    new = np.resize(new, (len(new), proba.shape[1]))
    for rows in (proba, new):
        decided = best.decide(rows)
        expected = oracle.decided_by_rule(rows, best.slopes, best.prices, k)
        np.testing.assert_array_equal(decided, expected)
        one_by_one = np.concatenate([best.decide(row[None]) for row in rows])
        np.testing.assert_array_equal(one_by_one, decided)
    expected = value_of(proba, best.decide(proba), maximize)
    assert best.rule_value == pytest.approx(expected, abs=1e-12)
    assert best.rule_gap == max(0, best.bound - best.rule_value)


@pytest.mark.parametrize("maximize", [name for name in EXACT if name.startswith("macro")])
@settings(max_examples=10)
@given(proba=probabilities(), k=st.integers(1, 3))
def test_the_rule_of_a_linear_measure_loses_nothing(maximize, proba, k):
    best = best_at_k(proba, k, maximize=maximize)
    assert best.rule_value == pytest.approx(best.value, abs=1e-9)


@pytest.mark.parametrize("maximize", ["macro-f", "macro-jaccard", "macro-recall", "micro-f"])
def test_the_rule_is_nearly_as_good_as_deciding_all_samples_together(maximize):
    random = np.random.default_rng(0)
    proba, new = random.beta(0.2, 2, (2, 3000, 30))
    best, whole = (best_at_k(part, 2, maximize=maximize) for part in (proba, new))
    assert best.rule_value > best.value - 0.001
    assert value_of(new, best.decide(new), maximize) > whole.value - 0.002


def test_a_rule_matches_labels_by_name():
    proba = pd.DataFrame({"sea": [0.9, 0.2, 0.1], "sky": [0.5, 0.6, 0.1]}, index=[3, 4, 5])
    best = best_at_k(proba, 1)
    assert best.label_names == ("sea", "sky")
    pd.testing.assert_frame_equal(best.decide(proba[["sky", "sea"]])[["sea", "sky"]], best.decided)
    assert best.decide(sparse.csr_array(proba.to_numpy())).dtype == bool
    with pytest.raises(ValueError, match="proba has 3 labels, but the rule has 2"):
        best.decide([[0.1, 0.2, 0.3]])
    with pytest.raises(ValueError, match="proba must contain probabilities from 0 to 1, got 2"):
        best.decide([[0.1, 2]])


def test_beta_is_the_weight_of_recall():
    proba = make_proba()
    decisions = [best_at_k(proba, 5, maximize="macro-f", beta=b).decided.nnz for b in (0.3, 3)]
    assert decisions[0] < decisions[1]


def test_a_result_says_what_it_is():
    text = repr(best_at_k([[0.9, 0.4], [0.8, 0.3]], 1, maximize="micro-f"))
    assert text == (
        "At most 1 of 2 labels for each of 2 samples: expected micro-f 0.7727, the highest of all; "
        "0.7727 if each sample is decided by itself"
    )
    text = repr(best_at_k(make_proba(), 3))
    assert "expected macro-f" in text
    assert "below it" in text


@pytest.mark.parametrize(
    ("proba", "k", "maximize", "message"),
    [
        ([[0.5, 1.5]], 1, "macro-f", "proba must contain probabilities from 0 to 1, got 1.5"),
        ([[0.5]], 0, "macro-f", "k must be"),
        ([[0.5]], 1.5, "macro-f", "k must be"),
        ([[0.5]], 1, "sample-f", "maximize must be a micro or macro average"),
        ([[0.5]], 1, "macro-matthews", "maximize must be a quotient of linear functions"),
        ([[0.5]], 1, "macro", "maximize must be"),
        ([[0.5]], 1, 3, "maximize must be a name"),
    ],
)
def test_wrong_arguments_are_named(proba, k, maximize, message):
    with pytest.raises((TypeError, ValueError), match=message):
        best_at_k(proba, k, maximize=maximize)


def test_cells_of_a_sparse_matrix_are_named():
    proba = sparse.csr_array(np.array([[0.0, 0.5], [0.0, 2.0]]))
    with pytest.raises(ValueError, match="got 2 at row 1, label 1"):
        best_at_k(proba, 1)


def test_as_good_as_the_ascent_of_another_package():
    block_coordinate = pytest.importorskip("xcolumns.block_coordinate")
    metrics = pytest.importorskip("xcolumns.metrics")
    proba = make_proba()
    predict = block_coordinate.predict_using_bc_with_0approx
    theirs = predict(
        sparse.csr_matrix(proba), metrics.binary_f1_score_on_conf_matrix, 3, seed=0, tolerance=1e-6
    )
    dense = proba.toarray()
    value = value_of(dense, theirs.toarray(), "macro-f")
    assert best_at_k(proba, 3, maximize="macro-f").value >= value - 1e-6
