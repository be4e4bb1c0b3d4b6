"""Read data in the form that a model takes, and refuse what it cannot take."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from labelwise._io import DataError
from labelwise._matrices import are_numbers, is_matrix_file
from labelwise._tables import ids_in
from labelwise.cli._data_source import DataSource
from labelwise.cli._file_kinds import refuse_as_data
from labelwise.cli._outputs import note
from labelwise.cli._parsing import part_of
from labelwise.cli._table_input import note_unused, raw_step, read_columns, refuse_missing
from labelwise.data import Bags, Dataset
from labelwise.learners import BagPlugin


class ModelInput(NamedTuple):
    """What a model predicts for: samples, their ids and the name of the ids' column."""

    X: Any
    n_rows: int
    ids: tuple[tuple[str, ...] | None, str]
    n_training_rows: int = 0  # of a data set with a fixed split


def read_input(
    model: Any, source: DataSource, labels: tuple[str, ...], part: str | None
) -> ModelInput:
    """Read the data to predict for: columns of a table for a model of tables, else features."""
    refuse_as_data(Path(source.data))
    step = raw_step(model)
    if step is not None:
        table, ids = read_columns(model, step, source)
        return ModelInput(table, len(table), ids)
    # Without --labels, all columns of a table are features.
    is_table = is_matrix_file(Path(source.data)) and source.labels is None
    whole = (source._replace(labels="") if is_table else source).load()
    rows = part_of(whole, part or "all")
    X = fitted_features(model, rows, labels, source.data)
    check_features(rows, X, model)
    n_training_rows = 0 if whole.train is None else whole.train.size
    if isinstance(model, BagPlugin) and rows.bags is None:
        note("each row is taken as a bag of its own (--bags names the column of the bags).")
    X = X if rows.bags is None else Bags(X, rows.bags)
    return ModelInput(X, len(rows), ids_in(rows.ids), n_training_rows)


def check_features(data: Dataset, X: Any, model: Any) -> None:
    """Refuse bags and missing values if the model cannot take them."""
    if data.bags is not None and not isinstance(model, BagPlugin):
        raise ValueError(
            f"{data.name!r} has bags of rows, and this learner takes single rows "
            "(the learner bags takes bags)."
        )
    values = X.data if sparse.issparse(X) else X
    if np.isfinite(values.sum()) or get_tags(model).input_tags.allow_nan:
        return
    places = np.flatnonzero(~np.isfinite(values))
    if places.size:
        where = "" if sparse.issparse(X) else f", first in row {places[0] // X.shape[1]}"
        raise ValueError(
            f"{data.name!r} has {places.size:,} missing or infinite values{where}, "
            "which this learner cannot take (br-forest can)."
        )


def fitted_label_names(path: Path, model: Any) -> tuple[str, ...]:
    """Return the label names of a model from a file, or numbers if it has no names."""
    names = getattr(model, "label_names_", None)
    if names is None and hasattr(model, "thresholds_"):
        names = model.thresholds_.label_names
    n_labels = len(getattr(model, "classes_", ()) if names is None else names)
    if n_labels == 0 or not hasattr(model, "predict"):
        raise DataError(path, "contains no fitted model of labels.")
    return tuple(map(str, range(n_labels) if names is None else names))


def fitted_features(model: Any, data: Dataset, labels: tuple[str, ...], path: str) -> Any:
    """Return the columns of a data set that the model was fitted on, in the model's order."""
    wanted = getattr(model, "feature_names_", getattr(model, "feature_names_in_", None))
    given = list(data.feature_names)
    if wanted is None:
        return data.X
    wanted = [str(name) for name in wanted]
    if given == wanted:
        return data.X
    if are_numbers(wanted) and are_numbers(given) and sparse.issparse(data.X):
        # A sparse file does not mention columns after the last one that it uses.
        return _widened(data.X, len(wanted), path)
    place = {name: j for j, name in enumerate(given)}
    missing = [name for name in wanted if name not in place]
    refuse_missing(Path(path), missing)
    known = {*wanted, *labels}
    unknown = [name for name in given if name not in known]
    note_unused(Path(path), unknown)
    return data.X[:, [place[name] for name in wanted]]


def _widened(X: sparse.csr_array, width: int, path: str) -> sparse.csr_array:
    if X.shape[1] > width:
        raise DataError(path, f"has {X.shape[1]} features but the model knows {width}.")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
