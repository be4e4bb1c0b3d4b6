"""Which methods differ: average ranks compared pair by pair, and the groups that do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import as_text, printable
from labelwise._validation import check_share
from labelwise.experiments.statistics._average_ranks import AverageRanks, ranks_of
from labelwise.experiments.statistics._paired_values import paired_values


@dataclass(frozen=True, eq=False, repr=False)
class RankPairs:
    """Tests of all pairs of methods, or of all against one; what a diagram of ranks draws.

    Parameters
    ----------
    test : str
        "Nemenyi" or "Holm".
    ranks : AverageRanks
        What was compared.
    p_values : array of shape (n_methods, n_methods)
        Adjusted for the number of pairs; 1 on the diagonal, NaN for pairs that were not compared.
    alpha : float
        Pairs with a smaller value differ significantly.
    distance : float or None
        The critical difference: ranks at least so far apart differ. Holm's test has none.
    """

    test: str
    ranks: AverageRanks
    p_values: np.ndarray
    alpha: float
    distance: float | None = None

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups within which no two methods differ, best first; the diagram's bars.

        A method that differs from all others is in none; there are none if not all pairs were
        compared.
        """
        if np.isnan(self.p_values).any():
            return ()
        order = np.argsort(self.ranks.ranks, kind="stable")
        ordered = self.p_values[np.ix_(order, order)] >= self.alpha
        # Values fall with the distance of ranks, so a group is a run in the order of ranks.
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
        """Tell whether two methods differ significantly."""
        places = [self.ranks.methods.index(name) for name in (first, second)]
        return bool(self.p_values[places[0], places[1]] < self.alpha)

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
        if self.ranks.dropped:
            dropped = ", ".join(map(printable, self.ranks.dropped))
            notes.append(f"Left out, as a value is missing: {dropped}.")
        return notes


def nemenyi_test(
    values: Any,
    *,
    alpha: float = 0.05,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> RankPairs:
    r"""Return Nemenyi's test of all pairs of methods, with the critical difference and groups.

    Two methods differ if their average ranks are at least
    :math:`CD = q_\alpha\sqrt{k(k+1)/(6N)}` apart, where :math:`q_\alpha` is the quantile of the
    studentized range for k methods, divided by :math:`\sqrt 2`.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods; see `paired_values`, also for the arguments not named here.
    alpha : float
        Chance of finding any difference where there is none.
    measure : str, optional
        Name of the measure.
    higher_is_better : bool, optional
        Which end of the values is the good one.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    RankPairs
        `distance` and `groups` are what a critical-difference diagram draws.

    References
    ----------
    J. Demšar, JMLR 7, 2006, section 3.2.2.

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
    r"""Return tests of all pairs of methods, or of all against one, adjusted by Holm.

    The statistic is :math:`z = (R_i - R_j) / \sqrt{k(k+1)/(6N)}`, compared with the normal
    distribution on both sides.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods; see `paired_values`, also for the arguments not named here.
    control : str, optional
        The method that all others are compared with; fewer pairs find smaller differences.
    alpha : float
        Chance of finding any difference where there is none.
    measure : str, optional
        Name of the measure.
    higher_is_better : bool, optional
        Which end of the values is the good one.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    RankPairs

    References
    ----------
    J. Demšar, JMLR 7, 2006, section 3.2.2.

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
        j = table.place(control, "control")
        compared = (first == j) | (second == j)
        first, second = first[compared], second[compared]
    z = np.abs(ranks.ranks[first] - ranks.ranks[second]) / _rank_error(k, n)
    p_values = np.full((k, k), np.nan)
    np.fill_diagonal(p_values, 1.0)
    p_values[first, second] = p_values[second, first] = holm_adjusted(2 * norm.sf(z))
    return RankPairs("Holm", ranks, p_values, alpha)


def holm_adjusted(p_values: Any) -> np.ndarray:
    """Return p values adjusted by Holm's method: below alpha, all of them hold at once.

    The i-th smallest of m is multiplied by m + 1 - i, and none is smaller than one before it.

    Parameters
    ----------
    p_values : array of shape (n_tests,)
        From 0 to 1.

    Returns
    -------
    array of shape (n_tests,)
        In the order in which they came; at most 1.

    References
    ----------
    S. Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, Scand. J. Stat. 6, 1979.

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
