"""The data set that a command reads, as the user typed it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import listed
from labelwise.cli._outputs import note, warnings_as_notes
from labelwise.cli._parsing import parse_labels, parse_names
from labelwise.cli._progress import working
from labelwise.data import Dataset, input_files, load


class DataSource(NamedTuple):
    """Argument and options of a command that say which data to read, and how."""

    data: str
    labels: str | None = None
    ids: str | None = None
    text: str | None = None
    bags: str | None = None
    data_home: Path | None = None
    max_bytes: int | None = None
    groups: str | None = None  # column of a table that is read as an identifier

    def files(self) -> list[Path]:
        """List the files that the command reads."""
        return input_files(self.data, self.data_home, self.labels)

    def load(self) -> Dataset:
        """Read the data set, and note which columns were taken as texts and identifiers."""
        with working("reading"), warnings_as_notes():
            found = load(
                self.data,
                data_home=self.data_home,
                labels=parse_labels(self.labels),
                ids=self._ids(),
                text=parse_names(self.text),
                bags=self.bags,
                max_bytes=self.max_bytes,
            )
        if found.texts and self.text is None:
            note(f"{listed(found.texts)} taken as text (--text names the columns of text).")
        ids = [name for name in found.ids if name not in (self.bags, self.groups)]
        if ids and self.ids is None and _is_table(self.data):
            note(f"{listed(ids)} taken as identifiers, not as features (--ids).")
        return found

    def _ids(self) -> list[str] | None:
        """List the columns that the user named as identifiers or groups; None without any."""
        named = parse_names(self.ids)
        if self.groups is None or not _is_table(self.data):
            return named
        return [*(named or ()), self.groups]


def group_column(dataset: Dataset, name: str) -> tuple[np.ndarray, list[int]]:
    """Return the group of each sample, and the features that are made of its column.

    The column is an identifier, a feature, or an attribute with a feature for each value.
    """
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
