"""A sample of weight w counts as w samples, in every measure."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics

from labelwise.measures import evaluate
from tests.measures.outcomes import scored_outcomes

UNDEFINED = st.sampled_from(["nan", "skip", 0.25])


@st.composite
def weighted_outcomes(draw):
    """A truth, scores, decisions, and a whole number for each row that is not 0 for all."""
    Y, scores = draw(scored_outcomes())
    decided = draw(hnp.arrays(np.int8, Y.shape, elements=st.integers(0, 1)))
    weights = draw(hnp.arrays(np.int64, len(Y), elements=st.integers(0, 3)))
    weights[draw(st.integers(0, len(Y) - 1))] += 1
    return Y, scores, decided, weights


@given(weighted_outcomes(), UNDEFINED, st.booleans())
def test_a_whole_weight_is_the_row_repeated(outcome, undefined, is_sparse):
    Y, scores, decided, weights = outcome
    form = sparse.csr_array if is_sparse else np.asarray  # absent where a score is 0
    options = {"undefined": undefined, "cutoffs": [1, 2]}
    found = evaluate(
        Y, scores=form(scores), decided=form(decided), sample_weight=weights, **options
    )
    rows = np.repeat(np.arange(len(Y)), weights)
    expected = evaluate(Y[rows], scores=form(scores[rows]), decided=form(decided[rows]), **options)
    assert list(found) == list(expected)
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=1e-12, abs=1e-12, nan_ok=True), name
    for name, column in expected.per_label.items():
        np.testing.assert_allclose(found.per_label[name], column, rtol=1e-12, atol=1e-12)


@given(weighted_outcomes(), UNDEFINED, st.sampled_from([0.1, 1 / 3, 7.7]))
def test_the_scale_of_weights_does_not_matter(outcome, undefined, scale):
    Y, scores, decided, weights = outcome
    given = {"scores": scores, "decided": decided, "undefined": undefined}
    found = evaluate(Y, sample_weight=scale * weights, **given)
    expected = evaluate(Y, sample_weight=weights, **given)
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=1e-9, abs=1e-9, nan_ok=True), name
    assert found.n_undefined == expected.n_undefined


def test_weighted_measures_agree_with_scikit_learn():
    random = np.random.default_rng(0)
    Y, weights = random.random((50, 4)) < 0.4, random.random(50)
    scores = np.round(random.random(Y.shape), 1)
    found = evaluate(Y, scores=scores, decided=scores > 0.5, sample_weight=weights)
    options = {"sample_weight": weights}
    for average in ("micro", "macro"):
        f = metrics.f1_score(Y, scores > 0.5, average=average, **options)
        assert found[f"{average}-f"] == pytest.approx(f)
        auc = metrics.roc_auc_score(Y, scores, average=average, **options)
        assert found[f"{average}-auc"] == pytest.approx(auc)
        precise = metrics.average_precision_score(Y, scores, average=average, **options)
        assert found[f"{average}-average-precision"] == pytest.approx(precise)
    loss = metrics.hamming_loss(Y, scores > 0.5, **options)
    assert found["hamming-loss"] == pytest.approx(loss)
    assert found["subset-accuracy"] == pytest.approx(
        metrics.accuracy_score(Y, scores > 0.5, **options)
    )
    matthews = [metrics.matthews_corrcoef(Y[:, j], scores[:, j] > 0.5, **options) for j in range(4)]
    np.testing.assert_allclose(found.per_label["matthews"], matthews)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_missing", [0, 3])
def test_a_label_of_one_class_has_no_value_under_any_weights(form, n_missing):
    random = np.random.default_rng(0)
    for _ in range(50):  # sums of the same weights in another order differ by rounding in a third
        weights = random.random(20)
        Y = np.column_stack([np.ones(20), np.zeros(20)])
        Y[:n_missing] = np.nan
        scores, decided = form(random.random(Y.shape) + 0.5), np.full(Y.shape, [0, 1])
        found = evaluate(Y, scores=scores, decided=decided, sample_weight=weights)
        for name in ("auc", "balanced-accuracy", "g-mean", "matthews"):
            assert np.isnan(found.per_label[name]).all(), name


@given(weighted_outcomes(), UNDEFINED)
def test_intervals_of_equal_weights_are_those_without(outcome, undefined):
    Y, scores, decided, _ = outcome
    options = {"undefined": undefined, "n_bootstrap": 5, "random_state": 0}
    found, expected = (
        evaluate(Y, scores=scores, decided=decided, sample_weight=weights, **options).intervals
        for weights in (np.full(len(Y), 0.3), None)
    )
    assert list(found) == list(expected)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"sample_weight must have a number for each of 2 rows, got shape \(1,\)"),
        ([1.0, -1.0], "sample_weight must be finite, not negative, and not zero everywhere"),
        ([0.0, 0.0], "not zero everywhere"),
        ([1.0, np.nan], "sample_weight must be finite"),
        (np.ma.array([1.0, 2.0], mask=[0, 1]), "sample_weight must have no masked cells"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        evaluate([[1], [0]], decided=[[1], [0]], sample_weight=weights)
    with pytest.raises(TypeError, match="sample_weight must contain numbers"):
        evaluate([[1], [0]], decided=[[1], [0]], sample_weight=["a", "b"])
