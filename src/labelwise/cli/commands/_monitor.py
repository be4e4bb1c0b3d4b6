"""`labelwise monitor`: add the rows of a day to the evidence against promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    warnings_as_notes,
    working,
    write_figure,
    write_page,
)
from labelwise.cli.running import command


@command(
    example="labelwise monitor thresholds.json day17.csv labels17.csv --state monitor.json",
    json=True,
    force=True,
    inputs=["scores", "labels"],
    finds=True,
)
def monitor(
    thresholds: opt.ThresholdFile,
    scores: opt.Scores,
    labels: opt.Truth,
    *,
    state: Annotated[
        Path, typer.Option(help="JSON file of the evidence so far; it is made, and then renewed.")
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of these rows, such as a date.  [default: a number]")
    ] = None,
    at_least: opt.AtLeast = None,
    level: Annotated[
        float | None, typer.Option(help="Probability that statements are right.  [default: 0.95]")
    ] = None,
    groups: opt.Groups = None,
    plot: opt.Plot = None,
    report: opt.Report = None,
    source: MatrixSource,
) -> None:
    """Watch promises as rows arrive.

    The exit code is 1 if there is an alarm, and 2 after an error.
    """
    check_ending(state, ".json")
    check_figure(plot)
    check_ending(report, ".html")
    outputs = Outputs([plot, report], inputs=[thresholds, scores, labels, state])
    with working("watching"), warnings_as_notes():
        rows = source.rows_of_rule(
            thresholds, decisions.load_rule, scores, labels, groups=groups, promises=True
        )
        if not state.exists():
            asked = opt.parse_at_least(at_least)
            found = deployment.Monitor(
                rows.rule, at_least=asked, level=0.95 if level is None else level
            )
        elif at_least or level is not None:
            raise ValueError(
                f"--at-least and --level must be given with the first rows only: {state} has them."
            )
        else:
            found = deployment.Monitor.load(state, rows.rule)
        found.update(rows.scores.values, rows.Y, name=name, groups=rows.groups)
    if plot is not None:
        from labelwise.reports import MonitorDisplay

        write_figure(plot, MonitorDisplay.from_monitor(found).figure_)
    if report is not None:
        write_page(found, report)
    # Written last, so that rows whose figure or page failed are not counted twice.
    found.save(state)
    outputs.show_result(found, rows.notes)
    outputs.say_all_written()
    if found.alarm:
        raise typer.Exit(1)
