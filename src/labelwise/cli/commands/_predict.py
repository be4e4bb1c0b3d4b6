"""`labelwise predict`: labels and scores of a data set, by a model in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise import _saving
from labelwise._estimators import METHODS, score_matrix
from labelwise._io import DataError
from labelwise.cli._matrices import are_numbers, ids_of
from labelwise.cli._matrix_files import (
    FileMatrix,
    check_matrix_ending,
    is_matrix_file,
    write_matrix,
)
from labelwise.cli._outputs import Outputs, check_safe_csv
from labelwise.cli._parts import check_part, part_of
from labelwise.cli._progress import working
from labelwise.cli.commands._decide import summary
from labelwise.cli.commands._describe import parse_labels
from labelwise.cli.commands._fit import check_features, told_warnings
from labelwise.data import Bags, Dataset, input_files, load


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
    """Write the labels that a model decides on, its scores, or both, and say how many."""
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
    names = _label_names(model, fitted)
    X = _features(fitted, rows, names, data)
    check_features(rows, X, fitted)
    X = X if rows.bags is None else Bags(X, rows.bags)
    found: dict[Path, FileMatrix] = {}
    with working("predicting"), told_warnings():
        if scores is not None:
            found[scores] = FileMatrix(_scores(fitted, X, names, model), names, *ids_of(rows))
        if output is not None:
            decided = np.asarray(fitted.predict(X)).reshape(len(rows), -1)
            found[output] = FileMatrix(decided, names, *ids_of(rows))
    for path, matrix in found.items():
        write_matrix(path, matrix, safe_csv=safe_csv)
    if output is not None:
        outputs.say(summary(found[output].values))
    if part is None and whole.train is not None:
        outputs.say(f"{whole.train.size:,} of the rows are its training part; --part test is not")
    for path in found:
        outputs.say_written(path)


def _label_columns(data: str, labels: str | None) -> Any:
    """Return which columns are labels; a table need not have any."""
    is_table = is_matrix_file(Path(data)) and labels is None
    return [] if is_table else parse_labels(labels)


def _label_names(path: Path, model: Any) -> tuple[str, ...]:
    names = getattr(model, "label_names_", None)
    if names is None and hasattr(model, "thresholds_"):
        names = model.thresholds_.label_names
    n_labels = len(getattr(model, "classes_", ()) if names is None else names)
    if n_labels == 0 or not hasattr(model, "predict"):
        raise DataError(path, "holds no fitted model of labels.")
    return tuple(map(str, range(n_labels) if names is None else names))


def _features(model: Any, data: Dataset, labels: tuple[str, ...], path: str) -> Any:
    """Return the columns that the model was fitted to, in their order."""
    wanted = getattr(model, "feature_names_", getattr(model, "feature_names_in_", None))
    given = list(data.feature_names)
    if wanted is None:
        return data.X
    wanted = [str(name) for name in wanted]
    if given == wanted:
        return data.X
    if are_numbers(wanted) and are_numbers(given) and sparse.issparse(data.X):
        # A sparse file does not tell of columns behind the last one that it uses.
        return _widened(data.X, len(wanted), path)
    place = {name: j for j, name in enumerate(given)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise DataError(path, f"lacks feature {missing[0]!r}, of {len(missing)} that are missing.")
    known = {*wanted, *labels}
    extra = next((name for name in given if name not in known), None)
    if extra is not None:
        raise DataError(path, f"has feature {extra!r}, which the model does not know.")
    return data.X[:, [place[name] for name in wanted]]


def _widened(X: sparse.csr_array, width: int, path: str) -> sparse.csr_array:
    if X.shape[1] > width:
        raise DataError(path, f"has {X.shape[1]} features but the model knows {width}.")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))


def _scores(model: Any, X: Any, names: tuple[str, ...], path: Path) -> np.ndarray:
    if not any(hasattr(model, method) for method in METHODS):
        raise DataError(path, f"gives no scores: {type(model).__name__} decides without.")
    return score_matrix(model, X, len(names))
