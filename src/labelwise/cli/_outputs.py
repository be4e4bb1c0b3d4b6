"""What a command writes and prints: files, results, messages, notes and a status line."""

from __future__ import annotations

import io
import json
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr
from itertools import combinations
from pathlib import Path
from typing import Any

import typer

from labelwise import _io
from labelwise._extras import require
from labelwise._text import counted, printable, printable_lines, printable_path, safe_cell
from labelwise.cli.running import current_settings, with_options

_LONGEST_WARNING = 1000
FIGURES = (".png", ".svg", ".pdf")


class Outputs:
    """Output files of a command; if one is the standard output, text goes to stderr.

    With --json, the result is JSON on the standard output, and messages go to stderr. With
    --quiet, there are no messages.

    An output is refused if it cannot be written, is one of the `inputs` or given twice, exists
    without --force, or would go to the standard output beside the JSON of --json.
    """

    def __init__(self, paths: Iterable[Path | None] = (), inputs: Iterable[Path] = ()) -> None:
        self._paths = given = [path for path in paths if path is not None]
        for path in given:
            _io.check_output(path)
        read = [] if all(map(_io.goes_to_stdout, given)) else list(inputs)
        for path in given:
            if any(_io.same_file(path, other) for other in read):
                raise OSError(f"{path} cannot be written: this command reads it.")
        for path, other in combinations(given, 2):
            if _io.same_file(path, other) or (
                _io.goes_to_stdout(path) and _io.goes_to_stdout(other)
            ):
                raise OSError(f"{path} cannot be the file of two outputs.")
        self._has_bytes = any(map(_io.goes_to_stdout, given))
        if self._has_bytes and current_settings().json:
            raise ValueError("--json cannot be given with an output file that is stdout.")
        _check_overwriting(given)

    def show(self, text: str, record: Mapping[str, Any], notes: Iterable[str] = ()) -> None:
        """Print notes, and the result of the command: the text, or the record with --json."""
        for line in notes:
            note(line)
        if current_settings().json:
            typer.echo(json.dumps(_plain(record), indent=1, allow_nan=False))
        else:
            self.say(text)

    def show_result(self, found: Any, notes: Iterable[str] = ()) -> None:
        """Print notes, and then a result: as it prints, or its `to_dict` with --json."""
        self.show(repr(found), found.to_dict(), notes)

    def say(self, text: str) -> None:
        """Print text of the result; it is a message if the result is bytes or JSON."""
        if self._has_bytes or current_settings().json:
            self.message(text)
        else:
            say(text)

    def message(self, text: str) -> None:
        """Print a message that is not the result, unless --quiet is given."""
        if not current_settings().quiet:
            say(text, err=self._has_bytes or current_settings().json)

    def say_all_written(self) -> None:
        """Print the paths of all output files."""
        for path in self._paths:
            self.say_written(path)

    def say_written(self, path: Path | None, message: str = "written to") -> None:
        """Print the path of a written file; nothing for None and for the standard output."""
        if path is not None and not _io.goes_to_stdout(path):
            self.message(f"{message} {printable_path(path)}")


def _check_overwriting(paths: Iterable[Path]) -> None:
    """Refuse files that exist, unless --force is given."""
    existing = [path for path in paths if path.exists() and not _io.is_stream(path)]
    if existing and not current_settings().force:
        raise FileExistsError(f"{existing[0]} exists: --force overwrites it.")


def _plain(value: Any) -> Any:
    """Convert a value for JSON: NaN becomes null, and infinity the text inf."""
    import numpy as np

    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def say(text: str, *, err: bool = False) -> None:
    """Print text for the user, with control characters escaped."""
    typer.echo(printable_lines(text), err=err)


def check_ending(path: Path | None, *endings: str) -> None:
    """Refuse an output file with another ending; the first one is that of the standard output."""
    if path is not None and _io.ending_of(path, endings[0]) not in endings:
        raise ValueError(f"{path} must end in {' or '.join(endings)}.")


def check_figure(path: Path | None, *endings: str) -> None:
    """Refuse a figure with another ending, or without matplotlib, before any work is done."""
    check_ending(path, *(endings or FIGURES))
    if path is not None:
        require("matplotlib", "a figure")


def write_figure(path: Path, figure: Any, on_stream: str = FIGURES[0]) -> None:
    """Write a matplotlib figure in the format of the ending, or in another one on a stream."""
    with _io.written_whole(path) as stream:
        figure.savefig(stream, format=_io.ending_of(path, on_stream)[1:], bbox_inches="tight")


def write_csv(path: Path, columns: Mapping[str, Iterable[Any]], *, safe_csv: bool = False) -> None:
    """Write columns by name; with `safe_csv`, texts that a spreadsheet would run are quoted."""
    import codecs
    import csv

    written = safe_cell if safe_csv else str
    with _io.written_whole(path) as stream:
        writer = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
        writer.writerow(map(written, columns))
        for row in zip(*columns.values(), strict=True):
            writer.writerow(written(cell) if isinstance(cell, str) else cell for cell in row)


def write_page(results: Any, path: Path) -> None:
    """Write the HTML page of results, for the option --report."""
    from labelwise.reports import write_report

    with working("writing"):
        write_report(results, path)


def check_safe_csv(wanted: bool, *paths: Path | None) -> None:
    """Refuse --safe-csv if the command writes no csv file."""
    if wanted and not any(path and _io.ending_of(path, ".csv") == ".csv" for path in paths):
        raise ValueError("--safe-csv is for csv files, and this command writes none.")


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print each distinct warning once, as a line on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        note(with_options(text))


def note(text: str) -> None:
    """Print a line on stderr that the user should know of, unless --quiet is given."""
    if current_settings().quiet:
        return
    line = printable(" ".join(text.split()), _LONGEST_WARNING)
    sys.stderr.write(f"labelwise: note: {line}\n")


def shows_status() -> bool:
    """Return whether a status line is shown: only on a terminal, and not with --quiet."""
    return sys.stderr.isatty() and not current_settings().quiet


def working(message: str) -> AbstractContextManager[Any]:
    """Return a context that shows a message on stderr, if stderr is a terminal.

    There is no message with --quiet. rich omits colours if the variable NO_COLOR is set.
    """
    if not shows_status():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    # Plain text, because rich would read brackets in a message as markup. The console keeps its
    # stream while `following` redirects stderr.
    return Console(file=sys.stderr).status(Text(message))


@contextmanager
def following(message: str) -> Iterator[None]:
    """Show a message, and on a terminal after it the last line that was written to stderr."""
    with working(message) as status, _redirected(status, message):
        yield


def _redirected(status: Any, message: str) -> AbstractContextManager[Any]:
    return redirect_stderr(_StatusLines(status, message)) if status else nullcontext()


class _StatusLines(io.TextIOBase):
    """A stream whose lines, such as "BinaryRelevance: part 3 of 10", become the status."""

    def __init__(self, status: Any, message: str) -> None:
        self._status, self._message = status, message

    def write(self, text: str) -> int:
        from rich.text import Text

        if text.strip():
            step = text.strip().partition(": ")[2] or text.strip()
            self._status.update(Text(f"{self._message}: {step}"))
        return len(text)


def decision_summary(decided: Any) -> str:
    """Return how many labels were decided, in one line."""
    import numpy as np

    sizes = np.asarray(decided.sum(axis=1)).ravel()
    return decision_line(int(sizes.sum()), sizes.size, int((sizes == 0).sum()))


def decision_line(n_decided: int, n_rows: int, n_without: int) -> str:
    """Return the line of `decision_summary` for numbers of decisions and of rows without any."""
    return (
        f"{counted(n_decided, 'decision')} on {counted(n_rows, 'row')}, "
        f"{n_decided / n_rows:.2f} a row; {counted(n_without, 'row')} without a label"
    )
