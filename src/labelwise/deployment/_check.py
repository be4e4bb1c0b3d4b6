"""One test of promises on new labelled samples, by intervals of their measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._validation import check_real
from labelwise.decisions import Bands, Thresholds
from labelwise.deployment._estimates import from_to
from labelwise.deployment._promises import DecidedSamples, Promise, promises_of, records, table_of
from labelwise.deployment._quotients import bounds

KEPT, BROKEN, OPEN = "kept", "broken", "not enough samples"
# Values that are tested of one measure, and of each label of a macro average.
_VALUES, _VALUES_OF_LABELS = 501, 101


@dataclass(frozen=True, eq=False, repr=False)
class PromiseCheck:
    """Which promises new samples confirm or disprove; prints as a table.

    `check_promises` returns such objects. Arrays have one entry for each promise.

    Attributes
    ----------
    promises : tuple of Promise
        The promises, each with `name`, `limit`, `source` and `label`.
    values : ndarray of shape (n_promises,)
        Value of each measure on the samples.
    intervals : ndarray of shape (2, n_promises)
        Lower and upper ends of intervals, which contain all measures on new samples together with
        probability `level`.
    verdicts : tuple of str
        "kept", "broken" or "not enough samples".
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
    intervals: np.ndarray
    verdicts: tuple[str, ...]
    level: float
    n_samples: int
    label_names: tuple[str, ...] | None

    @property
    def verdict(self) -> str:
        """The verdict on all promises: "broken" if one is, "kept" if all are."""
        return next((one for one in (BROKEN, OPEN) if one in self.verdicts), KEPT)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as dicts and lists, as --json writes them.

        Returns
        -------
        dict
            The verdict on all promises, and a dict for each promise.
        """
        low, high = self.intervals
        columns = {"value": self.values, "low": low, "high": high, "verdict": self.verdicts}
        about = {name: getattr(self, name) for name in ("verdict", "n_samples", "level")}
        return about | {"promises": records(self.promises, self.label_names, columns)}

    def __repr__(self) -> str:
        title = (
            f"{self.n_samples:,} samples: {self.verdict} (level {self.level:g} for all verdicts)"
        )
        found = self.to_dict()["promises"]
        for one, ends in zip(found, self.intervals.T, strict=True):
            one["interval"] = from_to(ends)
        shown = {"value": ".4f", "interval": "", "verdict": ""}
        return f"{title}\n\n{table_of(found, shown)}"


def check_promises(
    thresholds: Thresholds | Bands,
    scores: Any,
    Y: Any,
    *,
    at_least: Mapping[str, float] | None = None,
    level: float = 0.95,
    groups: Any = None,
    ids: Any = None,
) -> PromiseCheck:
    """Check on new labelled samples whether thresholds keep their promises.

    Parameters
    ----------
    thresholds : Thresholds or Bands
        The deployed rule. Its promises are a guarantee, constraints, and the corrected value. In
        recall and F, a cell that bands send to review counts as decided if the label is true;
        precision is that of the accepted cells. Promises of thresholds that were tuned with
        weights are about weighted samples, and are not tested.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. Their samples must be independent of
        those that the thresholds were tuned on.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN where the truth is missing; such cells are not counted.
    at_least : mapping of str to float, default=None
        Further promises, as ``{"micro-f": 0.6}``, in place of those of the same measure. A
        corrected value is an estimate: without another limit, it counts as promised less 0.05.
        Measures are precision, recall and f, with the average micro, sample or macro. A macro
        average needs many samples with each label.
    level : float, default=0.95
        Probability, at least, that no verdict is wrong.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. No group of new samples is assumed
        to be larger than the largest one here. Samples count the same, as in the measures, and
        groups only for a guarantee in which they do (``Certify(weigh="group")``).
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

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
    The interval of each measure is found by betting: each value of a grid is tested, and the lower
    end moves up to the last value before one that is not rejected. A promise is kept if the whole
    interval keeps it, and broken if none of it does. Each of m intervals holds with probability
    1 - (1 - `level`) / m, so that all verdicts are right together with probability `level`. The
    interval of a macro average is the mean of intervals of its labels that hold together.

    References
    ----------
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
    promises = promises_of(thresholds, at_least, macro=True)
    samples = DecidedSamples(thresholds, scores, Y, groups, ids)
    # A file may be sorted, and nobody may try orders until a promise is kept.
    order = np.random.RandomState(0).permutation(samples.n_units)
    alpha = (1 - level) / len(promises)
    found, verdicts = zip(*(_measured(one, samples, order, alpha) for one in promises), strict=True)
    facts = (verdicts, level, samples.n_samples, thresholds.label_names)
    return PromiseCheck(promises, np.array(found)[:, 0], np.array(found)[:, 1:].T, *facts)


def _measured(
    promise: Promise, samples: DecidedSamples, order: np.ndarray, alpha: float
) -> tuple[list[float], str]:
    """Return the value of a measure with the ends of its interval, and the verdict.

    The interval of a macro average has the means of those of its labels.
    """
    is_macro = promise.name.startswith("macro")
    labels = range(samples.n_labels) if is_macro else [promise.label]
    grid = np.linspace(0.0, 1.0, _VALUES_OF_LABELS if is_macro else _VALUES)
    parts = []
    for label in labels:
        one = samples.quotient(promise._replace(label=label))
        one = one._replace(above=one.above[order], below=one.below[order])
        limit = one.on_scale(promise.limit)
        grid = grid if is_macro else np.union1d(grid, limit)
        parts.append([one.value, *bounds(one.bets, order.size, alpha / len(labels), grid)])
    values, low, high = np.array(parts).T
    value = np.nanmean(values) if not np.isnan(values).all() else np.nan
    verdict = KEPT if low.mean() >= limit else BROKEN if high.mean() < limit else OPEN
    ends = sorted(one.of_scale(end.mean()) for end in (low, high))
    return [one.of_scale(value), *ends], verdict
