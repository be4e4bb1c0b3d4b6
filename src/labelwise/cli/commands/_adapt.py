"""`labelwise adapt`: the signature."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise.cli import _options as opt
from labelwise.cli.running import command


@command(
    example="labelwise adapt thresholds.json new_scores.csv -o adapted.json",
    json=True,
    force=True,
    inputs=["scores"],
)
def adapt(
    thresholds: opt.ThresholdFile,
    scores: opt.Scores,
    labels: Annotated[
        str | None, typer.Option(help="Labels that may have moved, with commas.  [default: all]")
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="Level of the test; 1 adapts all these labels.")
    ] = 0.05,
    calibrate: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="<scores> <labels>",
            help="Files of labelled rows, such as those of tune, that turn scores into "
            "probabilities; without them, scores are taken as calibrated probabilities.",
        ),
    ] = None,
    output: opt.ThresholdOutput = None,
    ids: opt.Ids = None,
    by_position: opt.ByPosition = False,
    missing_labels: opt.MissingLabels = "error",
    max_bytes: opt.MaxBytes = None,
) -> None:
    """Adapt thresholds to label frequencies that have moved."""
    from labelwise._matrices import Matching
    from labelwise.cli.commands.thresholds._adapt import show_adaptation

    show_adaptation(
        thresholds,
        scores,
        tested=labels,
        alpha=alpha,
        calibrate=calibrate,
        output=output,
        ids=ids,
        matching=Matching(by_position, missing_labels),
        max_bytes=max_bytes,
    )
