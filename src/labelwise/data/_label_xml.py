"""The XML file that names the labels of a Mulan data set."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import ParseError

from labelwise.data._files import MAX_BYTES, DataError, decode, read_bytes


def read_label_names(path: str | Path, max_bytes: int = MAX_BYTES) -> list[str]:
    """Return the names of all label elements, nested ones too, in the order of the file."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    path = Path(path)
    text, _ = decode(read_bytes(path, max_bytes))
    try:
        root = fromstring(text, forbid_dtd=True)
    except DefusedXmlException as error:
        raise DataError(path, "holds a DTD or entities, which are refused.") from error
    except (ParseError, ValueError) as error:
        line = error.position[0] if isinstance(error, ParseError) else None
        raise DataError(path, f"is not well-formed XML ({error}).", line) from error
    if _local_name(root.tag) != "labels":
        raise DataError(path, f"must hold <labels>, got <{_local_name(root.tag)}>.")
    names = [element.get("name") for element in root.iter() if _local_name(element.tag) == "label"]
    return _distinct(names, path)


def _local_name(tag: object) -> str:
    return str(tag).rpartition("}")[2]


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
