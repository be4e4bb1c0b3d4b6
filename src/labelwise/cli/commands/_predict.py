"""`labelwise predict`: write the labels and scores that a saved model gives a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise import _saving
from labelwise._estimators import METHODS, score_matrix
from labelwise._io import DataError
from labelwise._matrices import (
    check_format,
    check_label_names,
    check_matrix_ending,
    write_label_sets,
    write_matrix,
)
from labelwise._validation import NamedMatrix
from labelwise.cli._data_source import DataSource
from labelwise.cli._file_kinds import refuse_as_model
from labelwise.cli._model_input import ModelInput, fitted_label_names, read_input
from labelwise.cli._outputs import Outputs, check_safe_csv, decision_summary, warnings_as_notes
from labelwise.cli._parsing import check_part
from labelwise.cli._progress import working
from labelwise.data import Bags
from labelwise.learners import BagPlugin


class PredictFiles(NamedTuple):
    """Files that the command writes: decisions, scores, and scores of the rows of bags."""

    output: Path | None = None
    scores: Path | None = None
    instances: Path | None = None


def run_prediction(
    model: Path,
    source: DataSource,
    files: PredictFiles,
    *,
    part: str | None = None,
    form: str = "wide",
    safe_csv: bool = False,
) -> None:
    """Write decisions and scores of a model, and print how many labels it decided."""
    if not any(files):
        raise ValueError("--output, --scores or --instances must be given, got none.")
    check_part(part)
    refuse_as_model(model)
    _check_files(files, form, safe_csv)
    outputs = Outputs(files, inputs=[model, *source.files()])
    with working("reading"):
        fitted = _saving.load(model)
    names = fitted_label_names(model, fitted)
    check_label_names(form, names)
    given = read_input(fitted, source, names, part)
    is_of_bags = isinstance(given.X, Bags) and isinstance(fitted, BagPlugin)
    if files.instances is not None and not is_of_bags:
        raise ValueError(
            "--instances needs bags of rows (--bags names the column of a table that has the bag "
            "of each row), and a model of the learner bags."
        )
    with working("predicting"), warnings_as_notes():
        found = _predictions(fitted, given, names, files, model)
    for path, matrix in found.items():
        _write(path, matrix, form if path == files.output else "wide", safe_csv)
    if files.output is not None:
        outputs.message(decision_summary(found[files.output].values))
    if part is None and given.n_training_rows:
        n_rows = f"{given.n_training_rows:,}"
        outputs.message(f"{n_rows} of the rows are its training part; --part test is not")
    for path in found:
        outputs.say_written(path)


def _check_files(files: PredictFiles, form: str, safe_csv: bool) -> None:
    """Refuse file name endings that do not fit the content."""
    check_format(form, files.output)
    if form != "wide" and files.output is None:
        raise ValueError(f"--format {form} is for --output, which was not given.")
    for path in filter(None, (files.scores, files.instances)):
        check_matrix_ending(path)
    check_safe_csv(safe_csv, *files)


def _write(path: Path, matrix: NamedMatrix, form: str, safe_csv: bool) -> None:
    if form == "wide":
        write_matrix(path, matrix, safe_csv=safe_csv)
    else:
        write_label_sets(path, matrix, form, safe_csv=safe_csv)


def _predictions(
    fitted: Any, given: ModelInput, names: tuple[str, ...], files: PredictFiles, model: Path
) -> dict[Path, NamedMatrix]:
    """Return what goes into each file."""
    found: dict[Path, NamedMatrix] = {}
    # Only a model whose labels have no names can have been fitted to a vector.
    if files.output is not None or getattr(fitted, "label_names_", None) is None:
        decided, names = _decisions(fitted, given.X, names, model)
    if files.scores is not None:
        found[files.scores] = NamedMatrix(_scores(fitted, given.X, names, model), names, *given.ids)
    if files.output is not None:
        found[files.output] = NamedMatrix(decided, names, *given.ids)
    if files.instances is not None:
        found[files.instances] = _instance_scores(fitted, given.X, names, given.ids[0])
    return found


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


def _instance_scores(
    model: BagPlugin, bags: Bags, names: tuple[str, ...], ids: tuple[str, ...] | None
) -> NamedMatrix:
    """Return a row of scores for each row of each bag, named BAG/NUMBER, both from 0."""
    found = model.predict_instances(bags)
    bag_names = ids or tuple(map(str, range(len(bags))))
    numbers = np.arange(len(found.scores)) - np.repeat(bags.starts[:-1], bags.sizes)
    instance_names = tuple(
        f"{bag_names[bag]}/{number}" for bag, number in zip(bags.bag_of_row, numbers, strict=True)
    )
    return NamedMatrix(found.scores, names, instance_names, "instance")


def _scores(model: Any, X: Any, names: tuple[str, ...], path: Path) -> np.ndarray:
    if not any(hasattr(model, method) for method in METHODS):
        raise DataError(path, f"gives no scores: {type(model).__name__} only decides.")
    return score_matrix(model, X, len(names))
