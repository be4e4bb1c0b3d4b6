"""One score of terms from several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelwise._validation import check_readable


def combine(score_lists: Any, rule: str = "lowest-rank") -> np.ndarray:
    """Return one score of each term from several; the higher, the better.

    Parameters
    ----------
    score_lists : array of shape (n_lists, n_terms)
        Scores of the same terms, such as those of `term_scores`; -inf marks terms that are not to
        be chosen, and they stay so.
    rule : {"lowest-rank", "highest-rank", "average-rank", "max-or", "length-or"}
        Less the worst, the best or the mean rank of a term over the lists (LR, HR, AR); or the
        highest of its scores, each list divided by its largest (DMOR) or by its Euclidean length
        (DLOR).

    Returns
    -------
    ndarray of shape (n_terms,)

    Notes
    -----
    Rank 1 is the best, and tied terms share the mean of their ranks. The two OR rules need scores
    that are not negative; a list of nothing but zeros stays as it is.

    References
    ----------
    Olsson and Oard, Exploring Feature Selection for Multi-Label Text Classification using Ranked
    Retrieval Measures, 2006, section 4.

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
    """Return the columns with a score from the highest down, those of equals in their order."""
    order = np.argsort(-scores, kind="stable")
    return order[: scores.size - int(np.isneginf(scores).sum())]


def _check_lists(score_lists: Any) -> np.ndarray:
    check_readable(score_lists, "score_lists")
    lists = np.asarray(score_lists, dtype=np.float64)
    if lists.ndim != 2 or len(lists) == 0:
        raise ValueError(f"score_lists must be lists of scores, got shape {lists.shape}.")
    if np.isnan(lists).any() or np.isposinf(lists).any():
        raise ValueError("score_lists must hold numbers or -inf, got NaN or inf.")
    return lists


def _ranks(lists: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    return np.asarray(rankdata(-lists, axis=1))


def _largest_share(lists: np.ndarray, totals: np.ndarray) -> np.ndarray:
    shares = lists / np.where(totals == 0, 1, totals)[:, None]
    return np.asarray(shares.max(axis=0))


RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "lowest-rank": lambda lists: -_ranks(lists).max(axis=0),
    "highest-rank": lambda lists: -_ranks(lists).min(axis=0),
    "average-rank": lambda lists: -_ranks(lists).mean(axis=0),
    "max-or": lambda lists: _largest_share(lists, lists.max(axis=1)),
    "length-or": lambda lists: _largest_share(lists, np.linalg.norm(lists, axis=1)),
}
