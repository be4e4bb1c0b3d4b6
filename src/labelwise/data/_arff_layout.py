"""Which attribute of an ARFF file becomes what: a label, an identifier, or columns of X."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labelwise.data._arff_header import Attribute, Header
from labelwise.data._arff_rows import Coding, Entries, Rows, code
from labelwise.data._files import DataError
from labelwise.data._label_xml import read_label_names

_MEKA_OPTION = re.compile(rb"-C\s+(-?\d{1,9})\b")


@dataclass(frozen=True)
class Layout:
    """Where each attribute goes.

    `base[a]` is the first column of X that attribute a fills, -1 if none; `codings[a]` its
    declared values (None for numbers and text).
    """

    base: np.ndarray
    codings: list[Coding | None]
    feature_names: list[str]

    @property
    def one_hot(self) -> np.ndarray:
        """Which attributes fill one column per value."""
        return np.array(
            [
                base >= 0 and coding is not None and not coding.one_column
                for base, coding in zip(self.base, self.codings, strict=True)
            ],
            dtype=bool,
        )

    def width(self, a: int | np.integer) -> int:
        """Return how many columns a nominal attribute fills."""
        coding = self.codings[a]
        return 1 if coding is None or coding.one_column else len(coding.values)

    @property
    def defaults(self) -> np.ndarray:
        """The number of a value that a sparse row leaves out: 0, or the first one declared."""
        return np.array([0.0 if c is None or not c.numbers else c.numbers[0] for c in self.codings])


def label_columns(
    header: Header, path: Path, encoding: str, labels: str | Path | int | Sequence[str] | None
) -> list[int]:
    """Return the places of the label attributes, in the order of the file.

    `labels` is the path of an XML file, a list of names, or a number as in MEKA's option -C.
    None looks for an XML file beside, then for the option in the relation's name.
    """
    if labels is None:
        labels = xml_beside(path) or _meka_option(header, path)
    n_attributes = len(header.attributes)
    if isinstance(labels, int):
        if not 0 < abs(labels) <= n_attributes:
            raise DataError(path, f"cannot have {labels} labels among {n_attributes} attributes.")
        return list(range(labels) if labels > 0 else range(n_attributes + labels, n_attributes))
    source = "labels"
    if isinstance(labels, str | Path):
        source = Path(labels).name
        labels = read_label_names(labels)
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
    attributes: Sequence[Attribute], left_out: Sequence[int], encoding: str, path: Path
) -> Layout:
    """Give columns of X to all attributes but those left out (labels and identifiers)."""
    base = np.full(len(attributes), -1, dtype=np.int64)
    known = {a.values: code(a.values) for a in attributes if a.kind == "nominal"}
    codings = [known[a.values] if a.kind == "nominal" else None for a in attributes]
    names: list[str] = []
    skipped = set(left_out)
    for number, (attribute, coding) in enumerate(zip(attributes, codings, strict=True)):
        if number in skipped:
            continue
        base[number] = len(names)
        name = attribute.name.decode(encoding)
        if coding is None or coding.one_column:
            names.append(name)
        else:
            names += [f"{name}={value.decode(encoding)}" for value in coding.values]
    if len(set(names)) < len(names):
        raise DataError(path, "has two columns of the same name once values get columns.")
    return Layout(base, codings, names)


def identifiers(
    attributes: Sequence[Attribute], rows: Rows, labels: Sequence[int], ids: Sequence[bytes] | None
) -> list[int]:
    """Return the attributes that name the rows and say nothing about them.

    Text always; nominal ones with at least as many declared values as rows and no value twice,
    or those that `ids` names.
    """
    is_label = set(labels)
    found = []
    for number, attribute in enumerate(attributes):
        if number in is_label:
            continue
        if attribute.kind == "text" or (ids is not None and attribute.name in ids):
            found.append(number)
        elif ids is None and attribute.kind == "nominal" and len(attribute.values) >= rows.n_rows:
            default = code(attribute.values).numbers[0] if attribute.values else np.nan
            column = whole_column(rows, number, default)
            if rows.n_rows and np.unique(column[~np.isnan(column)]).size == rows.n_rows:
                found.append(number)
    return found


def whole_column(rows: Rows, number: int, default: float) -> np.ndarray:
    """Return the numbers of one attribute in all rows."""
    if not isinstance(rows.cells, Entries):
        return rows.cells[:, number]
    column = np.full(rows.n_rows, default)
    places = np.flatnonzero(rows.cells.columns == number)
    column[rows.cells.rows_of(places)] = rows.cells.values[places]
    return column
