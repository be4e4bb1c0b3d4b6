"""Mean difference of two methods over data sets, with a studentized bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import printable
from labelwise._validation import check_random_state, check_share, check_whole
from labelwise.experiments.statistics._paired_values import dropped_note, paired_values

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
        Number of bootstrap samples.
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
