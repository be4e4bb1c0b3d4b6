"""`labelwise expect`: estimate measures of thresholds on rows without labels."""

from __future__ import annotations

from typing import Annotated

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import Outputs, warnings_as_notes, working
from labelwise.cli.running import command


@command(
    example="labelwise expect thresholds.json new_scores.csv --calibrate scores.csv labels.csv",
    json=True,
    inputs=["scores"],
    without=["bags"],
)
def expect(
    thresholds: opt.ThresholdFile,
    scores: opt.Scores,
    *,
    calibrate: opt.Calibrate = None,
    groups: opt.Groups = None,
    adapt: Annotated[
        bool, typer.Option("--adapt", help="Follow label frequencies that have moved.")
    ] = False,
    level: opt.Level = 0.95,
    seed: opt.Seed = 0,
    source: MatrixSource,
) -> None:
    """Estimate precision, recall and F on rows without labels."""
    outputs = Outputs()
    with working("estimating"), warnings_as_notes():
        rows = source.rows_of_rule(
            thresholds, decisions.Thresholds.load, scores, calibrate=calibrate, groups=groups
        )
        found = deployment.expect(
            rows.rule,
            rows.scores.values,
            calibrate=rows.calibrate,
            adapt=adapt,
            level=level,
            random_state=seed,
        )
    outputs.show_result(found, rows.notes)
