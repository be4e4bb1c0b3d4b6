"""The standard input as a csv file, for commands that are given ``-`` as an input file."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_DASH, _NAME = "-", "stdin.csv"
_BLOCK = 2**20


@contextmanager
def standard_input_as_file(
    given: dict[str, Any], inputs: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a command, with ``-`` replaced by a file of the standard input.

    `inputs` are the names of the arguments that are input files.
    """
    asked = [name for name in inputs if str(given[name]) == _DASH]
    if len(asked) > 1:
        raise ValueError(
            f"- is the standard input, which can be one input file, got {' and '.join(asked)}."
        )
    if not asked:
        yield given
        return
    for name, value in given.items():
        if name not in inputs and isinstance(value, Path) and _is_standard_input(value):
            raise OSError(f"{value} cannot be written: this command reads it.")
    with tempfile.TemporaryDirectory(prefix="labelwise-") as folder:
        path = Path(folder) / _NAME
        _copy_standard_input(path, given.get("max_bytes"))
        try:
            yield {**given, asked[0]: type(given[asked[0]])(path)}
        except ValueError as error:
            # The file is removed, so that its path would mean nothing to the user.
            error.args = (str(error).replace(str(path), _NAME),)
            raise


def _is_standard_input(path: Path) -> bool:
    """Return whether the standard input is this file, by a redirection of the shell."""
    try:
        read = os.fstat(sys.stdin.fileno())
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, path.stat())
    except (AttributeError, OSError, ValueError):  # closed, or no file of the system
        return False


def _copy_standard_input(path: Path, max_bytes: int | None) -> None:
    """Write the standard input to a file, unless it is larger than the bound."""
    from labelwise._io import DataError, bound_of

    bound, size = bound_of(_NAME, max_bytes), 0
    if sys.stdin is None:
        raise DataError(_NAME, "the standard input is closed.")
    with path.open("wb") as file:
        while block := sys.stdin.buffer.read(_BLOCK):
            size += len(block)
            bound.check(size, "the standard input, as far as it was read,")
            file.write(block)
