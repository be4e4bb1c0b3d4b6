"""Match the true labels with the labels that a fitted model knows, by name or by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from labelwise._validation._label_sets import is_list_of_sets, names_in_sets
from labelwise._validation._matrices import Labels, check_labels

# Greatest depth of nested models (pipelines, searches) that is searched for label names.
_DEEPEST = 20


class ModelTruth(NamedTuple):
    """True labels in the columns of a model, and labels unknown to the model."""

    known: Any  # Labels, or Y as it came if the model's labels have no names
    unknown: Labels | None = None  # None if there are none

    @property
    def n_known(self) -> int | None:
        """Number of the model's labels; None for sets beside a model whose labels have no names."""
        return int(self.known.matrix.shape[1]) if isinstance(self.known, Labels) else None

    @property
    def n_unknown(self) -> int:
        """Number of the labels that the model lacks."""
        return 0 if self.unknown is None else int(self.unknown.matrix.shape[1])


def label_names_of(model: Any) -> tuple[str, ...] | None:
    """Return the names of the labels of a fitted model, None without names.

    The names are the attribute ``label_names_`` of the model, of the last step of a pipeline, of
    the best estimator of a search, or of the estimator within a meta-estimator.
    """
    for _ in range(_DEEPEST):
        names = getattr(model, "label_names_", None)
        if names is not None:
            return tuple(names)
        model = _model_within(model)
    return None


def _model_within(model: Any) -> Any:
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        return steps[-1][1]
    best = getattr(model, "best_estimator_", None)
    return getattr(model, "estimator_", None) if best is None else best


def truth_for(model: Any, Y: Any, unknown_labels: str = "raise") -> ModelTruth:
    """Arrange true labels in the columns of a model's predictions.

    Columns are matched by name if both sides have names, else by position. Labels that the model
    does not know are an error, or returned apart if `unknown_labels` is "missed".
    """
    names = label_names_of(model)
    if is_list_of_sets(Y):
        if names is None:
            return ModelTruth(Y)
        given = names_in_sets(Y=Y)
    else:
        labels = check_labels(Y, allow_missing=True)
        if names is None or labels.names is None:
            return ModelTruth(labels._replace(names=None))
        given = labels.names
        absent = [name for name in names if name not in set(given)]
        if absent:
            raise ValueError(f"Y lacks label {absent[0]!r}, which the model knows.")
    known = set(names)
    new = tuple(name for name in given if name not in known)
    if new and unknown_labels == "raise":
        raise ValueError(
            f"Y has label {new[0]!r}, which the model does not know; "
            'unknown_labels="missed" counts such labels as never decided.'
        )
    return _split(check_labels(Y, label_names=(*names, *new), allow_missing=True), len(names))


def labels_for(model: Any, Y: Any, label_names: Sequence[str] | None = None) -> Labels:
    """Arrange true labels in the columns of a model, which must know all of them.

    `label_names`, if given, name the columns instead of the names of the model.
    """
    goes_by_position = label_names_of(model) is None and not is_list_of_sets(Y)
    if label_names is not None or goes_by_position:
        return check_labels(Y, label_names=label_names, allow_missing=True)
    known = truth_for(model, Y).known
    if isinstance(known, Labels):
        return known
    kind = type(model).__name__
    raise ValueError(
        f"Y is a list of sets, but the labels of {kind} have no names: give Y as a matrix."
    )


def _split(labels: Labels, n_known: int) -> ModelTruth:
    names = labels.names or ()
    known, unknown = (
        Labels(
            labels.matrix[:, part],
            names[part],
            None if labels.missing is None else labels.missing[:, part],
        )
        for part in (slice(n_known), slice(n_known, None))
    )
    return ModelTruth(known, unknown if len(names) > n_known else None)
