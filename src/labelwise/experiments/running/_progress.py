"""A line on the terminal that says how far a study is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple


class Progress(NamedTuple):
    """How far a study is."""

    done: int
    failed: int
    total: int
    seconds_left: float | None  # None until a cell has finished


Notify = Callable[[Progress], None]


@contextmanager
def progress_callback(progress: bool | Notify | None) -> Iterator[Notify]:
    """Give what to call after every batch: the user's function, a line on stderr, or nothing."""
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
    # Where there is no terminal to draw on, what was asked for is said once, at the end.
    with Line(*columns, console=console, transient=console.is_terminal) as line:
        task = line.add_task("starting", total=None)

        def update(now: Progress) -> None:
            finished = now.done + now.failed
            line.update(task, completed=finished, total=now.total, description=progress_text(now))

        yield update


def progress_text(now: Progress) -> str:
    """Return done, failed and the time left as one phrase."""
    failed = f", {now.failed:,} failed" if now.failed else ""
    left = (
        "" if now.seconds_left is None else f", {timedelta(seconds=round(now.seconds_left))} left"
    )
    return f"{now.done:,} of {now.total:,} cells done{failed}{left}"
