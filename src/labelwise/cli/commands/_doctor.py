"""`labelwise doctor`: check scores and labels for usual faults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource, refuse_as_rule
from labelwise.cli._outputs import Outputs, warnings_as_notes, working
from labelwise.cli.running import command


@command(
    example="labelwise doctor scores.csv labels.csv --thresholds thresholds.json",
    json=True,
    inputs=["scores", "labels"],
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

    The exit code is 0 without findings, else 1.
    """
    outputs = Outputs()
    with working("checking"), warnings_as_notes():
        rule = None
        beside = None if groups is None else {"groups": groups}
        if thresholds is not None:
            refuse_as_rule(thresholds)
            tuned = decisions.Thresholds.load(thresholds)
            rows = source.rows_of_rule(thresholds, tuned, scores, labels, groups=groups)
            rule, values, Y, units = rows.rule, rows.scores.values, rows.Y, rows.groups
            names, notes = rows.scores.label_names, rows.notes
        else:
            same = source.read(labels, [scores], beside=beside, allow_missing=True)
            values, Y, names = same.others[0].values, same.truth.values, same.truth.label_names
            units = None
            if groups is not None:
                units = source.column(labels, "groups", groups, same.truth)
            notes = same.notes
        found = deployment.doctor(values, Y, thresholds=rule, groups=units, label_names=names)
    outputs.show_result(found, notes)
    if found.found:
        raise typer.Exit(1)
