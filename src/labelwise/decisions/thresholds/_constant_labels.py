"""Thresholds of estimators, whose labels may have one class only in training.

Such a label is not tuned: its threshold is -inf (always decided) or inf (never decided).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labelwise.decisions.thresholds._request import Request
from labelwise.decisions.thresholds._result import Thresholds


def thresholds_of_no_label(request: Request) -> Thresholds:
    """Build the result of a request if no label has both classes, without a value."""
    return Thresholds(
        values=np.zeros(0),
        value=float("nan"),
        measure=request.measure_name,
        average=request.average,
        support=np.zeros(0, dtype=np.int64),
        decided=np.zeros(0, dtype=np.int64),
        n_samples=0,
        beta=request.beta,
        shared=request.shared,
    )


def with_constant_labels(
    tuned: Thresholds,
    constants: np.ndarray,
    Y: np.ndarray,
    names: tuple[str, ...] | None,
    weights: np.ndarray | None = None,
) -> Thresholds:
    """Add infinite thresholds of labels with one class to those of the tuned labels.

    `constants` has the class of each label with one class, and NaN for each tuned label; `Y` are
    the labels of the tuning samples, all columns, with NaN for missing labels. Samples are counted
    by weight, if there are weights.
    """
    everyone = np.ones(len(Y), dtype=np.int64) if weights is None else weights
    is_known = ~np.isnan(Y)
    has_truth = is_known.any(axis=1)
    values = np.where(constants == 1, -np.inf, np.inf)
    decided = np.where(constants == 1, everyone @ is_known, 0)
    values[np.isnan(constants)], decided[np.isnan(constants)] = tuned.values, tuned.decided
    return replace(
        tuned,
        values=values,
        decided=decided,
        support=everyone @ (Y == 1),
        n_samples=int(has_truth.sum()),
        label_names=names,
        n_missing=int((~is_known[has_truth]).sum()),
    )
