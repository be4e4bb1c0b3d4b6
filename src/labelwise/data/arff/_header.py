"""Parse the header of an ARFF file: relation, attributes, and the start of the data."""

from __future__ import annotations

import re
from typing import NamedTuple

from labelwise._io import SIDE_BYTES, Bound, DataError
from labelwise.data.arff._attribute_types import (
    QUOTED,
    Attribute,
    AttributeType,
    parse_type,
    shown,
    unquoted,
)

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
