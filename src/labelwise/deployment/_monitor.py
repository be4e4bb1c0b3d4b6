"""Monitors: evidence that a promise is broken, as samples arrive, valid at any time.

For one promise, let Z be the number of a sample whose mean is at least 0 if the promise is kept
(`_promises`), at most B. A player who bets that the promise is broken multiplies the capital by
``1 - λ Z`` at each sample, with a fixed λ below 1 / B. If the promise is kept, the capital is a
nonnegative supermartingale from any start on. At the beginning of batch k, new players start with
``w_k = 1 / (k (k + 1))`` in all, a share for each of some λ. The sum of all capitals is, while the
promise is kept, a nonnegative supermartingale plus what is paid in, at most 1 in all: it reaches
``1 / α`` at any time with probability at most α. Players who start late have lost nothing on the
good days before, so that a late change is found almost as soon as an early one: their payment is
smaller, which costs ``log(k (k + 1))`` of evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._text import counted, printable
from labelwise._validation import check_real
from labelwise.decisions import Bands, Thresholds
from labelwise.deployment._estimates import MOST_SHOWN
from labelwise.deployment._promises import DecidedSamples, promises_of, records, table_of

# Bets of monitors, as shares of the largest one that cannot lose more than everything.
BETS = 0.95 * 0.5 ** np.arange(10)


class Monitor:
    """Watch the promises of deployed thresholds as labelled samples arrive.

    Parameters
    ----------
    thresholds : Thresholds or Bands
        The deployed rule. Its promises are a guarantee, constraints, and the corrected value.
    at_least : mapping of str to float, default=None
        Further promises, as ``{"micro-f": 0.6}``, in place of those of the same measure. A
        corrected value is an estimate: without another limit, it counts as promised less 0.05.
    level : float, default=0.95
        Probability, at least, that a rule that keeps all its promises never causes an alarm,
        however long and however often it is watched.

    Attributes
    ----------
    promises : tuple of Promise
        The promises, each with `name`, `limit`, `source` and `label`.
    batches : list of str
        Name of each update.
    n_samples : list of int
        Number of samples of each update.
    evidence : ndarray of shape (n_updates, n_promises)
        After each update, the logarithm of the evidence against each promise.
    values : ndarray of shape (n_updates, n_promises)
        Value of each measure in each update.

    See Also
    --------
    check_promises : Check promises once, on one set of samples.

    Notes
    -----
    An alarm is raised when the evidence against a promise, the capital of players who bet against
    it, reaches the number of promises divided by 1 - `level`. If a promise is kept, this happens
    with probability (1 - `level`) divided by the number of promises, at any time. At the k-th
    update, new players start with a capital of ``1 / (k (k + 1))`` in all, so that a change is
    found that comes late. The estimated time of change is the start of the players who have
    gained most.

    Samples must be independent of each other, or `groups` says which belong together. The order
    of samples within an update does not matter.

    References
    ----------
    J. Shin, A. Ramdas, A. Rinaldo, "E-detectors: a Nonparametric Framework for Sequential Change
    Detection", 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.deployment import Monitor
    >>> random = np.random.default_rng(0)
    >>> def draw(n_samples, drift):
    ...     proba = random.beta(0.3, 1.5, size=(n_samples, 4))
    ...     return proba, random.random(proba.shape) < (1 - drift) * proba
    >>> tuned = best_thresholds(*draw(2000, 0.0))
    >>> monitor = Monitor(tuned, at_least={"micro-precision": 0.5})
    >>> for day in range(20):
    ...     monitor = monitor.update(*draw(100, 0.0 if day < 10 else 0.5), name=f"day {day}")
    >>> monitor.alarm
    True
    >>> monitor.changed_at
    'day 10'
    """

    def __init__(
        self,
        thresholds: Thresholds | Bands,
        *,
        at_least: Mapping[str, float] | None = None,
        level: float = 0.95,
    ) -> None:
        self.thresholds, self.level = thresholds, check_real(level, "level", least=0.5, most=0.9999)
        self.at_least = dict(at_least or {})
        self.promises = promises_of(thresholds, at_least)
        self.batches: list[str] = []
        self.n_samples: list[int] = []
        self.evidence = self.values = np.zeros((0, len(self.promises)))
        self._largest = 1  # number of samples of the largest group
        # Logarithms of the capital of each bet, and of its best start, with the batch of that.
        self._state = np.full((3, len(self.promises), BETS.size), -np.inf)
        self._state[2] = 0

    @property
    def _limits(self) -> np.ndarray:
        return np.array([one.limit for one in self.promises])

    @property
    def threshold(self) -> float:
        """Logarithm of the evidence at which an alarm is raised."""
        return math.log(len(self.promises) / (1 - self.level))

    @property
    def alarms(self) -> np.ndarray:
        """Number of the update at which each promise caused an alarm; -1 for none."""
        # Before the first update there is no alarm, which argmax finds if there is none later.
        before = np.zeros(len(self.promises), dtype=bool)
        is_above = np.vstack([before, self.evidence >= self.threshold])
        return np.asarray(is_above.argmax(axis=0) - 1)

    @property
    def alarm(self) -> bool:
        """Whether a promise has caused an alarm."""
        return bool((self.alarms >= 0).any())

    @property
    def changed_at(self) -> str | None:
        """Name of the update where the change probably began; None without an alarm."""
        if not self.alarm:
            return None
        found = np.flatnonzero(self.alarms >= 0)
        first = found[np.argmax(self.evidence[-1][found])]
        _, best, since = self._state[:, first]
        return self.batches[int(since[np.argmax(best)])]

    def update(
        self,
        scores: Any,
        Y: Any,
        *,
        name: str | None = None,
        groups: Any = None,
        ids: Any = None,
    ) -> Monitor:
        """Add the samples of a day, or of another period.

        Parameters
        ----------
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels.
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1. NaN where the truth is missing; such cells are not counted.
        name : str, default=None
            Name of the update, such as a date; None takes its number, from 1.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together, and all of them must come in
            one update. No later group is assumed to be larger than the largest one so far. Samples
            count the same, and groups only for a guarantee in which they do.
        ids : str, dict or False, default=None
            Ids of the samples, by which they are matched: the name of a column that the arguments
            have beside the labels, or a dict of such names, or of array-likes of ids, by argument.
            None means the index of pandas frames, or the ids of a file that
            `labelwise.data.read_scores` or `read_labels` has read. False matches samples by
            position if only one argument has ids, which is refused otherwise, unless the other one
            is an array.

        Returns
        -------
        Monitor
            The monitor itself.

        Raises
        ------
        ValueError
            If the labels are not those of the thresholds, or if there was an update of this name.
        """
        number = len(self.batches)
        name = str(number + 1) if name is None else str(name)
        if name in self.batches:
            raise ValueError(f"name must be that of a new update, got {name!r:.80} again.")
        samples = DecidedSamples(self.thresholds, scores, Y, groups, ids)
        self._largest = samples.largest = max(samples.largest, self._largest)
        measured = [samples.quotient(one) for one in self.promises]
        gains = []
        for promise, one in zip(self.promises, measured, strict=True):
            numbers, least, _ = one.bets(-1.0, np.array([one.on_scale(promise.limit)]))
            bets = np.multiply.outer(-BETS / least, numbers(slice(None))[:, 0])
            gains.append(np.log1p(bets).sum(axis=1))
        paid = -math.log((number + 1) * (number + 2) * BETS.size)
        capital, best, since = self._state
        capital = np.logaddexp(capital, paid) + np.array(gains)
        self._state = np.stack(
            [capital, np.maximum(best, 0.0) + np.array(gains), np.where(best <= 0, number, since)]
        )
        self.batches.append(name)
        self.n_samples.append(samples.n_samples)
        self.evidence = np.vstack([self.evidence, np.logaddexp.reduce(capital, axis=1)])
        self.values = np.vstack([self.values, [one.of_scale(one.value) for one in measured]])
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the results as dicts and lists, as --json writes them.

        Returns
        -------
        dict
            Whether there is an alarm, the time of change, and a dict for each promise.
        """
        none = np.full(len(self.promises), np.nan)
        columns = {
            "value": np.vstack([none, self.values])[-1],
            "evidence": np.vstack([none, self.evidence])[-1],
            "alarm_at": [None if at < 0 else self.batches[at] for at in self.alarms],
        }
        return {
            "alarm": self.alarm,
            "changed_at": self.changed_at,
            "n_updates": len(self.batches),
            "n_samples": sum(self.n_samples),
            "level": self.level,
            "alarm_from": self.threshold,
            "promises": records(self.promises, self.thresholds.label_names, columns),
        }

    def __repr__(self) -> str:
        updates, samples = counted(len(self.batches), "update"), sum(self.n_samples)
        title = f"Monitor of {updates}, {counted(samples, 'sample')}: "
        title += "no alarm" if not self.alarm else f"alarm, changed at {printable(self.changed_at)}"
        most_first = sorted(self.to_dict()["promises"], key=lambda one: -one["evidence"])
        shown = {"value": ".4f", "evidence": ".2f", "alarm_at": ""}
        said = "evidence: logarithm of the gain of bets against the promise; alarm from "
        said += f"{self.threshold:.2f} on"
        return f"{title}\n{said}\n\n{table_of(most_first[:MOST_SHOWN], shown)}"

    def save(self, path: str | Path) -> None:
        """Write the state to a JSON file, without the thresholds.

        Parameters
        ----------
        path : str or Path
            File to write; it appears only once it is complete.
        """
        from labelwise._json_files import json_content, write_json
        from labelwise.deployment._files import MonitorFile

        flat = {name: np.ravel(getattr(self, name)) for name in ("evidence", "values", "_state")}
        fields = {**vars(self), "thresholds": _ends(self.thresholds), "limits": self._limits}
        fields |= {**flat, "state": flat["_state"], "largest_group": self._largest}
        write_json(json_content(MonitorFile, fields), path)

    @staticmethod
    def load(path: str | Path, thresholds: Thresholds | Bands) -> Monitor:
        """Read the state from a JSON file that `save` has written.

        Parameters
        ----------
        path : str or Path
            File to read.
        thresholds : Thresholds or Bands
            The rule that is watched, the same as before.

        Returns
        -------
        Monitor
            The monitor as it was saved.

        Raises
        ------
        DataError
            If the file cannot be read, or is not the state of a monitor of these thresholds.
        """
        from labelwise._io import DataError
        from labelwise._json_files import read_json
        from labelwise.deployment._files import MonitorFile

        found = read_json(path, MonitorFile)
        if not np.array_equal(found.thresholds, _ends(thresholds)):
            raise DataError(path, "is the state of a monitor of other thresholds.")
        monitor = Monitor(thresholds, at_least=found.at_least, level=found.level)
        is_same = np.array_equal(found.limits, monitor._limits)
        if not is_same or len(found.state) != monitor._state.size:
            raise DataError(path, "is the state of a monitor of other promises.")
        monitor.batches, monitor.n_samples = found.batches, found.n_samples.tolist()
        monitor._largest = found.largest_group
        shape = (len(found.batches), found.limits.size)
        monitor.values, monitor.evidence = (
            np.array(part, np.float64).reshape(shape) for part in (found.values, found.evidence)
        )
        monitor._state = np.reshape(np.array(found.state, np.float64), monitor._state.shape)
        return monitor


def _ends(rule: Thresholds | Bands) -> np.ndarray:
    """Return all thresholds of a rule, by which a monitor knows it again."""
    return np.append(rule.upper, rule.lower) if isinstance(rule, Bands) else rule.values
