"""Combine scores of terms, and keep the best terms: `combine` and `TermSelector`.

Five rules are those of Olsson and Oard (2006): by the ranks of a term in several lists of scores,
or by its highest normalised score. The others are those that section 4 of the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from labelwise._validation import (
    check_readable,
    check_weights,
    check_whole,
    refuse_other_index,
    refuse_sparse,
)
from labelwise.features._term_scores import (
    SCORES,
    all_scores,
    check_scores_asked,
    label_rows,
    present_terms,
)


def combine(score_lists: Any, rule: str = "lowest-rank", *, weights: Any = None) -> np.ndarray:
    """Combine several scores of the same terms into one; higher is better.

    Parameters
    ----------
    score_lists : array of shape (n_lists, n_terms)
        Scores of the same terms, such as those of `term_scores`. A term with a score of -inf in any
        list gets -inf: it must not be chosen.
    rule : str, default="lowest-rank"
        The rules "lowest-rank", "highest-rank" and "average-rank" give the negative of the worst,
        the best or the mean rank of a term over the lists (LR, HR, AR). "max-or" and "length-or"
        give its highest score, after each list is divided by its maximum (DMOR) or by its
        Euclidean length (DLOR); "max-and" and "length-and" give the lowest of these scores,
        "max-mean" and "length-mean" their mean. "round-robin" gives the negative of the turn in
        which a term is chosen, if the lists choose in turn the best term that is left.
    weights : sequence of float of shape (n_lists,), default=None
        Weights of the lists in a mean rank or score; None weighs all alike.

    Returns
    -------
    ndarray of shape (n_terms,)
        The combined scores.

    Raises
    ------
    ValueError
        If the rule is unknown, the lists are not a matrix of numbers or -inf, a rule of scores
        gets negative ones, or the weights are not those of a mean over the lists.

    See Also
    --------
    term_scores : Scores of terms.
    TermSelector : Transformer that keeps the best terms.

    Notes
    -----
    Rank 1 is the best, and tied terms share the mean of their ranks. A list of zeros is not
    divided. In "round-robin", the first list chooses first, and of tied terms the first.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006, section 4 (olsson2006).

    Examples
    --------
    >>> from labelwise.features import combine
    >>> combine([[5, 3, 1], [2, 9, 1]])
    array([-2., -2., -3.])
    >>> combine([[5, 3, 1], [2, 9, 1]], rule="max-or")
    array([1. , 1. , 0.2])
    """
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}.")
    lists = _check_lists(score_lists)
    if weights is not None:
        if not rule.startswith("average") and not rule.endswith("mean"):
            raise ValueError(f"weights are for mean ranks and scores, got the rule {rule!r}.")
        weights = check_weights(weights, len(lists), "weights", "lists")
    allowed = ~np.isneginf(lists).any(axis=0)
    kept = lists[:, allowed]
    if rule.split("-")[0] in _DIVISORS and (kept < 0).any():
        raise ValueError(f"score_lists must not be negative for the rule {rule}, got {kept.min()}.")
    combined = np.full(lists.shape[1], -np.inf)
    if allowed.any():
        combined[allowed] = _combined(kept, rule, weights)
    return combined


def best_first(scores: np.ndarray) -> np.ndarray:
    """Sort columns by score, best first, without those of -inf."""
    order = np.argsort(-scores, kind="stable")
    return order[: scores.size - int(np.isneginf(scores).sum())]


def _check_lists(score_lists: Any) -> np.ndarray:
    refuse_sparse(score_lists, "score_lists", "lists of scores")
    check_readable(score_lists, "score_lists")
    lists = np.asarray(score_lists, dtype=np.float64)
    if lists.ndim != 2 or len(lists) == 0:
        raise ValueError(f"score_lists must be lists of scores, got shape {lists.shape}.")
    if np.isnan(lists).any() or np.isposinf(lists).any():
        raise ValueError("score_lists must contain numbers or -inf, got NaN or inf.")
    return lists


def _combined(lists: np.ndarray, rule: str, weights: np.ndarray | None) -> np.ndarray:
    if rule == "round-robin":
        return _taking_turns(lists)
    name, join = rule.split("-")
    if join == "rank":
        from scipy.stats import rankdata

        return -_mean_or(_OF_RANKS[name], rankdata(-lists, axis=1), weights)
    totals = _DIVISORS[name](lists, axis=1)
    return _mean_or(_OF_SCORES[join], lists / np.where(totals == 0, 1, totals)[:, None], weights)


def _mean_or(join: _Join, numbers: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Join the numbers of each term by a function, or by a weighted mean if there is none."""
    return np.average(numbers, axis=0, weights=weights) if join is None else join(numbers, axis=0)


def _taking_turns(lists: np.ndarray) -> np.ndarray:
    """Return the negative of each term's turn, if the lists choose in turn their best term left."""
    orders = [iter(np.argsort(-scores, kind="stable").tolist()) for scores in lists]
    turns = np.zeros(lists.shape[1])
    for turn in range(1, turns.size + 1):
        term = next(t for t in orders[(turn - 1) % len(orders)] if not turns[t])
        turns[term] = -turn
    return turns


_Join = Callable[..., np.ndarray] | None
_OF_RANKS: dict[str, _Join] = {"lowest": np.max, "highest": np.min, "average": None}
_OF_SCORES: dict[str, _Join] = {"or": np.max, "and": np.min, "mean": None}
_DIVISORS: dict[str, Callable[..., np.ndarray]] = {"max": np.max, "length": np.linalg.norm}
_RANK_RULES = tuple(f"{name}-rank" for name in _OF_RANKS)
PAPER_RULES = (*_RANK_RULES, "max-or", "length-or")
RULES = (
    *_RANK_RULES,
    *(f"{name}-{join}" for join in _OF_SCORES for name in _DIVISORS),
    "round-robin",
)


class TermSelector(SelectorMixin, BaseEstimator):
    """Keep the best terms, by one score or by several scores combined.

    Parameters
    ----------
    n_terms : int or None, default=None
        Number of terms to keep; None keeps all terms that are not cut. May be changed after fitting
        without computing the scores again.
    by : str or sequence of str, default=("chi2-max", "chi2-avg")
        Scores, as in `term_scores`.
    combine : str, default="lowest-rank"
        Rule that combines several scores, as in `labelwise.features.combine`.
    cut : int, default=1
        Terms in at most `cut` documents are never kept.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Combined score of each term; -inf for terms that are cut.
    ranking_ : ndarray of int
        Columns of the terms that are not cut, best first; ties in the order of columns.
    n_features_in_ : int
        Number of columns of X in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if X had names.

    See Also
    --------
    labelwise.learners.OkapiNeighbors.score_curve : Scores for many numbers of terms at once.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.features import TermSelector
    >>> X, Y = [[2, 1, 0], [1, 0, 1], [0, 1, 1], [0, 3, 1]], [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> selector = TermSelector(1, by="chi2-max").fit(X, Y)
    >>> selector.transform(X).ravel()
    array([2, 1, 0, 0])
    >>> selector.n_terms = 2
    >>> selector.get_feature_names_out(["boat", "sea", "sky"]).tolist()
    ['boat', 'sky']
    """

    def __init__(
        self,
        n_terms: int | None = None,
        *,
        by: str | Sequence[str] = ("chi2-max", "chi2-avg"),
        combine: str = "lowest-rank",
        cut: int = 1,
    ) -> None:
        self.n_terms = n_terms
        self.by = by
        self.combine = combine
        self.cut = cut

    @staticmethod
    def methods() -> dict[str, dict[str, Any]]:
        """List the 59 methods of olsson2006 by name.

        They are the four scores, and every two, three or four of them combined by each of the
        paper's five rules.

        Returns
        -------
        dict of str to dict
            For each method the parameters `by` and, if scores are combined, `combine`.

        References
        ----------
        J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification
        using Ranked Retrieval Measures", 2006 (olsson2006).

        Examples
        --------
        >>> from labelwise.features import TermSelector
        >>> methods = TermSelector.methods()
        >>> len(methods)
        59
        >>> TermSelector(2000, **methods["chi2-max/chi2-avg lowest-rank"])
        TermSelector(n_terms=2000)
        """
        found: dict[str, dict[str, Any]] = {name: {"by": (name,)} for name in SCORES}
        for n_scores in range(2, len(SCORES) + 1):
            for rule in PAPER_RULES:
                for names in combinations(SCORES, n_scores):
                    found[f"{'/'.join(names)} {rule}"] = {"by": names, "combine": rule}
        return found

    def fit(self, X: Any, y: Any) -> TermSelector:
        """Score and rank the terms.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_documents, n_terms)
            Counts or weights; a term is present where X is not 0.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1.

        Returns
        -------
        TermSelector
            This object.

        Raises
        ------
        TypeError
            If `n_terms` or `cut` is not a whole number.
        ValueError
            If a parameter is out of its range, or if X and y do not match.
        """
        chosen, cut = self._check_parameters()
        if y is None:
            raise ValueError("TermSelector requires y to be passed, but the target y is None.")
        check_readable(X, "X")
        refuse_other_index(X=X, y=y)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype="numeric")
        scores = all_scores(present_terms(X), label_rows(y), cut)
        lists = scores[[SCORES.index(name) for name in chosen]]
        self.scores_ = lists[0] if len(chosen) == 1 else combine(lists, self.combine)
        self.ranking_ = best_first(self.scores_)
        return self

    def transform(self, X: Any) -> Any:
        """Keep the columns of the chosen terms, in the order of X.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_documents, n_terms)
            The documents.

        Returns
        -------
        array or sparse matrix of shape (n_documents, n_chosen)
            The chosen columns.

        Raises
        ------
        ValueError
            If X has another number of columns than in `fit`.
        """
        check_readable(X, "X")
        return super().transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """Put chosen columns back in their places, with zeros for the others.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_chosen)
            The chosen columns.

        Returns
        -------
        array or sparse matrix of shape (n_documents, n_terms)
            The columns in their places.

        Raises
        ------
        ValueError
            If X has another number of columns than `transform` returns.
        """
        check_readable(X, "X")
        return super().inverse_transform(X)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        _check_n_terms(self.n_terms)
        kept = np.zeros(self.n_features_in_, dtype=bool)
        kept[self.ranking_[: self.n_terms]] = True
        return kept

    def _check_loaded(self) -> None:
        """Refuse a loaded model whose ranking names columns that do not exist."""
        if not hasattr(self, "ranking_"):
            return
        ranking = self.ranking_
        if ranking.dtype.kind != "i" or np.unique(ranking).size < ranking.size:
            raise ValueError("ranking_ must contain each column at most once")
        if not ((ranking >= 0) & (ranking < self.n_features_in_)).all():
            raise ValueError(f"ranking_ must contain columns from 0 to {self.n_features_in_ - 1}")

    def _check_parameters(self) -> tuple[tuple[str, ...], int]:
        """Check the parameters, and return the scores and the cut."""
        chosen = check_scores_asked(self.by)
        if self.combine not in RULES:
            raise ValueError(f"combine must be one of {', '.join(RULES)}, got {self.combine!r}.")
        _check_n_terms(self.n_terms)
        return chosen, check_whole(self.cut, "cut", least=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        return tags


def _check_n_terms(n_terms: Any) -> None:
    if n_terms is not None:
        check_whole(n_terms, "n_terms")
