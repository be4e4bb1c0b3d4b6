"""Columns of a table for a model that takes them as they are: texts, categories, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from labelwise._io import DataError
from labelwise._matrices import is_matrix_file
from labelwise._tables import ID_NAMES, ROW_NAMES, Kind, kinds_of, read_frame, texts
from labelwise._text import listed
from labelwise.cli._data_source import DataSource
from labelwise.cli._outputs import note, warnings_as_notes
from labelwise.cli._parsing import parse_names
from labelwise.features import TableFeatures


def raw_step(model: Any) -> Any:
    """Return the first step of a model if it takes texts or tables, else None."""
    while True:
        if isinstance(model, Pipeline):
            model = model.steps[0][1]
        elif hasattr(model, "estimator_"):
            model = model.estimator_
        else:
            break
    takes_text = hasattr(model, "__sklearn_tags__") and get_tags(model).input_tags.string
    return model if takes_text else None


def read_columns(
    model: Any, step: Any, source: DataSource
) -> tuple[Any, tuple[tuple[str, ...] | None, str]]:
    """Read the columns that the first step takes, as a table or a list of texts, and the ids."""
    path = Path(source.data)
    if not is_matrix_file(path):
        raise DataError(path, "must be a csv or parquet table: the model was fitted to one.")
    kinds = getattr(step, "kinds_", {})
    as_text = [name for name, kind in kinds.items() if kind in (Kind.TEXT, Kind.CATEGORY)]
    asked = [*(parse_names(source.text) or ()), *(parse_names(source.ids) or ())]
    with warnings_as_notes():
        table = read_frame(path, [*as_text, *asked], source.max_bytes)
    used = _columns_of(step, table, source)
    missing = [name for name in used if name not in table.column_names]
    refuse_missing(path, missing)
    ids = _id_names(model, table, source)
    unknown = [name for name in table.column_names if name not in {*used, *ids}]
    note_unused(path, unknown)
    ids_found = (tuple(texts(table.column(ids[0])).tolist()), ids[0]) if ids else (None, "id")
    if hasattr(step, "feature_names_in_"):
        return table.select(used), ids_found
    return texts(table.column(used[0])).tolist(), ids_found


def refuse_missing(path: Path, names: Sequence[str]) -> None:
    """Refuse a file that lacks columns, if there are any."""
    if names:
        noun = "column" if len(names) == 1 else "columns"
        raise DataError(path, f"lacks the {noun} {listed(names)}, which the model needs.")


def note_unused(path: Path, names: Sequence[str]) -> None:
    """Note which columns of a file the model does not use, if there are any."""
    if names:
        noun = "column" if len(names) == 1 else "columns"
        note(f"the model does not use the {noun} {listed(names)} of {path.name}.")


def _columns_of(step: Any, table: Any, source: DataSource) -> list[str]:
    """Return the names of the columns to pass to the first step."""
    if isinstance(step, TableFeatures):
        return [name for name, kind in step.kinds_.items() if Kind(kind).is_feature]
    if hasattr(step, "feature_names_in_"):
        return [str(name) for name in step.feature_names_in_]
    # The model was fitted to a list of texts, without a name.
    given = parse_names(source.text)
    if given is None:
        kinds = kinds_of(table)
        given = [name for name, kind in kinds.items() if kind is Kind.TEXT]
    if len(given) != 1:
        found = listed(given) if given else "none"
        raise DataError(source.data, f"must have one column of text, named by --text, got {found}.")
    return given


def _id_names(model: Any, table: Any, source: DataSource) -> list[str]:
    """Return the columns that identify the rows: those asked for, or as in the training data."""
    given = parse_names(source.ids)
    if given is not None:
        return given
    trained = [name for name in getattr(model, "id_names_", ()) if name not in ROW_NAMES]
    known = [*trained, *ID_NAMES, *ROW_NAMES]
    return [name for name in dict.fromkeys(known) if name in table.column_names][:1]
