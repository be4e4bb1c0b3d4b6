"""Descents go down the true slope of the loss, by Newton's steps where features say nothing."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.special import logsumexp, softmax

from labelwise.data import make_multilabel
from labelwise.learners.regression._batched_descent import first_step, minimize
from labelwise.learners.regression._design import add_product, make_design, product
from labelwise.learners.regression._log_loss import MeanLogLoss, softmaxes
from tests.oracles.logistic import multinomials

MARGINS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=40),
    elements=st.one_of(st.floats(-1000, 1000), st.sampled_from([0.0, 1.0, -30.0, 600.0])),
)


def some_data(thin=False):
    data, _ = make_multilabel(150, 6, 4, random_state=0)
    X = data.X + np.arange(6)
    if thin:
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, X, 0)
    return X, data.Y.toarray().astype(np.int64)


@given(margins=MARGINS, seed=st.none() | st.integers(0, 9), data=st.data())
def test_softmaxes_are_probabilities_beside_a_class_of_margin_0(margins, seed, data):
    n_rows, n_columns = margins.shape
    weights = np.ones(n_rows) if seed is None else np.random.default_rng(seed).random(n_rows)
    cuts = data.draw(
        st.sets(st.integers(1, max(1, n_columns - 1))) | st.just(set(range(1, n_columns)))
    )
    cuts = cuts - {n_columns}
    bounds = np.array([0, *sorted(cuts), n_columns])
    found, loss = margins.copy(), np.zeros(bounds.size - 1)
    softmaxes(found, bounds, np.empty(0) if seed is None else weights, loss)
    for t, (first, last) in enumerate(pairwise(bounds)):
        part = np.column_stack([np.zeros(n_rows), margins[:, first:last]])
        expected = weights[:, None] * softmax(part, axis=1)[:, 1:]
        # exp(-700) stands for all that is smaller.
        np.testing.assert_allclose(found[:, first:last], expected, rtol=1e-12, atol=1e-300)
        assert loss[t] == pytest.approx(weights @ logsumexp(part, axis=1), rel=1e-12, abs=1e-12)


@given(
    X=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=30),
        elements=st.sampled_from([0.0, 0.0, 1.0, -2.5]),
    ),
    n_columns=st.integers(1, 9),
)
def test_products_of_sparse_rows_are_those_of_dense_ones(X, n_columns):
    W = np.random.default_rng(0).random((X.shape[1], n_columns))
    rows = sparse.csr_array(X)
    np.testing.assert_allclose(product(rows, W), X @ W, rtol=1e-13, atol=1e-13)
    for form in (X, rows):
        found = np.full((len(X), n_columns), 0.5)
        add_product(form, W, found)
        np.testing.assert_allclose(found, 0.5 + X @ W, rtol=1e-13, atol=1e-13)


def test_products_of_many_rows_do_not_overflow():
    loss = np.zeros(2)
    softmaxes(np.full((2000, 3), 29.0), np.array([0, 1, 3]), np.empty(0), loss)
    np.testing.assert_allclose(loss, 2000 * np.log1p([np.exp(29), 2 * np.exp(29)]))
    softmaxes(np.full((2000, 2), 29.0), np.array([0, 1, 2]), np.empty(0), loss := np.zeros(2))
    np.testing.assert_allclose(loss, 2000 * np.log1p([np.exp(29), np.exp(29)]))


def test_gradients_are_those_of_the_loss():
    X, Y = some_data(thin=True)
    tasks = multinomials(Y.sum(axis=1), Y[:, 1])
    all_tasks, all_columns = np.arange(2), np.arange(tasks.widths.sum())
    for rows in (X, sparse.csr_array(X)):
        objective = MeanLogLoss(make_design(rows), tasks, np.arange(len(X)) % 3 / 2)
        W = objective.start().W + np.random.default_rng(0).normal(size=objective.start().W.shape)
        for point in (objective.start().W, W):
            gradient = np.empty_like(point)
            objective(point, all_tasks, all_columns, gradient)
            for place in ((0, 0), (2, 1), (6, 3), (1, -1)):
                move = np.zeros_like(point)
                move[place] = 1e-5
                after, before = (objective.loss(point + s * move, all_tasks) for s in (1, -1))
                slope = (after - before).sum() / objective.total / 2e-5
                assert gradient[place] == pytest.approx(slope, abs=1e-7)
        start = objective.start()
        gradient = np.empty_like(start.W)
        loss = objective(start.W, all_tasks, all_columns, gradient)
        np.testing.assert_allclose(start.loss, loss)
        np.testing.assert_allclose(start.gradient, gradient, atol=1e-12)


def test_first_steps_are_newtons_where_features_say_nothing():
    # Coordinates without correlation, and classes that do not depend on them.
    corners = np.array([[1.0, 2.0], [1.0, -2.0], [-1.0, 2.0], [-1.0, -2.0]])
    classes = np.repeat([0, 1, 1, 2, 2, 2, 3], 4)
    tasks = multinomials(classes, classes // 2)
    objective = MeanLogLoss(make_design(np.tile(corners, (7, 1))), tasks)
    start = objective.start()
    step = first_step(objective, start, np.array([0.3, 0.3]), np.arange(2))
    np.testing.assert_allclose(step, 0, atol=1e-12)
    start = start._replace(gradient=np.random.default_rng(0).normal(size=start.W.shape))
    step = first_step(objective, start, np.array([0.3, 0.3]), np.arange(2))
    variance = objective.design.variance
    for own, penalty in ((slice(0, 3), 0.3), (slice(3, 4), 0.6)):
        p = objective.rates[own]
        among = np.diag(p) - np.outer(p, p)
        of_penalty = penalty * (np.eye(p.size) - 1 / (p.size + 1))
        for u in range(3):
            hessian = variance[u] * among + (of_penalty if u < 2 else 0)
            expected = -np.linalg.solve(hessian, start.gradient[u, own])
            np.testing.assert_allclose(step[u, own], expected)


def test_a_class_that_is_absent_stays_as_improbable_as_it_was():
    X, Y = some_data()
    tasks = multinomials(Y[:, 0] + Y[:, 1])
    there = np.flatnonzero(Y[:, 0] + Y[:, 1] < 2)
    objective = MeanLogLoss(make_design(X[there]), tasks.rows(there))
    start = objective.start()
    for penalty in (1.0, 1e-3):
        found, _ = minimize(objective, start, np.array([penalty]), 1e-6)
        margins = objective.design.rows @ found.W
        improbable = margins[:, 1] - np.logaddexp(0, margins[:, 0])
        assert improbable.mean() == pytest.approx(-30, abs=1)
        assert (found.W[-1, 1] - found.W[-1, 0]) == pytest.approx(
            start.W[-1, 1] - start.W[-1, 0], abs=1
        )
