"""Read TOML files of unknown origin: size and depth are limited before they are parsed."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

MAX_BYTES = 2**20
MAX_DEPTH = 16
# tomllib needs time and memory quadratic in the number of parts of a dotted key, and a level of
# Python's stack for each nested bracket.
_PART = r"[^\s.,=\[\]{}]"
_KEY = re.compile(rf"(?<!{_PART}){_PART}++(?:[ \t]*+\.[ \t]*+{_PART}++){{{MAX_DEPTH}}}")
# Matches from left to right, as the parser reads, so that quotes in comments and number signs in
# quotes are text. A text without an end matches as far as possible: the search then takes linear
# time, and the parser refuses the file.
_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raise ValueError with a sentence if it is wrong."""
    try:
        # Checked before the file is opened, since opening a pipe waits for a writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("must be a regular file.")
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ValueError("does not exist.") from error
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror}).") from error
    if len(content) > MAX_BYTES:
        raise ValueError(f"must have at most {MAX_BYTES:,} bytes.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not a TOML file ({error}).") from error
    check_depth(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not a TOML file ({error}).") from error


def check_depth(text: str) -> None:
    """Refuse TOML with too many nested brackets, or with too many parts in a key."""
    bare = _TEXTS.sub(_replaced, text)
    depth = 0
    for line, found in enumerate(bare.split("\n"), start=1):
        for mark in re.findall(r"[\[\]{}]", found):
            depth += 1 if mark in "[{" else -1
            if depth > MAX_DEPTH:
                raise ValueError(f"line {line} has more than {MAX_DEPTH} nested brackets.")
        if _KEY.search(found):
            raise ValueError(f"line {line} has a key of more than {MAX_DEPTH} parts.")


def _replaced(found: re.Match[str]) -> str:
    """Replace a quoted text by a word, and a comment by nothing; keep line breaks."""
    text = found[0]
    return "" if text.startswith("#") else "q" + "\n" * text.count("\n")
