"""Checks whether deployed thresholds keep on new samples what they promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelwise._text import as_text
from labelwise._tuning import log_capitals
from labelwise._validation import check_random_state, check_real
from labelwise.decisions import Bands, Thresholds
from labelwise.deployment._promises import Promise, promises_of, sample_numbers

KEPT, BROKEN, OPEN = "kept", "broken", "not enough rows"


@dataclass(frozen=True, eq=False, repr=False)
class PromiseCheck:
    """Which promises new samples confirm or disprove; prints as a table.

    `check_promises` returns such objects. Arrays have one entry for each promise.

    Attributes
    ----------
    promises : tuple of Promise
        The promises, each with `name`, `limit`, `source` and `label`.
    values : ndarray
        Value of each measure on the samples.
    p_kept : ndarray
        P values of the hypothesis that the promise is broken: a low one proves that it is kept.
    p_broken : ndarray
        P values of the hypothesis that the promise is kept.
    verdicts : tuple of str
        "kept", "broken" or "not enough rows".
    level : float
        Probability that no verdict is wrong.
    n_samples : int
        Number of samples.
    label_names : tuple of str or None
        Names of the labels.

    See Also
    --------
    check_promises : Check promises on new samples with labels.
    """

    promises: tuple[Promise, ...]
    values: np.ndarray
    p_kept: np.ndarray
    p_broken: np.ndarray
    verdicts: tuple[str, ...]
    level: float
    n_samples: int
    label_names: tuple[str, ...] | None

    # Comparing arrays gives arrays, so that two results are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    @property
    def verdict(self) -> str:
        """The verdict on all promises: "broken" if one is, "kept" if all are."""
        return next((one for one in (BROKEN, OPEN) if one in self.verdicts), KEPT)

    def __repr__(self) -> str:
        head = ["promise", "from", "value", "p kept", "p broken", "verdict"]
        rows = [
            [
                one.text(self.label_names),
                one.source,
                f"{self.values[k]:.4f}",
                f"{self.p_kept[k]:.2g}",
                f"{self.p_broken[k]:.2g}",
                self.verdicts[k],
            ]
            for k, one in enumerate(self.promises)
        ]
        title = (
            f"{self.n_samples:,} samples: {self.verdict} (level {self.level:g} for all verdicts)"
        )
        return "\n".join([title, "", as_text([head, *rows])])


def check_promises(
    thresholds: Thresholds | Bands,
    scores: Any,
    Y: Any,
    *,
    at_least: Mapping[str, float] | None = None,
    level: float = 0.95,
    tolerance: float = 0.05,
    groups: Any = None,
    random_state: Any = 0,
) -> PromiseCheck:
    """Check on new labelled samples whether thresholds keep their promises.

    Parameters
    ----------
    thresholds : Thresholds or Bands
        The deployed rule. Its promises are a guarantee, constraints, and the corrected value.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. Their samples must be independent of
        those that the thresholds were tuned on.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN where the truth is missing; such cells are not counted.
    at_least : mapping of str to float, default=None
        Further promises, as ``{"micro-f": 0.6}``, in place of those of the same measure. Measures
        are precision, recall and f, with the average micro or sample.
    level : float, default=0.95
        Probability, at least, that no verdict is wrong.
    tolerance : float, default=0.05
        A corrected value is an estimate: it counts as promised less this number.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, and every group counts the same.
    random_state : int, RandomState or None, default=0
        Seed of the random numbers; the same int gives the same result. It sets the order of the
        tests' bets, because a file may be sorted.

    Returns
    -------
    PromiseCheck
        A verdict on each promise with its p values, and on all of them.

    Raises
    ------
    ValueError
        If there is nothing to check, or if an argument has a wrong value.

    See Also
    --------
    Monitor : Check promises as samples arrive, and find a change.

    Notes
    -----
    For each promise, two hypotheses are tested by betting: that it is broken, and that it is kept.
    Holm's method is used for both sets of hypotheses, each at half of 1 - `level`: with probability
    `level`, no promise is called kept that is broken, and none broken that is kept.

    References
    ----------
    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979.

    I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.deployment import check_promises
    >>> random = np.random.default_rng(0)
    >>> proba = random.beta(0.3, 1.5, size=(4000, 4))
    >>> Y = random.random(proba.shape) < proba
    >>> tuned = best_thresholds(
    ...     proba[:2000], Y[:2000], min_precision=0.6, guarantee=0.95, random_state=0
    ... )
    >>> check_promises(tuned, proba[2000:], Y[2000:], at_least={"micro-f": 0.9}).verdicts
    ('kept', 'broken')
    """
    level = check_real(level, "level", least=0.5, most=0.9999)
    promises = promises_of(thresholds, at_least, tolerance)
    found = sample_numbers(thresholds, promises, scores, Y, groups)
    order = check_random_state(random_state).permutation(len(found.numbers))
    numbers = np.ascontiguousarray(found.numbers[order])
    alpha = (1 - level) / 2
    # Bets go on until they would reject at the strictest level of Holm's method.
    strictest = alpha / len(promises)
    p_kept, p_broken = (
        np.exp(-log_capitals([sign * numbers], -bound, found.squares, len(numbers), strictest))
        for sign, bound in ((1.0, -found.least), (-1.0, found.most))
    )
    is_kept, is_broken = _holm(p_kept, alpha), _holm(p_broken, alpha)
    verdicts = tuple(
        BROKEN if broken else KEPT if kept else OPEN
        for kept, broken in zip(is_kept, is_broken, strict=True)
    )
    return PromiseCheck(
        promises,
        found.values,
        p_kept,
        p_broken,
        verdicts,
        level,
        found.n_samples,
        thresholds.label_names,
    )


def _holm(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Return which hypotheses Holm's method rejects."""
    order = np.argsort(p_values, kind="stable")
    passes = p_values[order] <= alpha / np.arange(p_values.size, 0, -1)
    rejected = np.zeros(p_values.size, dtype=bool)
    rejected[order] = np.logical_and.accumulate(passes)
    return rejected
