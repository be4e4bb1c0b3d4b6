"""Ask a fitted model for decisions and scores, and join them with the true labels."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import (
    Labels,
    Outcome,
    as_dense,
    check_outcome,
    check_readable,
    is_array_per_label,
    scores_of_class_1,
    with_nan,
    without_cells,
)
from labelwise.measures._model_labels import ModelTruth


def outcome_of(estimator: Any, X: Any, truth: ModelTruth, needs: Collection[str]) -> Outcome:
    """Predict what is needed ("decided", "scores") and join the predictions with the truth.

    Labels that the model does not know are never decided, and their scores are the lowest.
    """
    check_readable(X, "X")
    answers = {}
    if "decided" in needs:
        answers["decided"] = _decisions(estimator, X, truth.n_known)
    if "scores" in needs:
        answers["scores"] = _scores(estimator, X, truth.n_known)
    if not isinstance(truth.known, Labels):
        return check_outcome(truth.known, by_position=True, **answers)
    Y = with_nan(truth.known.matrix, truth.known.missing)
    found = check_outcome(Y, label_names=truth.known.names, allow_missing=True, **answers)
    return found if truth.unknown is None else _with_unknown(found, truth.unknown)


def _with_unknown(found: Outcome, unknown: Labels) -> Outcome:
    """Append labels that the model does not know."""
    never = sparse.csc_array(unknown.matrix.shape, dtype=bool)
    scores = None if found.scores is None else _with_lowest(found.scores, never)
    gaps = [found.missing, unknown.missing]
    missing = None
    if any(part is not None for part in gaps):
        none = [sparse.csc_array(found.Y.shape, dtype=bool), never]
        pairs = zip(gaps, none, strict=True)
        missing = sparse.csc_array(sparse.hstack([b if a is None else a for a, b in pairs]))
        scores = None if scores is None else without_cells(scores, missing)
    decided = None
    if found.decided is not None:
        decided = sparse.csc_array(sparse.hstack([found.decided, never]))
    Y = sparse.csc_array(sparse.hstack([found.Y, unknown.matrix]))
    return Outcome(Y, scores, decided, None, missing=missing)


def _with_lowest(scores: Any, never: sparse.csc_array) -> Any:
    """Append columns whose scores are below all others."""
    if sparse.issparse(scores):
        return sparse.csr_array(sparse.hstack([scores, never.astype(scores.dtype)]))
    return np.hstack([scores, np.full(never.shape, -np.inf, dtype=scores.dtype)])


def _decisions(estimator: Any, X: Any, n_labels: int | None) -> Any:
    return _as_matrix(estimator.predict(X), n_labels, "predict")


def _scores(estimator: Any, X: Any, n_labels: int | None) -> Any:
    """Compute scores of the labels by the estimator, as one matrix."""
    if hasattr(estimator, "decision_function"):
        return _as_matrix(estimator.decision_function(X), n_labels, "decision_function")
    if not hasattr(estimator, "predict_proba"):
        kind = type(estimator).__name__
        raise TypeError(f"{kind} must have decision_function or predict_proba for this measure.")
    proba = estimator.predict_proba(X)
    if is_array_per_label(proba):
        return scores_of_class_1(proba, "predict_proba", getattr(estimator, "classes_", None))
    return _as_matrix(proba, n_labels, "predict_proba")


def _as_matrix(answer: Any, n_labels: int | None, method: str) -> Any:
    """Return predictions as a matrix, also if one label has another form."""
    if (n_labels != 1 and np.ndim(answer) != 1) or sparse.issparse(answer):
        return answer
    return as_dense(answer, method).reshape(len(answer), -1)[:, -1:]
