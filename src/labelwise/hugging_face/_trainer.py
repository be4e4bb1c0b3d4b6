"""Measures of an evaluation of Hugging Face's trainer, at its cut and at tuned thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise.decisions import best_thresholds, corrected_value
from labelwise.measures import evaluate

# What Hugging Face writes where a label is not known.
_UNKNOWN = -100


def compute_metrics(prediction: Any, *, maximize: str = "micro-f") -> dict[str, float]:
    """Measure the logits of an evaluation, at a cut of 0 and at tuned thresholds.

    Parameters
    ----------
    prediction : transformers.EvalPrediction, or pair of arrays
        Logits and labels of the evaluated samples, of shape (n_samples, n_labels). If the model
        gives several outputs, the first one has the logits. Labels are 0 or 1; NaN or -100 is a
        missing label.
    maximize : str, default="micro-f"
        The measure to maximise: average and measure by name, as in `best_thresholds`.

    Returns
    -------
    dict of str to float
        ``micro_f`` and ``macro_f``, decided at a logit of 0, a probability of one half;
        ``tuned_micro_f`` and ``tuned_macro_f``, at thresholds that are tuned on the same samples;
        ``new_samples``, the value of `maximize` that tuned thresholds have on other samples, by
        cross-validation; and ``ranking_loss``. A measure that has no value, such as the ranking
        loss of samples without labels, is left out.

    Raises
    ------
    ValueError
        If logits and labels do not have the same shape, or a logit is not finite.

    See Also
    --------
    store_thresholds : Write thresholds into the configuration of a model.

    Notes
    -----
    Give the function to the trainer, ``Trainer(model, args, compute_metrics=compute_metrics)``, or
    ``functools.partial(compute_metrics, maximize="macro-f")``. To choose the best checkpoint by the
    value that tuned thresholds will have, set ``metric_for_best_model="new_samples"``.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.hugging_face import compute_metrics
    >>> logits = np.array([[-1.0, 3.0], [-3.0, -0.5], [-0.5, -4.0], [-2.5, 1.0]])
    >>> found = compute_metrics((logits, np.array([[1, 1], [0, 1], [1, 0], [0, 1]])))
    >>> round(found["micro_f"], 3), found["tuned_micro_f"]
    (0.571, 1.0)
    """
    logits, labels = prediction
    scores = np.asarray(logits[0] if isinstance(logits, tuple | list) else logits)
    # Thresholds are compared in double precision.
    scores = scores.astype(np.float64)
    truth = np.asarray(labels, dtype=np.float64)
    truth = np.where(truth == _UNKNOWN, np.nan, truth)
    if scores.shape != truth.shape:
        raise ValueError(f"labels must have the shape {scores.shape} of logits, got {truth.shape}.")
    tuned = best_thresholds(scores, truth, maximize=maximize, shrink="auto", random_state=0)
    plain = evaluate(truth, decided=(scores >= 0).astype(np.int64))
    best = evaluate(truth, scores=scores, decided=tuned.decide(scores))
    found = {
        "micro_f": plain["micro-f"],
        "macro_f": plain["macro-f"],
        "tuned_micro_f": best["micro-f"],
        "tuned_macro_f": best["macro-f"],
        "new_samples": corrected_value(tuned, scores, truth, random_state=0),
    }
    if "ranking-loss" in best:
        found["ranking_loss"] = best["ranking-loss"]
    # A trainer cannot compare checkpoints by a measure without a value.
    return {name: float(value) for name, value in found.items() if np.isfinite(value)}
