"""Progress of a study: its counts, the line on the terminal, and the callback of the user."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple


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
    """
    if callable(progress):
        yield progress
        return
    if not (sys.stderr.isatty() if progress is None else progress):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Line

    console = Console(stderr=True)
    columns = (BarColumn(), TextColumn("{task.description}"))
    # Without a terminal, rich prints the line once, at the end.
    with Line(*columns, console=console, transient=console.is_terminal) as line:
        task = line.add_task("starting", total=None)

        def update(now: Progress) -> None:
            finished = now.done + now.failed
            line.update(task, completed=finished, total=now.total, description=progress_text(now))

        yield update


def progress_text(now: Progress) -> str:
    """Return the counts and the time left as one phrase."""
    failed = f", {now.failed:,} failed" if now.failed else ""
    left = (
        "" if now.seconds_left is None else f", {timedelta(seconds=round(now.seconds_left))} left"
    )
    return f"{now.done:,} of {now.total:,} cells done{failed}{left}"
