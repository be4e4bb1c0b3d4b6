"""Post-hoc tests of pairs of methods by their average ranks, and Holm's adjustment of p values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import as_text, printable
from labelwise._validation import check_share
from labelwise.experiments.statistics._average_ranks import AverageRanks, ranks_of
from labelwise.experiments.statistics._paired_values import dropped_note, paired_values, place_of


@dataclass(frozen=True, eq=False, repr=False)
class RankPairs:
    """Tests of pairs of methods by average ranks; prints as a table.

    `ranks`, `distance` and `groups` are what a critical-difference diagram shows.

    Parameters
    ----------
    test : str
        "Nemenyi" or "Holm".
    ranks : AverageRanks
        The average ranks that were compared.
    p_values : array of shape (n_methods, n_methods)
        Adjusted for the number of pairs; 1 on the diagonal, NaN for pairs that were not compared.
    alpha : float
        Significance level: pairs with a smaller p value differ significantly.
    distance : float or None, default=None
        Critical difference of two average ranks; None for Holm's test, which has none.

    See Also
    --------
    nemenyi_test : Compare all pairs of methods.
    holm_test : Compare all pairs, or all methods with one.

    Examples
    --------
    >>> from labelwise.experiments import nemenyi_test
    >>> found = nemenyi_test([[1, 2, 3]] * 5, higher_is_better=False)
    >>> found.differ("0", "2"), found.differ("0", "1")
    (True, False)
    """

    test: str
    ranks: AverageRanks
    p_values: np.ndarray
    alpha: float
    distance: float | None = None

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of methods without a significant difference, best first.

        A method that differs from all others is in no group. There are no groups if not all pairs
        were compared.
        """
        if np.isnan(self.p_values).any():
            return ()
        order = np.argsort(self.ranks.ranks, kind="stable")
        ordered = self.p_values[np.ix_(order, order)] >= self.alpha
        # p values decrease with the difference of ranks, so a group is a run in rank order.
        ends = [int(np.flatnonzero(row)[-1]) for row in ordered]
        runs = [
            (start, end)
            for start, end in enumerate(ends)
            if end > start and (start == 0 or ends[start - 1] < end)
        ]
        return tuple(
            tuple(self.ranks.methods[j] for j in order[start : end + 1]) for start, end in runs
        )

    def differ(self, first: str, second: str) -> bool:
        """Decide whether two methods differ significantly.

        Parameters
        ----------
        first : str
            Name of a method.
        second : str
            Name of another method.

        Returns
        -------
        bool
            Whether the p value is below `alpha`; False for a pair that was not compared.

        Raises
        ------
        ValueError
            If there is no such method.
        """
        i = place_of(first, self.ranks.methods, "first")
        j = place_of(second, self.ranks.methods, "second")
        return bool(self.p_values[i, j] < self.alpha)

    def __repr__(self) -> str:
        names = self.ranks.methods
        order = np.argsort(self.ranks.ranks, kind="stable")
        rows = [
            [names[i], f"{self.ranks.ranks[i]:.3f}", *(_p_text(self.p_values[i, j]) for j in order)]
            for i in order
        ]
        head = ["p values", "average rank", *(names[j] for j in order)]
        return "\n\n".join([self._title(), as_text([head, *rows]), "\n".join(self._notes())])

    def _title(self) -> str:
        return f"{self.test} over {len(self.ranks.blocks)} data sets, alpha = {self.alpha:g}"

    def _notes(self) -> list[str]:
        notes = [] if self.distance is None else [f"Critical difference: {self.distance:.4g}."]
        if not np.isnan(self.p_values).any():
            bars = "; ".join(", ".join(map(printable, group)) for group in self.groups) or "none"
            notes.append(f"Groups without a significant difference: {bars}.")
        return notes + dropped_note(self.ranks.dropped)


def nemenyi_test(
    values: Any,
    *,
    alpha: float = 0.05,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> RankPairs:
    r"""Test which methods differ in average rank, for all pairs (Nemenyi).

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    alpha : float, default=0.05
        Significance level, between 0 and 1: the probability of finding any difference between
        methods that are equal.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    RankPairs
        The p value of each pair, the critical difference `distance`, and the `groups` of methods
        without a significant difference.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    Notes
    -----
    Two of k methods over N data sets differ if their average ranks differ by at least
    :math:`CD = q_\alpha\sqrt{k(k+1)/(6N)}`, where :math:`q_\alpha` is the upper quantile of the
    studentized range of k values with infinite degrees of freedom, divided by :math:`\sqrt 2`.

    References
    ----------
    P. B. Nemenyi, "Distribution-free Multiple Comparisons", PhD thesis, Princeton University, 1963.

    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.2.2.

    Examples
    --------
    >>> from labelwise.experiments import nemenyi_test
    >>> found = nemenyi_test([[1, 2, 3]] * 5, higher_is_better=False)
    >>> round(found.distance, 3), found.groups
    (1.482, (('0', '1'), ('1', '2')))
    """
    from scipy.stats import studentized_range

    alpha = check_share(alpha, "alpha")
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    n, k = table.values.shape
    ranks = ranks_of(table)
    # The range is studentized by the error of one average rank, not of a difference of two.
    error = _rank_error(k, n) / np.sqrt(2)
    apart = np.abs(ranks.ranks[:, np.newaxis] - ranks.ranks) / error
    distance = float(studentized_range.isf(alpha, k, np.inf) * error)
    return RankPairs("Nemenyi", ranks, studentized_range.sf(apart, k, np.inf), alpha, distance)


def holm_test(
    values: Any,
    *,
    control: str | None = None,
    alpha: float = 0.05,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> RankPairs:
    r"""Test which methods differ in average rank, with Holm's adjustment.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    control : str, default=None
        Name of the method that all others are compared with; None compares all pairs. With fewer
        pairs, smaller differences are significant.
    alpha : float, default=0.05
        Significance level, between 0 and 1: the probability of finding any difference between
        methods that are equal.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    RankPairs
        The adjusted p value of each pair that was compared; `groups` if all pairs were.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    Notes
    -----
    For average ranks :math:`R_i` of k methods over N data sets, the statistic
    :math:`z = (R_i - R_j) / \sqrt{k(k+1)/(6N)}` is compared with the normal distribution on both
    sides; the p values are adjusted by `holm_adjusted`.

    References
    ----------
    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6, 1979.

    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.2.2.

    Examples
    --------
    >>> from labelwise.experiments import holm_test
    >>> found = holm_test([[1, 2, 3]] * 6, control="0", higher_is_better=False)
    >>> found.p_values[0].round(4)
    array([1.    , 0.0833, 0.0011])
    """
    from scipy.stats import norm

    alpha = check_share(alpha, "alpha")
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    n, k = table.values.shape
    ranks = ranks_of(table)
    first, second = np.triu_indices(k, 1)
    if control is not None:
        j = place_of(control, table.methods, "control")
        compared = (first == j) | (second == j)
        first, second = first[compared], second[compared]
    z = np.abs(ranks.ranks[first] - ranks.ranks[second]) / _rank_error(k, n)
    p_values = np.full((k, k), np.nan)
    np.fill_diagonal(p_values, 1.0)
    p_values[first, second] = p_values[second, first] = holm_adjusted(2 * norm.sf(z))
    return RankPairs("Holm", ranks, p_values, alpha)


def holm_adjusted(p_values: Any) -> np.ndarray:
    """Adjust p values of several tests by Holm's method.

    If all tests with an adjusted p value below alpha are rejected, the probability of any false
    rejection is at most alpha.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        The p values of the tests, from 0 to 1.

    Returns
    -------
    array of shape (n_tests,)
        The adjusted p values, at most 1, in the order of `p_values`.

    Raises
    ------
    ValueError
        If `p_values` is not one-dimensional, or a number is not from 0 to 1.

    Notes
    -----
    The i-th smallest of m p values is multiplied by m + 1 - i; an adjusted value is at least as
    large as those of smaller p values.

    References
    ----------
    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> from labelwise.experiments import holm_adjusted
    >>> holm_adjusted([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p_values must be a 1-D array of numbers from 0 to 1.")
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty(values.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _rank_error(n_methods: int, n_blocks: int) -> float:
    """Return the standard error of a difference of two average ranks."""
    return float(np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def _p_text(p_value: float) -> str:
    return "-" if np.isnan(p_value) else f"{p_value:.4f}"
