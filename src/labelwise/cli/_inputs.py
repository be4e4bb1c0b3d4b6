"""What a command reads, as the user typed it: data sets, labels, decisions, and kinds of files.

`DataSource` is the argument and the options of commands that read a data set, and `MatrixSource`
the options of commands that read and match matrices of scores, labels and decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from labelwise import _io, _matrices, data, decisions
from labelwise._text import did_you_mean, listed
from labelwise.cli import _options as opt
from labelwise.cli._outputs import note, warnings_as_notes, working

if TYPE_CHECKING:
    import numpy as np

    from labelwise._validation import Matched, NamedMatrix, SameLabels
    from labelwise.data import Dataset

# The first bytes of zip files, which models are.
_ZIP = b"PK"
# Endings of matrices without the names of features.
_UNNAMED = (".npy", ".npz")
_PARTS = ("train", "test", "all")


class DataSource(NamedTuple):
    """Argument and options that say which data a command reads, and how."""

    data: Annotated[
        str,
        typer.Argument(
            help="A data file, a folder of data files, or the name of a known set; - for csv from "
            "stdin."
        ),
    ]
    labels: opt.Labels = None
    ids: opt.Ids = None
    text: Annotated[
        str | None, typer.Option("--text", help="Columns of a table that are texts, with commas.")
    ] = None
    bags: opt.Bags = None
    data_home: Annotated[
        Path | None, typer.Option("--data-home", help="Folder of benchmark sets.")
    ] = None
    max_bytes: opt.MaxBytes = None

    def files(self) -> list[Path]:
        """List the files that the command reads."""
        return data.input_files(self.data, data_home=self.data_home, labels=self.labels)

    def load(self, **beside: str | None) -> Dataset:
        """Read the data set, and note which columns were taken as texts and identifiers.

        Columns of a table that `beside` names by their options, such as groups, are read as
        identifiers.
        """
        ids, named = parse_names(self.ids), [name for name in beside.values() if name is not None]
        _refuse_as_labels(self.labels, beside)
        if named and _matrices.is_matrix_file(self.data):
            ids = [*(ids or ()), *named]
        try:
            with working("reading"), warnings_as_notes():
                found = data.load(
                    self.data,
                    data_home=self.data_home,
                    labels=parse_labels(self.labels),
                    ids=ids,
                    text=parse_names(self.text),
                    bags=self.bags,
                    max_bytes=self.max_bytes,
                )
        except _io.DataError:
            if named and Path(self.data).is_file():
                self._check_columns(beside)
            raise
        if found.texts and self.text is None:
            note(f"{listed(found.texts)} taken as text (--text names the columns of text).")
        taken = [name for name in found.ids if name not in (self.bags, *named)]
        if taken and self.ids is None and _matrices.is_matrix_file(self.data):
            note(f"{listed(taken)} taken as identifiers, not as features (--ids).")
        return found

    def _check_columns(self, beside: Mapping[str, str | None]) -> None:
        """Refuse options that do not name a column of a table."""
        from labelwise._tables import read_frame

        path = Path(self.data)
        names = read_frame(path, (), self.max_bytes).column_names
        for option, name in beside.items():
            if name is not None:
                _check_column(path, option, name, names)


def group_column(
    dataset: Dataset, name: str, option: str = "groups"
) -> tuple[np.ndarray, list[int]]:
    """Return the group or weight of each sample, and the features that are made of its column.

    The column is an identifier, a feature, or an attribute with a feature for each value.
    """
    import numpy as np
    from scipy import sparse

    places: list[int] = []
    if name in dataset.ids:
        groups = np.asarray(dataset.ids[name])
        missing = np.flatnonzero(groups == "")
    else:
        names = dataset.feature_names if dataset.bags is None else ()
        places = [j for j, one in enumerate(names) if one == name]
        places = places or [j for j, one in enumerate(names) if one.startswith(f"{name}=")]
        if not places:
            raise ValueError(f"--{option} must name a column of {dataset.name!r}, got {name!r}.")
        columns = dataset.X[:, places]
        columns = columns.toarray() if sparse.issparse(columns) else columns
        missing = np.flatnonzero(np.isnan(columns).any(axis=1))
        groups = columns.argmax(axis=1) if len(places) > 1 else columns.ravel()
    if missing.size:
        raise ValueError(f"--{option} {name!r} has no value in row {missing[0]}.")
    return groups, places


def weights_of_texts(values: Any) -> np.ndarray:
    """Return the numbers of a column of --weights."""
    import numpy as np

    try:
        return np.asarray(values, dtype=float)
    except ValueError as error:
        row = next(i for i, one in enumerate(values) if not _is_number(one))
        got = f"{str(values[row])!r} in row {row}"
        raise ValueError(f"--weights must name a column of numbers, got {got}.") from error


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse_labels(text: str | list[str] | None) -> str | int | list[str] | None:
    """Read --labels: an XML file, a count, a prefix with *, one column, or names with commas.

    An empty text means that no column is a label. A list of names stays as it is.
    """
    if isinstance(text, list):
        return text
    if text == "":
        return []
    if text is None or text.endswith((".xml", ".xml.gz", "*")):
        return text
    if text.lstrip("-").isdigit():
        return int(text)
    names = text.split(",")
    return names if len(names) > 1 else text


def parse_names(text: str | None) -> list[str] | None:
    """Read --ids or --text: names of columns with commas; an empty text is not a column."""
    return None if text is None else [name for name in text.split(",") if name]


def _ids_to_match(text: str | None) -> list[str] | None:
    """Read --ids of files that are matched: names, of which each file uses the first it has."""
    return None if text is None else text.split(",")


def check_part(part: str | None) -> None:
    """Refuse a value of --part that no data set has."""
    if part is not None and part not in _PARTS:
        raise ValueError(f"--part must be one of {', '.join(_PARTS)}, got {part!r}.")


def part_of(data: Dataset, part: str) -> Dataset:
    """Return the rows of the training part or the test part of a data set, or all rows."""
    if part == "all":
        return data
    rows = data.train if part == "train" else data.test
    if rows is None:
        raise ValueError(f"--part {part} is not in {data.name!r}, which has a single part.")
    return data.take(rows)


class RuleRows(NamedTuple):
    """A rule and matrices of rows, with the labels that all have, in the same order."""

    rule: Any
    scores: NamedMatrix
    Y: Any  # None without labels
    groups: np.ndarray | None  # of the rows, or of those to calibrate with
    calibrate: list[Any] | None  # scores and labels of other rows, and groups if they are named
    notes: list[str]


class MatrixSource(NamedTuple):
    """Options that say how matrices of scores, labels and decisions are read and matched."""

    columns: opt.Labels = None
    bags: opt.Bags = None
    ids: opt.Ids = None
    by_position: opt.ByPosition = False
    missing_labels: opt.MissingLabels = "error"
    max_bytes: opt.MaxBytes = None

    def read(
        self,
        labels: Path,
        scores: Sequence[Path] = (),
        decided: Path | None = None,
        *,
        part: str | None = None,
        beside: Mapping[str, str | None] | None = None,
        allow_missing: bool = False,
        labels_of_scores: bool = False,
    ) -> Matched:
        """Read labels, scores and decisions of the same rows, and match rows and labels.

        Columns have the order of the labels, or of the scores. Columns that `beside` names by
        their options, such as --groups, are not labels. Missing labels are NaN; they are refused
        unless `allow_missing`.
        """
        from labelwise._tables import TABLE_ENDINGS
        from labelwise._validation import matched

        named = {option: name for option, name in (beside or {}).items() if name is not None}
        _refuse_as_labels(self.columns, named)
        if named and labels.is_file() and _io.plain_ending(labels) not in TABLE_ENDINGS:
            raise _io.DataError(
                labels,
                f"must be a csv, JSON lines or parquet table with --{next(iter(named))}, which "
                "names a column beside the labels.",
            )
        truth = self._truth(labels, part, named)
        if not allow_missing:
            _refuse_missing(truth)
        others = [self.scores(path, named.values()) for path in scores]
        if decided is not None:
            others.append(self._decided(decided))
        return matched(
            truth,
            others,
            by_position=self.by_position,
            missing_labels=self.missing_labels,
            labels_of_scores=labels_of_scores,
        )

    def ids_or_position(self) -> list[Any] | None:
        """Return the names of columns of ids, with False for positions, for functions of files."""
        names = parse_names(self.ids)
        return [*(names or ()), False] if self.by_position else names

    def scores(self, path: Path, beside: Collection[str] = ()) -> NamedMatrix:
        """Read scores, or Annif's suggestions; columns that `beside` names are left out."""
        if _has_suggestions(path):
            return data.read_suggestions(path, self.columns, max_bytes=self.max_bytes)
        ids = _ids_to_match(self.ids)
        return data.read_scores(path, ids=ids, without=beside, max_bytes=self.max_bytes)

    def refuse_labels_of_scores(self, path: Path) -> None:
        """Refuse --labels for scores, which are not suggestions of Annif, without labels."""
        if self.columns is not None and not _has_suggestions(path):
            raise ValueError(
                f"--labels names the vocabulary of Annif's suggestions here, got scores in {path}."
            )

    def _truth(
        self, path: Path, part: str | None, beside: Mapping[str, str] | None = None
    ) -> NamedMatrix:
        check_part(part)
        columns, ids = parse_labels(self.columns), _ids_to_match(self.ids)
        if beside:
            names, id_name = self._other_columns(path, beside)
            columns, ids = columns or names, None if id_name is None else [id_name]
        return data.read_labels(
            path, labels=columns, ids=ids, bags=self.bags, part=part, max_bytes=self.max_bytes
        )

    def _decided(self, path: Path) -> NamedMatrix:
        """Read decisions from a matrix, in which -1 is a cell to review, or from a data set."""
        if _matrices.is_matrix_file(path):
            ids = _ids_to_match(self.ids)
            return _matrices.read_decisions(path, ids=ids, max_bytes=self.max_bytes)
        truth = MatrixSource(ids=self.ids, max_bytes=self.max_bytes)._truth(path, None)
        _refuse_missing(truth)
        return truth

    def match_rule(self, path: Path, rule: Any, matrices: Sequence[NamedMatrix]) -> SameLabels:
        """Match the labels of thresholds or bands with those of matrices, the scores first."""
        from labelwise._validation import MatchedSide, position_note, same_labels, side_of

        same = same_labels(
            MatchedSide(path, label_names=rule.label_names, shape=(0, len(rule))),
            [side_of(matrix) for matrix in matrices],
            self.by_position,
            self.missing_labels,
        )
        if same.by_position[0]:
            same.notes.append(position_note(matrices[0].source, path))
        return same

    def rows_of_rule(
        self,
        path: Path | None,
        load: Callable[[Path], Any],
        scores: Path,
        labels: Path | None = None,
        calibrate: tuple[Path, Path] | None = None,
        *,
        groups: str | None = None,
        promises: bool = False,
    ) -> RuleRows:
        """Load a rule, and read rows that it decides, perhaps with labels or to calibrate with.

        Without a path, the rule is None, and labels must be given. With `promises`, which are about
        all labels of the rule together, none of them can be dropped.
        """
        units = rule = None
        beside = {"groups": groups}
        if path is not None:
            refuse_as_rule(path)
            rule = load(path)
            if isinstance(rule, decisions.Proportions):
                raise ValueError(
                    f"{path} has proportions of labels, by which the decisions of a row depend on "
                    "the other rows: this command needs thresholds or bands."
                )
        if groups is not None and labels is None and calibrate is None:
            raise ValueError(
                "--groups names a column of the labels of --calibrate, which is not given."
            )
        if labels is None:
            read, notes = [self.scores(scores)], []
        else:
            same = self.read(labels, [scores], beside=beside, allow_missing=True)
            read, notes = [*same.others, same.truth], [*same.notes]
            units = self.row_values(labels, beside, same.truth).get("groups")
        n_rows = len(read)
        if calibrate is not None:
            other = self.read(calibrate[1], calibrate[:1], beside=beside, allow_missing=True)
            read += [*other.others, other.truth]
            notes += other.notes
            units = self.row_values(calibrate[1], beside, other.truth).get("groups")
        if path is None or rule is None:
            return RuleRows(None, read[0], read[1].values, units, None, notes)
        found = self.match_rule(path, rule, read)
        of_rule, *places = found.places
        if of_rule.size == len(rule):
            rule = replace(rule, label_names=found.names)
        elif promises:
            raise ValueError(
                "--missing-labels drop cannot leave out labels of the thresholds here, because "
                "their promises are about all of their labels."
            )
        else:
            rule = rule._of_labels(of_rule, found.names)
        matrices = [
            replace(one, values=one.values[:, columns], label_names=found.names)
            for one, columns in zip(read, places, strict=True)
        ]
        return RuleRows(
            rule,
            matrices[0],
            matrices[1].values if labels is not None else None,
            units,
            [*(one.values for one in matrices[n_rows:]), *([] if units is None else [units])]
            if calibrate is not None
            else None,
            [*found.notes, *notes],
        )

    def row_columns(self, path: Path, truth: NamedMatrix) -> tuple[dict[str, list[str]], list[str]]:
        """Read the columns of a table as text, in the order of the rows of the labels, and notes.

        Rows are matched by id: by the column that --ids names, the one that is called as in the
        labels, or a first one with a usual name. Where neither file has ids, they are matched by
        position, with a note; where one file has them, this is refused unless --by-position.
        """
        from labelwise._tables import row_names

        table, id_name = self._table(path, truth.id_name)
        columns = {name: _texts(table.column(name)) for name in table.column_names}
        found = None if id_name is None else columns.pop(id_name)
        for name in row_names(table.column_names):
            columns.pop(name, None)
        if not columns:
            raise _io.DataError(path, "has no column beside the ids.")
        rows, notes = self.rows_in_order(path, truth, (found, id_name), table.num_rows)
        if rows is not None:
            columns = {name: [of[row] for row in rows] for name, of in columns.items()}
        return columns, notes

    def rows_in_order(
        self,
        path: Path,
        truth: NamedMatrix,
        ids: tuple[Sequence[str] | None, str | None],
        n_rows: int,
    ) -> tuple[np.ndarray | None, list[str]]:
        """Return the row of a file for each row of the labels, None for the same order, and notes.

        The file may have more rows. `ids` are the ids of its rows, and the name of their column.
        """
        from labelwise._validation import MatchedSide, position_note, rows_in_order, side_of

        found, id_name = ids
        beside = MatchedSide(path, found, shape=(n_rows, 0), id_name=id_name)
        rows = rows_in_order(side_of(truth), beside, self.by_position, may_have_more=True)
        if found is not None and truth.ids is not None:
            return rows, []
        return rows, [position_note(path, truth.source, rows=True, labels=False)]

    def row_values(
        self, path: Path, beside: Mapping[str, str | None], truth: NamedMatrix
    ) -> dict[str, np.ndarray]:
        """Read the group, slice or weight of each row as text, from the columns of options."""
        import numpy as np

        found: dict[str, np.ndarray] = {}
        asked = {option: name for option, name in beside.items() if name is not None}
        columns = self.row_columns(path, truth)[0] if asked else {}
        for option, name in asked.items():
            _check_column(path, option, name, columns)
            found[option] = np.array(columns[name])
            missing = np.flatnonzero(found[option] == "")
            if missing.size:
                raise ValueError(f"--{option} {name!r} has no value in row {missing[0]}.")
        return found

    def row_arguments(
        self, path: Path, beside: Mapping[str, str | None], truth: NamedMatrix
    ) -> dict[str, Any]:
        """Read the columns of options as arguments of functions: weights are `sample_weight`."""
        found: dict[str, Any] = self.row_values(path, beside, truth)
        if "weights" in found:
            found["sample_weight"] = weights_of_texts(found.pop("weights"))
        return found

    def _other_columns(self, path: Path, beside: Mapping[str, str]) -> tuple[list[str], str | None]:
        """Return the columns of a table that are neither ids nor `beside`, and that of the ids."""
        from labelwise._tables import find_ids, row_names

        table, id_name = self._table(path, "id")
        every = table.column_names
        for option, name in beside.items():
            _check_column(path, option, name, [one for one in every if one != id_name])
        others = [name for name in every if name not in beside.values()]
        if id_name is None or id_name in row_names(every):
            # The values of the other columns show ids: labels are 0 and 1.
            id_name = find_ids(others, lambda name: [table.column(name)]) or id_name
        never = {id_name, *row_names(every)}
        return [name for name in others if name not in never], id_name

    def _table(self, path: Path, usual_name: str) -> tuple[Any, str | None]:
        """Read a table, and find the column of its ids; `usual_name` is their name if it has it.

        Texts and groups are words as ids are, so that the values of a column do not show ids.
        """
        from labelwise._tables import ID_NAMES, ROW_NAMES, named_ids, read_frame

        asked = _ids_to_match(self.ids) or []
        table = read_frame(path, [*asked, usual_name], self.max_bytes)
        names = table.column_names
        if asked:
            return table, named_ids(path, asked, names)
        if usual_name in names:
            return table, usual_name
        return table, names[0] if names[0] in (*ID_NAMES, *ROW_NAMES) else None


def _has_suggestions(path: Path) -> bool:
    return path.is_dir() and any(path.glob("*.annif"))


def _check_column(path: Path, option: str, name: str, columns: Collection[str]) -> None:
    """Refuse an option that does not name a column."""
    if name not in columns:
        rule = f"--{option} must name a column of {path} that is not its ids"
        found = listed(list(columns), most=8) if columns else "none"
        raise ValueError(f"{rule}: {found}, got {name!r}{did_you_mean(name, columns)}")


def _refuse_as_labels(labels: str | list[str] | None, beside: Mapping[str, str | None]) -> None:
    """Refuse columns of options that --labels names, too."""
    chosen = parse_labels(labels)
    named = chosen if isinstance(chosen, list) else [chosen]
    for option, name in beside.items():
        if name is not None and name in named:
            raise ValueError(f"--labels must not name {name!r}, which is the column of --{option}.")


def _refuse_missing(truth: NamedMatrix) -> None:
    """Refuse missing labels where the truth of every cell is needed."""
    import numpy as np
    from scipy import sparse

    from labelwise._validation import first_cell

    if truth.values.dtype.kind != "f" or not (gone := np.isnan(truth.values.data)).any():
        return
    cells = truth.values.tocoo()
    missing = sparse.csc_array((gone[gone], (cells.row[gone], cells.col[gone])), cells.shape)
    row, column = first_cell(missing)
    name = column if truth.label_names is None else truth.label_names[column]
    place = f"row {row if truth.ids is None else truth.ids[row]!r}, label {name!r}"
    raise _io.DataError(
        truth.source,
        f"must have no missing labels, because this command needs the truth of every cell, got "
        f"{missing.nnz:,} (first: {place}): fill them in or leave out their rows, or use labelwise "
        "tune and labelwise evaluate, which leave missing cells out.",
    )


def is_model_file(path: Path) -> bool:
    """Return whether a file is a model, which labelwise fit writes."""
    return not _matrices.is_matrix_file(path) and _first_bytes(path).startswith(_ZIP)


def refuse_as_rule(path: Path) -> None:
    """Refuse a model and a matrix where a file of thresholds or bands is needed."""
    if (
        _matrices.is_matrix_file(path)
        and path.is_file()
        and not _first_bytes(path).startswith(b"{")
    ):
        raise _io.DataError(
            path, "is not a file of thresholds, which labelwise tune writes as JSON."
        )
    if is_model_file(path):
        raise _io.DataError(
            path,
            "is a model, not thresholds, which labelwise tune writes as JSON: use labelwise "
            "predict, which decides the rows of a data set by a model.",
        )


def refuse_as_model(path: Path) -> None:
    """Refuse a file of thresholds and a table where a model is needed."""
    if _first_bytes(path).startswith(b"{"):
        raise _io.DataError(
            path,
            "is JSON, not a model, which labelwise fit writes: use labelwise decide, which decides "
            "scores by the thresholds of a file.",
        )
    if (
        _matrices.is_matrix_file(path)
        and path.is_file()
        and not _first_bytes(path).startswith(_ZIP)
    ):
        raise _io.DataError(
            path, "is a data set, not a model, which labelwise fit writes as a .skops file."
        )


def refuse_as_data(path: Path) -> None:
    """Refuse a matrix without the names of features where a model needs a data set."""
    if _io.plain_ending(path) in _UNNAMED:
        raise _io.DataError(
            path,
            "is a matrix, not a data set such as a csv table with the features of the model: use "
            "labelwise decide if it has scores, which decides them by thresholds of labelwise "
            "tune.",
        )


def _first_bytes(path: Path) -> bytes:
    """Return the first bytes of a file after blanks; none for a stream, which is read once."""
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(16).lstrip()


def _texts(column: Any) -> list[str]:
    return ["" if value is None else str(value) for value in column.to_pylist()]
