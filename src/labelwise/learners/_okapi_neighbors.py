"""`OkapiNeighbors`: labels of the nearest documents by Okapi weights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn import config_context
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, check_non_negative

from labelwise._estimators import ScoringClassifier, learn_features, learn_targets
from labelwise._parallel import Shared, for_row_blocks
from labelwise._validation import check_whole, refuse_sparse
from labelwise.features import OkapiWeights

if TYPE_CHECKING:
    from labelwise.learners._okapi_kernels import Csr

# Parts of the test documents for each worker, so that all of them end at about the same time.
_PARTS = 4
_LENGTHS = ("document", "selected")
# Products of such weights cannot overflow, however many terms there are.
_LARGEST = 1e100
# Above the logarithm of any number of documents.
_LARGEST_IDF = 50.0


class OkapiNeighbors(ScoringClassifier):
    r"""Score labels by the nearest training documents that carry them.

    .. math::

        \mathrm{score}(x, \ell) = \sum_{i \in K_\ell} \sum_t w_x(t)\, w_i(t)\, \mathrm{idf}(t)

    where K are the `n_neighbors` training documents with the largest such products,
    :math:`K_\ell` those of them that carry the label, and w the weights of
    `labelwise.features.OkapiWeights`.

    Parameters
    ----------
    n_neighbors : int, default=100
        Number of neighbours; all training documents if there are fewer.
    weighted : bool, default=False
        Whether X contains weights, as from ``OkapiWeights`` before a ``TermSelector``, so that
        lengths are those of whole documents. Otherwise X contains counts, which `fit` weights.
    lengths : {"document", "selected"}, default="document"
        Lengths of documents in `score_curve`: of the whole document, or of the selected terms only,
        as if terms had been selected before documents are weighted. "selected" needs counts and
        keeps those of the training documents. Without a curve the two are the same.

    Attributes
    ----------
    weights_ : OkapiWeights, or None
        The transformer of counts to weights; None with ``weighted=True``.
    idf_ : array of shape (n_features,)
        Inverse document frequency of each term in the training documents, as in `OkapiWeights`.
    constants_, label_names_, classes_, target_classes_
        As in `BinaryRelevance`.
    n_features_in_, feature_names_in_
        Number of terms of X in `fit`, and their names if X is a frame.

    Notes
    -----
    Neighbours are exact, in double precision; among equal products the training samples that come
    first are nearer. All cores share the test documents, and each needs one number for every
    training document. A test document takes the sum over its terms of the training documents that
    have them, and about one pass over all training documents.

    `predict` decides a label if the neighbours that carry it have at least half of the weight of
    all neighbours. `labelwise.decisions.TunedThresholds` decides better.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006, section 6.1 (olsson2006).

    Examples
    --------
    >>> from labelwise.learners import OkapiNeighbors
    >>> X, Y = [[2, 1, 0], [0, 1, 0], [0, 0, 3], [0, 0, 1]], [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> OkapiNeighbors(n_neighbors=2).fit(X, Y).decision_function([[1, 0, 1]]).round(3)
    array([[0.119, 0.   ]])
    """

    _RENAMED: ClassVar = {"k": "n_neighbors"}

    def __init__(
        self, n_neighbors: int = 100, *, weighted: bool = False, lengths: str = "document"
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weighted = weighted
        self.lengths = lengths

    def fit(self, X: Any, y: Any) -> OkapiNeighbors:
        """Weight the training documents and index them by term.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts of terms in documents, or their weights with ``weighted=True``.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.

        Returns
        -------
        OkapiNeighbors
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        check_whole(self.n_neighbors, "n_neighbors")
        self._check_lengths()
        targets = learn_targets(self, X, y)
        X = self._checked(X, reset=True)
        self.weights_ = None if self.weighted else OkapiWeights().fit(X)
        # Weights of either sign are 0 where counts are: the frequencies of terms are the same.
        self.idf_ = (self.weights_ or OkapiWeights().fit(abs(X))).idf_
        self._postings = sparse.csc_array(_weighed(X, self.weights_))
        self._counts = X if self.lengths == "selected" else None
        self._labels = sparse.csr_array(targets.matrix)
        return self

    def _scores(self, X: Any) -> np.ndarray:
        queries = self._queries(X)
        return self._sums(queries, self._labels, self._postings)

    def _decided(self, X: Any) -> np.ndarray:
        queries = self._queries(X)
        everyone = np.ones((self._labels.shape[0], 1), dtype=bool)
        labels = sparse.csr_array(sparse.hstack([self._labels, everyone]))
        sums = self._sums(queries, labels, self._postings)
        decided = (sums[:, :-1] > 0) & (sums[:, :-1] >= sums[:, -1:] / 2)
        fixed = ~np.isnan(self.constants_)
        decided[:, fixed] = self.constants_[fixed] == 1
        return np.asarray(decided)

    def score_curve(self, X_test: Any, term_order: Any, sizes: Sequence[int]) -> np.ndarray:
        """Score the labels with each of several numbers of terms.

        The term sets of one ranking are nested, so the inner products of a larger set are those of
        a smaller set plus those of the additional terms: one pass gives all sizes. With
        ``lengths="selected"`` every weight changes with the number of terms, and each size takes a
        pass of its own.

        Parameters
        ----------
        X_test : array or sparse matrix of shape (n_samples, n_features)
            The documents.
        term_order : array of int
            Columns from the best term down, such as ``TermSelector.ranking_``; each at most once.
        sizes : sequence of int
            Numbers of terms, in any order, from 1 to those in `term_order`.

        Returns
        -------
        ndarray of shape (n_sizes, n_samples, n_labels)
            For each size, the scores of a learner fitted to the weights of the columns
            ``term_order[:size]``; lengths of documents are those before any selection, or with
            ``lengths="selected"`` those of a learner fitted to the counts of these columns.

        Raises
        ------
        ValueError, TypeError
            If `term_order` or `sizes` are not as described, or X_test has other features.

        Examples
        --------
        >>> from labelwise.learners import OkapiNeighbors
        >>> X, Y = [[2, 1, 0], [0, 1, 0], [0, 0, 3], [0, 0, 1]], [[1, 0], [1, 1], [0, 1], [0, 1]]
        >>> model = OkapiNeighbors(n_neighbors=2).fit(X, Y)
        >>> model.score_curve([[1, 0, 1]], term_order=[0, 2, 1], sizes=[1, 3]).round(3)
        array([[[0.119, 0.   ]],
        <BLANKLINE>
               [[0.119, 0.   ]]])
        """
        check_is_fitted(self)
        order = _check_order(term_order, self.n_features_in_)
        steps, place = np.unique(_check_sizes(sizes, order.size), return_inverse=True)
        if self.lengths == "selected":
            sums = self._separate_sums(X_test, [order[:step] for step in steps])
        else:
            levels = np.full(self.n_features_in_, steps.size, dtype=np.int32)
            levels[order] = np.searchsorted(steps, np.arange(order.size), side="right")
            queries = self._queries(X_test)
            sums = self._sums_by_level(queries, levels, steps.size, self._labels, self._postings)
        # The sums of many sizes are large: they are copied only if their order differs.
        in_order = np.array_equal(place, np.arange(steps.size))
        return sums if in_order else sums[place]

    def term_products(
        self, X: Any, samples: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Split the scores of cells into products of single terms.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        samples : ndarray of int of shape (n_cells,)
            Row of each cell in X.
        labels : ndarray of int of shape (n_cells,)
            Label of each cell.

        Returns
        -------
        tuple of three ndarrays of shape (n_products,)
            Numbers of cell and term, and the term's product with the neighbours that carry the
            label. The products of a cell add up to its score.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        refuse_sparse(samples, "samples", "row numbers")
        refuse_sparse(labels, "labels", "numbers of labels")
        rows, place = np.unique(samples, return_inverse=True)
        queries = self._queries(sparse.csr_array(self._checked(X, reset=False))[rows])
        documents = sparse.csr_array(self._postings)
        # With each document as its own label, sums are the products of single neighbours.
        alone = sparse.csr_array(sparse.eye_array(documents.shape[0], dtype=bool, format="csr"))
        weights = np.zeros(self.n_features_in_)
        order = np.argsort(place, kind="stable")
        starts = np.searchsorted(place[order], np.arange(rows.size + 1))
        found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for i in range(rows.size):
            query = _query_rows(queries, i, i + 1)
            products = self._sums(query, alone, self._postings)[0]
            nearest = np.flatnonzero(products)
            weights[query.indices] = query.data
            here = order[starts[i] : starts[i + 1]]
            carried = sparse.csr_array(self._labels[nearest][:, labels[here]].T, dtype=np.float64)
            of_cells = sparse.coo_array(carried @ documents[nearest])
            row, terms = of_cells.coords
            found.append((here[row], terms, of_cells.data * weights[terms]))
            weights[query.indices] = 0.0
        if not found:
            return np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
        cells, terms, values = map(np.concatenate, zip(*found, strict=True))
        return cells, terms, values

    def _separate_sums(self, X_test: Any, term_sets: Sequence[np.ndarray]) -> np.ndarray:
        """Weight the documents anew for each set of terms, and score the labels."""
        if self._counts is None:
            raise ValueError('lengths="selected" must be set before fit, which keeps the counts.')
        queries = self._checked(X_test, reset=False)
        sums = np.empty((len(term_sets), queries.shape[0], self._labels.shape[1]))
        for place, terms in enumerate(term_sets):
            train, test = only_terms(self._counts, terms), only_terms(queries, terms)
            weights = OkapiWeights().fit(train)
            weighed = _weighed(test, weights)
            rows = _arrays(weighed, weighed.data * self.idf_[weighed.indices])
            postings = sparse.csc_array(_weighed(train, weights))
            sums[place] = self._sums(rows, self._labels, postings)
        return sums

    def _check_lengths(self) -> None:
        if self.lengths not in _LENGTHS:
            raise ValueError(f"lengths must be one of {_LENGTHS}, got {self.lengths!r}.")
        if self.lengths == "selected" and self.weighted:
            raise ValueError('lengths="selected" needs counts, and weighted=True has none.')

    def _checked(self, X: Any, *, reset: bool) -> sparse.csr_array:
        """Return X as CSR of finite numbers that can be multiplied."""
        X = sparse.csr_array(learn_features(self, X, reset=reset))
        if not self.weighted:
            check_non_negative(X, type(self).__name__)
        if X.nnz and max(-X.data.min(), X.data.max()) > _LARGEST:
            raise ValueError(f"X must contain numbers of at most {_LARGEST:g} in size.")
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X

    def _queries(self, X: Any) -> Csr:
        """Return the rows of test documents, weighted, each weight times its term's idf."""
        check_is_fitted(self)
        weighed = _weighed(self._checked(X, reset=False), self.weights_)
        data = weighed.data * self.idf_[weighed.indices]
        return _arrays(weighed, data)

    def _sums(
        self, queries: Csr, labels: sparse.csr_array, postings: sparse.csc_array
    ) -> np.ndarray:
        """Sum the products of the nearest documents by query and label."""
        levels = np.zeros(self.n_features_in_, dtype=np.int32)
        sums: np.ndarray = self._sums_by_level(queries, levels, 1, labels, postings)[0]
        return sums

    def _sums_by_level(
        self,
        queries: Csr,
        levels: np.ndarray,
        n_levels: int,
        labels: sparse.csr_array,
        postings: sparse.csc_array,
    ) -> np.ndarray:
        # The parameter may have been set since `fit`. More neighbours than documents are all.
        k = min(check_whole(self.n_neighbors, "n_neighbors"), labels.shape[0])
        documents = _arrays(postings, postings.data), _arrays(labels, np.empty(0))
        return _neighbor_sums(queries, (levels, n_levels, documents, k, labels.shape[1]))

    def _check_learned(self, n_labels: int) -> None:
        check_documents(self._postings, self._labels, (self.n_features_in_, n_labels))
        check_counts(self._counts, self._postings.shape)
        check_idf(self.idf_, self.n_features_in_)
        if self.weights_ is not None and type(self.weights_) is not OkapiWeights:
            raise ValueError("weights_ must be OkapiWeights, or None")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.weighted
        return tags


def _weighed(X: sparse.csr_array, weights: OkapiWeights | None) -> sparse.csr_array:
    # The output of `transform` may be configured to be a data frame.
    with config_context(transform_output="default"):
        return X if weights is None else weights.transform(X)


def _arrays(matrix: Any, data: np.ndarray) -> Csr:
    """Return the arrays of a matrix in the one form that the kernel is compiled for."""
    from labelwise.learners._okapi_kernels import Csr

    # Unsigned, since numba guards signed indices against being negative.
    return Csr(matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), data)


def _check_order(term_order: Any, n_terms: int) -> np.ndarray:
    """Return distinct column numbers."""
    order = np.asarray(term_order)
    if order.ndim != 1 or (order.size and order.dtype.kind not in "iu"):
        raise TypeError("term_order must be a 1-D array of column numbers.")
    outside = (order < 0) | (order >= n_terms)
    if outside.any():
        raise ValueError(
            f"term_order must contain columns from 0 to {n_terms - 1}, got {order[outside][0]}."
        )
    if np.unique(order).size < order.size:
        raise ValueError("term_order must contain each column once.")
    return order.astype(np.int64)


def _check_sizes(sizes: Sequence[int], most: int) -> np.ndarray:
    """Return numbers of terms, each from 1 to the number of terms in the order."""
    checked = [check_whole(size, "sizes") for size in sizes]
    if not checked:
        raise ValueError("sizes must contain a number of terms, got none.")
    if max(checked) > most:
        raise ValueError(f"sizes must be at most the {most} of term_order, got {max(checked)}.")
    return np.array(checked)


def only_terms(X: sparse.csr_array, terms: np.ndarray) -> sparse.csr_array:
    """Return documents of the same shape without the entries of other terms."""
    chosen = np.zeros(X.shape[1], dtype=bool)
    chosen[terms] = True
    stays = chosen[X.indices]
    # Entries of the documents before each one, of those that stay.
    starts = np.concatenate([[0], np.cumsum(stays)])[X.indptr]
    return sparse.csr_array((X.data[stays], X.indices[stays], starts), shape=X.shape)


def check_documents(postings: Any, labels: Any, shape: tuple[int, int]) -> None:
    """Check that weights by term and labels by document match the numbers of terms and labels."""
    n_terms, n_labels = shape
    if type(postings) is not sparse.csc_array or type(labels) is not sparse.csr_array:
        raise ValueError("documents must be stored by term, and labels by document")
    if postings.shape != (labels.shape[0], n_terms) or labels.shape[1] != n_labels:
        raise ValueError("documents, terms and labels must match")
    if postings.dtype != np.float64 or not (np.abs(postings.data) <= _LARGEST).all():
        raise ValueError(f"documents must have weights of at most {_LARGEST:g} in size")


def check_counts(counts: Any, shape: tuple[int, int]) -> None:
    """Check that counts, if they are kept, are those of the documents."""
    if counts is None:
        return
    if type(counts) is not sparse.csr_array or counts.shape != shape:
        raise ValueError("counts must be those of the documents")
    if counts.dtype.kind not in "fiu" or not (np.abs(counts.data) <= _LARGEST).all():
        raise ValueError(f"counts must be at most {_LARGEST:g} in size")


def check_idf(idf: Any, n_terms: int) -> None:
    """Check that there is an inverse document frequency for each term."""
    if idf.dtype != np.float64 or idf.shape != (n_terms,):
        raise ValueError(f"idf_ must be one number for each of {n_terms} terms")
    if not (np.abs(idf) <= _LARGEST_IDF).all():
        raise ValueError(f"idf_ must be at most {_LARGEST_IDF:g} in size")


def _neighbor_sums(queries: Csr, task: tuple[Any, ...]) -> np.ndarray:
    """Sum the products of the k nearest documents, by level, query and label.

    The task is the level from which on each term counts, the number of levels, the training
    documents of each term with the labels of each training document, k, and the number of labels.
    ``joblib.parallel_config`` with a number of jobs, or with a cluster, computes the sums there;
    the documents are sent to the workers of a cluster once.
    """
    n_queries, n_jobs = queries.indptr.size - 1, effective_n_jobs()
    if n_jobs == 1:
        return _sums_of_part(queries, *task)
    shared = Shared(task)
    n_parts = max(1, min(n_queries, n_jobs * _PARTS))
    ends = np.linspace(0, n_queries, n_parts + 1).astype(np.int64)
    parts = Parallel(prefer="threads")(
        delayed(_sums_on_worker)(_query_rows(queries, start, stop), shared)
        for start, stop in pairwise(ends)
    )
    return np.concatenate(parts, axis=1)


def _sums_on_worker(queries: Csr, shared: Shared) -> np.ndarray:
    return _sums_of_part(queries, *shared.value)


def _sums_of_part(
    queries: Csr,
    levels: np.ndarray,
    n_levels: int,
    documents: tuple[Csr, Csr],
    k: int,
    n_labels: int,
) -> np.ndarray:
    from labelwise.learners._okapi_kernels import sum_over_neighbors

    postings, carried = documents
    sums = np.empty((n_levels, queries.indptr.size - 1, n_labels))

    def score_block(rows: slice) -> None:
        sum_over_neighbors(queries, rows.start, rows.stop, levels, postings, carried, k, sums)

    for_row_blocks(score_block, sums.shape[1], carried.indptr.size - 1)
    return sums


def _query_rows(matrix: Csr, start: int, stop: int) -> Csr:
    """Return some rows of a matrix."""
    starts = matrix.indptr[start : stop + 1]
    cells = slice(starts[0], starts[-1])
    return type(matrix)(starts - starts[0], matrix.indices[cells], matrix.data[cells])
