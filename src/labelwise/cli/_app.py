"""The commands, one function each; whatever is heavy is imported inside."""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from labelwise import __version__
from labelwise._text import printable
from labelwise.cli._model_commands import fit, learners, predict
from labelwise.cli._options import (
    BagsOption,
    BytesOption,
    HomeOption,
    LabelsOption,
    SafeCsvOption,
)
from labelwise.cli._select_command import select

# A message with paths is short; a name of a label in it need not be.
_LONGEST_MESSAGE = 2000
_OF_OUTPUT = (errno.ENOSPC, errno.EIO, errno.EFBIG)

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
    # joblib starts its processes with python -m, which would take modules from the current folder.
    os.environ["PYTHONSAFEPATH"] = "1"
    for stream in (sys.stdout, sys.stderr):
        # What the terminal has no letter for is escaped; it is no reason to fail.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError) as error:
        sys.stderr.write(f"labelwise: {printable(_in_words(error), _LONGEST_MESSAGE)}\n")
        sys.exit(2)


def _in_words(error: Exception) -> str:
    """Return what went wrong; a disk that is full without a file's name is that of the output."""
    if isinstance(error, OSError) and error.filename is None and error.errno in _OF_OUTPUT:
        return f"the output cannot be written ({error.strerror})."
    if isinstance(error, MemoryError):
        return f"this takes more memory than there is ({error})."
    return str(error) or type(error).__name__


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
    labels: LabelsOption = None,
    bags: BagsOption = None,
    data_home: HomeOption = None,
    max_bytes: BytesOption = None,
) -> None:
    """Show what a data set looks like, and which way of splitting suits it."""
    from labelwise.cli.commands._describe import show_description

    show_description(data, labels, data_home, bags, max_bytes=max_bytes)


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
        Path | None,
        typer.Option("--output", "-o", help="Where to write row,subset as csv; - for stdout."),
    ] = None,
    labels: LabelsOption = None,
    bags: BagsOption = None,
    data_home: HomeOption = None,
    max_bytes: BytesOption = None,
) -> None:
    """Split a data set fairly, and show how fair beside other methods."""
    from labelwise.cli.commands._split import show_split

    show_split(
        data,
        labels,
        data_home,
        folds=folds,
        proportions=proportions,
        method=method,
        seed=seed,
        output=output,
        bags=bags,
        max_bytes=max_bytes,
    )


@app.command()
def tune(
    scores: Annotated[Path, typer.Argument(help="csv, parquet, npy or npz; rows by labels.")],
    labels: Annotated[
        Path, typer.Argument(help="The truth: such a file of 0 and 1, or a data set.")
    ],
    maximize: Annotated[
        str, typer.Option(help="micro-f, macro-f, sample-f, micro-jaccard, macro-matthews, ...")
    ] = "micro-f",
    beta: Annotated[float, typer.Option(help="Of F: above 1 favours recall.")] = 1.0,
    shared: Annotated[bool, typer.Option("--shared", help="One threshold for all labels.")] = False,
    shrink: Annotated[
        str, typer.Option(help="From 0, each label by itself, to 1, one for all; or auto.")
    ] = "0",
    fbr: Annotated[
        str | None, typer.Option(help="Raise thresholds of labels with F below this; or auto.")
    ] = None,
    fbr_rule: Annotated[
        int, typer.Option(help="0: such labels are never decided; 1: at their highest score.")
    ] = 1,
    min_precision: Annotated[float | None, typer.Option(help="Least micro precision.")] = None,
    min_recall: Annotated[float | None, typer.Option(help="Least micro recall.")] = None,
    max_decisions: Annotated[
        str | None, typer.Option(help="Most decisions: 500 in total, 2.5 as mean of a row.")
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Draws for a 95% interval of the value on new rows, e.g. 200.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write thresholds as JSON; - for stdout."),
    ] = None,
    columns: LabelsOption = None,
    bags: BagsOption = None,
    max_bytes: BytesOption = None,
) -> None:
    """Find the thresholds whose decisions are best for a measure, and say how good they are."""
    from labelwise.cli.commands._tune import TuneOptions, show_tuning

    options = TuneOptions(
        maximize=maximize,
        beta=beta,
        shared=shared,
        shrink=shrink,
        fbr=fbr,
        fbr_rule=fbr_rule,
        min_precision=min_precision,
        min_recall=min_recall,
        max_decisions=max_decisions,
        bootstrap=bootstrap,
        seed=seed,
    )
    show_tuning(
        scores, labels, options, columns=columns, bags=bags, output=output, max_bytes=max_bytes
    )


@app.command()
def decide(
    thresholds: Annotated[Path, typer.Argument(help="A file written by labelwise tune.")],
    scores: Annotated[Path, typer.Argument(help="csv, parquet, npy or npz; rows by labels.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Where to write 0 and 1: csv, parquet, npy, npz; - for csv."
        ),
    ],
    max_bytes: BytesOption = None,
    safe_csv: SafeCsvOption = False,
) -> None:
    """Decide which labels each row gets."""
    from labelwise.cli.commands._decide import run_decisions

    run_decisions(thresholds, scores, output, max_bytes=max_bytes, safe_csv=safe_csv)


@app.command()
def evaluate(
    labels: Annotated[Path, typer.Argument(help="The truth: a file of 0 and 1, or a data set.")],
    scores: Annotated[Path | None, typer.Option(help="csv, parquet, npy or npz.")] = None,
    decided: Annotated[Path | None, typer.Option(help="Such a file of 0 and 1.")] = None,
    beta: Annotated[float, typer.Option(help="Of F: above 1 favours recall.")] = 1.0,
    bootstrap: Annotated[int, typer.Option(help="Draws of the rows for intervals.")] = 0,
    undefined: Annotated[
        str, typer.Option(help="What labels without a value do to a mean: nan or skip.")
    ] = "nan",
    seed: Annotated[int, typer.Option(help="The same seed gives the same intervals.")] = 0,
    part: Annotated[
        str | None, typer.Option(help="train, test or all rows of a data set; all if not given.")
    ] = None,
    columns: LabelsOption = None,
    bags: BagsOption = None,
    max_bytes: BytesOption = None,
) -> None:
    """Show every measure of scores, of decisions, or of both."""
    from labelwise.cli.commands._evaluate import show_evaluation

    show_evaluation(
        labels,
        scores=scores,
        decided=decided,
        columns=columns,
        bags=bags,
        part=part,
        beta=beta,
        bootstrap=bootstrap,
        undefined=undefined,
        seed=seed,
        max_bytes=max_bytes,
    )


@app.command()
def compare(
    study: Annotated[Path, typer.Argument(help="A study as TOML.")],
    store: Annotated[
        Path | None, typer.Option(help="Where cells are kept; by default beside the study.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Processes; -1 for one on each core.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--anew", help="Whether finished cells are left as they are.")
    ] = True,
    timeout: Annotated[
        float | None, typer.Option(help="Most seconds of a cell; as the study says if not given.")
    ] = None,
) -> None:
    """Run a study of models on data sets, or go on with it; exit code 1 if a cell failed."""
    from labelwise.cli.commands._compare import run_comparison

    run_comparison(study, store, jobs, resume, timeout)


@app.command()
def results(
    store: Annotated[Path, typer.Argument(help="A file that labelwise compare wrote.")],
    study: Annotated[str | None, typer.Option(help="The one study to show.")] = None,
    measure: Annotated[str | None, typer.Option(help="The one measure to show.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="Where to write all rows: csv or parquet; - for csv.")
    ] = None,
    safe_csv: SafeCsvOption = False,
) -> None:
    """Show mean and deviation of what a study found, and what failed or is missing."""
    from labelwise.cli.commands._results import show_results

    show_results(store, study, measure, export, safe_csv=safe_csv)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="sechidis2011, pillai2012, olsson2006, ...")],
    table: Annotated[str | None, typer.Option(help="Its number; all if not given.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small part, printed and not written.")
    ] = False,
    repetitions: Annotated[
        int | None, typer.Option(help="How often; as the paper if not given.", min=1)
    ] = None,
) -> None:
    """Measure a paper's published tables anew; needs an installation from a checkout."""
    from labelwise.cli.commands._reproduce import run_study

    run_study(paper, table, quick, repetitions)


for _command in (select, learners, fit, predict):
    app.command()(_command)


@app.command()
def demo() -> None:
    """Go the whole way on bundled data: describe, split, score, decide, measure."""
    from labelwise.cli.commands._demo import run_demo

    run_demo()
