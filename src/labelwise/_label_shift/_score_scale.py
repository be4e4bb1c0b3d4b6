"""Thresholds of uncalibrated scores, adapted on the scale of calibrated probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from labelwise._sigmoids import Sigmoids, fit_sigmoids
from labelwise._tuning import Thresholds, in_order
from labelwise._validation import (
    check_labels,
    check_scores,
    dense_targets,
    in_row_order,
    rows_in_order,
    rows_of,
    side_of_rows,
)


class ScoreScale(NamedTuple):
    """New scores of the labels of thresholds, and their sigmoids to probabilities."""

    thresholds: Thresholds
    scores: np.ndarray
    sigmoids: Sigmoids

    def probabilities(self) -> np.ndarray:
        """Return the probabilities of the new scores."""
        return self.sigmoids.probabilities(self.scores)

    def on_probabilities(self) -> Thresholds:
        """Return the thresholds on the scale of probabilities."""
        values = self.thresholds.values
        finite = np.isfinite(values)
        inside = expit(self.sigmoids.log_odds(np.where(finite, values, 0.0)))
        return replace(self.thresholds, values=np.where(finite, inside, values))

    def on_scores(self, adapted: Thresholds) -> Thresholds:
        """Return adapted thresholds on the scale of scores, with the same decisions."""
        before, proba = self.on_probabilities().values, self.probabilities()
        values = self.thresholds.values.copy()
        for j in np.flatnonzero(adapted.values != before):
            values[j] = self._score_at(int(j), adapted.values[j], proba[:, j])
        return replace(adapted, values=values)

    def _score_at(self, j: int, level: float, proba: np.ndarray) -> float:
        """Return a score from which on the probabilities of a label reach a level."""
        slope, intercept = self.sigmoids.slopes[j], self.sigmoids.intercepts[j]
        if slope == 0 or not 0 < level < 1:
            return float(-np.inf if level <= proba.max() and level < 1 else np.inf)
        reached = proba >= level
        lowest = self.scores[reached, j].min(initial=np.inf)
        highest = self.scores[~reached, j].max(initial=-np.inf)
        score = float((logit(level) - intercept) / slope)
        # Rounding must not change the decision of a new score.
        return score if highest < score <= lowest else float(lowest)


def score_scale(thresholds: Thresholds, new_scores: Any, labelled: Any) -> ScoreScale:
    """Fit a sigmoid to each label, on the scores and the labels of other samples."""
    if thresholds.evidence.shared:
        raise ValueError(
            "calibrate is not for one threshold of all labels: labels have sigmoids of their own."
        )
    scores, Y, _ = calibration_samples(thresholds, labelled)
    sigmoids = fit_sigmoids(scores, Y, np.ones(len(scores)), increasing=True)
    return ScoreScale(thresholds, _dense(thresholds, new_scores), sigmoids)


def calibration_samples(
    rule: Any, labelled: Any, groups: Any = None
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Check a pair of scores and labels, and bring rows and groups into the order of the labels.

    Scores and labels are returned as float64, with NaN for missing labels.
    """
    if not isinstance(labelled, tuple | list) or len(labelled) != 2:
        raise TypeError(f"calibrate must be a pair of scores and labels, got {labelled!r:.80}.")
    scores = _dense(rule, labelled[0])
    labels = check_labels(labelled[1], allow_missing=True)
    Y = in_order(rule, labels.matrix, labels.names, "the labels of calibrate")
    missing = labels.missing
    if missing is not None:
        missing = in_order(rule, missing, labels.names, "the labels of calibrate")
    of_scores, of_labels = (
        rows_of(data, None, f"calibrate[{i}]")[1]._replace(shape=matrix.shape)
        for i, (data, matrix) in enumerate(zip(labelled, (scores, Y), strict=True))
    )
    order = rows_in_order(of_labels, of_scores, None)
    scores = scores if order is None else scores[order]
    groups = in_row_order(groups, side_of_rows(of_labels, [of_scores]), "calibrate[2]")
    return scores, dense_targets(Y, missing).astype(np.float64), groups


def _dense(thresholds: Any, scores: Any) -> np.ndarray:
    checked = check_scores(scores, input_name="scores")
    if sparse.issparse(checked.matrix):
        raise TypeError("calibrate is for dense scores: a sigmoid needs the score of every cell.")
    matrix = in_order(thresholds, checked.matrix, checked.names, "scores")
    if not len(matrix):
        raise ValueError("scores must have at least one sample, got 0.")
    # Sums, and so sigmoids, would otherwise depend on the order in memory.
    return np.ascontiguousarray(matrix, dtype=np.float64)
