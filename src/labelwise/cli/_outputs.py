"""The files that a command writes: checked before any work, and kept apart from what it says."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import typer

from labelwise._io import check_output, ending_of, goes_to_stdout, same_file
from labelwise._text import printable, printable_lines

# More than any system takes as a path.
_LONGEST_PATH = 4096


class Outputs:
    """What a command writes and says; words go to stderr if a file goes to the standard output.

    Parameters
    ----------
    paths : iterable of Path or None
        Where the command writes; None for an option that was not given.
    inputs : iterable of Path
        What it reads.

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
                raise OSError(f"{path} cannot be written: it is read.")
        for path, other in combinations(given, 2):
            if same_file(path, other) or (goes_to_stdout(path) and goes_to_stdout(other)):
                raise OSError(f"{path} cannot be written twice, got it for two outputs.")
        self._words_on_stderr = any(map(goes_to_stdout, given))

    def say(self, text: str) -> None:
        """Print words for the user."""
        say(text, err=self._words_on_stderr)

    def say_written(self, path: Path | None, words: str = "written to") -> None:
        """Say where a file is, unless there is none or it went to the standard output."""
        if path is not None and not goes_to_stdout(path):
            self.say(f"{words} {printable_path(path)}")


def say(text: str, *, err: bool = False) -> None:
    """Print words for the user, in which nothing can control the terminal."""
    typer.echo(printable_lines(text), err=err)


def printable_path(path: Path) -> str:
    """Return a path in one line."""
    return printable(path, _LONGEST_PATH)


def check_safe_csv(wanted: bool, *paths: Path | None) -> None:
    """Refuse --safe-csv where no csv file is written."""
    if wanted and not any(path and ending_of(path, ".csv") == ".csv" for path in paths):
        raise ValueError("--safe-csv is for csv files, and none is written.")
