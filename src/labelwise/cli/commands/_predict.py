"""`labelwise predict`: write the labels and scores that a saved model gives a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from labelwise import _saving
from labelwise._estimators import METHODS, score_matrix
from labelwise._io import DataError
from labelwise.cli._matrices import ids_of
from labelwise.cli._matrix_files import (
    FileMatrix,
    check_matrix_ending,
    is_matrix_file,
    write_matrix,
)
from labelwise.cli._model_input import check_features, fitted_features, fitted_label_names
from labelwise.cli._outputs import Outputs, check_safe_csv, decision_summary, warnings_as_notes
from labelwise.cli._parsing import check_part, parse_labels, part_of
from labelwise.cli._progress import working
from labelwise.data import Bags, input_files, load


def run_prediction(
    model: Path,
    data: str,
    *,
    output: Path | None = None,
    scores: Path | None = None,
    labels: str | None = None,
    bags: str | None = None,
    data_home: Path | None = None,
    part: str | None = None,
    max_bytes: int | None = None,
    safe_csv: bool = False,
) -> None:
    """Write the decisions of a model, its scores, or both, and print how many labels it decided."""
    if output is None and scores is None:
        raise ValueError("--output or --scores must be given, got neither.")
    check_part(part)
    for path in filter(None, (output, scores)):
        check_matrix_ending(path)
    check_safe_csv(safe_csv, output, scores)
    outputs = Outputs([output, scores], inputs=[model, *input_files(data, data_home, labels)])
    with working("reading"):
        fitted = _saving.load(model)
        columns = _label_columns(data, labels)
        whole = load(data, data_home=data_home, labels=columns, bags=bags, max_bytes=max_bytes)
        rows = part_of(whole, part or "all")
    names = fitted_label_names(model, fitted)
    X = fitted_features(fitted, rows, names, data)
    check_features(rows, X, fitted)
    X = X if rows.bags is None else Bags(X, rows.bags)
    found: dict[Path, FileMatrix] = {}
    with working("predicting"), warnings_as_notes():
        if scores is not None:
            found[scores] = FileMatrix(_scores(fitted, X, names, model), names, *ids_of(rows))
        if output is not None:
            decided = np.asarray(fitted.predict(X)).reshape(len(rows), -1)
            found[output] = FileMatrix(decided, names, *ids_of(rows))
    for path, matrix in found.items():
        write_matrix(path, matrix, safe_csv=safe_csv)
    if output is not None:
        outputs.say(decision_summary(found[output].values))
    if part is None and whole.train is not None:
        outputs.say(f"{whole.train.size:,} of the rows are its training part; --part test is not")
    for path in found:
        outputs.say_written(path)


def _label_columns(data: str, labels: str | None) -> Any:
    """Return which columns are labels; without --labels, all columns of a table are features."""
    is_table = is_matrix_file(Path(data)) and labels is None
    return [] if is_table else parse_labels(labels)


def _scores(model: Any, X: Any, names: tuple[str, ...], path: Path) -> np.ndarray:
    if not any(hasattr(model, method) for method in METHODS):
        raise DataError(path, f"gives no scores: {type(model).__name__} only decides.")
    return score_matrix(model, X, len(names))
