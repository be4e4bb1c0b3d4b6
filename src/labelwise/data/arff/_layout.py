"""Decide which ARFF attributes are labels, identifiers or columns of X."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from labelwise._io import SIDE_BYTES, Bound, DataError
from labelwise._validation import is_whole
from labelwise.data.arff._attribute_types import Attribute
from labelwise.data.arff._header import Header
from labelwise.data.arff._label_xml import read_label_names
from labelwise.data.arff._rows import Entries, ParsedRows

_MEKA_OPTION = re.compile(rb"-C\s+(-?\d{1,9})\b")


class Layout(NamedTuple):
    """Columns of X of each attribute.

    Attribute a fills `widths[a]` columns from `base[a]` on, none if that is -1; if `one_hot[a]`,
    one for each of its values. A sparse row that does not mention it means `left_out[a]`.
    """

    base: np.ndarray
    widths: np.ndarray
    one_hot: np.ndarray
    left_out: np.ndarray
    feature_names: list[str]


def label_columns(
    header: Header, bound: Bound, encoding: str, labels: str | Path | int | Sequence[str] | None
) -> list[int]:
    """Return the indices of the label attributes, in the order of the file.

    `labels` is an XML file, one name, a list of names, or a number as in MEKA's option -C.
    None means an XML file in the same folder, or else the option in the name of the relation.
    """
    path = Path(bound.path)
    if labels is None:
        labels = xml_beside(path) or _meka_option(header, path)
    n_attributes = len(header.attributes)
    if is_whole(labels):
        if not 0 < abs(labels) <= n_attributes:
            raise DataError(path, f"cannot have {labels} labels among {n_attributes} attributes.")
        return list(range(n_attributes))[slice(labels) if labels > 0 else slice(labels, None)]
    if not isinstance(labels, str | Path | Iterable):
        raise TypeError(f"labels must be a file, a number, a name or names, got {labels!r}.")
    source = "labels"
    if isinstance(labels, str) and not labels.endswith(".xml") and not Path(labels).is_file():
        labels = [labels]
    if isinstance(labels, str | Path):
        source = Path(labels).name
        labels = read_label_names(labels, bound.max_bytes)
    place = {a.name.decode(encoding): number for number, a in enumerate(header.attributes)}
    unknown = next((name for name in labels if name not in place), None)
    if unknown is not None:
        raise DataError(path, f"has no attribute {unknown!r}, which {source} names as a label.")
    return sorted({place[name] for name in labels})


def xml_beside(path: Path) -> Path | None:
    """Return the XML file in the same folder whose name begins the ARFF file's, the longest."""
    stem = path.name.removesuffix(".gz").removesuffix(".arff").lower()
    fitting = [xml for xml in path.parent.glob("*.xml") if stem.startswith(xml.stem.lower())]
    return max(fitting, key=lambda xml: (len(xml.stem), xml.name), default=None)


def _meka_option(header: Header, path: Path) -> int:
    option = _MEKA_OPTION.search(header.relation)
    if option is None:
        raise DataError(
            path,
            "names no labels: give labels= an XML file, a list of names, or a number.",
        )
    return int(option[1])


def lay_out(
    attributes: Sequence[Attribute], left_out: Sequence[int], encoding: str, bound: Bound
) -> Layout:
    """Assign columns of X to all attributes except labels and identifiers."""
    skipped = set(left_out)
    # Every value's column repeats the name of its attribute.
    shown = [len(name) + SIDE_BYTES for name, _ in attributes]
    n_bytes = sum(
        n * attributes[place].type.width for place, n in enumerate(shown) if place not in skipped
    )
    bound.check(n_bytes, "the names of its features")
    base = np.full(len(attributes), -1, dtype=np.int64)
    widths = np.array([attribute.type.width for attribute in attributes])
    names: list[str] = []
    for place, (name, kind) in enumerate(attributes):
        if place in skipped:
            continue
        base[place] = len(names)
        readable = name.decode(encoding)
        if kind.width == 1:
            names.append(readable)
        else:
            names += [f"{readable}={value.decode(encoding)}" for value in kind.values]
    if len(set(names)) < len(names):
        raise DataError(bound.path, "has two columns of the same name once values get columns.")
    fills = np.array([attribute.type.left_out for attribute in attributes])
    return Layout(base, widths, (base >= 0) & (widths > 1), fills, names)


def identifiers(
    attributes: Sequence[Attribute],
    rows: ParsedRows,
    labels: Sequence[int],
    ids: Sequence[bytes] | None,
) -> list[int]:
    """Return the attributes that identify the rows, which are no features.

    Text always; nominal ones with at least as many declared values as rows and no value twice,
    or those that `ids` names.
    """
    is_label = set(labels)
    columns = ColumnValues(rows, len(attributes))
    found = []
    for place, (name, kind) in enumerate(attributes):
        if place in is_label:
            continue
        if kind.kind == "text" or (ids is not None and name in ids):
            found.append(place)
        elif ids is None and kind.kind == "nominal" and len(kind.values) >= rows.n_rows:
            column = columns.of(place, kind.left_out)
            if np.unique(column[~np.isnan(column)]).size == rows.n_rows:
                found.append(place)
    return found


class ColumnValues:
    """The numbers of single attributes in all rows; the entries of sparse rows are sorted once."""

    def __init__(self, rows: ParsedRows, n_attributes: int) -> None:
        self.rows = rows
        self.n_attributes = n_attributes

    def of(self, place: int, left_out: float) -> np.ndarray:
        """Return the numbers of one attribute, `left_out` where a sparse row has none."""
        if not isinstance(self.rows.cells, Entries):
            return self.rows.cells[:, place]
        starts, rows, values = self._by_column
        entries = slice(starts[place], starts[place + 1])
        column = np.full(self.rows.n_rows, left_out)
        column[rows[entries]] = values[entries]
        return column

    @cached_property
    def _by_column(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return entries sorted by column: first entry of each column, rows, values."""
        cells = cast("Entries", self.rows.cells)
        order = np.argsort(cells.columns, kind="stable")
        starts = np.searchsorted(cells.columns[order], np.arange(self.n_attributes + 1))
        return starts, cells.rows_of(order), cells.values[order]
