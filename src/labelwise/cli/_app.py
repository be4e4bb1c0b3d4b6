"""The commands, one function each; whatever is heavy is imported inside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from labelwise import __version__

app = typer.Typer(
    name="labelwise",
    help="Multi-label classification: read, split, score, decide, measure, compare, report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run the command line; wrong input ends with one sentence on stderr and exit code 2."""
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        sys.stderr.write(f"labelwise: {error}\n")
        sys.exit(2)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"labelwise {__version__}")
        raise typer.Exit


@app.callback()
def labelwise(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Multi-label classification: read, split, score, decide, measure, compare, report."""


@app.command()
def describe(
    data: Annotated[str, typer.Argument(help="A file, a folder, or the name of a known set.")],
    labels: Annotated[
        str | None, typer.Option(help="Label XML, or label columns separated by commas.")
    ] = None,
    data_home: Annotated[Path | None, typer.Option(help="Folder of benchmark sets.")] = None,
) -> None:
    """Show what a data set looks like, and which way of splitting suits it."""
    from labelwise.cli._describe import show_description

    show_description(data, labels, data_home)


@app.command()
def demo() -> None:
    """Go the whole way on bundled data: describe, split, score, decide, measure."""
    from labelwise.cli._demo import run_demo

    run_demo()
