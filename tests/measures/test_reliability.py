"""Reliability bins are those of the definition, and of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.calibration import calibration_curve

from labelwise.measures import reliability
from tests.oracles.label_statistics import reliability_bins

PROBABILITIES = hnp.arrays(
    np.float64, (6, 3), elements=st.sampled_from([0.0, 0.05, 0.2, 0.31, 0.5, 0.77, 0.99, 1.0])
)
TRUTHS = hnp.arrays(np.int8, (6, 3), elements=st.integers(0, 1))


@given(TRUTHS, PROBABILITIES, st.integers(1, 6))
def test_bins_are_those_of_the_definition(Y, proba, n_bins):
    found = reliability(Y, proba, n_bins=n_bins)
    bins = reliability_bins(Y, proba, n_bins)
    assert found.n_cells.tolist() == list(map(len, bins))
    error = 0.0
    for inside, mean, share in zip(bins, found.mean, found.share, strict=True):
        if not inside:
            assert np.isnan([mean, share]).all()
            continue
        values, truths = np.array([p for p, _ in inside]), np.array([t for _, t in inside])
        assert mean == pytest.approx(values.mean())
        assert share == pytest.approx(truths.mean())
        error += len(inside) * abs(values.mean() - truths.mean()) / Y.size
    assert found.error == pytest.approx(error)


@given(TRUTHS, PROBABILITIES)
def test_absent_entries_are_zeros(Y, proba):
    dense, rows = reliability(Y, proba), reliability(Y, sparse.csr_array(proba))
    for name in ("mean", "share", "n_cells", "error"):
        np.testing.assert_allclose(getattr(rows, name), getattr(dense, name))


def test_the_curve_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    proba = random.random((200, 4))
    Y = random.random(proba.shape) < proba**2
    found = reliability(Y, proba, n_bins=8)
    share, mean = calibration_curve(Y.ravel(), proba.ravel(), n_bins=8)
    np.testing.assert_allclose(found.share, share)
    np.testing.assert_allclose(found.mean, mean)


def test_a_reliability_prints_its_bins_that_have_cells_and_its_error():
    found = reliability([[1, 0], [0, 0]], [[0.9, 0.1], [0.85, 0.2]], n_bins=4)
    lines = str(found).splitlines()
    assert [line.split() for line in lines[-4:-2]] == [
        ["0.1500", "0.0000", "2"],
        ["0.8750", "0.5000", "2"],
    ]
    assert lines[-1] == "expected calibration error 0.2625"


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(ValueError, match=r"proba must be from 0 to 1, got -0\.5\."):
        reliability([[1, 0]], [[0.5, -0.5]])
    with pytest.raises(ValueError, match="n_bins must be at least 1"):
        reliability([[1]], [[0.5]], n_bins=0)
