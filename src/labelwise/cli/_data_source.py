"""The data set that a command reads, as the user typed it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from labelwise._text import listed
from labelwise.cli import _options as opt
from labelwise.cli._outputs import note, warnings_as_notes, working

if TYPE_CHECKING:
    import numpy as np

    from labelwise.data import Dataset

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
    ids: Annotated[
        str | None,
        typer.Option("--ids", help="Columns of a table that identify the rows, with commas."),
    ] = None
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
        from labelwise.data import input_files

        return input_files(self.data, self.data_home, self.labels)

    def load(self, groups: str | None = None) -> Dataset:
        """Read the data set, and note which columns were taken as texts and identifiers.

        The column of a table that `groups` names is read as an identifier.
        """
        from labelwise.data import load

        ids = parse_names(self.ids)
        if groups is not None and _is_table(self.data):
            ids = [*(ids or ()), groups]
        with working("reading"), warnings_as_notes():
            found = load(
                self.data,
                data_home=self.data_home,
                labels=parse_labels(self.labels),
                ids=ids,
                text=parse_names(self.text),
                bags=self.bags,
                max_bytes=self.max_bytes,
            )
        if found.texts and self.text is None:
            note(f"{listed(found.texts)} taken as text (--text names the columns of text).")
        taken = [name for name in found.ids if name not in (self.bags, groups)]
        if taken and self.ids is None and _is_table(self.data):
            note(f"{listed(taken)} taken as identifiers, not as features (--ids).")
        return found


def group_column(dataset: Dataset, name: str) -> tuple[np.ndarray, list[int]]:
    """Return the group of each sample, and the features that are made of its column.

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
            raise ValueError(f"--groups must name a column of {dataset.name!r}, got {name!r}.")
        columns = dataset.X[:, places]
        columns = columns.toarray() if sparse.issparse(columns) else columns
        missing = np.flatnonzero(np.isnan(columns).any(axis=1))
        groups = columns.argmax(axis=1) if len(places) > 1 else columns.ravel()
    if missing.size:
        raise ValueError(f"--groups {name!r} has no value in row {missing[0]}.")
    return groups, places


def _is_table(data: str) -> bool:
    return data.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".parquet"))


def parse_labels(text: str | None) -> str | int | list[str] | None:
    """Read --labels: an XML file, a count, a prefix with *, one column, or names with commas.

    An empty text means that no column is a label.
    """
    if text == "":
        return []
    if text is None or text.endswith((".xml", "*")):
        return text
    if text.lstrip("-").isdigit():
        return int(text)
    names = text.split(",")
    return names if len(names) > 1 else text


def parse_names(text: str | None) -> list[str] | None:
    """Read --ids or --text: names of columns with commas; an empty text is no column."""
    return None if text is None else [name for name in text.split(",") if name]


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
