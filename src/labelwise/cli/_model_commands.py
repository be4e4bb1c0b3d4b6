"""The commands that make and use models; whatever is heavy is imported inside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise.cli._options import (
    BagsOption,
    BytesOption,
    HomeOption,
    LabelsOption,
    SafeCsvOption,
)


def learners() -> None:
    """List what can learn, a line each."""
    from labelwise.cli.commands._learners import show_learners

    show_learners()


def fit(
    data: Annotated[str, typer.Argument(help="A file, a folder, or the name of a known set.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the model; - for stdout.")
    ],
    learner: Annotated[
        str | None,
        typer.Option(help="One of those of labelwise learners; br, or bags for bags."),
    ] = None,
    maximize: Annotated[
        str | None,
        typer.Option(help="micro-f, macro-f, sample-f, ...; else as the learner decides."),
    ] = None,
    beta: Annotated[float, typer.Option(help="Of F: above 1 favours recall.")] = 1.0,
    part: Annotated[
        str | None,
        typer.Option(help="train, test or all; else the training part, if there is one."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same model.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Processes to learn with; -1 for all.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Tell the progress.")] = False,
    labels: LabelsOption = None,
    bags: BagsOption = None,
    data_home: HomeOption = None,
    max_bytes: BytesOption = None,
) -> None:
    """Learn from a data set, and write the model to a file."""
    from labelwise.cli.commands._fit import FitWishes, run_fit

    wishes = FitWishes(
        learner=learner,
        maximize=maximize,
        beta=beta,
        seed=seed,
        jobs=jobs,
        part=part,
        verbose=verbose,
    )
    run_fit(
        data,
        output,
        wishes,
        labels=labels,
        bags=bags,
        data_home=data_home,
        max_bytes=max_bytes,
    )


def predict(
    model: Annotated[Path, typer.Argument(help="A file written by labelwise fit.")],
    data: Annotated[str, typer.Argument(help="A file, a folder, or the name of a known set.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where to write 0 and 1: csv, parquet, npy, npz; - for csv."
        ),
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="Where to write scores, likewise.")] = None,
    part: Annotated[
        str | None, typer.Option(help="train, test or all rows; all if not given.")
    ] = None,
    labels: LabelsOption = None,
    bags: BagsOption = None,
    data_home: HomeOption = None,
    max_bytes: BytesOption = None,
    safe_csv: SafeCsvOption = False,
) -> None:
    """Predict the labels of a data set by a model in a file."""
    from labelwise.cli.commands._predict import run_prediction

    run_prediction(
        model,
        data,
        output=output,
        scores=scores,
        labels=labels,
        bags=bags,
        data_home=data_home,
        part=part,
        max_bytes=max_bytes,
        safe_csv=safe_csv,
    )
