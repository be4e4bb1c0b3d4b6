"""The command that selects terms; whatever is heavy is imported inside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise.cli._options import BytesOption, HomeOption, LabelsOption, SafeCsvOption


def select(
    data: Annotated[str, typer.Argument(help="A file, a folder, or the name of a known set.")],
    by: Annotated[
        str, typer.Option(help="df, information-gain, chi2-max, chi2-avg, with commas.")
    ] = "chi2-max,chi2-avg",
    combine: Annotated[
        str, typer.Option(help="lowest-rank, highest-rank, average-rank, max-or or length-or.")
    ] = "lowest-rank",
    cut: Annotated[int, typer.Option(help="Terms in at most so many rows are ignored.")] = 1,
    n_terms: Annotated[int | None, typer.Option("-n", help="Terms to keep.")] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Show R-precision by the number of terms.")
    ] = False,
    k: Annotated[int, typer.Option(help="Neighbours that the curve asks.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the folds, if the data have no test rows.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where to write: .svm; with --curve .png, .svg, .pdf; or -."
        ),
    ] = None,
    labels: LabelsOption = None,
    data_home: HomeOption = None,
    max_bytes: BytesOption = None,
    safe_csv: SafeCsvOption = False,
) -> None:
    """Keep the terms that tell most about the labels, or show how many are enough."""
    from labelwise.cli.commands._select import SelectWishes, show_selection

    wishes = SelectWishes(by, combine, cut, n_terms, curve, k, seed, safe_csv)
    show_selection(
        data, wishes, labels=labels, data_home=data_home, output=output, max_bytes=max_bytes
    )
