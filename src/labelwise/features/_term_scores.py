"""Scores of terms: how much the presence of each term says about the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from labelwise._validation import check_labels, check_readable, refuse_other_index

if TYPE_CHECKING:
    from labelwise.features._term_scores_kernels import LabelFacts, Lists

SCORES = ("df", "information-gain", "chi2-max", "chi2-avg")


def term_scores(X: Any, Y: Any, by: str | Sequence[str]) -> np.ndarray:
    r"""Score terms by how much their presence says about the labels.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_documents, n_terms)
        Counts or weights; a term is present where X is not 0.
    Y : array, sparse matrix, frame or list of sets
        Labels of the samples, 0 or 1.
    by : {"df", "information-gain", "chi2-max", "chi2-avg"} or sequence of them
        The score or scores; several scores take no longer than the slowest of them.

    Returns
    -------
    ndarray of shape (n_terms,) or (n_scores, n_terms)
        Scores, higher is better; a matrix if `by` is a sequence.

    Raises
    ------
    ValueError
        If a score is unknown or named twice, or if X and Y do not match.

    See Also
    --------
    combine : One score from several.
    TermSelector : Transformer that keeps the best terms, without those of few documents.

    Notes
    -----
    With A documents that have both the term t and the label c, B only the term, C only the label, D
    neither, N in total, and :math:`P(c) = (A + C) / N`:

    .. math::

        \mathrm{df}(t) &= A + B \\
        G(t) &= -\sum_c P(c) \log_2 P(c) + P(t) \sum_c P(c|t) \log_2 P(c|t)
            + P(\bar t) \sum_c P(c|\bar t) \log_2 P(c|\bar t) \\
        \chi^2(t, c) &= \frac{N (AD - CB)^2}{(A + C)(B + D)(A + B)(C + D)} \\
        \chi^2_{\max}(t) &= \max_c \chi^2(t, c), \qquad
        \chi^2_{\mathrm{avg}}(t) = \sum_c P(c)\, \chi^2(t, c)

    0 log 0 is 0, and chi2 with an empty margin is 0. The P(c) need not sum to 1, because a document
    may have any number of labels. The time is O(sum over present terms of the labels of their
    documents), and the memory beside the scores is one vector of labels.
    `sklearn.feature_selection.chi2` sums over labels and ignores the absence of terms, so its
    numbers differ.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006, sections 3 and 5 (olsson2006).

    Examples
    --------
    >>> from labelwise.features import term_scores
    >>> X, Y = [[2, 1], [1, 0], [0, 1], [0, 3]], [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> term_scores(X, Y, by=("df", "chi2-max")).round(2)
    array([[2.  , 3.  ],
           [4.  , 1.33]])
    """
    chosen = check_scores_asked(by)
    refuse_other_index(X=X, Y=Y)
    scores = all_scores(present_terms(X), label_rows(Y), only_df=set(chosen) == {"df"})
    places = [SCORES.index(name) for name in chosen]
    return scores[places[0]] if isinstance(by, str) else scores[places]


def check_scores_asked(by: Any) -> tuple[str, ...]:
    """Return the names of one or more scores, all known and distinct."""
    chosen = (by,) if isinstance(by, str) else tuple(by)
    unknown = [name for name in chosen if name not in SCORES]
    if unknown or not chosen:
        got = repr(unknown[0]) if unknown else "none"
        raise ValueError(f"by must name scores among {', '.join(SCORES)}, got {got}.")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"by must name each score once, got {', '.join(chosen)}.")
    return chosen


def present_terms(X: Any) -> sparse.csc_array:
    """Return which documents have each term, as a CSC matrix of ones."""
    from sklearn.utils import check_array

    check_readable(X, "X")
    X = check_array(X, accept_sparse=("csr", "csc"), dtype="numeric", input_name="X")
    if not sparse.issparse(X):
        return sparse.csc_array(X != 0)
    # A new object checks again whether its indices are sorted.
    X = sparse.csc_array(X) if X.format == "csc" else sparse.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix must not change
        X.sum_duplicates()
    if not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    one_byte_each = (np.ones(X.nnz, dtype=bool), X.indices, X.indptr)
    kind = sparse.csc_array if X.format == "csc" else sparse.csr_array
    return sparse.csc_array(kind(one_byte_each, shape=X.shape))


def label_rows(Y: Any) -> sparse.csr_array:
    """Return the labels of each document, as checked CSR."""
    matrix = check_labels(Y).matrix
    if 0 in matrix.shape:
        raise ValueError(f"Y must have a row and a label, got shape {matrix.shape}.")
    return sparse.csr_array(matrix)


def all_scores(
    terms: sparse.csc_array, labels: sparse.csr_array, cut: int = 0, *, only_df: bool = False
) -> np.ndarray:
    """Return the scores of all terms in the order of `SCORES`, -inf for terms that are cut."""
    if terms.shape[0] != labels.shape[0]:
        raise ValueError(f"X has {terms.shape[0]} rows but Y has {labels.shape[0]}.")
    if only_df:
        df = np.diff(terms.indptr).astype(np.float64)
        return np.where(df > cut, df, -np.inf)[None, :]
    from labelwise.features._term_scores_kernels import score_terms

    scores = np.empty((len(SCORES), terms.shape[1]))
    score_terms(_lists(terms), _lists(labels), _facts(labels), cut, scores)
    return scores


def _lists(matrix: Any) -> Lists:
    from labelwise.features._term_scores_kernels import Lists

    return Lists(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False))


def _facts(labels: sparse.csr_array) -> LabelFacts:
    from labelwise.features._term_scores_kernels import LabelFacts

    n_docs, n_labels = labels.shape
    sizes = np.bincount(labels.indices, minlength=n_labels).astype(np.int64)
    varies = (sizes > 0) & (sizes < n_docs)
    by_size = np.argsort(-sizes, kind="stable")
    odds = np.zeros(n_labels)
    odds[varies] = sizes[varies] / n_docs * sizes[varies] / (n_docs - sizes[varies])
    counts = np.arange(n_docs + 1)
    logs = counts * np.log2(np.maximum(counts, 1))
    commonest = by_size[varies[by_size]]
    return LabelFacts(sizes, commonest, odds, float(odds.sum()), int(sizes.sum()), logs)
