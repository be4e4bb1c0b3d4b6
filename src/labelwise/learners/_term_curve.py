"""R-precision of Okapi neighbours by the number of selected terms, on rows that were held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_array, check_consistent_length

from labelwise._estimators import splits_of
from labelwise._measuring import find_places, r_precision_of
from labelwise._validation import check_labels, check_readable, refuse_other_index, refuse_sparse
from labelwise.features import TermSelector
from labelwise.learners._okapi_neighbors import OkapiNeighbors

# Sizes of Olsson and Oard (2006); the last point of a curve is all terms that are not cut.
SIZES = (50, 250, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 10_000)
# Scores in memory at a time.
_BLOCK = 2**24


class TermCurve(NamedTuple):
    """Mean R-precision and its standard error for each number of terms.

    Attributes
    ----------
    sizes : list of int
        Numbers of terms.
    values : ndarray of shape (n_sizes,)
        Mean R-precision of the test samples.
    errors : ndarray of shape (n_sizes,)
        Standard error of each mean.
    """

    sizes: list[int]
    values: np.ndarray
    errors: np.ndarray


def term_curve(
    X: Any, Y: Any, selector: TermSelector, *, cv: Any = 5, n_neighbors: int = 100
) -> TermCurve:
    """Measure R-precision of Okapi neighbours for growing numbers of terms.

    Terms are ranked and neighbours are found on the training samples of each split. Samples without
    a label have no R-precision and are left out.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Counts of terms.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels of the samples, 0 or 1.
    selector : TermSelector
        Cloned for each split; gives the ranking of the terms.
    cv : int, splitter or iterable of (train, test), default=5
        An int is the number of folds of `MultilabelStratifiedKFold`, the same in every call.
    n_neighbors : int, default=100
        Number of neighbours, as in `OkapiNeighbors`.

    Returns
    -------
    TermCurve
        The curve at 50, 250, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000 and 10000 terms, as
        far as there are more, and at all terms that are not cut.

    Raises
    ------
    ValueError
        If the `cut` of the selector leaves no term, or no test sample has a label.

    See Also
    --------
    labelwise.reports.TermCurveDisplay : The curve as a figure, with the smallest good size.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.data import make_corpus
    >>> from labelwise.features import TermSelector
    >>> from labelwise.learners import term_curve
    >>> documents = make_corpus(200, n_terms=300, n_topics=5, random_state=0)
    >>> term_curve(documents.X, documents.Y, TermSelector(), n_neighbors=20).sizes
    [50, 250, 300]
    """
    refuse_sparse(selector, "selector", "a TermSelector")
    refuse_sparse(cv, "cv", "splits")
    check_readable(X, "X")
    refuse_other_index(X=X, Y=Y)
    X = sparse.csr_array(check_array(X, accept_sparse="csr", input_name="X"))
    Y = check_labels(Y).matrix
    check_consistent_length(X, Y)
    parts = []
    for train, test in splits_of(cv, X, Y):
        ranking = clone(selector).fit(X[train], Y[train]).ranking_
        parts.append((ranking, OkapiNeighbors(n_neighbors).fit(X[train], Y[train]), test))
    least = min(ranking.size for ranking, _, _ in parts)
    if least == 0:
        raise ValueError(f"cut must leave a term, got {selector.cut}.")
    sizes = [size for size in SIZES if size < least]
    values = np.hstack([_r_precisions(X, Y, *part, sizes) for part in parts])
    values = values[:, ~np.isnan(values[0])]
    n_rows = values.shape[1]
    if n_rows == 0:
        raise ValueError("Y must have a label in a test sample, got none.")
    errors = values.std(axis=1, ddof=min(1, n_rows - 1)) / np.sqrt(n_rows)
    return TermCurve([*sizes, least], values.mean(axis=1), errors)


def _r_precisions(
    X: Any, Y: Any, ranking: np.ndarray, model: OkapiNeighbors, test: np.ndarray, sizes: list[int]
) -> np.ndarray:
    """Return R-precision of each test sample at each size and with all terms of the ranking."""
    every = [*sizes, ranking.size]
    n_together = max(1, _BLOCK // (len(every) * Y.shape[1]))
    found = []
    for start in range(0, test.size, n_together):
        rows = test[start : start + n_together]
        curve = model.score_curve(X[rows], ranking, every)
        truth = sparse.csc_array(Y[rows])
        found.append([r_precision_of(find_places(truth, scores, "sample")) for scores in curve])
    return np.hstack(found)
