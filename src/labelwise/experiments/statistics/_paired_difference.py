"""By how much two methods differ: the mean difference and its interval by paired bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import printable
from labelwise._validation import check_share, check_whole
from labelwise.experiments.statistics._paired_values import dropped_note, paired_values

# Numbers drawn at a time.
_BLOCK = 2**20


@dataclass(frozen=True, repr=False)
class Difference:
    """The mean difference of two methods over data sets, with an interval; prints as a sentence.

    Parameters
    ----------
    pair : tuple of str
        First and second method.
    mean : float
        Of first minus second.
    low, high : float
        Ends of the interval.
    confidence : float
        Share of the draws between them.
    n_blocks : int
        Number of data sets.
    dropped : tuple of str
        Data sets left out because a value is missing.
    """

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
    n_draws: int = 10_000,
    random_state: Any = None,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> Difference:
    """Return the mean difference of two methods and its interval by paired bootstrap.

    Data sets are drawn with replacement, both methods together, and the interval holds the middle
    of the means. It widens with what differs between data sets, never with how hard they are.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods; see `paired_values`, also for the arguments not named here.
    pair : two names, optional
        The methods; not needed where there are two.
    confidence : float
        Share of the draws inside the interval.
    n_draws : int
        Number of draws.
    random_state : int, RandomState or None
        Same seed, same interval.
    measure : str, optional
        Name of the measure.
    higher_is_better : bool, optional
        Not needed here: the difference is first minus second either way.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    Difference

    Notes
    -----
    O(n·n_draws) for n data sets; draws are made in blocks of bounded memory.

    References
    ----------
    B. Efron and R. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13.

    Examples
    --------
    >>> from labelwise.experiments import paired_difference
    >>> values = {"new": [0.9, 0.8, 0.7, 0.8], "old": [0.6, 0.8, 0.5, 0.7]}
    >>> paired_difference(values, random_state=0)
    new - old: 0.15 [0.05, 0.25], 95% interval over 4 data sets
    """
    from sklearn.utils import check_random_state

    confidence = check_share(confidence, "confidence")
    n_draws = check_whole(n_draws, "n_draws", least=2)
    direction = True if higher_is_better is None and measure is None else higher_is_better
    table = paired_values(values, measure=measure, higher_is_better=direction, missing=missing)
    names, gains = table.columns(pair)
    differences = gains if table.higher_is_better else -gains
    means = _drawn_means(differences, n_draws, check_random_state(random_state))
    tail = (1 - confidence) / 2
    low, high = (float(end) for end in np.quantile(means, [tail, 1 - tail]))
    mean = float(differences.mean())
    return Difference(names, mean, low, high, confidence, differences.size, table.dropped)


def _drawn_means(differences: np.ndarray, n_draws: int, random: Any) -> np.ndarray:
    n = differences.size
    n_together = max(1, _BLOCK // n)
    return np.concatenate(
        [
            differences[random.randint(n, size=(min(n_together, n_draws - start), n))].mean(axis=1)
            for start in range(0, n_draws, n_together)
        ]
    )
