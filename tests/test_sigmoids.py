"""Sigmoids of all labels are those of a logistic regression for each label."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from labelwise._sigmoids import _StandardScores, fit_sigmoids


def by_regression(scores, labels, weights):
    """Maximum likelihood to Platt's targets, each sample once as positive and once as negative."""
    n_positive, n_negative = weights[labels == 1].sum(), weights[labels == 0].sum()
    target = np.where(labels == 1, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=500)
    shares = np.concatenate([target * weights, (1 - target) * weights])
    model.fit(np.tile(scores, 2)[:, None], np.repeat([1, 0], labels.size), sample_weight=shares)
    return model.predict_proba(scores[:, None])[:, 1]


@given(
    st.integers(0, 10_000),
    st.integers(4, 60),
    st.sampled_from(["noise", "separable", "ties"]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_probabilities_are_those_of_a_regression_for_each_label(seed, n_samples, kind, in_bins):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n_samples, 3)) < 0.4).astype(float)
    scores = {
        "noise": Y + rng.normal(size=Y.shape),
        "separable": 10 * Y + rng.random(Y.shape),
        "ties": np.round(Y + rng.normal(size=Y.shape)),
    }[kind]
    weights = rng.integers(1, 4, n_samples).astype(float)
    with patch.multiple("labelwise._sigmoids", _MANY=4 if in_bins else 100, _N_BINS=8):
        found = expit(fit_sigmoids(scores, Y, weights).log_odds(scores))
    for j in range(3):
        if np.unique(scores[:, j]).size > 1:
            expected = by_regression(scores[:, j], Y[:, j], weights)
            np.testing.assert_allclose(found[:, j], expected, atol=1e-5)


def test_a_constant_score_has_slope_0_and_the_share_of_positives():
    found = fit_sigmoids(np.full((8, 1), 3.0), np.array([[1.0]] * 2 + [[0.0]] * 6), np.ones(8))
    assert found.slopes[0] == 0
    assert expit(found.intercepts[0]) == pytest.approx((2 * 3 / 4 + 6 / 8) / 8)


def test_missing_labels_are_not_fitted_to():
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 2)) < 0.5).astype(float)
    scores = Y + rng.normal(size=Y.shape)
    gaps = Y.copy()
    gaps[:12, 1] = np.nan
    found, fewer = (
        fit_sigmoids(scores, gaps, np.ones(30)),
        fit_sigmoids(scores[12:, 1:], Y[12:, 1:], np.ones(18)),
    )
    np.testing.assert_allclose([found.slopes[1], found.intercepts[1]], np.ravel(fewer))


def test_labels_in_blocks_are_fitted_as_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 5)) < 0.5).astype(float)
    scores = Y + rng.normal(size=Y.shape)
    at_once = fit_sigmoids(scores, Y, np.ones(40))
    monkeypatch.setattr("labelwise._sigmoids._TOGETHER", 80)
    np.testing.assert_allclose(fit_sigmoids(scores, Y, np.ones(40)), at_once)


def test_no_labels_have_no_sigmoids():
    assert fit_sigmoids(np.empty((3, 0)), np.empty((3, 0)), np.ones(3)).slopes.shape == (0,)


def test_scores_that_are_lower_for_positives_get_slope_0_if_slopes_must_not_fall():
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 2)) < 0.5).astype(float)
    scores = np.column_stack([Y[:, 0], -Y[:, 1]]) + 0.5 * rng.normal(size=Y.shape)
    free, bound = (
        fit_sigmoids(scores, Y, np.ones(40), increasing=increasing) for increasing in (False, True)
    )
    assert free.slopes[1] < 0
    assert bound.slopes[1] == 0
    constant = fit_sigmoids(np.zeros((40, 1)), Y[:, 1:], np.ones(40))
    assert bound.intercepts[1] == pytest.approx(constant.intercepts[0])
    assert (bound.slopes[0], bound.intercepts[0]) == (free.slopes[0], free.intercepts[0])


def test_a_step_solves_the_equations_of_newtons_method():
    random = np.random.default_rng(0)
    scores, targets = random.normal(1.0, 1.0, (12, 1)), random.random((12, 1))
    columns = _StandardScores(scores, targets, np.full((12, 1), 1 / 12))
    place, h = np.array([0.7, -0.3]), 1e-4

    def loss(shift):
        return columns.loss_and_step(*(place + shift)[:, None], np.array([True]))[0][0]

    axes = h * np.eye(2)
    gradient = [(loss(a) - loss(-a)) / (2 * h) for a in axes]
    hessian = [
        [(loss(a + b) - loss(a - b) - loss(b - a) + loss(-a - b)) / (4 * h**2) for a in axes]
        for b in axes
    ]
    *step, decrease = columns.loss_and_step(*place[:, None], np.array([True]))[1]
    expected = -np.linalg.solve(hessian, gradient)
    np.testing.assert_allclose(np.ravel(step), expected, rtol=1e-4)
    assert decrease[0] == pytest.approx(-np.dot(gradient, expected), rel=1e-4)


def test_bins_have_the_weights_and_means_of_their_scores():
    scores = np.array([[0.0, 2.0], [0.1, 2.0], [1.0, 2.0]])
    targets = np.array([[0.0, 1.0], [1.0, 0.5], [1.0, 0.0]])
    shares = np.array([[0.5, 0.25], [0.25, 0.25], [0.25, 0.5]])
    with patch("labelwise._sigmoids._N_BINS", 3):
        binned = _StandardScores(scores, targets, shares).binned()
    np.testing.assert_allclose(binned.shares, [[0.75, 1], [0, 0], [0.25, 0]])
    np.testing.assert_allclose(binned.scores, [[0.1 / 3, 2], [0, 0], [1, 0]])
    np.testing.assert_allclose(binned.targets, [[1 / 3, 0.375], [0, 0], [1, 0]])
