"""Combine several scores of terms into one, by rank or by normalised score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelwise._validation import check_readable, refuse_sparse


def combine(score_lists: Any, rule: str = "lowest-rank") -> np.ndarray:
    """Combine several scores of the same terms into one; higher is better.

    Parameters
    ----------
    score_lists : array of shape (n_lists, n_terms)
        Scores of the same terms, such as those of `term_scores`. A term with a score of -inf in any
        list gets -inf: it must not be chosen.
    rule : str, default="lowest-rank"
        One of "lowest-rank", "highest-rank", "average-rank", "max-or" and "length-or". The rank
        rules give the negative of the worst, the best or the mean rank of a term over the lists
        (LR, HR, AR). The OR rules give its highest score, after each list is divided by its
        maximum (DMOR) or by its Euclidean length (DLOR).

    Returns
    -------
    ndarray of shape (n_terms,)
        The combined scores.

    Raises
    ------
    ValueError
        If the rule is unknown, the lists are not a matrix of numbers or -inf, or an OR rule gets
        negative scores.

    See Also
    --------
    term_scores : Scores of terms.
    TermSelector : Transformer that keeps the best terms.

    Notes
    -----
    Rank 1 is the best, and tied terms share the mean of their ranks. For the OR rules, a list of
    zeros stays as it is.

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
    allowed = ~np.isneginf(lists).any(axis=0)
    kept = lists[:, allowed]
    if rule.endswith("-or") and (kept < 0).any():
        raise ValueError(f"score_lists must not be negative for the rule {rule}, got {kept.min()}.")
    combined = np.full(lists.shape[1], -np.inf)
    if allowed.any():
        combined[allowed] = RULES[rule](kept)
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


def _ranks(lists: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    return np.asarray(rankdata(-lists, axis=1))


def _largest_share(lists: np.ndarray, totals: np.ndarray) -> np.ndarray:
    shares = lists / np.where(totals == 0, 1, totals)[:, None]
    return np.asarray(shares.max(axis=0))


def _lowest_rank(lists: np.ndarray) -> np.ndarray:
    return np.asarray(-_ranks(lists).max(axis=0))


def _highest_rank(lists: np.ndarray) -> np.ndarray:
    return np.asarray(-_ranks(lists).min(axis=0))


def _average_rank(lists: np.ndarray) -> np.ndarray:
    return np.asarray(-_ranks(lists).mean(axis=0))


def _max_or(lists: np.ndarray) -> np.ndarray:
    return _largest_share(lists, lists.max(axis=1))


def _length_or(lists: np.ndarray) -> np.ndarray:
    return _largest_share(lists, np.linalg.norm(lists, axis=1))


RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "lowest-rank": _lowest_rank,
    "highest-rank": _highest_rank,
    "average-rank": _average_rank,
    "max-or": _max_or,
    "length-or": _length_or,
}
