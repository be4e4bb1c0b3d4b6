"""Average ranks of methods over data sets, and Friedman's test whether all of them are equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import as_text, counted
from labelwise.experiments.statistics._paired_values import (
    PairedValues,
    dropped_note,
    paired_values,
)


@dataclass(frozen=True, eq=False, repr=False)
class AverageRanks:
    """Mean rank of each method, 1 for the best; prints as a table, best first."""

    methods: tuple[str, ...]
    ranks: np.ndarray
    block_ranks: np.ndarray
    blocks: tuple[str, ...]
    dropped: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, float]:
        """Return the average rank of each method by its name.

        Returns
        -------
        dict of str to float
            The names in the order of `methods`.
        """
        return dict(zip(self.methods, self.ranks.tolist(), strict=True))

    @property
    def n_all_tied(self) -> int:
        """Number of blocks on which all methods have the same value."""
        return int((np.ptp(self.block_ranks, axis=1) == 0).sum())

    def __repr__(self) -> str:
        best_first = np.argsort(self.ranks, kind="stable")
        rows = [[self.methods[j], f"{self.ranks[j]:.3f}"] for j in best_first]
        notes = [f"Over {counted(len(self.blocks), 'data set')}.", *dropped_note(self.dropped)]
        if self.n_all_tied:
            notes.append(f"All methods tie on {self.n_all_tied} of them.")
        return "\n\n".join([as_text([["method", "average rank"], *rows]), "\n".join(notes)])


def average_ranks(
    values: Any,
    *,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> AverageRanks:
    """Compute the mean rank of each method over data sets, 1 for the best.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    AverageRanks
        Prints as a table, the best method first. Attributes: `methods`, the names; `ranks`, the
        mean rank of each method, of shape (n_methods,); `block_ranks`, the ranks on each data set,
        of shape (n_datasets, n_methods), where methods with equal values share the mean of
        their ranks; `blocks` and `dropped`, the names of the data sets, and of those that were left
        out because a value is missing; `n_all_tied`, the number of data sets on which all methods
        have the same value. Method `to_dict` returns the ranks by name.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.2.2.

    Examples
    --------
    >>> from labelwise.experiments import average_ranks
    >>> average_ranks({"new": [0.9, 0.8, 0.7], "old": [0.6, 0.8, 0.5]}, measure="micro-f")
    method  average rank
    new            1.167
    old            1.833
    <BLANKLINE>
    Over 3 data sets.
    All methods tie on 1 of them.
    """
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    return ranks_of(table)


def ranks_of(table: PairedValues) -> AverageRanks:
    """Compute the average ranks of checked values."""
    from scipy.stats import rankdata

    ranks = rankdata(table.losses, axis=1)
    return AverageRanks(table.methods, ranks.mean(axis=0), ranks, table.blocks, table.dropped)


@dataclass(frozen=True, eq=False, repr=False)
class FriedmanTest:
    """Result of Friedman's test; prints as a sentence and a table."""

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    ranks: AverageRanks

    def __repr__(self) -> str:
        k, n = len(self.ranks.methods), len(self.ranks.blocks)
        return (
            f"Friedman: chi2({k - 1}) = {self.statistic:.4g}, p = {self.p_value:.4g}; "
            f"Iman-Davenport: F({k - 1}, {(k - 1) * (n - 1)}) = {self.f_statistic:.4g}, "
            f"p = {self.f_p_value:.4g}\n\n{self.ranks!r}"
        )


def friedman_test(
    values: Any,
    *,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> FriedmanTest:
    r"""Test whether three or more methods have the same average rank.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        At least two data sets by three methods, in any form that `paired_values` accepts.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    FriedmanTest
        Prints as a sentence and a table. Attributes: `statistic` and `p_value`, Friedman's chi
        square, corrected for ties, and its p value; `f_statistic` and `f_p_value`, those of Iman
        and Davenport, which are less conservative; `ranks`, as `average_ranks` returns them.

    Raises
    ------
    ValueError
        If there are fewer than three methods or two data sets, if all methods tie on every data
        set, if a value is missing and `missing` is "refuse", or if an argument is wrong.

    Notes
    -----
    With average ranks :math:`R_j` of k methods over N data sets,

    .. math::

        \chi^2_F = \frac{12N}{k(k+1)}\left(\sum_j R_j^2 - \frac{k(k+1)^2}{4}\right), \qquad
        F_F = \frac{(N-1)\chi^2_F}{N(k-1)-\chi^2_F}.

    If there are ties, :math:`\chi^2_F` is divided by the factor by which ties reduce its variance.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.2.2.

    Examples
    --------
    >>> from labelwise.experiments import friedman_test
    >>> friedman_test([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]], higher_is_better=False)
    Friedman: chi2(2) = 6.5, p = 0.03877; Iman-Davenport: F(2, 6) = 13, p = 0.006592
    ...
    """
    from scipy.stats import f, friedmanchisquare

    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    n, k = table.values.shape
    if k < 3 or n < 2:
        raise ValueError(
            f"values must have at least 3 methods and 2 data sets for Friedman's test, got {k} "
            f"and {n}; compare two methods by sign_test or wilcoxon_test."
        )
    ranks = ranks_of(table)
    if ranks.n_all_tied == n:
        raise ValueError(f"values must differ, but all methods tie on all {n} data sets.")
    found = friedmanchisquare(*ranks.block_ranks.T)
    chi2 = float(found.statistic)
    # The largest chi square is n (k - 1), if all data sets give the same order without ties.
    slack = n * (k - 1) - chi2
    f_statistic = float(np.inf) if slack <= 1e-9 * n * k else (n - 1) * chi2 / slack
    f_p_value = float(f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))
    return FriedmanTest(chi2, float(found.pvalue), f_statistic, f_p_value, ranks)
