"""Read the XML file with the label names of a Mulan data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.sax import ContentHandler, SAXParseException

from labelwise._io import DataError, decode, read_bytes, reading

# The attributes of an element, even short ones, take this many times their length in memory.
_ATTRIBUTE_GROWTH = 30


def read_label_names(path: str | Path, max_bytes: int | None = None) -> list[str]:
    """Read the names of all label elements, including nested ones, in the order of the file."""
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
