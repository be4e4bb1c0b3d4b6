"""Read data in the form that a model takes: features, bags, or columns of a table as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from labelwise._estimators import raw_step, score_matrix, texts_of
from labelwise._io import DataError
from labelwise._matrices import is_matrix_file
from labelwise._tables import (
    BETWEEN_TEXTS,
    ID_NAMES,
    ROW_NAMES,
    Kind,
    ids_in,
    joined_texts,
    kinds_of,
    read_frame,
    row_names,
    texts,
)
from labelwise._text import listed
from labelwise._validation import NamedMatrix, are_numbers, matched
from labelwise.cli._inputs import (
    DataSource,
    MatrixSource,
    parse_labels,
    parse_names,
    part_of,
    refuse_as_data,
)
from labelwise.cli._outputs import note, warnings_as_notes
from labelwise.data import Bags, Dataset, is_annif, read_annif
from labelwise.decisions import Thresholds
from labelwise.features import TableFeatures
from labelwise.learners import BagPlugin, SentenceBags, score_held_out


class ModelInput(NamedTuple):
    """What a model predicts for: samples, their ids and the name of the ids' column."""

    X: Any
    ids: tuple[tuple[str, ...] | None, str]
    n_training_rows: int = 0  # of a data set with a fixed split
    beside: Mapping[str, Sequence[str]] = MappingProxyType({})  # further columns of --ids


def read_input(
    model: Any, source: DataSource, labels: tuple[str, ...], part: str | None
) -> ModelInput:
    """Read the data to predict for: columns of a table for a model of tables, else features."""
    refuse_as_data(Path(source.data))
    step = raw_step(model)
    if step is not None:
        return read_columns(model, step, source)
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
    ids, beside = ids_in(rows.ids), dict[str, Any]()
    asked = [name for name in parse_names(source.ids) or () if name in rows.ids]
    if len(asked) > 1:
        ids = tuple(map(str, rows.ids[asked[0]])), asked[0]
        beside = {name: [*map(str, rows.ids[name])] for name in asked[1:]}
    return ModelInput(X, ids, n_training_rows, beside)


class ScoredRows(NamedTuple):
    """Rows of a data set with their labels, as a model scores and decides them."""

    truth: NamedMatrix
    scores: NamedMatrix
    thresholds: Thresholds | None
    decided: Any  # of a model without thresholds
    beside: dict[str, np.ndarray]  # arguments from columns of options, such as --groups
    is_of_fit: bool  # whether the model was fitted to these rows
    texts: list[str] | None
    X: Any  # None if the scores are not those of the model itself
    notes: list[str]


def scored_rows(
    model: Any, path: Path, source: MatrixSource, beside: Mapping[str, str | None]
) -> ScoredRows:
    """Read a data set with labels, and score its rows by a model.

    Of a data set with a fixed split, the test part is read. Training rows of the model are scored
    by models of the other rows.
    """
    names = fitted_label_names(path, model)
    if source.columns is None and is_matrix_file(path):
        columns = read_frame(path, (), source.max_bytes).column_names
        if not set(names) <= set(columns):
            missing = [name for name in names if name not in columns]
            raise DataError(
                path, f"has no column {listed(missing)} of the model: --labels names the labels."
            )
        source = source._replace(columns=list(names))  # type: ignore[arg-type]
    data = DataSource(
        str(path), source.columns, source.ids, bags=source.bags, max_bytes=source.max_bytes
    )
    part = None
    if not is_matrix_file(path) and data.load().test is not None:
        part = "test"
    beside, more = _as_in_fit(model, path, source, beside)
    same = source.read(path, [], part=part, beside=beside, allow_missing=True)
    truth, given = same.truth, read_input(model, data, names, part)
    of_rows = source.row_arguments(path, beside, truth)
    notes = [*same.notes, *more]
    tuned, decided, X = thresholds_of(model), None, given.X
    rows = np.arange(len(truth))
    scored = NamedMatrix(np.empty((len(truth), 0)), names, truth.ids, truth.id_name, path)
    labels = _in_order(truth, names)
    is_of_fit = getattr(model, "training_labels_", None) == digest_of(labels)
    if is_of_fit:
        notes.append(f"the model was fitted to {path.name}: rows are scored by models of others.")
        rows, scores, decided = score_held_out(model, X, labels, **of_rows)
        X = None
    else:
        scores = score_matrix(model, X, len(names))
        decided = model.predict(X) if tuned is None else None
    texts = texts_in_lines(model, given.X)
    truth, scored = _taken(truth, rows), _taken(scored, rows)
    others = [replace(scored, values=one) for one in (scores, decided) if one is not None]
    # The rows are those of one file, in the same order, also without ids.
    numbers = tuple(map(str, range(rows.size)))
    first, *others = (replace(one, ids=numbers) for one in (truth, *others))
    found = matched(
        first,
        others,
        by_position=source.by_position,
        missing_labels=source.missing_labels,
        labels_of_scores=True,
    )
    if tuned is not None and tuned.label_names is None:
        tuned = replace(tuned, label_names=names)
    return ScoredRows(
        replace(found.truth, ids=truth.ids),
        replace(found.others[0], ids=truth.ids),
        tuned,
        None if decided is None else found.others[1].values,
        {name: column[rows] for name, column in of_rows.items()},
        is_of_fit,
        [texts[i] for i in rows] if texts else None,
        X,
        [*notes, *found.notes],
    )


def _as_in_fit(
    model: Any, path: Path, source: MatrixSource, beside: Mapping[str, str | None]
) -> tuple[dict[str, str | None], list[str]]:
    """Return the columns of options, as in `labelwise fit` where they are not named; notes.

    An empty name means no column.
    """
    found, notes = {option: name or None for option, name in beside.items()}, list[str]()
    columns_of_fit = row_columns_of(model)
    not_named = [option for option in columns_of_fit if beside.get(option) is None]
    columns = ()
    if not_named and is_matrix_file(path):
        columns = read_frame(path, (), source.max_bytes).column_names
    for option in not_named:
        name = columns_of_fit[option]
        if name in columns:
            found[option] = name
            notes.append(f"{option} by {name!r}, as in labelwise fit (--{option} '' for none).")
        else:
            notes.append(
                f"{path.name} has no column {name!r}, which --{option} of labelwise fit named."
            )
    return found, notes


def row_columns_of(model: Any) -> dict[str, str]:
    """Return the columns of groups and weights that `labelwise fit` was given, by their options."""
    named = {
        "groups": getattr(model, "group_name_", None),
        "weights": getattr(model, "weight_name_", None),
    }
    return {option: str(name) for option, name in named.items() if name is not None}


def texts_in_lines(model: Any, X: Any) -> list[str]:
    """Return the texts of each sample that a model takes, in one line; none if it takes none."""
    joined = map(" / ".join, zip(*texts_of(model, X).values(), strict=True))
    return [text.replace(BETWEEN_TEXTS, " ") for text in joined]


def _taken(matrix: NamedMatrix, rows: np.ndarray) -> NamedMatrix:
    """Return some rows of a matrix, with their ids."""
    if rows.size == len(matrix):
        return matrix
    ids = None if matrix.ids is None else tuple(matrix.ids[i] for i in rows)
    return replace(matrix, values=sparse.csr_array(matrix.values)[rows], ids=ids)


def _in_order(truth: NamedMatrix, names: tuple[str, ...]) -> Any:
    """Return the labels in the order of a model; labels that a list does not mention are absent."""
    wide = truth.widened(names) if truth.has_label_lists else truth
    place = {name: j for j, name in enumerate(wide.label_names or names)}
    return sparse.csc_array(wide.values)[:, [place[name] for name in names]]


def digest_of(Y: Any) -> str:
    """Return a text that distinguishes labels of training samples, in any order, from others."""
    cells = sparse.coo_array(Y)
    known = cells.data != 0
    rows, labels = (axis[known] for axis in cells.coords)
    keys = np.zeros(cells.shape[0], dtype=np.uint64)
    np.add.at(keys, rows, _mixed(2 * labels + (cells.data[known] == 1)))
    found = hashlib.sha256(repr(cells.shape).encode())
    found.update(np.sort(keys).astype("<u8").tobytes())
    return found.hexdigest()


def _mixed(codes: np.ndarray) -> np.ndarray:
    """Return a number of 64 bits for each code, such that sums of few are rarely the same.

    This is the mixing function of SplitMix64 (Steele, Lea and Flood 2014).
    """
    mixed = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def thresholds_of(model: Any) -> Thresholds | None:
    """Return the thresholds by which a model decides; None if it does not decide by thresholds."""
    # Behind the features of a table, the last step decides.
    found = getattr(_decider(model), "thresholds_", None)
    return found if isinstance(found, Thresholds) else None


def loaded_thresholds(path: Path, model: Any) -> Thresholds:
    """Return the thresholds of a model from a file, with the names of its labels."""
    found = thresholds_of(model)
    if found is None:
        raise DataError(
            path,
            f"has no thresholds, because {type(_decider(model)).__name__} does not decide by them.",
        )
    names = getattr(model, "label_names_", None)
    return found if names is None else replace(found, label_names=tuple(map(str, names)))


def _decider(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model


def splits_sentences(model: Any) -> bool:
    """Return whether a model takes texts as bags of their sentences."""
    return isinstance(raw_step(model), SentenceBags)


def read_columns(model: Any, step: Any, source: DataSource) -> ModelInput:
    """Read the columns that the first step takes, as a table or a list of texts, and the ids."""
    path = Path(source.data)
    if is_annif(path):
        return _annif_columns(step, path, source)
    if not is_matrix_file(path):
        raise DataError(path, "must be a csv or parquet table: the model was fitted to one.")
    kinds = getattr(step, "kinds_", {})
    as_text = [name for name, kind in kinds.items() if kind in (Kind.TEXT, Kind.CATEGORY)]
    if isinstance(step, SentenceBags):
        as_text = [str(name) for name in getattr(step, "feature_names_in_", ())]
    asked = [*(parse_names(source.text) or ()), *(parse_names(source.ids) or ())]
    with warnings_as_notes():
        table = read_frame(path, [*as_text, *asked], source.max_bytes)
    for name in table.column_names:
        # Lists of texts, such as sentences, are texts, as in training.
        joined = joined_texts(table.column(name)) if name in {*as_text, *asked} else None
        if joined is not None:
            table = table.set_column(table.column_names.index(name), name, joined)
    used = _columns_of(step, table, source)
    missing = [name for name in used if name not in table.column_names]
    refuse_missing(path, missing)
    ids = _id_names(model, table, source)
    given = parse_labels(source.labels)
    labels = given if isinstance(given, list) else [given]
    known = {*used, *ids, *labels, *row_columns_of(model).values(), *row_names(table.column_names)}
    note_unused(path, [name for name in table.column_names if name not in known])
    first, *others = [(name, texts(table.column(name)).tolist()) for name in ids] or [("id", None)]
    of_rows = None if first[1] is None else tuple(first[1])
    has_names = hasattr(step, "feature_names_in_")
    X = table.select(used) if has_names else texts(table.column(used[0])).tolist()
    return ModelInput(X, (of_rows, first[0]), beside=dict(others))


def _annif_columns(step: Any, path: Path, source: DataSource) -> ModelInput:
    """Read the texts of a corpus of Annif, as the one column of text that a model takes."""
    corpus = read_annif(path, max_bytes=source.max_bytes)
    ids = ids_in(corpus.ids)
    if not hasattr(step, "feature_names_in_"):
        return ModelInput(texts(corpus.frame.column("text")).tolist(), ids)
    empty = corpus.frame.schema.empty_table().rename_columns(["text"])
    wanted = _columns_of(step, empty, source)
    if len(wanted) != 1:
        raise DataError(path, f"has only texts, and the model needs the columns {listed(wanted)}.")
    return ModelInput(corpus.frame.select(["text"]).rename_columns(wanted), ids)


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
        for name in given:
            if name not in table.column_names:
                names = listed(table.column_names, most=8)
                raise DataError(source.data, f"has no column {name!r} of --ids, but {names}.")
        return given
    trained = [name for name in getattr(model, "id_names_", ()) if name not in ROW_NAMES]
    known = [*trained, *ID_NAMES, *ROW_NAMES]
    return [name for name in dict.fromkeys(known) if name in table.column_names][:1]


def check_features(data: Dataset, X: Any, model: Any) -> None:
    """Refuse data without features, and bags and missing values if the model cannot take them."""
    if data.frame is None and X.shape[1] == 0:
        raise ValueError(f"{data.name!r} must have a column that is a feature, got none.")
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
    known = {*wanted, *labels, *row_columns_of(model).values()}
    unknown = [name for name in given if name not in known]
    note_unused(Path(path), unknown)
    return data.X[:, [place[name] for name in wanted]]


def _widened(X: sparse.csr_array, width: int, path: str) -> sparse.csr_array:
    if X.shape[1] > width:
        raise DataError(path, f"has {X.shape[1]} features but the model knows {width}.")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
