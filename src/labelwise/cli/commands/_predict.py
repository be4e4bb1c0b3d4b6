"""`labelwise predict`: write the labels and scores that a saved model gives a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from labelwise import _saving
from labelwise._estimators import METHODS, score_matrix
from labelwise._io import DataError
from labelwise.cli._data_source import DataSource
from labelwise.cli._matrix_files import FileMatrix, check_matrix_ending, write_matrix
from labelwise.cli._model_input import fitted_label_names, read_input
from labelwise.cli._outputs import Outputs, check_safe_csv, decision_summary, warnings_as_notes
from labelwise.cli._parsing import check_part
from labelwise.cli._progress import working


def run_prediction(
    model: Path,
    source: DataSource,
    *,
    output: Path | None = None,
    scores: Path | None = None,
    part: str | None = None,
    safe_csv: bool = False,
) -> None:
    """Write the decisions of a model, its scores, or both, and print how many labels it decided."""
    if output is None and scores is None:
        raise ValueError("--output or --scores must be given, got neither.")
    check_part(part)
    for path in filter(None, (output, scores)):
        check_matrix_ending(path)
    check_safe_csv(safe_csv, output, scores)
    outputs = Outputs([output, scores], inputs=[model, *source.files()])
    with working("reading"):
        fitted = _saving.load(model)
    names = fitted_label_names(model, fitted)
    given = read_input(fitted, source, names, part)
    found: dict[Path, FileMatrix] = {}
    with working("predicting"), warnings_as_notes():
        # Only a model whose labels have no names can have been fitted to a vector.
        if output is not None or getattr(fitted, "label_names_", None) is None:
            decided, names = _decisions(fitted, given.X, names, model)
        if scores is not None:
            found[scores] = FileMatrix(_scores(fitted, given.X, names, model), names, *given.ids)
        if output is not None:
            found[output] = FileMatrix(decided, names, *given.ids)
    for path, matrix in found.items():
        write_matrix(path, matrix, safe_csv=safe_csv)
    if output is not None:
        outputs.say(decision_summary(found[output].values))
    if part is None and given.n_training_rows:
        outputs.say(
            f"{given.n_training_rows:,} of the rows are its training part; --part test is not"
        )
    for path in found:
        outputs.say_written(path)


def _decisions(
    model: Any, X: Any, names: tuple[str, ...], path: Path
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the decisions and the names of the labels.

    A model that was fitted to a vector of two classes decides one label: the second class.
    """
    answer = np.asarray(model.predict(X))
    if answer.ndim == 2:
        return answer, names
    classes = model.classes_
    if len(classes) != 2:
        raise DataError(
            path,
            f"was fitted to a vector of {len(classes)} classes: two classes are needed, "
            "which make one label.",
        )
    return (answer == classes[1]).astype(np.int64)[:, None], (str(classes[1]),)


def _scores(model: Any, X: Any, names: tuple[str, ...], path: Path) -> np.ndarray:
    if not any(hasattr(model, method) for method in METHODS):
        raise DataError(path, f"gives no scores: {type(model).__name__} only decides.")
    return score_matrix(model, X, len(names))
