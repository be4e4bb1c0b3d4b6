"""TOML files of strangers: bounded in size and depth before the parser sees them."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

BYTES_MOST = 2**20
DEPTH_MOST = 16
# The standard library's parser needs time and memory by the square of the parts of a dotted key,
# and a level of Python's stack for each bracket.
_PART = r"[^\s.,=\[\]{}]"
_KEY = re.compile(rf"(?<!{_PART}){_PART}++(?:[ \t]*+\.[ \t]*+{_PART}++){{{DEPTH_MOST}}}")
# Leftmost first, as the parser reads: quotes in comments and marks of comments in quotes are text.
# A text without an end goes as far as it could: so this takes a time linear in the length, and the
# parser refuses the text.
_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; ValueError says in words what is wrong with it."""
    try:
        # Looked at before it is opened: opening a pipe waits for somebody who writes.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("must be a regular file.")
        with path.open("rb") as stream:
            content = stream.read(BYTES_MOST + 1)
    except FileNotFoundError as error:
        raise ValueError("does not exist.") from error
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror}).") from error
    if len(content) > BYTES_MOST:
        raise ValueError(f"must have at most {BYTES_MOST:,} bytes.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is no TOML file ({error}).") from error
    check_depth(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no TOML file ({error}).") from error


def check_depth(text: str) -> None:
    """Refuse TOML with too many brackets in each other, or too many parts of a key."""
    bare = _TEXTS.sub(_replaced, text)
    depth = 0
    for line, found in enumerate(bare.split("\n"), start=1):
        for mark in re.findall(r"[\[\]{}]", found):
            depth += 1 if mark in "[{" else -1
            if depth > DEPTH_MOST:
                raise ValueError(f"line {line} has more than {DEPTH_MOST} brackets in each other.")
        if _KEY.search(found):
            raise ValueError(f"line {line} has a key of more than {DEPTH_MOST} parts.")


def _replaced(found: re.Match[str]) -> str:
    """Return a word in the place of a quoted text, and nothing for a comment; lines stay."""
    text = found[0]
    return "" if text.startswith("#") else "q" + "\n" * text.count("\n")
