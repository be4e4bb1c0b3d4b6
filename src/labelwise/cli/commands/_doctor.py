"""`labelwise doctor`: check scores and labels for usual faults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import Outputs, warnings_as_notes, working
from labelwise.cli.running import command


@command(
    example="labelwise doctor scores.csv labels.csv --thresholds thresholds.json",
    json=True,
    inputs=["scores", "labels"],
    finds=True,
)
def doctor(
    scores: opt.Scores,
    labels: opt.Truth,
    *,
    thresholds: Annotated[Path | None, typer.Option(help="File written by labelwise tune.")] = None,
    groups: opt.Groups = None,
    source: MatrixSource,
) -> None:
    """Check scores and labels for usual faults.

    The exit code is 0 without findings, 1 with any, and 2 after an error.
    """
    outputs = Outputs()
    with working("checking"), warnings_as_notes():
        load = decisions.Thresholds.load
        rows = source.rows_of_rule(thresholds, load, scores, labels, groups=groups)
        found = deployment.doctor(
            rows.scores.values,
            rows.Y,
            thresholds=rows.rule,
            groups=rows.groups,
            label_names=rows.scores.label_names,
        )
    outputs.show_result(found, rows.notes)
    if found.found:
        raise typer.Exit(1)
