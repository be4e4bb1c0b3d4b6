"""Measures with intervals, as audits and expectations report them, and calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logit

from labelwise._label_shift import calibration_samples
from labelwise._sigmoids import Sigmoids, fit_sigmoids
from labelwise._text import as_text, printable
from labelwise._validation import check_groups
from labelwise.measures import f_measure, precision, recall

MEASURES = {"precision": precision, "recall": recall, "f": f_measure}
MOST_SHOWN = 20
# Probabilities nearer to 0 and 1 have no finite log-odds.
_NEAREST = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Estimates:
    """Values of measures with intervals, on average and of each label."""

    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    label_values: Mapping[str, np.ndarray]
    label_intervals: Mapping[str, np.ndarray]
    level: float
    label_names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as dicts and lists, as --json writes them.

        Returns
        -------
        dict
            Value and both ends of the interval of each measure, and of each label.
        """
        measures = {
            name: _with_ends(value, self.intervals[name]) for name, value in self.values.items()
        }
        labels = [
            {"label": name}
            | {
                one: _with_ends(self.label_values[one][j], self.label_intervals[one][:, j])
                for one in MEASURES
            }
            for j, name in enumerate(self.label_names)
        ]
        return {"level": self.level, "measures": measures, "labels": labels}

    def _text(self, title: list[str], heads: tuple[str, str], labels: list[list[str]]) -> str:
        """Return lines of a title, the table of averages, and that of labels if it has any."""
        value, interval = heads
        rows = [
            [name, f"{one:.4f}", from_to(self.intervals[name])] for name, one in self.values.items()
        ]
        averages = [["measure", value, f"{self.level:.0%} {interval}"], *rows]
        labels = [[printable(name), *rest] for name, *rest in labels]
        tables = [f"\n{as_text(table)}" for table in (averages, labels) if len(table) > 1]
        return "\n".join([*title, *tables])


def from_to(ends: Any) -> str:
    """Write an interval."""
    return "{:.3f} to {:.3f}".format(*ends)


def _with_ends(value: Any, ends: Any) -> dict[str, Any]:
    return {"value": value, "low": ends[0], "high": ends[1]}


class Calibration:
    """Sigmoids from scores to probabilities, fitted to labelled samples.

    Probabilities are turned into log-odds first, for which a sigmoid is the right form. Without
    labelled samples, scores must be probabilities and are taken as they are.
    """

    def __init__(self, rule: Any, scores: Any, calibrate: Any) -> None:
        values = scores.data if sparse.issparse(scores) else scores
        self.in_log_odds = _are_probabilities(values)
        self.labelled: list[np.ndarray] | None = None  # scores and labels
        if calibrate is not None:
            groups = None
            if isinstance(calibrate, tuple | list) and len(calibrate) == 3:
                *calibrate, groups = calibrate
            *self.labelled, groups = calibration_samples(rule, calibrate, groups)
            # Without groups, each sample is one of its own.
            self.groups = np.arange(len(self.labelled[1]))
            if groups is not None:
                self.groups = check_groups(groups, self.groups.size)
            n_groups = int(self.groups.max()) + 1
            if n_groups < 2:
                raise ValueError(
                    f"calibrate must have at least 2 samples or groups, got {n_groups}."
                )
            self.in_log_odds &= _are_probabilities(self.labelled[0])
            self.sigmoids = self.fitted(np.ones(len(self.labelled[1])))
        elif not self.in_log_odds:
            raise ValueError(
                "scores must be probabilities from 0 to 1 without calibrate, got scores from "
                f"{values.min():g} to {values.max():g}."
            )

    def fitted(self, weights: np.ndarray) -> Sigmoids:
        """Fit sigmoids to weighted samples."""
        scores, Y = self.labelled  # type: ignore[misc]
        return fit_sigmoids(self.scaled(scores), Y, weights, increasing=True)

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Return probabilities, by the sigmoids of all labelled samples if there are any."""
        if self.labelled is None:
            return np.asarray(scores, dtype=np.float64)
        return self.sigmoids.probabilities(self.scaled(scores))

    def scaled(self, scores: np.ndarray) -> np.ndarray:
        """Return what sigmoids take: log-odds of probabilities, and other scores themselves."""
        if not self.in_log_odds:
            return np.asarray(scores, dtype=np.float64)
        return np.asarray(logit(np.clip(scores, _NEAREST, 1 - _NEAREST)))


def _are_probabilities(values: np.ndarray) -> bool:
    return bool(values.size == 0 or (values.min() >= 0 and values.max() <= 1))
