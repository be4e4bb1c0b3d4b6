"""Features prepared for many regressions: centred, rotated to principal directions, in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

# Up to this number of coordinates an eigendecomposition costs less than it saves.
_MOST_ROTATED = 2500
# Sparse features with a larger share of nonzeros are treated as dense. Measured: at 0.08, sparse
# products save more time than the steps that rotating avoids.
_DENSE_ENOUGH = 0.25
# Directions whose variance is a smaller part of the largest are left out, as rounding alone
# would determine their weights.
_LEAST_VARIANCE = 1e-14
# Rows per block: few enough for their margins to stay in the cache between two products.
_ROWS_TOGETHER = 1024


class Block(NamedTuple):
    """Some rows of a design, and their transpose."""

    where: slice
    rows: Any
    columns: Any


class SparseRows(NamedTuple):
    """Rows of a design without the coordinate of the intercept, for kernels."""

    matrix: tuple[np.ndarray, np.ndarray, np.ndarray]  # parts of a CSR matrix
    norms: np.ndarray  # squared


@dataclass(frozen=True)
class Design:
    """Samples in coordinates u, with features x = mean + basis · u.

    A last coordinate is 1, for the intercept. Coordinates of dense features are their principal
    directions: the curvature of the loss of every task is then close to a multiple of one diagonal
    matrix, for all labels and penalties, and ‖w‖² does not change. Sparse features are not
    rotated; features without a nonzero are left out, and the mean is subtracted in products only.
    """

    rows: Any  # (n_samples, n_coordinates + 1), dense or CSR
    centre: np.ndarray | None  # mean of the rows, if products have to subtract it
    variance: np.ndarray  # (n_coordinates + 1,); 1 for the last coordinate
    mean: np.ndarray  # (n_features,)
    # (n_features, n_coordinates) if rotated, the features of the coordinates if some are left out,
    # None for the identity
    basis: np.ndarray | None
    # (n_coordinates,): coefficients with which every sample has the margin 1, if the intercept is
    # that of a constant feature, which is penalised; the last coordinate then has no weight
    constant: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> Design:
        """Take some samples, in the same coordinates."""
        return replace(self, rows=self.rows[rows])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The rows in blocks."""
        return tuple(
            _block(self.rows, slice(first, first + _ROWS_TOGETHER))
            for first in range(0, self.rows.shape[0], _ROWS_TOGETHER)
        )

    @cached_property
    def sparse_rows(self) -> SparseRows:
        """The rows for kernels that compute with some of them."""
        rows = sparse.csr_array(self.rows)[:, :-1]
        norms = np.asarray(rows.multiply(rows).sum(axis=1))
        # Kernels need no test for negative numbers if indices are unsigned.
        matrix = rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data
        return SparseRows(matrix, norms)

    def of_rows(self, W: np.ndarray) -> np.ndarray:
        """Convert weights of centred coordinates to weights of the stored rows."""
        if self.centre is None:
            return W
        W = W.copy()
        W[-1] -= self.centre @ W[:-1]
        return W

    def of_coordinates(self, sums: np.ndarray) -> np.ndarray:
        """Convert sums Σ_i row_i r_i to Σ_i (u_i, 1) r_i, in place."""
        if self.centre is not None:
            sums[:-1] -= np.outer(self.centre, sums[-1])
        return sums

    def coefficients(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return weights of features, (n_features, n_columns), and intercepts."""
        if self.basis is None:
            weights = W[:-1]
        elif self.basis.ndim == 2:
            weights = self.basis @ W[:-1]
        else:
            weights = np.zeros((self.mean.size, W.shape[1]))
            weights[self.basis] = W[:-1]
        intercepts = W[-1] - self.mean @ weights
        if self.constant is not None:
            return weights[:-1], weights[-1] + intercepts
        return weights, intercepts


def make_design(
    X: Any,
    sample_weight: np.ndarray | None = None,
    *,
    penalizes_intercept: bool = False,
    keeps_features: bool = False,
) -> Design:
    """Prepare all samples, rotated if that saves time, unless coordinates must be the features.

    If intercepts are penalised, they are the weights of a last feature that is 1, and no mean is
    subtracted, which would change the intercepts without a change of the penalty.
    """
    share = np.full(X.shape[0], 1 / X.shape[0])
    if sample_weight is not None:
        share = sample_weight / sample_weight.sum()
    if keeps_features:
        return _of_sparse(sparse.csc_array(X), np.asarray(X.T @ share), share)
    if not penalizes_intercept:
        return _of_features(X, np.asarray(X.T @ share), share)
    ones = np.ones((X.shape[0], 1))
    X = sparse.csr_array(sparse.hstack([X, ones])) if sparse.issparse(X) else np.hstack([X, ones])
    design = _of_features(X, np.zeros(X.shape[1]), share)
    basis = np.arange(X.shape[1]) if design.basis is None else design.basis
    constant = basis[-1] if basis.ndim == 2 else (basis == X.shape[1] - 1).astype(np.float64)
    return replace(design, constant=constant)


def _of_features(X: Any, mean: np.ndarray, share: np.ndarray) -> Design:
    """Make the design of features of which `mean` is subtracted."""
    if sparse.issparse(X):
        if X.nnz < _DENSE_ENOUGH * X.shape[0] * X.shape[1]:
            return _of_sparse(sparse.csc_array(X), mean, share)
        X = X.toarray()
    centred = X - mean
    if min(X.shape) > _MOST_ROTATED:
        return _with_ones(centred, None, share, mean, None)
    basis = _principal_directions(centred)
    return _with_ones(centred @ basis, None, share, mean, basis)


def _of_sparse(X: sparse.csc_array, mean: np.ndarray, share: np.ndarray) -> Design:
    """Make the design of sparse features that have a nonzero."""
    counts = np.diff(X.indptr)
    # Frequent features first: their weights are then close together in memory.
    found = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    return _with_ones(sparse.csr_array(X[:, found]), mean[found], share, mean, found)


def product(A: Any, B: np.ndarray) -> np.ndarray:
    """Multiply dense or sparse rows by a matrix of few columns."""
    if not sparse.issparse(A):
        return np.asarray(A @ B)
    found = np.zeros((A.shape[0], B.shape[1]))
    add_product(A, B, found)
    return found


def add_product(A: Any, B: np.ndarray, found: np.ndarray) -> None:
    """Add the product of dense or sparse rows with a matrix of few columns to an array."""
    if not sparse.issparse(A):
        found += A @ B
        return
    from labelwise.learners.regression._logistic_kernels import add_products

    work = np.empty(B.shape[1])
    add_products((A.indptr, A.indices, A.data), np.ascontiguousarray(B), found, work)


def _with_ones(
    rows: Any,
    centre: np.ndarray | None,
    share: np.ndarray,
    mean: np.ndarray,
    basis: np.ndarray | None,
) -> Design:
    square = np.asarray((rows.multiply(rows) if sparse.issparse(rows) else rows * rows).T @ share)
    variance = np.append(square if centre is None else square - centre**2, 1.0)
    ones = np.ones((rows.shape[0], 1))
    if sparse.issparse(rows):
        rows = sparse.csr_array(sparse.hstack([rows, ones]))
    else:
        rows = np.hstack([rows, ones])
    return Design(rows, centre, np.maximum(variance, 0.0), mean, basis)


def _block(rows: Any, where: slice) -> Block:
    rows = rows[where]
    return Block(where, rows, sparse.csr_array(rows.T) if sparse.issparse(rows) else rows.T)


def _principal_directions(centred: np.ndarray) -> np.ndarray:
    """Return orthonormal directions in which the rows vary, as columns."""
    n_samples, n_features = centred.shape
    if n_features <= n_samples:
        return np.asarray(linalg.eigh(centred.T @ centred)[1])
    # With fewer samples than features, the matrix of inner products of samples is smaller, and
    # has the same nonzero eigenvalues.
    values, vectors = linalg.eigh(centred @ centred.T)
    kept = values > _LEAST_VARIANCE * max(values[-1], np.finfo(float).tiny)
    return np.asarray(centred.T @ (vectors[:, kept] / np.sqrt(values[kept])))
