"""Okapi weights: counts of terms, scaled by the length of the document."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from labelwise._validation import check_readable


class OkapiWeights(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Weight counts of terms by the length of the document, as Okapi does.

    .. math:: w(tf) = \frac{tf}{0.5 + 1.5 \frac{dl}{avdl} + tf}

    Here dl is the length of the document, the sum of its counts over all terms, and avdl is the
    mean length of the documents in `fit`.

    Attributes
    ----------
    avdl_ : float
        Mean length of the documents.
    idf_ : ndarray of shape (n_terms,)
        :math:`\log \frac{N - df + 0.5}{df + 0.5}` for N documents, df of which have the term.
        Negative for terms in more than half of the documents. The weights are not multiplied by it.
    n_features_in_ : int
        Number of terms in `fit`.
    feature_names_in_ : ndarray of shape (n_terms,)
        Names of the terms, if X had column names.

    See Also
    --------
    labelwise.learners.OkapiNeighbors : Nearest neighbours by these weights.

    Notes
    -----
    Lengths are those of whole documents if weights are computed before terms are selected. If terms
    are selected first, as Olsson and Oard did, lengths are those of the terms that stay. Counts
    need not be whole numbers. If all documents are empty, lengths are ignored.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006, section 6.1 (olsson2006).

    Examples
    --------
    >>> from labelwise.features import OkapiWeights
    >>> weights = OkapiWeights().fit([[2, 1], [0, 1]])
    >>> weights.transform([[2, 0]])
    array([[0.5, 0. ]])
    """

    def fit(self, X: Any, y: Any = None) -> OkapiWeights:  # noqa: ARG002
        """Learn the mean length of documents and the frequency of each term.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_documents, n_terms)
            Counts of terms, not negative.
        y : None, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        OkapiWeights
            This object.

        Raises
        ------
        ValueError
            If X has negative or missing values.
        """
        X = self._counts(X, reset=True)
        self.avdl_ = float(X.sum() / X.shape[0])
        present = X.indices[X.data != 0] if sparse.issparse(X) else np.nonzero(X)[1]
        df = np.bincount(present, minlength=X.shape[1])
        self.idf_ = np.log((X.shape[0] - df + 0.5) / (df + 0.5))
        return self

    def transform(self, X: Any) -> Any:
        """Compute the weights of the terms of documents.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_documents, n_terms)
            Counts of terms, not negative.

        Returns
        -------
        ndarray or csr_array of shape (n_documents, n_terms)
            Weights; sparse if X is sparse.

        Raises
        ------
        ValueError
            If X has negative or missing values, or another number of terms than in `fit`.
        """
        check_is_fitted(self)
        X = self._counts(X, reset=False)
        lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        slack = 0.5 + 1.5 * (lengths / self.avdl_ if self.avdl_ > 0 else np.zeros_like(lengths))
        if not sparse.issparse(X):
            return X / (slack[:, None] + X)
        data = X.data / (np.repeat(slack, np.diff(X.indptr)) + X.data)
        return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)

    def _counts(self, X: Any, *, reset: bool) -> Any:
        check_readable(X, "X")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        if sparse.issparse(X):
            X = sparse.csr_array(X)
            if not X.has_canonical_format:
                X = X.copy()  # the argument must not be changed
                X.sum_duplicates()
        check_non_negative(X, type(self).__name__)
        return X

    def _check_loaded(self) -> None:
        """Refuse a loaded model whose mean length would give infinite weights."""
        if hasattr(self, "avdl_") and not (type(self.avdl_) is float and 0 <= self.avdl_ < np.inf):
            raise ValueError(f"avdl_ must be a finite number from 0, got {self.avdl_!r:.50}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
