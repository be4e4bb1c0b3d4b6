"""One door to all ways of splitting."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from labelwise._validation import check_labels
from labelwise.splitting._proportions import check_proportions, subset_sizes
from labelwise.splitting.stratification._balanced import balance_rows
from labelwise.splitting.stratification._grouped import balance_groups
from labelwise.splitting.stratification._iterative import (
    deal_by_size,
    deal_iteratively,
    label_pairs,
)
from labelwise.splitting.stratification._sampling import labelset_subsets, random_subsets
from labelwise.splitting.stratification._search import check_budget
from labelwise.splitting.stratification._units import check_groups, units_of, without_empty

METHODS = ("auto", "balanced", "iterative", "labelset", "pairs", "random")
# Rows and positives together up to which "auto" is "balanced".
BALANCED_UP_TO = 10_000_000


def assign(
    Y: Any,
    proportions: Any,
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    budget: int | timedelta | None = None,
) -> np.ndarray:
    """Return the subset of each row, so that subsets keep their sizes and their labels.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        The labels of all rows; sparse ones stay sparse.
    proportions : int or sequence of float
        The share of each subset, positive and summing to 1; a whole number k means k equal parts.
    method : {"auto", "balanced", "iterative", "labelset", "pairs", "random"}
        "iterative" is Algorithm 1 of sechidis2011: the label with the fewest remaining examples
        is dealt first (ties at random), each of its examples to the subset that wants the label
        most, among equals to the one that wants examples most, then at random; examples without
        labels fill up sizes. Label ratios are kept, sizes may drift.

        "balanced" has sizes as exact as random sampling, and moves and swaps rows from there to
        bring down first FLZ and then LD (see `split_quality`); its LD is at most that of
        "random", "labelset", and "iterative" brought to the same sizes.

        "pairs" deals the rarest pair of labels first, then labels. Memory and time grow with
        the sum of the squared label counts of the rows.

        "labelset" shares out the rows of each labelset, "random" ignores labels; both have
        exact sizes.

        "auto" is "balanced"; above 10 million rows and positives together it is "iterative",
        unless a budget is given.
    groups : array of shape (n_samples,), optional
        Rows of the same group come into the same subset. Sizes are then as near as moves and
        swaps of whole groups bring them ("balanced") or as dealing brings them. Not for
        "labelset". There must be at least as many groups as subsets.
    random_state : int, RandomState or None
        Draws the order of the rows and settles ties. Same seed, same result.
    budget : int or timedelta, optional
        For "balanced": the number of swaps to try, by default 400 a row but at most 500,000:
        less than a second for some thousand rows, some seconds for a million. A
        `datetime.timedelta` stops the search by the clock instead, and then the same seed need
        not give the same result.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        Numbers of subsets, counted from 0. Every subset has a row: where dealing leaves a subset
        empty, a row or the smallest group moves there from a subset that has several.

    Notes
    -----
    "iterative" takes O(nnz + n·k + q log q) time and O(nnz + q·k) memory: remaining counts are
    kept, not recounted, in a tree of minima over 64 labels each, of which a row touches more than
    the leaves only where its label becomes the least. "balanced" adds the starts it compares and
    its budget; a trial looks at the labels of 16 rows.

    References
    ----------
    sechidis2011, Algorithm 1 and section 4. Pairs of labels: Szymański and Kajdanowicz, A Network
    Perspective on Stratification of Multi-Label Data, 2017.

    Examples
    --------
    >>> from labelwise.splitting import assign
    >>> Y = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]]
    >>> subset = assign(Y, 2, random_state=0)
    >>> [sorted(map(tuple, (row for row, s in zip(Y, subset) if s == j))) for j in (0, 1)]
    [[(0, 1), (1, 0), (1, 1)], [(0, 1), (1, 0), (1, 1)]]
    """
    matrix = check_labels(Y).matrix
    return assign_checked(
        matrix,
        proportions,
        method=method,
        groups=groups,
        random_state=random_state,
        budget=budget,
    )


def assign_checked(
    matrix: sparse.csc_array,
    proportions: Any,
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    budget: int | timedelta | None = None,
) -> np.ndarray:
    """Assign rows as `assign` does, for labels that are a checked boolean CSC matrix."""
    shares = check_proportions(proportions)
    budget = check_budget(budget)
    _check_method(method, groups, budget)
    numbers = None if groups is None else check_groups(groups, matrix.shape[0])
    _check_enough(matrix.shape[0], numbers, shares)
    rng = generator(random_state)
    if method == "auto":
        is_small = matrix.shape[0] + matrix.nnz <= BALANCED_UP_TO
        method = "balanced" if is_small or budget is not None else "iterative"
    return _assigned(matrix, shares, method, numbers, rng, budget)


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator that is seeded from a scikit-learn random state."""
    return np.random.default_rng(
        check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    )


def _assigned(
    Y: sparse.csc_array,
    shares: np.ndarray,
    method: str,
    groups: np.ndarray | None,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return the subset of each row by one of the methods but "auto"."""
    sizes = subset_sizes(Y.shape[0], shares)
    if method == "random" and groups is None:
        return random_subsets(sizes, rng)
    if method == "labelset":
        return labelset_subsets(Y, sizes, rng)
    if method == "balanced" and groups is None:
        return balance_rows(Y, shares, rng, budget)
    units = units_of(Y, groups)
    if method == "balanced" and groups is not None:
        return units.to_rows(balance_groups(Y, groups, shares, rng, budget))
    if method == "random":
        dealt = deal_by_size(units, shares, rng)
    else:
        pairs = units_of(label_pairs(Y), groups) if method == "pairs" else None
        dealt = deal_iteratively(units, shares, rng, pairs=pairs)
    # Dealing fills no quota of rows: a small subset may come away with nothing.
    return units.to_rows(without_empty(units.weight, dealt, Y.shape[0] * shares))


def _check_method(method: str, groups: Any, budget: int | timedelta | None) -> None:
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.")
    if method == "labelset" and groups is not None:
        raise ValueError('groups cannot stay together under method "labelset"; try "balanced".')
    if budget is not None and method not in ("auto", "balanced"):
        raise ValueError(f'budget is for method "balanced", got it with {method!r}.')


def _check_enough(n_samples: int, groups: np.ndarray | None, shares: np.ndarray) -> None:
    """Refuse proportions that leave a subset without rows, or without groups."""
    empty = np.flatnonzero(subset_sizes(n_samples, shares) == 0)
    if empty.size:
        raise ValueError(
            f"proportions must give every subset a row, but subset {empty[0]} "
            f"({shares[empty[0]]:.3g} of {n_samples} rows) gets none."
        )
    if groups is not None and groups.max() + 1 < shares.size:
        raise ValueError(
            f"groups must be at least as many as the {shares.size} subsets, got {groups.max() + 1}."
        )
