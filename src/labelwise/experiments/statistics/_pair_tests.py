"""Two methods on many data sets: the exact sign test and Wilcoxon's signed ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import printable
from labelwise.experiments.statistics._paired_values import dropped_note, paired_values

# Up to so many differences, the distribution of the rank sum is enumerated.
_EXACT_UP_TO = 200
_ALTERNATIVES = {"two-sided": "two-sided", "better": "greater", "worse": "less"}


@dataclass(frozen=True, repr=False)
class PairTest:
    """Whether one method beats another more often, or by more, than chance; prints as sentences.

    Parameters
    ----------
    test : str
        "Sign test" or "Wilcoxon".
    pair : tuple of str
        First and second method.
    wins, losses, ties : int
        Data sets on which the first is better, worse, and as good. Ties do not count.
    statistic : float
        Number of wins, or the sum of ranks of the wins.
    p_value : float
        1 if all data sets tie.
    alternative : str
        What the value speaks against: the first is no better, or no worse, or neither.
    dropped : tuple of str
        Data sets left out because a value is missing.
    """

    test: str
    pair: tuple[str, str]
    wins: int
    losses: int
    ties: int
    statistic: float
    p_value: float
    alternative: str = "two-sided"
    dropped: tuple[str, ...] = ()

    def __repr__(self) -> str:
        first, second = map(printable, self.pair)
        n_ties = f", {self.ties} ties left out" if self.ties else ""
        notes = dropped_note(self.dropped)
        if not self.wins + self.losses:
            notes.insert(0, "All data sets tie: nothing speaks for either.")
        head = (
            f"{self.test}, {first} against {second} ({self.alternative}): {self.wins} wins, "
            f"{self.losses} losses{n_ties}; p = {self.p_value:.4g}"
        )
        return "\n".join([head, *notes])


def sign_test(
    values: Any,
    pair: Sequence[str] | None = None,
    *,
    alternative: str = "two-sided",
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> PairTest:
    r"""Return the exact sign test of two methods: who wins on more data sets.

    With w wins among n data sets without a tie, the value is the chance that n throws of a fair
    coin are at least as uneven as :math:`w : n - w`.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods; see `paired_values`, also for the arguments not named here.
    pair : two names, optional
        The methods; not needed where there are two.
    alternative : {"two-sided", "better", "worse"}
        "better" asks only whether the first is better than the second.
    measure : str, optional
        Name of the measure.
    higher_is_better : bool, optional
        Which end of the values is the good one.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    PairTest
        Ties are left out and counted; if all tie, the value is 1.

    References
    ----------
    J. Demšar, JMLR 7, 2006, section 3.1.4.

    Examples
    --------
    >>> from labelwise.experiments import sign_test
    >>> values = {"new": [0.9, 0.8, 0.7, 0.8, 0.5], "old": [0.6, 0.8, 0.5, 0.7, 0.4]}
    >>> sign_test(values, measure="micro-f")
    Sign test, new against old (two-sided): 4 wins, 0 losses, 1 ties left out; p = 0.125
    """
    from scipy.stats import binomtest

    chosen = _check_alternative(alternative)
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    names, gains = table.columns(pair)
    wins, losses, ties = _counted(gains)
    n = wins + losses
    p_value = float(binomtest(wins, n, alternative=chosen).pvalue) if n else 1.0
    return PairTest(
        "Sign test", names, wins, losses, ties, wins, p_value, alternative, table.dropped
    )


def wilcoxon_test(
    values: Any,
    pair: Sequence[str] | None = None,
    *,
    alternative: str = "two-sided",
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> PairTest:
    """Return Wilcoxon's signed-rank test of two methods: who wins by more.

    Differences are ranked by size, equal ones sharing the mean of their ranks; the statistic is
    the sum of the ranks of the wins. Up to 200 differences the value is exact, also where sizes
    tie; beyond that it is scipy's normal approximation.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods; see `paired_values`, also for the arguments not named here.
    pair : two names, optional
        The methods; not needed where there are two.
    alternative : {"two-sided", "better", "worse"}
        "better" asks only whether the first is better than the second.
    measure : str, optional
        Name of the measure.
    higher_is_better : bool, optional
        Which end of the values is the good one.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    PairTest
        Data sets without a difference are left out and counted; if all tie, the value is 1.

    Notes
    -----
    O(n³) for n differences, since rank sums are at most n².

    References
    ----------
    J. Demšar, JMLR 7, 2006, section 3.1.3; F. Wilcoxon, Biometrics Bulletin 1, 1945.

    Examples
    --------
    >>> from labelwise.experiments import wilcoxon_test
    >>> values = {"new": [0.9, 0.8, 0.7, 0.8, 0.5], "old": [0.6, 0.7, 0.5, 0.9, 0.3]}
    >>> wilcoxon_test(values, measure="micro-f")
    Wilcoxon, new against old (two-sided): 4 wins, 1 losses; p = 0.1875
    """
    from scipy.stats import rankdata, wilcoxon

    chosen = _check_alternative(alternative)
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    names, gains = table.columns(pair)
    differences = gains[gains != 0]
    scale = np.abs(table.values).max(axis=1)[gains != 0]
    ranks = rankdata(_size_classes(np.abs(differences), scale))
    statistic = float(ranks[differences > 0].sum())
    if differences.size <= _EXACT_UP_TO:
        p_value = _exact_p_value(ranks, statistic, alternative)
    else:
        p_value = float(wilcoxon(differences, alternative=chosen, method="asymptotic").pvalue)
    counts = _counted(gains)
    return PairTest("Wilcoxon", names, *counts, statistic, p_value, alternative, table.dropped)


def _exact_p_value(ranks: np.ndarray, statistic: float, alternative: str) -> float:
    """Return the chance of a rank sum as extreme, each sign being as likely as the other."""
    # Shared ranks are halves: twice a rank is whole.
    steps = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(steps.sum() + 1)
    chance[0] = 1.0
    for step in steps:
        shifted = np.zeros_like(chance)
        shifted[step:] = chance[: chance.size - step]
        chance = (chance + shifted) / 2
    at = round(2 * statistic)
    above, below = float(chance[at:].sum()), float(chance[: at + 1].sum())
    found = {"better": above, "worse": below, "two-sided": 2 * min(above, below)}
    return min(found[alternative], 1.0)


def _counted(gains: np.ndarray) -> tuple[int, int, int]:
    return int((gains > 0).sum()), int((gains < 0).sum()), int((gains == 0).sum())


def _size_classes(sizes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return numbers in the order of the sizes; those that only rounding tells apart are equal."""
    order = np.argsort(sizes, kind="stable")
    slack = 2 * np.finfo(np.float64).eps * scale[order]
    is_larger = np.diff(sizes[order], prepend=-np.inf) > slack + np.roll(slack, 1)
    classes = np.empty(sizes.size, dtype=np.int64)
    classes[order] = np.cumsum(is_larger)
    return classes


def _check_alternative(alternative: str) -> str:
    if alternative not in _ALTERNATIVES:
        raise ValueError(
            f"alternative must be one of {', '.join(_ALTERNATIVES)}, got {alternative!r}."
        )
    return _ALTERNATIVES[alternative]
