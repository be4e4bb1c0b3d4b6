"""Thresholds as a list in a model's configuration, which is saved and shared with the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise.decisions import Thresholds

# JSON has no infinity, the threshold of a label that is never decided.
_NEVER = 1e30


def store_thresholds(config: Any, thresholds: Thresholds) -> None:
    """Write thresholds into the configuration of a model.

    ``config.thresholds`` becomes a list of numbers, in the order of ``config.id2label``, which
    ``model.save_pretrained`` writes to ``config.json``. A label that is never decided has 1e30.

    Parameters
    ----------
    config : transformers.PretrainedConfig
        Configuration of the model, with `id2label`.
    thresholds : Thresholds
        Thresholds of logits, of `best_thresholds`. If they have names, these must be the labels of
        the configuration, in any order.

    Raises
    ------
    ValueError
        If the labels of the thresholds are not those of the configuration.

    See Also
    --------
    decide : Decide labels by the thresholds of a configuration.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.hugging_face import decide, store_thresholds
    >>> config = SimpleNamespace(id2label={0: "sea", 1: "sky"})
    >>> logits = [[2.0, -1.0], [-1.0, -0.5], [0.5, -3.0]]
    >>> store_thresholds(config, best_thresholds(logits, [[1, 0], [0, 1], [1, 0]]))
    >>> decide(config, logits)
    [['sea'], ['sky'], ['sea']]
    """
    thresholds._refuse_slices("a configuration")
    labels = _labels(config)
    values = np.asarray(thresholds.values, dtype=np.float64)
    names = thresholds.label_names
    if names is not None:
        if sorted(names) != sorted(labels):
            raise ValueError(
                f"thresholds must be those of the labels {labels} of the configuration, got "
                f"{list(names)}."
            )
        values = values[[names.index(label) for label in labels]]
    if values.size != len(labels):
        raise ValueError(
            f"thresholds must be those of {len(labels)} labels, as the configuration has, got "
            f"{values.size}."
        )
    config.thresholds = np.clip(values, -_NEVER, _NEVER).tolist()


def decide(config: Any, logits: Any) -> list[list[str]]:
    """Decide the labels of samples by the thresholds of a configuration.

    Parameters
    ----------
    config : transformers.PretrainedConfig
        Configuration with thresholds, by `store_thresholds`.
    logits : array or tensor of shape (n_samples, n_labels)
        Logits of the model.

    Returns
    -------
    list of list of str
        Names of the labels whose logits reach their thresholds, for each sample.

    Raises
    ------
    ValueError
        If the configuration has no thresholds, or not one for each column of the logits.

    See Also
    --------
    store_thresholds : Write thresholds into the configuration.
    """
    labels = _labels(config)
    values = getattr(config, "thresholds", None)
    if values is None:
        raise ValueError("config must have thresholds, which store_thresholds writes, got none.")
    if hasattr(logits, "detach"):
        logits = logits.detach().cpu()
    scores = np.asarray(logits, dtype=np.float64)
    if scores.ndim != 2 or not scores.shape[1] == len(labels) == len(values):
        raise ValueError(
            f"logits must have a column for each of {len(values)} thresholds, got shape "
            f"{scores.shape}."
        )
    return [[labels[j] for j in np.flatnonzero(row)] for row in scores >= np.asarray(values)]


def _labels(config: Any) -> list[str]:
    """Return the names of the labels in the order of the logits; keys may be texts, as in JSON."""
    names = {int(number): str(name) for number, name in config.id2label.items()}
    if sorted(names) != list(range(len(names))):
        raise ValueError(f"config.id2label must number labels from 0, got {sorted(names)}.")
    return [names[j] for j in range(len(names))]
