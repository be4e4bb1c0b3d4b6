"""`labelwise compare`: run or resume the study of a file."""

from __future__ import annotations

from pathlib import Path

import typer

from labelwise.cli._outputs import printable_path, say
from labelwise.cli.commands._results import results_in_words
from labelwise.experiments import check_timeout, read_study

_STOPPED = 130  # exit code of programs that Ctrl-C ended


def run_comparison(
    path: Path,
    store: Path | None,
    n_jobs: int | None,
    resume: bool,
    *,
    timeout: float | None,
    max_bytes: int | None,
) -> None:
    """Run the unfinished cells, and print means; exit code 1 if a cell failed."""
    study, own_store = read_study(path, max_bytes=max_bytes)
    if timeout is not None:
        study.timeout = check_timeout(timeout)
    kept = own_store if store is None else store
    try:
        results = study.run(kept, resume=resume, n_jobs=n_jobs)
    except KeyboardInterrupt:
        where = printable_path(kept)
        say(
            f"stopped; finished cells are safe in {where}: give the same command to go on", err=True
        )
        raise typer.Exit(_STOPPED) from None
    say(f"{results_in_words(results)}\nkept in {printable_path(kept)}")
    if results.failed:
        raise typer.Exit(1)
