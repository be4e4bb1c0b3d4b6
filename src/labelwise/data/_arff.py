"""Read ARFF files of Mulan, MEKA and multi-instance data into a Dataset.

The room `arff` parses headers and rows and builds arrays; this file decides which attributes are
labels and identifiers, and joins a training and a test file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax import ContentHandler, SAXParseException

import numpy as np
from scipy import sparse

from labelwise._extras import require
from labelwise._io import Bound, DataError, decode, line_not_utf8, plain_name, read_bytes, reading
from labelwise._validation import is_whole
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, LabelChoice, ReadRequest
from labelwise.data.arff import _arrays as arrays
from labelwise.data.arff._arrays import Layout, identifiers, lay_out
from labelwise.data.arff._header import Attribute, Header, parse_header, shown
from labelwise.data.arff._rows import Entries, ParsedRows, line_of, read_rows

# MEKA writes the number of labels into the name of the relation.
_MEKA_OPTION = re.compile(rb"-C\s+(-?\d{1,9})\b")
# The attributes of an XML element, even short ones, take this many times their length in memory.
_ATTRIBUTE_GROWTH = 30


def read_arff(
    path: str | Path,
    labels: LabelChoice = None,
    *,
    ids: Sequence[str] | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    r"""Read a data set from an ARFF file, dense or sparse, plain or gzip.

    Parameters
    ----------
    path : str or Path
        The file. Mulan files name their labels in an XML file, MEKA files by ``-C n`` in the
        name of the relation. Multi-instance files have a relational attribute.
    labels : str, Path, int or sequence of str, default=None
        Which attributes are labels: an XML file of Mulan; a number n as in MEKA's option, which
        means the first n attributes, or the last ones if n is negative; or one or several names.
        None takes the XML file in the same folder whose name is the longest beginning of the
        file's name, and without such a file the option in the name of the relation.
    ids : sequence of str, default=None
        Nominal attributes that are identifiers. None applies the rule in the notes.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        The data; labels have the order of the file. ``Y`` is None if all labels are missing.

    Raises
    ------
    DataError
        If the file cannot be read, with the file, the line and the reason.
    TypeError
        If `labels` is neither a file, nor a number, nor names.

    See Also
    --------
    load : Load a data set by name, or from a file or folder.

    Notes
    -----
    Each number is the double that Python reads from the same text.

    Identifiers are not in X but in ``Dataset.ids``. They are: text attributes; in multi-instance
    data, all attributes outside the bags; and nominal attributes that declare at least as many
    values as there are rows and in which no value occurs twice.

    A nominal attribute whose values are numbers is one numeric column of X. An attribute with two
    values is one column of 0 and 1, in which yes, true, t or y is 1, or else the second value. Any
    other nominal attribute is one 0/1 column for each value, named ``attribute=value``. ``?`` is
    NaN. An attribute that a sparse row does not mention is 0, or the first declared value. A file
    with bytes that are not UTF-8 is read as Latin-1.

    The reader makes one pass over the bytes. In addition to the file it needs about twice the
    memory of the arrays that it returns.

    Examples
    --------
    >>> from labelwise.data import read_arff
    >>> from pathlib import Path
    >>> file = Path(getfixture("tmp_path")) / "tiny.arff"
    >>> _ = file.write_text('''@relation 'tiny: -C 2'
    ... @attribute sea {0,1}
    ... @attribute sky {0,1}
    ... @attribute blue numeric
    ... @data
    ... 1,0,0.5
    ... 1,1,0.75
    ... ''')
    >>> tiny = read_arff(file)
    >>> tiny.label_names, tiny.X.tolist()
    (('sea', 'sky'), [[0.5], [0.75]])
    """
    request = ReadRequest(plain_name(path), labels, ids, max_bytes=max_bytes)
    return _read([Path(path)], request)


def _read(paths: Sequence[Path], request: ReadRequest) -> Dataset:
    """Read one data set from one file, or from a training and a test file of equal columns.

    The first file decides which attributes are identifiers.
    """
    parts: list[_FileArrays] = []
    roles: _AttributeRoles | None = None
    for path in paths:
        with reading(path, request.max_bytes) as bound:
            parsed = _parse(path, bound)
            if roles is None:
                roles = _attribute_roles(parsed, request.labels, request.ids, bound)
            elif _columns(parsed, roles.ids) != _columns(roles.file, roles.ids):
                raise DataError(path, f"has other attributes than {roles.file.path.name}.")
            parts.append(_assemble(parsed, roles, bound))
    if roles is None:
        raise ValueError("paths must name at least one file.")
    with reading(paths[0]):
        return _joined(parts, roles, request.name)


ARFF = FileFormat("an ARFF file", (".arff",), _read, uses=frozenset({"labels"}))


class _File(NamedTuple):
    """A parsed file; for bags, also the rows of all instances and where each bag begins."""

    path: Path
    encoding: str
    header: Header
    rows: ParsedRows
    instances: ParsedRows | None
    bags: np.ndarray | None


class _AttributeRoles(NamedTuple):
    """Which attributes are labels, identifiers and features, as the first file decides."""

    file: _File
    labels: list[int]
    ids: list[int]
    layout: Layout


class _FileArrays(NamedTuple):
    """The arrays of a Dataset, from one file."""

    X: np.ndarray | sparse.csr_array
    Y: sparse.csc_array | None
    ids: dict[str, np.ndarray]
    bags: np.ndarray | None


def _parse(path: Path, bound: Bound) -> _File:
    content = read_bytes(path, bound.max_bytes)
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    header = parse_header(content, bound)

    def line(position: int) -> int:
        return line_of(content, position)

    rows = read_rows(content, header.data_start, header.attributes, bound, line)
    if rows.n_rows == 0:
        raise DataError(path, "has no rows after @data.")
    encoding = "utf-8" if line_not_utf8(content) is None else "latin-1"
    file = _File(path, encoding, header, rows, None, None)
    return _with_instances(file, bound) if header.bag_attributes else file


def _with_instances(file: _File, bound: Bound) -> _File:
    """Read the rows inside the bags, all at once."""
    number = next(n for n, a in enumerate(file.header.attributes) if a.type.kind == "bag")
    if isinstance(file.rows.cells, Entries):
        raise DataError(file.path, "has bags in sparse rows, which are not understood.")
    texts = [file.rows.text(span) or b"" for span in file.rows.cells[:, number]]
    content = bytearray(b"\n".join(texts))
    starts = np.concatenate(([0], np.cumsum([len(text) + 1 for text in texts[:-1]]))).astype(int)

    def line(position: int) -> int:
        bag = int(np.searchsorted(starts, position, side="right")) - 1
        return line_of(file.rows.content, int(file.rows.lines[bag]))

    text_inside = next((a for a in file.header.bag_attributes if a.type.kind == "text"), None)
    if text_inside is not None:
        problem = f"attribute {shown(text_inside.name)!r} inside the bags must not be text."
        raise DataError(file.path, problem)
    instances = read_rows(content, 0, file.header.bag_attributes, bound, line)
    bags = np.append(np.searchsorted(instances.lines, starts), instances.n_rows)
    empty = np.flatnonzero(np.diff(bags) == 0)
    if empty.size:
        first = int(file.rows.lines[empty[0]])
        raise DataError(file.path, "the bag has no instance.", line_of(file.rows.content, first))
    return file._replace(instances=instances, bags=bags)


def _attribute_roles(
    file: _File,
    labels: LabelChoice,
    ids: Sequence[str] | None,
    bound: Bound,
) -> _AttributeRoles:
    header, path = file.header, file.path
    chosen = _label_columns(header, bound, file.encoding, labels)
    for label in (header.attributes[n] for n in chosen):
        if label.type.kind in ("text", "bag") or label.type.width > 1:
            what = f"{label.type.width} values" if label.type.width > 1 else label.type.kind
            raise DataError(path, f"label {shown(label.name)!r} must have two values, not {what}.")
    if file.instances is not None:
        # In multi-instance data all other attributes identify the bags.
        kept = {*chosen, *(n for n, a in enumerate(header.attributes) if a.type.kind == "bag")}
        named = [n for n in range(len(header.attributes)) if n not in kept]
        layout = lay_out(header.bag_attributes, [], file.encoding, bound)
        return _AttributeRoles(file, chosen, named, layout)
    wanted = None if ids is None else [name.encode(file.encoding) for name in ids]
    named = identifiers(header.attributes, file.rows, chosen, wanted)
    layout = lay_out(header.attributes, [*chosen, *named], file.encoding, bound)
    return _AttributeRoles(file, chosen, named, layout)


def _columns(file: _File, ids: Sequence[int]) -> tuple[list[Attribute], list[Attribute]]:
    """Return the attributes in which two files must agree: identifiers may declare others."""
    skipped = set(ids)
    outer = [a for n, a in enumerate(file.header.attributes) if n not in skipped]
    return outer, file.header.bag_attributes


def _assemble(file: _File, roles: _AttributeRoles, bound: Bound) -> _FileArrays:
    attributes = file.header.attributes
    cells = file.rows if file.instances is None else file.instances
    return _FileArrays(
        arrays.features(cells, roles.layout, bound),
        arrays.labels(file.rows, attributes, roles.labels, bound),
        arrays.identities(file.rows, attributes, roles.ids, file.encoding, bound),
        file.bags,
    )


def _joined_labels(
    parts: list[sparse.csc_array | None], sizes: list[int], n_labels: int
) -> sparse.csc_array | None:
    """Stack the labels of files; those of a file without any are missing, unless no file has any.

    Missing labels are NaN.
    """
    if all(part is None for part in parts):
        return None
    stacked = [
        np.full((size, n_labels), np.nan) if part is None else part
        for part, size in zip(parts, sizes, strict=True)
    ]
    return sparse.csc_array(sparse.vstack([sparse.csc_array(part) for part in stacked]))


def _joined(parts: list[_FileArrays], roles: _AttributeRoles, name: str) -> Dataset:
    header, encoding = roles.file.header, roles.file.encoding
    label_names = [header.attributes[number].name.decode(encoding) for number in roles.labels]
    X, Y, ids, bags = parts[0]
    train = test = None
    if len(parts) > 1:
        stack = sparse.vstack if sparse.issparse(X) else np.concatenate
        X = stack([part.X for part in parts])
        ids = {key: np.concatenate([part.ids[key] for part in parts]) for key in ids}
        sizes = [(part.X if part.bags is None else part.bags[1:]).shape[0] for part in parts]
        Y = _joined_labels([part.Y for part in parts], sizes, len(label_names))
        if bags is not None:
            bags = np.concatenate((bags, bags[-1] + parts[1].bags[1:]))  # type: ignore[index]
        train, test = np.arange(sizes[0]), sizes[0] + np.arange(sizes[1])
    return Dataset(X, Y, name, roles.layout.feature_names, label_names, train, test, bags, ids)


def _label_columns(header: Header, bound: Bound, encoding: str, labels: LabelChoice) -> list[int]:
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
    is_xml = isinstance(labels, str) and labels.endswith((".xml", ".xml.gz"))
    if isinstance(labels, str) and not is_xml and not Path(labels).is_file():
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
    every = (*path.parent.glob("*.xml"), *path.parent.glob("*.xml.gz"))
    stem = plain_name(path).lower()
    fitting = [xml for xml in every if stem.startswith(plain_name(xml).lower())]
    return max(fitting, key=lambda xml: (len(plain_name(xml)), xml.name), default=None)


def _meka_option(header: Header, path: Path) -> int:
    option = _MEKA_OPTION.search(header.relation)
    if option is None:
        raise DataError(
            path,
            "names no labels: give labels= an XML file, a list of names, or a number.",
        )
    return int(option[1])


def read_label_names(path: str | Path, max_bytes: int | None = None) -> list[str]:
    """Read the names of all label elements, including nested ones, in the order of the file."""
    require("defusedxml", "a file of label names")
    from defusedxml.common import DefusedXmlException
    from defusedxml.sax import make_parser

    path = Path(path)
    with reading(path, max_bytes) as bound:
        content = read_bytes(path, bound.max_bytes)
        bound.check(len(content) * _ATTRIBUTE_GROWTH, "its elements")
        text, _ = decode(content)
        elements = _Elements()
        parser = make_parser()
        parser.forbid_dtd = True
        parser.setContentHandler(elements)
        try:
            # At once: fed in pieces, a long tag is parsed again with every piece.
            parser.feed(text)
            parser.close()
        except DefusedXmlException as error:
            raise DataError(path, "contains a DTD or entities, which are refused.") from error
        except SAXParseException as error:
            problem = f"is not well-formed XML ({error.getMessage()})."
            raise DataError(path, problem, error.getLineNumber()) from error
        if elements.root != "labels":
            raise DataError(path, f"must contain <labels>, got <{elements.root:.60}>.")
        return _distinct(elements.names, path)


class _Elements(ContentHandler):
    """Collects the names of the labels.

    Namespaces are not resolved: written out, a long one would be repeated for every attribute.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root: str | None = None
        self.names: list[str | None] = []

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 (the name of SAX)
        local_name = name.rpartition(":")[2]
        if self.root is None:
            self.root = local_name
        if local_name == "label":
            self.names.append(attrs.get("name"))


def _distinct(names: list[str | None], path: Path) -> list[str]:
    seen: set[str] = set()
    for name in names:
        if name is None:
            raise DataError(path, "has a label without a name.")
        if name in seen:
            raise DataError(path, f"names label {name!r} twice.")
        seen.add(name)
    if not names:
        raise DataError(path, "names no label.")
    return [name for name in names if name is not None]
