"""Okapi weights: how much a term counts in a document of some length."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from labelwise._validation import check_readable


class OkapiWeights(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Weigh counts of terms by the length of the document, after Okapi.

    .. math:: w(tf) = \frac{tf}{0.5 + 1.5 \frac{dl}{avdl} + tf}

    with `dl` the length of the document, its sum of counts over all terms, and `avdl` the mean
    length of the documents that it was fitted to.

    Attributes
    ----------
    avdl_ : float
        Mean length of the documents.
    idf_ : array of shape (n_terms,)
        :math:`\log \frac{N - df + 0.5}{df + 0.5}` for N documents, of which df have the term.
        Negative for terms in more than half of them. It is not multiplied into the weights.
    n_features_in_, feature_names_in_
        Of the counts.

    Notes
    -----
    Weigh before terms are selected: then lengths are those of whole documents. Counts need not be
    whole numbers. If the documents have no term at all, lengths are left out.

    See Also
    --------
    labelwise.learners.OkapiNeighbors : neighbours by these weights.

    References
    ----------
    Olsson and Oard, Exploring Feature Selection for Multi-Label Text Classification using Ranked
    Retrieval Measures, 2006, section 6.1.

    Examples
    --------
    >>> from labelwise.features import OkapiWeights
    >>> weights = OkapiWeights().fit([[2, 1], [0, 1]])
    >>> weights.transform([[2, 0]])
    array([[0.5, 0. ]])
    """

    def fit(self, X: Any, y: Any = None) -> OkapiWeights:  # noqa: ARG002
        """Learn the mean length of documents, and how many have each term."""
        X = self._counts(X, reset=True)
        self.avdl_ = float(X.sum() / X.shape[0])
        self.idf_ = inverse_document_frequency(X)
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the terms of documents, CSR if X is sparse."""
        check_is_fitted(self)
        return okapi_weights(self._counts(X, reset=False), self.avdl_)

    def _counts(self, X: Any, *, reset: bool) -> Any:
        check_readable(X, "X")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_non_negative(X, type(self).__name__)
        return X

    def _check_loaded(self) -> None:
        """Refuse a mean length that would give infinite weights, as a file may have it."""
        if hasattr(self, "avdl_") and not (type(self.avdl_) is float and 0 <= self.avdl_ < np.inf):
            raise ValueError(f"avdl_ must be a finite number from 0, got {self.avdl_!r:.50}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def okapi_weights(X: Any, avdl: float) -> Any:
    """Return the Okapi weights of counts, dense or CSR as X; `avdl` is the mean length."""
    lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    share = lengths / avdl if avdl > 0 else np.zeros_like(lengths)
    slack = 0.5 + 1.5 * share
    if not sparse.issparse(X):
        return X / (slack[:, None] + X)
    data = X.data / (np.repeat(slack, np.diff(X.indptr)) + X.data)
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def inverse_document_frequency(X: Any) -> np.ndarray:
    """Return the Okapi idf of each column, from the rows where it is not 0."""
    if sparse.issparse(X):
        df = np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
    else:
        df = np.count_nonzero(X, axis=0)
    return np.asarray(np.log((X.shape[0] - df + 0.5) / (df + 0.5)))
