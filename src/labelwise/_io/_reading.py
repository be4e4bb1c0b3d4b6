"""Read untrusted files with a bound on memory, and turn all faults into DataError.

`reading` gives a reader its `Bound`, which is checked before any array is built. `as_utf8` finds
the encoding of text by its byte order mark, or takes text that is not UTF-8 as Latin-1.
"""

from __future__ import annotations

import codecs
import gzip
import os
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple

from labelwise._errors import DataError, DataWarning
from labelwise._validation import check_whole

# The bound where neither the caller nor the size of the memory gives one.
MAX_BYTES = 4 * 2**30
# By default the content of a file may take this many bytes in memory whatever its size, ...
_FREE_BYTES = 2**30
# ... and that of a larger file this many times its size: text of one digit per cell becomes
# eight bytes for each two, and gzip packs such text to a tenth.
_GROWTH = 64
# Bytes of a short text as a Python object, with the pointer to it; and of the name of a row or
# column, which is also in dictionaries.
TEXT_BYTES = 60
SIDE_BYTES = 100
# Bytes of a line of text. Parsers copy a line several times, as bytes, as text and as cells.
_LONGEST_LINE = 2**26
_BLOCK = 2**20
# Most characters of another error's text in an error message.
_MOST_QUOTED = 200
# Byte order marks, longer ones first: that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_TITLES = {"utf-16": "UTF-16", "utf-32": "UTF-32", "utf-8-sig": "UTF-8", "latin-1": "Latin-1"}
_ADVICE = "save it as UTF-8"


def warn_of_assumption(path: str | Path, assumption: str) -> None:
    """Warn that a file was read with an assumption, given as the rest of a sentence."""
    warnings.warn(f"{path}: {assumption}.", DataWarning, stacklevel=2)


class Bound(NamedTuple):
    """The most bytes that the unpacked file, or any array built from it, may take."""

    path: str | Path
    max_bytes: int

    def check(self, n_bytes: float, what: str) -> None:
        """Raise an error if `n_bytes` exceeds the bound; called before an array is built."""
        if n_bytes > self.max_bytes:
            raise DataError(
                self.path,
                f"{what} would take {n_bytes:,.0f} bytes, more than max_bytes={self.max_bytes} "
                "bytes; if you trust the file, raise max_bytes (--max-bytes).",
            )


def bound_of(path: str | Path, max_bytes: int | None = None) -> Bound:
    """Return the caller's bound, or the default one for the size of the file.

    By default a file may take 64 times its size, but at least 1 GiB, and at most half of the
    memory.
    """
    if max_bytes is not None:
        return Bound(path, check_whole(max_bytes, "max_bytes"))
    try:
        size = Path(path).stat().st_size
    except OSError:
        size = 0
    return Bound(path, min(max(_FREE_BYTES, _GROWTH * size), memory_bytes() // 2))


def memory_bytes() -> int:
    """Return the bytes of memory that this process may use: all there are, or its limit."""
    sizes = []
    with suppress(OSError, ValueError):  # Where there is no limit of a container, or "max".
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    if hasattr(os, "sysconf"):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ImportError):  # on Windows
        import resource

        sizes.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    return min((size for size in sizes if size > 0), default=2 * MAX_BYTES)


@contextmanager
def reading(path: str | Path, max_bytes: int | None = None) -> Iterator[Bound]:
    """Turn errors caused by the file at `path` into a `DataError` that names the file.

    The context manager yields the bound for the file. A wrong `max_bytes` is not an error of the
    file and raises TypeError or ValueError.
    """
    bound = bound_of(path, max_bytes)
    try:
        yield bound
    except DataError:
        raise
    except FileNotFoundError as error:
        raise DataError(path, "does not exist.") from error
    except MemoryError as error:
        raise DataError(path, "takes more memory than there is.") from error
    except _faults() as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise DataError(path, f"cannot be read ({reason}).") from error


def _faults() -> tuple[type[Exception], ...]:
    """Return the errors that parsers and decoders raise for a damaged file."""
    of_python = (ValueError, ArithmeticError, OSError, EOFError, RuntimeError, SyntaxError)
    of_modules = (TokenError, struct.error, zipfile.BadZipFile, zlib.error)
    arrow = sys.modules.get("pyarrow")
    return (*of_python, *of_modules, *(() if arrow is None else (arrow.ArrowException,)))


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, shortened, or its class if it has no text."""
    return (str(error).splitlines() or [type(error).__name__])[0][:_MOST_QUOTED]


def read_bytes(path: str | Path, max_bytes: int | None = None) -> bytearray:
    """Return the content of a file, unpacked if it is gzip, refusing more than the bound."""
    path = Path(path)
    bound = bound_of(path, max_bytes)
    with reading(path), path.open("rb") as file:
        if file.peek(2)[:2] == b"\x1f\x8b":
            return _unpacked(file, bound)
        if file.seekable():
            bound.check(file.seek(0, os.SEEK_END), "its content")
            file.seek(0)
        return _joined(file, bound, keep=True)


def check_lines(path: str | Path, content: bytearray) -> None:
    """Refuse text with a line that is much longer than those of real files."""
    start = 0
    while len(content) - start > _LONGEST_LINE:
        # No line between two line ends of the part can be longer than the part.
        part = (start, start + _LONGEST_LINE)
        end = max(content.rfind(b"\n", *part), content.rfind(b"\r", *part))
        if end < 0:
            problem = f"has more than {_LONGEST_LINE:,} bytes in one line."
            raise DataError(path, problem, content.count(b"\n", 0, start) + 1)
        start = end + 1


def _unpacked(file: BinaryIO, bound: Bound) -> bytearray:
    """Unpack gzip; content that is too large is only counted, and not kept in memory."""
    keep = not file.seekable() or _claimed_size(file) <= bound.max_bytes
    try:
        return _joined(gzip.GzipFile(fileobj=file), bound, keep)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(bound.path, f"is not a whole gzip file ({error}).") from error


def _claimed_size(file: BinaryIO) -> int:
    """Return the size in the last four bytes of gzip: that of its last part, modulo 4 GiB."""
    file.seek(-min(4, file.seek(0, os.SEEK_END)), os.SEEK_END)
    claimed = int.from_bytes(file.read(4), "little")
    file.seek(0)
    return claimed


def _joined(stream: Any, bound: Bound, keep: bool) -> bytearray:
    content, size = bytearray(), 0
    while block := stream.read(_BLOCK):
        size += len(block)
        bound.check(size, "its unpacked content, as far as it was read,")
        if keep:
            content += block
    return content


def decode(content: bytes | bytearray) -> tuple[str, str]:
    """Return the text and its encoding: UTF-8, or Latin-1 for the whole if any byte is not."""
    try:
        return content.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def plain_name(path: str | Path) -> str:
    """Return the name of a file without its folder, its format and the mark of a packed file."""
    return Path(Path(path).name.removesuffix(".gz")).stem


def plain_ending(path: str | Path) -> str:
    """Return the ending of a file's name in lower case, without the mark of a packed file."""
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix


def as_utf8(bound: Bound, content: bytearray) -> tuple[bytearray, str | None]:
    """Return text as UTF-8, and the name of its encoding, None if it was UTF-8 already.

    A byte order mark decides; without one, text with any byte that is not UTF-8 is Latin-1.

    Raises
    ------
    DataError
        If the text is not in the encoding of its mark, or is UTF-16 without a mark.
    """
    if _is_unmarked_utf16(content):
        problem = f"is text in UTF-16 without a byte order mark: {_ADVICE}."
        raise DataError(bound.path, problem)
    marked = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    if marked in ("utf-16", "utf-32"):
        return _converted(bound, content, marked), _TITLES[marked]
    line = line_not_utf8(content)
    if line is None:
        return content, None
    if marked is not None:
        problem = f"is not UTF-8, although the file begins with the mark of UTF-8: {_ADVICE}."
        raise DataError(bound.path, problem, line)
    return _converted(bound, content, "latin-1"), _TITLES["latin-1"]


def _is_unmarked_utf16(content: bytearray) -> bool:
    """Return whether the first two characters are ASCII in two bytes each."""
    even, odd = content[0:4:2], content[1:4:2]
    return len(odd) == 2 and any(
        zeros == b"\0\0" and 0 not in others for zeros, others in ((even, odd), (odd, even))
    )


def line_not_utf8(content: bytearray) -> int | None:
    """Return the first line that is not UTF-8, None if all lines are."""
    if content.isascii():
        return None
    decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
    for block, is_last in _blocks(content):
        n_pending = len(decoder.getstate()[0])
        try:
            decoder.decode(block, is_last)
        except UnicodeDecodeError as error:
            return line + block.count(b"\n", 0, max(error.start - n_pending, 0))
        line += block.count(b"\n")
    return None


def _converted(bound: Bound, content: bytearray, encoding: str) -> bytearray:
    decoder, text = codecs.getincrementaldecoder(encoding)(), bytearray()
    for block, is_last in _blocks(content):
        try:
            text += decoder.decode(block, is_last).encode()
        except UnicodeDecodeError as error:
            title, line = _TITLES[encoding], text.count(b"\n") + 1
            problem = f"begins with the mark of {title}, but is not {title} after line {line}"
            raise DataError(bound.path, f"{problem}: {_ADVICE}.") from error
        bound.check(len(text), "its text as UTF-8")
    return text


def _blocks(content: bytearray) -> Iterator[tuple[bytearray, bool]]:
    """Yield the content in blocks, and whether a block is the last one."""
    for start in range(0, len(content), _BLOCK):
        yield content[start : start + _BLOCK], start + _BLOCK >= len(content)
