"""Files as bounded bytes: what comes from outside is hostile until it has been checked."""

from __future__ import annotations

import gzip
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

MAX_BYTES = 4 * 2**30
_BLOCK = 2**20


class DataError(ValueError):
    """A file that cannot be read as what it claims to be; the message names file and line."""

    def __init__(self, path: str | Path, problem: str, line: int | None = None) -> None:
        place = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {problem}")


def read_bytes(path: str | Path, max_bytes: int = MAX_BYTES) -> bytearray:
    """Return the content of a file, unpacked if it is gzip, refusing more than `max_bytes`."""
    path = Path(path)
    content = bytearray()
    try:
        with open_unpacked(path) as stream:
            while block := stream.read(_BLOCK):
                content += block
                if len(content) > max_bytes:
                    raise DataError(path, f"holds more than max_bytes={max_bytes} bytes.")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(path, f"is not a whole gzip file ({error}).") from error
    except FileNotFoundError as error:
        raise DataError(path, "does not exist.") from error
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror or error}).") from error
    return content


def open_unpacked(path: Path) -> BinaryIO:
    """Open a file for reading bytes; gzip is told by its first two bytes, not by its name."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")  # type: ignore[return-value]


def decode(content: bytes | bytearray) -> tuple[str, str]:
    """Return the text and its encoding: UTF-8, or Latin-1 for the whole if any byte is not."""
    try:
        return content.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def plain_name(path: str | Path) -> str:
    """Return the name of a file without its folder, its format and the mark of a packed file."""
    name = Path(path).name.removesuffix(".gz")
    return Path(name).stem


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Give a path to write to beside `path`; it takes its place only when all went well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
