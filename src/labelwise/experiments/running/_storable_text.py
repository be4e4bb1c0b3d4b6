"""Texts that came from a model, in a form that every file and terminal takes."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

_HEAD, _TAIL = 4_000, 16_000  # the last lines of a traceback say most
_WARNING_MOST = 1_000
_WARNINGS_MOST = 100


def storable_text(text: str, most: int = _HEAD + _TAIL) -> str:
    """Return a text without NUL and lone surrogates, and without the middle if it is long."""
    head = most * _HEAD // (_HEAD + _TAIL)
    if len(text) > most:
        left_out = f"\n... {len(text) - most:,} characters left out ...\n"
        text = text[:head] + left_out + text[len(text) - (most - head) :]
    return encodable(text)


def encodable(text: str) -> str:
    """Return a text with NUL and lone surrogates as Python writes them in code."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def error_text(error: BaseException) -> str:
    """Return the traceback of an error, also of one that cannot say what it is."""
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:
        text = f"{type(error).__qualname__} (its traceback cannot be written)\n"
    return storable_text(text)


def warning_texts(caught: Iterable[tuple[type, object]]) -> tuple[str, ...]:
    """Return the texts of warnings, each once and on one line."""
    texts: dict[str, None] = {}
    for category, message in caught:
        try:
            text = str(message)
        except Exception:
            text = "(its text cannot be written)"
        text = " ".join(storable_text(text, _WARNING_MOST).split())
        texts[f"{category.__name__}: {text}"] = None
        if len(texts) == _WARNINGS_MOST:
            break
    return tuple(texts)
