"""The list of file formats that `load` reads; a new reader is one more line here."""

from __future__ import annotations

from pathlib import Path

from labelwise.data._file_format import FileFormat
from labelwise.data._reuters import REUTERS
from labelwise.data._table import TABLE
from labelwise.data.arff._arff import ARFF
from labelwise.data.svmlight._svmlight import SVMLIGHT

FORMATS: list[FileFormat] = [
    ARFF,
    REUTERS,
    SVMLIGHT,
    TABLE,
]


def ending_of(path: Path) -> str:
    """Return the ending by which the format of a file is known, without .gz; "" if none is."""
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    return ending if any(ending in known.endings for known in FORMATS) else ""


def format_of(path: Path) -> FileFormat | None:
    """Return the format of a file, or of the files in a folder; None if it is unknown."""
    if path.is_dir():
        inside = (format_of(file) for file in sorted(path.iterdir()) if file.is_file())
        return next(filter(None, inside), None)
    ending = ending_of(path)
    return next((known for known in FORMATS if ending in known.endings), None)


def known_endings() -> str:
    """Return the endings of all formats as text for error messages."""
    return ", ".join(ending for known in FORMATS for ending in known.endings)
