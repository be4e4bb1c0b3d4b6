"""Progress of a study: its counts, the line on the terminal, and the callback of the user."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple

_SECONDS_BETWEEN_LINES = 60.0


class Progress(NamedTuple):
    """Numbers of done, failed and all cells of a study, and the time left.

    Parameters
    ----------
    done : int
        Number of cells that are finished, in this run or before.
    failed : int
        Number of cells that failed in this run.
    total : int
        Number of distinct cells of the study.
    seconds_left : float or None
        Estimated time until all cells have been run; None until a cell has finished.

    Examples
    --------
    >>> from labelwise.experiments import Progress
    >>> now = Progress(done=30, failed=0, total=120, seconds_left=45.0)
    >>> now.done / now.total
    0.25
    """

    done: int
    failed: int
    total: int
    seconds_left: float | None


@contextmanager
def progress_callback(
    progress: bool | Callable[[Progress], None] | None,
) -> Iterator[Callable[[Progress], None]]:
    """Provide the function to call after every batch of cells.

    It is `progress` itself if that is callable; else it updates a line on stderr, or does nothing.
    If stderr is no terminal, it writes a new line at most once a minute.
    """
    if callable(progress):
        yield progress
    elif not (sys.stderr.isatty() if progress is None else progress):
        yield lambda _: None
    elif sys.stderr.isatty():
        with _line_on_terminal() as update:
            yield update
    else:
        yield _lines_in_a_file()


@contextmanager
def _line_on_terminal() -> Iterator[Callable[[Progress], None]]:
    """Provide a function that draws one line again and again, until the end of the context."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Line

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Line(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task("starting", total=None)

        def update(now: Progress) -> None:
            finished = now.done + now.failed
            line.update(task, completed=finished, total=now.total, description=progress_text(now))

        yield update


def _lines_in_a_file() -> Callable[[Progress], None]:
    """Return a function that writes a line to stderr if the last one is a minute old."""
    last = time.monotonic()

    def update(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            sys.stderr.write(f"{progress_text(now)}\n")
            sys.stderr.flush()

    return update


def progress_text(now: Progress) -> str:
    """Return the counts and the time left as one phrase."""
    failed = f", {now.failed:,} failed" if now.failed else ""
    left = (
        "" if now.seconds_left is None else f", {timedelta(seconds=round(now.seconds_left))} left"
    )
    return f"{now.done:,} of {now.total:,} cells done{failed}{left}"
