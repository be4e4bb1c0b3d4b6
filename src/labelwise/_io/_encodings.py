"""Find the encoding of the text in a file, and convert the text to UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from labelwise._io._reading import Bound, DataError

_BLOCK = 2**20
# Longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_TITLES = {"utf-16": "UTF-16", "utf-32": "UTF-32", "utf-8-sig": "UTF-8", "latin-1": "Latin-1"}
_ADVICE = "save it as UTF-8"


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
    line = _line_not_utf8(content)
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


def _line_not_utf8(content: bytearray) -> int | None:
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
