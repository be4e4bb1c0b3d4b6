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

_LabelsOption = Annotated[
    str | None, typer.Option("--labels", help="Label XML, a number, or names with commas or a *.")
]
_HomeOption = Annotated[Path | None, typer.Option("--data-home", help="Folder of benchmark sets.")]


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
    labels: _LabelsOption = None,
    data_home: _HomeOption = None,
) -> None:
    """Show what a data set looks like, and which way of splitting suits it."""
    from labelwise.cli._describe import show_description

    show_description(data, labels, data_home)


@app.command()
def split(
    data: Annotated[str, typer.Argument(help="A file, a folder, or the name of a known set.")],
    folds: Annotated[int, typer.Option(help="So many equal parts.")] = 10,
    proportions: Annotated[
        str | None, typer.Option(help="Shares in place of folds, such as 0.7,0.15,0.15.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="auto, balanced, iterative, pairs, labelset or random.")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="The same seed gives the same split.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write row,subset as csv.")
    ] = None,
    labels: _LabelsOption = None,
    data_home: _HomeOption = None,
) -> None:
    """Split a data set fairly, and show how fair beside other methods."""
    from labelwise.cli._split import show_split

    show_split(
        data,
        labels,
        data_home,
        folds=folds,
        proportions=proportions,
        method=method,
        seed=seed,
        output=output,
    )


@app.command()
def demo() -> None:
    """Go the whole way on bundled data: describe, split, score, decide, measure."""
    from labelwise.cli._demo import run_demo

    run_demo()
