"""`labelwise reproduce`: the published tables, by the studies of a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer


def run_study(paper: str, table: str | None, quick: bool, repetitions: int | None) -> None:
    """Run a paper's study in the checkout, and end as it ended."""
    command = [sys.executable, "-m", "studies", paper]
    command += [] if table is None else ["--table", table]
    command += ["--quick"] if quick else []
    command += [] if repetitions is None else ["--repetitions", str(repetitions)]
    # No shell, and nothing but our own interpreter and program.
    done = subprocess.run(command, cwd=checkout(Path.cwd()), check=False)  # noqa: S603
    if done.returncode:
        raise typer.Exit(done.returncode)


def checkout(here: Path) -> Path:
    """Return the checkout that a folder lies in, or else the one that this package runs from."""
    for folder in (here, *here.parents, Path(__file__).parents[3]):
        if (folder / "studies" / "__main__.py").is_file() and (folder / "src/labelwise").is_dir():
            return folder
    raise ValueError(
        "studies are part of labelwise's source and not of the installed package: "
        "git clone its repository and run labelwise reproduce inside."
    )
