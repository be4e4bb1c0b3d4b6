"""Features made ready for many regressions: coordinates in which they all are easy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

# Up to so many coordinates an eigendecomposition costs less than it saves.
_MOST_ROTATED = 2500
# Sparse features that are fuller than this are dense ones. Measured: at 0.08 products of sparse
# rows are still so much cheaper that the steps saved by rotating do not pay.
_DENSE_ENOUGH = 0.25
# Directions whose variance is a smaller part of the largest are left out: no weight goes there.
_LEAST_VARIANCE = 1e-14


class Design(NamedTuple):
    """Samples in coordinates u, where features x = mean + basis · u.

    Dense features stand in their principal directions: the curvature of every task's loss is then
    near to a multiple of one diagonal matrix, whatever its labels and its penalty, and ‖w‖² is
    what it was. Sparse ones stay as they are, their mean being subtracted in products only.
    """

    rows: Any  # (n_samples, n_coordinates), dense or CSR
    centre: np.ndarray | None  # to be subtracted from rows, if it has not been
    variance: np.ndarray  # (n_coordinates,)
    mean: np.ndarray  # (n_features,)
    basis: np.ndarray | None  # (n_features, n_coordinates); None for the identity

    def take(self, rows: np.ndarray) -> Design:
        """Return the design of some samples, in the same coordinates."""
        return self._replace(rows=self.rows[rows])

    def margins(self, rows: Any, W: np.ndarray) -> np.ndarray:
        """Return u · w + intercept for some rows; the intercepts are the last row of W."""
        found: np.ndarray = rows @ W[:-1]
        found += W[-1] if self.centre is None else W[-1] - self.centre @ W[:-1]
        return found

    def collected(self, rows: Any, R: Any) -> np.ndarray:
        """Return Σ_i (u_i, 1) r_i of shape (n_coordinates + 1, n_columns)."""
        sums = np.asarray(R.sum(axis=0)).ravel()
        products = _dense(rows.T @ R)
        if self.centre is not None:
            products -= np.outer(self.centre, sums)
        return np.vstack([products, sums])

    def coefficients(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return weights of features (n_features, n_columns), and intercepts."""
        weights = W[:-1] if self.basis is None else self.basis @ W[:-1]
        return weights, W[-1] - self.mean @ weights


def make_design(X: Any, sample_weight: np.ndarray | None = None) -> Design:
    """Return the design of all samples, rotated where that pays."""
    mean, variance = _moments(X, sample_weight)
    if sparse.issparse(X):
        if X.nnz < _DENSE_ENOUGH * X.shape[0] * X.shape[1]:
            return Design(sparse.csr_array(X), mean, variance, mean, None)
        X = X.toarray()
    centred = X - mean
    if min(X.shape) > _MOST_ROTATED:
        return Design(centred, None, variance, mean, None)
    basis = _principal_directions(centred)
    rows = np.ascontiguousarray(centred @ basis)
    return Design(rows, None, _moments(rows, sample_weight)[1], mean, basis)


def _principal_directions(centred: np.ndarray) -> np.ndarray:
    """Return orthonormal columns, all directions in which the rows vary."""
    n_samples, n_features = centred.shape
    if n_features <= n_samples:
        return np.asarray(linalg.eigh(centred.T @ centred)[1])
    # Fewer samples than features: those of the samples' inner products, carried over.
    values, vectors = linalg.eigh(centred @ centred.T)
    kept = values > _LEAST_VARIANCE * max(values[-1], np.finfo(float).tiny)
    return np.asarray(centred.T @ (vectors[:, kept] / np.sqrt(values[kept])))


def _moments(X: Any, sample_weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the variance of each column."""
    share = np.full(X.shape[0], 1 / X.shape[0])
    if sample_weight is not None:
        share = sample_weight / sample_weight.sum()
    mean = np.asarray(X.T @ share)
    square = np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).T @ share)
    return mean, np.maximum(square - mean**2, 0.0)


def _dense(products: Any) -> np.ndarray:
    return products.toarray() if sparse.issparse(products) else np.asarray(products)
