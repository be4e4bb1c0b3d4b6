"""Compare two methods over data sets: sign test, Wilcoxon's test, interval of the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import printable
from labelwise._validation import check_random_state, check_share, check_whole
from labelwise.experiments.statistics._paired_values import dropped_note, paired_values

# Number of differences up to which the distribution of the rank sum is computed exactly.
_MAX_EXACT = 200
_ALTERNATIVES = {"two-sided": "two-sided", "better": "greater", "worse": "less"}


@dataclass(frozen=True, repr=False)
class PairTest:
    """Result of a sign test or Wilcoxon's test; prints as a sentence."""

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
            notes.insert(0, "All data sets tie.")
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
    r"""Test whether one of two methods is better on more data sets (sign test).

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    pair : sequence of two str, default=None
        Names of the first and the second method; None if there are only two methods.
    alternative : {"two-sided", "better", "worse"}, default="two-sided"
        Alternative hypothesis: "better" means that the first method is better than the second.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    PairTest
        Prints as a sentence. Attributes: `test`, `pair` and `alternative`, what was tested; `wins`,
        `losses` and `ties`, the numbers of data sets on which the first method is better, worse or
        equal (ties are left out); `statistic`, the number of wins; `p_value`, the
        probability of a statistic at least as extreme if the methods are equal, 1 if all data sets
        tie; `dropped`, the names of data sets that were left out because a value is missing.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    Notes
    -----
    Ties are left out. If the methods are equal, the number of wins W among the n other data sets is
    binomial with probability 1/2. With w wins, the two-sided p value is
    :math:`\min(1, 2\min(P(W \ge w), P(W \le w)))`.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.1.4.

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
    """Test whether differences of two methods are symmetric about 0 (Wilcoxon).

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    pair : sequence of two str, default=None
        Names of the first and the second method; None if there are only two methods.
    alternative : {"two-sided", "better", "worse"}, default="two-sided"
        Alternative hypothesis: "better" means that the first method is better than the second.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    PairTest
        Prints as a sentence. Attributes: `test`, `pair` and `alternative`, what was tested; `wins`,
        `losses` and `ties`, the numbers of data sets on which the first method is better, worse or
        equal (ties are left out); `statistic`, the sum of the ranks of the wins; `p_value`, the
        probability of a statistic at least as extreme if the methods are equal, 1 if all data sets
        tie; `dropped`, the names of data sets that were left out because a value is missing.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    Notes
    -----
    Ties are left out. The other differences are ranked by their absolute size, and equal sizes
    share the mean of their ranks; the statistic is the sum of the ranks of the wins. The p value is
    exact for up to 200 differences, also with equal sizes, and scipy's normal approximation for
    more. The exact p value takes O(n³) time for n differences, since rank sums are below n².

    References
    ----------
    F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945.

    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.1.3.

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
    if differences.size <= _MAX_EXACT:
        p_value = _exact_p_value(ranks, statistic, alternative)
    else:
        p_value = float(wilcoxon(differences, alternative=chosen, method="asymptotic").pvalue)
    counts = _counted(gains)
    return PairTest("Wilcoxon", names, *counts, statistic, p_value, alternative, table.dropped)


def _exact_p_value(ranks: np.ndarray, statistic: float, alternative: str) -> float:
    """Return the probability of a rank sum at least as extreme if all signs are equally likely."""
    # Shared ranks are multiples of 1/2, so twice a rank is a whole number.
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
    """Return numbers in the order of the sizes; sizes that differ by rounding only are equal."""
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


_MAX_DRAWN = 2**20  # numbers that are drawn at once


@dataclass(frozen=True, repr=False)
class Difference:
    """Mean difference of two methods and its interval; prints as a sentence."""

    pair: tuple[str, str]
    mean: float
    low: float
    high: float
    confidence: float
    n_blocks: int
    dropped: tuple[str, ...] = ()

    def __repr__(self) -> str:
        first, second = map(printable, self.pair)
        head = (
            f"{first} - {second}: {self.mean:.4g} [{self.low:.4g}, {self.high:.4g}], "
            f"{self.confidence:.0%} interval over {self.n_blocks} data sets"
        )
        ties = ["All data sets tie."] if self.low == self.high == 0 else []
        return "\n".join([head, *ties, *dropped_note(self.dropped)])


def paired_difference(
    values: Any,
    pair: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    n_bootstrap: int = 10_000,
    random_state: Any = None,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> Difference:
    """Estimate the mean difference of two methods, with a bootstrap interval.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    pair : sequence of two str, default=None
        Names of the first and the second method; None if there are only two methods.
    confidence : float, default=0.95
        Nominal probability, between 0 and 1, that the interval contains the true mean difference.
    n_bootstrap : int, default=10000
        Number of bootstrap draws.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.
        The difference is first minus second in any case.

    Returns
    -------
    Difference
        Prints as a sentence. Attributes: `pair`, the names of both methods; `mean`, the mean over
        data sets of the value of the first method minus that of the second; `low` and `high`, the
        ends of the interval; `confidence`; `n_blocks`, the number of data sets; `dropped`, the
        names of those that were left out because a value is missing.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    Notes
    -----
    Each bootstrap sample draws data sets with replacement, with both methods' values. With the
    mean m and its standard error s of all data sets, and m* and s* of a bootstrap sample, the ends
    of the interval are ``m - s q`` for the quantiles q of ``(m* - m) / s*`` at
    (1 ± confidence) / 2. Unlike quantiles of m*, they account for the error of s, and for
    differences that are skewed. Bootstrap samples of equal values, which have no such ratio, are
    left out. No end is nearer to the mean than that of Student's t interval, so that the interval
    of two data sets is not a point. The interval of one data set is infinite, since it says nothing
    about the spread. In simulations of 40 data sets, 95 % intervals contain the true difference in
    95 to 96 % of the cases if differences are normal or exponential, and in fewer if they are very
    skewed.

    A constant that is added to both methods' values on a data set does not change the interval.
    O(n · n_bootstrap) time for n data sets; memory is bounded.

    References
    ----------
    B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, section 12.5.

    P. Hall, "Theoretical Comparison of Bootstrap Confidence Intervals", The Annals of Statistics,
    1988.

    Examples
    --------
    >>> from labelwise.experiments import paired_difference
    >>> values = {"new": [0.9, 0.8, 0.7, 0.8], "old": [0.6, 0.8, 0.5, 0.7]}
    >>> paired_difference(values, random_state=0)
    new - old: 0.15 [-0.07361, 0.3736], 95% interval over 4 data sets
    """
    confidence = check_share(confidence, "confidence")
    n_bootstrap = check_whole(n_bootstrap, "n_bootstrap", least=2)
    direction = True if higher_is_better is None and measure is None else higher_is_better
    table = paired_values(values, measure=measure, higher_is_better=direction, missing=missing)
    names, gains = table.columns(pair)
    differences = gains if table.higher_is_better else -gains
    mean = float(differences.mean())
    low, high = _interval(differences, confidence, n_bootstrap, check_random_state(random_state))
    return Difference(names, mean, low, high, confidence, differences.size, table.dropped)


def _interval(
    differences: np.ndarray, confidence: float, n_bootstrap: int, random: Any
) -> tuple[float, float]:
    """Return the ends of the studentized interval of the mean."""
    from scipy.special import stdtrit

    n, mean = differences.size, float(differences.mean())
    if n == 1:
        return -np.inf, np.inf
    if np.ptp(differences) == 0:
        return mean, mean
    tail = (1 - confidence) / 2
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    ratios = _drawn_ratios(differences - mean, n_bootstrap, random)
    # Ratios of no bootstrap sample: those of Student's t remain.
    low, high = np.quantile(ratios, [tail, 1 - tail]) if ratios.size else (0.0, 0.0)
    least = float(stdtrit(n - 1, 1 - tail))
    return float(mean - max(high, least) * error), float(mean - min(low, -least) * error)


def _drawn_ratios(centred: np.ndarray, n_bootstrap: int, random: Any) -> np.ndarray:
    """Return mean by standard error of bootstrap samples, without samples of equal values."""
    n = centred.size
    n_together = max(1, _MAX_DRAWN // n)
    found = []
    for start in range(0, n_bootstrap, n_together):
        drawn = centred[random.randint(n, size=(min(n_together, n_bootstrap - start), n))]
        drawn = drawn[np.ptp(drawn, axis=1) > 0]
        found.append(drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(n)))
    return np.concatenate(found)
