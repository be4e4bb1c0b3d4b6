"""Thresholds of estimators, whose labels may have one class only in training.

Such a label is not tuned: its threshold is -inf (always decided) or inf (never decided).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labelwise._tuning._result import Evidence, Thresholds
from labelwise._tuning.objectives._request import Request


def thresholds_of_no_label(request: Request) -> Thresholds:
    """Build the result of a request if no label has both classes, without a value."""
    evidence = Evidence(
        value=float("nan"),
        measure=request.measure_name,
        average=request.average,
        support=np.zeros(0, dtype=np.int64),
        decided=np.zeros(0, dtype=np.int64),
        n_samples=0,
        beta=request.beta,
        shared=request.shared,
    )
    return Thresholds(np.zeros(0), evidence)


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
    varies, is_always = np.isnan(constants), constants == 1
    found = tuned._of_labels(
        np.where(varies, np.cumsum(varies) - 1, -1),
        names,
        support=everyone @ (Y == 1),
        n_samples=int(has_truth.sum()),
        n_missing=int((~is_known[has_truth]).sum()),
    )
    found.values[is_always] = -np.inf
    known = found.evidence
    decided = np.where(is_always, everyone @ is_known, known.decided)
    hits = known.true_positives
    if hits is not None:
        hits = np.where(is_always, known.support, hits)
    return replace(found, evidence=replace(known, decided=decided, true_positives=hits))
