"""The head of an ARFF file: its attributes, their kinds and declared values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from labelwise.data._files import DataError

# All quantifiers are possessive: no text makes them try twice.
_SKIPPED = rb"(?:[ \t\r]*+(?:%[^\n]*+)?+\n)*+[ \t\r]*+"
_QUOTED = rb"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\""
_ATTRIBUTE = re.compile(
    _SKIPPED + rb"@attribute[ \t]++(" + _QUOTED + rb"|[^\s'\"][^\s]*+)[ \t]*+([^\n]*+)",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(_SKIPPED + rb"@([A-Za-z]+)[ \t\r]*+([^\n]*+)")
_BLANKS = re.compile(_SKIPPED)
_VALUE = re.compile(rb"[ \t]*+(?:(" + _QUOTED + rb")[ \t]*+|([^,}'\"][^,}]*+))[,}]")
_VALUES = re.compile(
    rb"\{(?:[ \t]*+(?:" + _QUOTED + rb"|[^,}'\"][^,}]*+)[ \t]*+,)*+"
    rb"[ \t]*+(?:" + _QUOTED + rb"|[^,}'\"][^,}]*+)?+[ \t]*+\}"
)
_COMMENT = re.compile(rb"[ \t]*+%.*")
_ESCAPES = ((b"\\n", b"\n"), (b"\\r", b"\r"), (b"\\t", b"\t"), (b"\\", b""))
_SIMPLE_TYPES = {
    b"numeric": "number",
    b"real": "number",
    b"integer": "number",
    b"string": "text",
    b"date": "text",
    b"relational": "bag",
}


class Attribute(NamedTuple):
    """One column of the file; names and values are still bytes."""

    name: bytes
    kind: str
    values: tuple[bytes, ...] = ()


class Header(NamedTuple):
    """The relation's name, the attributes, those inside the bag, and where the data begin."""

    relation: bytes
    attributes: list[Attribute]
    bag_attributes: list[Attribute]
    data_start: int


def parse_header(content: bytearray, path: Path) -> Header:
    """Read all that stands before the rows."""
    reader = _HeaderReader(content, path)
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

    def __init__(self, content: bytearray, path: Path) -> None:
        self.content = content
        self.path = path
        self.relation = b""
        self.attributes: list[Attribute] = []
        self.bag_attributes: list[Attribute] = []
        self.bag: bytes | None = None
        self.names: set[bytes] = set()
        # Thousands of attributes share a few types: each is parsed once.
        self.types: dict[bytes, tuple[str, tuple[bytes, ...]]] = {}

    def error(self, position: int, problem: str) -> DataError:
        line = self.content.count(b"\n", 0, position) + 1
        return DataError(self.path, problem, line)

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
        kind, values = self.types.get(written_type) or self.parse_type(name, written_type, position)
        if kind == "bag":
            if self.bag is not None or self.bag_attributes:
                raise self.error(position, "only one relational attribute is understood.")
            self.bag = name
        inside = self.bag is not None and kind != "bag"
        (self.bag_attributes if inside else self.attributes).append(Attribute(name, kind, values))

    def parse_type(
        self, name: bytes, written: bytes, position: int
    ) -> tuple[str, tuple[bytes, ...]]:
        parsed = _parse_type(written)
        if isinstance(parsed, str):
            raise self.error(position, f"attribute {shown(name)!r} {parsed}")
        self.types[written] = parsed
        return parsed

    def finish(self, position: int, data_start: int) -> Header:
        if self.bag is not None:
            raise self.error(position, f"relational {shown(self.bag)!r} has no @end.")
        if not self.attributes:
            raise self.error(position, "no attribute is declared before @data.")
        if any(attribute.kind == "bag" for attribute in self.attributes) != bool(
            self.bag_attributes
        ):
            raise self.error(position, "the relational attribute declares nothing inside.")
        end = self.content.find(b"\n", data_start)
        start = len(self.content) if end < 0 else end + 1
        return Header(self.relation, self.attributes, self.bag_attributes, start)


def _parse_type(written: bytes) -> tuple[str, tuple[bytes, ...]] | str:
    """Return kind and declared values, or what is wrong."""
    if written.startswith(b"{"):
        values = _parse_values(written)
        if values is None:
            return f"has a list of values that does not end or is not well formed: {shown(written)}"
        return "nominal", values
    word = _COMMENT.sub(b"", written).split(None, 1)
    kind = _SIMPLE_TYPES.get(word[0].lower()) if word else None
    if kind is None:
        return f"has an unknown type {shown(written)!r}."
    return kind, ()


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


def unquoted(written: bytes) -> bytes:
    """Return a name or value without its quotes; only inside them does a backslash escape."""
    if written[:1] in (b"'", b'"'):
        return unescaped(written[1:-1])
    return written


def unescaped(inside: bytes) -> bytes:
    """Return the text between quotes with its escapes resolved."""
    if b"\\" not in inside:
        return inside
    # What stands between two backslashes in a row holds only single ones.
    parts = inside.split(b"\\\\")
    return b"\\".join([_single_escapes(part) if b"\\" in part else part for part in parts])


def _single_escapes(part: bytes) -> bytes:
    for written, meant in _ESCAPES:
        part = part.replace(written, meant)
    return part


def shown(text: bytes | bytearray, most: int = 60) -> str:
    """Return bytes as they may stand in a message: short and printable."""
    plain = bytes(text[: most + 1]).decode("utf-8", "replace")
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in plain)
    return printable if len(text) <= most else printable[:most] + "…"


def _unexpected(content: bytearray, position: int) -> str:
    if not content.strip():
        return "the file is empty."
    if position >= len(content):
        return "the file ends before @data."
    line = content[position : position + 61].split(b"\n", 1)[0]
    return f"expected @relation, @attribute or @data, got {shown(line)!r}."
