"""What a command writes and prints: checks of output files, messages, notes and summaries."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import typer

from labelwise._io import check_output, ending_of, goes_to_stdout, same_file, written_whole
from labelwise._text import printable, printable_lines

# No system allows longer paths.
_LONGEST_PATH = 4096
_LONGEST_WARNING = 1000
_FIGURES = (".png", ".svg", ".pdf")


class Outputs:
    """Output files of a command; if one is the standard output, messages go to stderr.

    Parameters
    ----------
    paths : iterable of Path or None
        Files that the command writes; None for an option that was not given.
    inputs : iterable of Path
        Files that the command reads.

    Raises
    ------
    OSError
        If a path cannot be written, is read by the same command, or is given twice.
    """

    def __init__(self, paths: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
        given = [path for path in paths if path is not None]
        for path in given:
            check_output(path)
        read = [] if all(map(goes_to_stdout, given)) else list(inputs)
        for path in given:
            if any(same_file(path, other) for other in read):
                raise OSError(f"{path} cannot be written: this command reads it.")
        for path, other in combinations(given, 2):
            if same_file(path, other) or (goes_to_stdout(path) and goes_to_stdout(other)):
                raise OSError(f"{path} cannot be the file of two outputs.")
        self._messages_on_stderr = any(map(goes_to_stdout, given))

    def say(self, text: str) -> None:
        """Print a message for the user."""
        say(text, err=self._messages_on_stderr)

    def say_written(self, path: Path | None, message: str = "written to") -> None:
        """Print the path of a written file; nothing for None and for the standard output."""
        if path is not None and not goes_to_stdout(path):
            self.say(f"{message} {printable_path(path)}")


def say(text: str, *, err: bool = False) -> None:
    """Print a message for the user, with control characters escaped."""
    typer.echo(printable_lines(text), err=err)


def printable_path(path: Path) -> str:
    """Return a path as one line without control characters."""
    return printable(path, _LONGEST_PATH)


def check_figure(path: Path | None) -> None:
    """Refuse an ending in which no figure is written."""
    if path is not None and ending_of(path, _FIGURES[0]) not in _FIGURES:
        raise ValueError(f"{path} must end in one of {', '.join(_FIGURES)}.")


def write_figure(path: Path, figure: Any) -> None:
    """Write a matplotlib figure in the format of the ending, to a stream as png."""
    with written_whole(path) as stream:
        figure.savefig(stream, format=ending_of(path, _FIGURES[0])[1:], bbox_inches="tight")


def check_safe_csv(wanted: bool, *paths: Path | None) -> None:
    """Refuse --safe-csv if the command writes no csv file."""
    if wanted and not any(path and ending_of(path, ".csv") == ".csv" for path in paths):
        raise ValueError("--safe-csv is for csv files, and this command writes none.")


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print each distinct warning once, as a line on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        note(text)


def note(text: str) -> None:
    """Print a line on stderr that the user should know of."""
    line = printable(" ".join(text.split()), _LONGEST_WARNING)
    sys.stderr.write(f"labelwise: note: {line}\n")


def decision_summary(decided: Any) -> str:
    """Return how many labels were decided, in one line."""
    sizes = np.asarray(decided.sum(axis=1)).ravel()
    return (
        f"{int(sizes.sum()):,} decisions on {sizes.size:,} rows, {sizes.mean():.2f} a row; "
        f"{int((sizes == 0).sum()):,} rows without a label"
    )
