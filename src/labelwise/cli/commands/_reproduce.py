"""`labelwise reproduce`: run the study of a published table from a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from labelwise.cli import _options as opt
from labelwise.cli.running import command


@command(example="labelwise reproduce pillai2012 --quick")
def reproduce(
    paper: Annotated[str, typer.Argument(help="sechidis2011, pillai2012, olsson2006, ...")],
    table: Annotated[str | None, typer.Option(help="Number of the table.  [default: all]")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run a small part; print it, write no files.")
    ] = False,
    any_code: opt.AnyCode = False,
    repetitions: Annotated[
        int | None, typer.Option(help="Number of repetitions.  [default: as in the paper]", min=1)
    ] = None,
) -> None:
    """Measure the published tables of a paper again.

    This needs an installation from a checkout.
    """
    command = [sys.executable, "-m", "studies", paper]
    command += [] if table is None else ["--table", table]
    command += ["--quick"] if quick else []
    command += ["--any-code"] if any_code else []
    command += [] if repetitions is None else ["--repetitions", str(repetitions)]
    # `main` keeps modules of the current folder out of new processes; here they are wanted.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONSAFEPATH"}
    # No shell, and nothing but our own interpreter and program.
    done = subprocess.run(command, cwd=checkout(), env=environment, check=False)  # noqa: S603
    if done.returncode:
        raise typer.Exit(done.returncode)


def checkout() -> Path:
    """Return the checkout that this package runs from, never the current folder.

    Otherwise a folder prepared by somebody else could have its programs run.
    """
    package = Path(__file__).resolve().parents[2]
    folder = package.parents[1]
    if package.parent.name == "src" and (folder / "studies" / "__main__.py").is_file():
        return folder
    raise ValueError(
        "studies are part of labelwise's source and not of the installed package: "
        "git clone its repository, install it from there (pip install -e .) and run again."
    )
