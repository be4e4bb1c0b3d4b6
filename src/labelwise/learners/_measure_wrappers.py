"""Choose the decision rule that makes a model decide for a measure."""

from __future__ import annotations

from typing import Any

from labelwise.decisions import TunedThresholds
from labelwise.learners._independent_f import IndependentFPlugin


def maximizing(model: Any, maximize: str, beta: float, random_state: int | None) -> Any:
    """Return an estimator that decides for a measure with the scores of a model.

    A model that tunes its own thresholds gets the measure as a parameter. For the mean F of
    samples, a model with probabilities is wrapped in `IndependentFPlugin`. Every other model is
    wrapped in `TunedThresholds`.

    Parameters
    ----------
    model : estimator
        Not fitted; its parameters may change.
    maximize : str
        Average and measure by name, such as "micro-f".
    beta : float
        Weight of recall in the F-measure.
    random_state : int or None
        Seed of the folds for held-out scores.

    Returns
    -------
    estimator
        Not fitted.

    Raises
    ------
    TypeError
        If the model has neither `predict_proba` nor `decision_function`.
    """
    if "maximize" in model.get_params(deep=False):
        return model.set_params(maximize=maximize, beta=beta)
    if maximize == "sample-f" and hasattr(model, "predict_proba"):
        return IndependentFPlugin(model, beta=beta)
    if not hasattr(model, "predict_proba") and not hasattr(model, "decision_function"):
        raise TypeError(f"model must give scores, and {type(model).__name__} gives none.")
    return TunedThresholds(model, maximize=maximize, beta=beta, random_state=random_state)
