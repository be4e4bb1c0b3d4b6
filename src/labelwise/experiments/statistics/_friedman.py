"""Friedman's test: whether the methods differ at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise.experiments.statistics._average_ranks import AverageRanks, ranks_of
from labelwise.experiments.statistics._paired_values import paired_values


@dataclass(frozen=True, eq=False, repr=False)
class FriedmanTest:
    """Whether the average ranks differ by more than chance; prints as sentence and table.

    Parameters
    ----------
    statistic, p_value : float
        Friedman's chi square, corrected for ties, with n_methods - 1 degrees of freedom.
    f_statistic, f_p_value : float
        The less conservative statistic of Iman and Davenport.
    ranks : AverageRanks
        What was compared.
    """

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
    r"""Return Friedman's test that all methods are alike, over data sets.

    With average ranks :math:`R_j` of k methods over N data sets,
    :math:`\chi^2_F = \frac{12N}{k(k+1)}\left(\sum_j R_j^2 - \frac{k(k+1)^2}{4}\right)`, divided by
    what ties leave of its variance, and :math:`F_F = \frac{(N-1)\chi^2_F}{N(k-1)-\chi^2_F}`.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods, at least three; see `paired_values`, also for the other arguments.
    measure : str, optional
        Name of the measure.
    higher_is_better : bool, optional
        Which end of the values is the good one.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    FriedmanTest

    Raises
    ------
    ValueError
        Also if all methods tie on every data set, since then there is nothing to test.

    References
    ----------
    J. Demšar, JMLR 7, 2006, section 3.2.2.

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
            f"values must hold at least 3 methods and 2 data sets for Friedman's test, got {k} "
            f"and {n}; two methods are compared by sign_test or wilcoxon_test."
        )
    ranks = ranks_of(table)
    if ranks.n_all_tied == n:
        raise ValueError(f"values must differ somewhere, but all methods tie on all {n} data sets.")
    found = friedmanchisquare(*ranks.block_ranks.T)
    chi2 = float(found.statistic)
    # The largest chi square there is; all data sets agree on an order without ties.
    room = n * (k - 1) - chi2
    f_statistic = float(np.inf) if room <= 1e-9 * n * k else (n - 1) * chi2 / room
    f_p_value = float(f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))
    return FriedmanTest(chi2, float(found.pvalue), f_statistic, f_p_value, ranks)
