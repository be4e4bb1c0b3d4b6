"""Names, tracebacks and warnings of models as text that every file and terminal accepts."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

_HEAD, _TAIL = 4_000, 16_000  # characters; the end of a traceback says most
_MAX_WARNING = 1_000  # characters
_MAX_WARNINGS = 100


def storable_text(text: str, most: int = _HEAD + _TAIL) -> str:
    """Escape NUL and lone surrogates; leave out the middle of a text longer than `most`."""
    head = most * _HEAD // (_HEAD + _TAIL)
    if len(text) > most:
        left_out = f"\n... {len(text) - most:,} characters left out ...\n"
        text = text[:head] + left_out + text[len(text) - (most - head) :]
    return encodable(text)


def encodable(text: str) -> str:
    """Escape NUL and lone surrogates, as in the source code of Python."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def error_text(error: BaseException) -> str:
    """Return the traceback of an exception, also if the exception cannot be formatted."""
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:
        text = f"{type(error).__qualname__} (its traceback cannot be formatted)\n"
    return storable_text(text)


def warning_texts(caught: Iterable[tuple[type, object]]) -> tuple[str, ...]:
    """Return the distinct texts of warnings, each as one line, at most 100 of them."""
    texts: dict[str, None] = {}
    for category, message in caught:
        try:
            text = str(message)
        except Exception:
            text = "(its text cannot be formatted)"
        text = " ".join(storable_text(text, _MAX_WARNING).split())
        texts[f"{category.__name__}: {text}"] = None
        if len(texts) == _MAX_WARNINGS:
            break
    return tuple(texts)
