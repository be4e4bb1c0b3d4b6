"""Parse the header of an ARFF file: relation, attributes and their types, start of the data."""

from __future__ import annotations

import re
from typing import NamedTuple

from labelwise._io import SIDE_BYTES, Bound, DataError

# All quantifiers are possessive, so that no text causes backtracking.
QUOTED = rb"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\""
_VALUE = re.compile(rb"[ \t]*+(?:(" + QUOTED + rb")[ \t]*+|([^,}'\"][^,}]*+))[,}]")
_VALUES = re.compile(
    rb"\{(?:[ \t]*+(?:" + QUOTED + rb"|[^,}'\"][^,}]*+)[ \t]*+,)*+"
    rb"[ \t]*+(?:" + QUOTED + rb"|[^,}'\"][^,}]*+)?+[ \t]*+\}"
)
_COMMENT = re.compile(rb"[ \t]*+%.*")
_NUMBER = re.compile(rb"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+")
_ESCAPES = ((b"\\n", b"\n"), (b"\\r", b"\r"), (b"\\t", b"\t"), (b"\\", b""))
_WORDS = {
    b"numeric": "number",
    b"real": "number",
    b"integer": "number",
    b"string": "text",
    b"date": "text",
    b"relational": "bag",
}
_YES = {b"yes", b"true", b"t", b"y"}
_SKIPPED = rb"(?:[ \t\r]*+(?:%[^\n]*+)?+\n)*+[ \t\r]*+"
_ATTRIBUTE = re.compile(
    _SKIPPED + rb"@attribute[ \t]++(" + QUOTED + rb"|[^\s'\"][^\s]*+)[ \t]*+([^\n]*+)",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(_SKIPPED + rb"@([A-Za-z]+)[ \t\r]*+([^\n]*+)")
_BLANKS = re.compile(_SKIPPED)


class Header(NamedTuple):
    """Name of the relation, attributes, attributes inside the bags, and start of the data."""

    relation: bytes
    attributes: list[Attribute]
    bag_attributes: list[Attribute]
    data_start: int


def parse_header(content: bytearray, bound: Bound) -> Header:
    """Parse the text before the rows."""
    reader = _HeaderReader(content, bound)
    position = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while True:
        if line := _ATTRIBUTE.match(content, position):
            reader.add(line[1], line[2].rstrip(), line.start(1))
        elif line := _DIRECTIVE.match(content, position):
            keyword = line[1].lower()
            if keyword == b"data":
                return reader.finish(line.start(1), line.end())
            reader.take(keyword, line[2].rstrip(), line.start(1))
        else:
            position = _BLANKS.match(content, position).end()  # type: ignore[union-attr]
            raise reader.error(position, _unexpected(content, position))
        position = line.end()


class _HeaderReader:
    """Collects the attributes and refuses what does not fit."""

    def __init__(self, content: bytearray, bound: Bound) -> None:
        self.content = content
        self.bound = bound
        self.n_declared = 0
        self.relation = b""
        self.attributes: list[Attribute] = []
        self.bag_attributes: list[Attribute] = []
        self.bag: bytes | None = None
        self.names: set[bytes] = set()
        # Thousands of attributes share a few types: each is parsed once.
        self.types: dict[bytes, AttributeType] = {}

    def error(self, position: int, problem: str) -> DataError:
        line = self.content.count(b"\n", 0, position) + 1
        return DataError(self.bound.path, problem, line)

    def take(self, keyword: bytes, rest: bytes, position: int) -> None:
        if keyword == b"relation":
            self.relation = rest
        elif keyword == b"end" and self.bag is not None:
            self.bag = None
        elif keyword == b"attribute":
            raise self.error(position, f"@attribute needs a name and a type, got {shown(rest)!r}.")
        else:
            raise self.error(position, f"@{shown(keyword)} is not expected here.")

    def add(self, written_name: bytes, written_type: bytes, position: int) -> None:
        name = unquoted(written_name)
        if name in self.names:
            raise self.error(position, f"attribute {shown(name)!r} is declared twice.")
        self.names.add(name)
        kind = self.types.get(written_type) or self.parse(name, written_type, position)
        if kind.kind == "bag":
            if self.bag is not None or self.bag_attributes:
                raise self.error(position, "only one relational attribute is understood.")
            self.bag = name
        inside = self.bag is not None and kind.kind != "bag"
        (self.bag_attributes if inside else self.attributes).append(Attribute(name, kind))

    def parse(self, name: bytes, written: bytes, position: int) -> AttributeType:
        self.n_declared += written.count(b",") + 1
        self.bound.check(self.n_declared * SIDE_BYTES, "the values of its attributes")
        parsed = parse_type(written)
        if isinstance(parsed, str):
            raise self.error(position, f"attribute {shown(name)!r} {parsed}")
        self.types[written] = parsed
        return parsed

    def finish(self, position: int, data_start: int) -> Header:
        if self.bag is not None:
            raise self.error(position, f"relational {shown(self.bag)!r} has no @end.")
        if not self.attributes:
            raise self.error(position, "no attribute is declared before @data.")
        if any(attribute.type.kind == "bag" for attribute in self.attributes) != bool(
            self.bag_attributes
        ):
            raise self.error(position, "the relational attribute declares nothing inside.")
        end = self.content.find(b"\n", data_start)
        start = len(self.content) if end < 0 else end + 1
        return Header(self.relation, self.attributes, self.bag_attributes, start)


def _unexpected(content: bytearray, position: int) -> str:
    if not content.strip():
        return "the file is empty."
    if position >= len(content):
        return "the file ends before @data."
    line = content[position : position + 61].split(b"\n", 1)[0]
    return f"expected @relation, @attribute or @data, got {shown(line)!r}."


class AttributeType(NamedTuple):
    """Kind of an attribute ("number", "nominal", "text", "bag"), and its declared values."""

    kind: str
    values: tuple[bytes, ...] = ()
    numbers: tuple[float, ...] = ()
    width: int = 1

    @property
    def left_out(self) -> float:
        """The number of a value that a sparse row leaves out: 0, or the first one declared."""
        return self.numbers[0] if self.numbers else 0.0


class Attribute(NamedTuple):
    """One column of the file; its name and values are still bytes."""

    name: bytes
    type: AttributeType


def parse_type(written: bytes) -> AttributeType | str:
    """Parse the type after the name of an attribute; return a str with the fault if it is wrong."""
    if written.startswith(b"{"):
        values = _parse_values(written)
        if values is None:
            return f"has a list of values that does not end or is not well formed: {shown(written)}"
        return nominal(values)
    word = _COMMENT.sub(b"", written).split(None, 1)
    kind = _WORDS.get(word[0].lower()) if word else None
    return f"has an unknown type {shown(written)!r}." if kind is None else AttributeType(kind)


def nominal(values: tuple[bytes, ...]) -> AttributeType:
    """Return the type of declared values.

    Values that are numbers keep them. Of two other values, the one that means yes is 1, or else
    the second. Of more values, each has its index as number, and a column of its own.
    """
    if all(_NUMBER.fullmatch(value) for value in values):
        return AttributeType("nominal", values, tuple(float(value) for value in values))
    if len(values) <= 2:
        yes = [value.lower() in _YES for value in values]
        if sum(yes) != 1:
            yes = [place == 1 for place in range(len(values))]
        return AttributeType("nominal", values, tuple(map(float, yes)))
    return AttributeType("nominal", values, tuple(map(float, range(len(values)))), len(values))


def _parse_values(written: bytes) -> tuple[bytes, ...] | None:
    """Return the distinct values of {a, 'b c', ...}, or None if it is malformed."""
    whole = _VALUES.match(written)
    if whole is None:
        return None
    if whole.end() < len(written) and _COMMENT.sub(b"", written[whole.end() :]).strip():
        return None
    if b"'" in whole[0] or b'"' in whole[0]:
        pairs = _VALUE.findall(whole[0], 1)
        return tuple(dict.fromkeys(unquoted(pair[0]) or pair[1].rstrip() for pair in pairs))
    inside = whole[0][1:-1]
    values = [value.strip() for value in inside.split(b",")] if inside else []
    return tuple(dict.fromkeys(values))


def number(written: bytes) -> float | None:
    """Return a finite number or NaN as Python reads it, or None."""
    text = written.strip()
    if text.lower() == b"nan":
        return float("nan")
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) < float("inf") else None


def unquoted(written: bytes) -> bytes:
    """Return a name or value without its quotes; only inside them does a backslash escape."""
    return unescaped(written[1:-1]) if written[:1] in (b"'", b'"') else written


def unescaped(inside: bytes) -> bytes:
    """Return the text between quotes with its escapes resolved."""
    if b"\\" not in inside:
        return inside
    # Between two double backslashes there are only single ones.
    parts = inside.split(b"\\\\")
    return b"\\".join([_single_escapes(part) if b"\\" in part else part for part in parts])


def _single_escapes(part: bytes) -> bytes:
    for written, meant in _ESCAPES:
        part = part.replace(written, meant)
    return part


def shown(text: bytes | bytearray, most: int = 60) -> str:
    """Return bytes as short, printable text for an error message."""
    plain = bytes(text[: most + 1]).decode("utf-8", "replace")
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in plain)
    return printable if len(text) <= most else printable[:most] + "…"
