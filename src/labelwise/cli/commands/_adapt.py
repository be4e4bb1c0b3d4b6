"""`labelwise adapt`: adapt thresholds to new scores whose label frequencies have moved."""

from __future__ import annotations

from typing import Annotated

import typer

from labelwise import decisions
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import Outputs, check_ending, warnings_as_notes, working
from labelwise.cli.running import command


@command(
    example="labelwise adapt thresholds.json new_scores.csv -o adapted.json",
    json=True,
    force=True,
    inputs=["scores"],
    without=["columns", "bags"],
)
def adapt(
    thresholds: opt.ThresholdFile,
    scores: opt.Scores,
    *,
    labels: Annotated[
        str | None, typer.Option(help="Labels that may have moved, with commas.  [default: all]")
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="Level of the test; 1 adapts all these labels.")
    ] = 0.05,
    calibrate: opt.Calibrate = None,
    output: opt.ThresholdOutput = None,
    source: MatrixSource,
) -> None:
    """Adapt thresholds to label frequencies that have moved."""
    check_ending(output, ".json")
    outputs = Outputs([output], inputs=[thresholds, scores, *(calibrate or ())])
    with working("adapting"), warnings_as_notes():
        rows = source.rows_of_rule(
            thresholds, decisions.Thresholds.load, scores, calibrate=calibrate
        )
        found = decisions.adapt_thresholds(
            rows.rule,
            rows.scores.values,
            labels=None if labels is None else _names(labels, rows.rule),
            alpha=alpha,
            calibrate=rows.calibrate,
        )
        if output is not None:
            found.thresholds.save(output)
    notes = [*rows.notes]
    if calibrate is None:
        notes.append(
            "scores are taken as calibrated probabilities; if they are not, give the scores and "
            "labels of other rows by --calibrate."
        )
    outputs.show_result(found, notes)
    outputs.say_written(output)


def _names(text: str, chosen: decisions.Thresholds) -> list[str | int]:
    """Parse the labels of --labels: names, or numbers of columns that have no names."""
    words = [word.strip() for word in text.split(",")]
    has_names = chosen.label_names is not None
    return [word if has_names or not word.isdigit() else int(word) for word in words]
