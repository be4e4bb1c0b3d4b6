"""`labelwise expect`: estimate measures of thresholds on rows without labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource, refuse_as_rule
from labelwise.cli._outputs import Outputs, note, warnings_as_notes, working
from labelwise.cli.running import command


@command(
    example="labelwise expect thresholds.json new_scores.csv --calibrate scores.csv labels.csv",
    json=True,
    inputs=["scores"],
    without=["columns", "bags"],
)
def expect(
    thresholds: opt.ThresholdFile,
    scores: opt.Scores,
    *,
    calibrate: opt.Calibrate = None,
    adapt: Annotated[
        bool, typer.Option("--adapt", help="Follow label frequencies that have moved.")
    ] = False,
    level: opt.Level = 0.95,
    seed: opt.Seed = 0,
    source: MatrixSource,
) -> None:
    """Estimate precision, recall and F on rows without labels."""
    refuse_as_rule(thresholds)
    outputs = Outputs()
    with working("estimating"), warnings_as_notes():
        rule = decisions.Thresholds.load(thresholds)
        rows = source.rows_of_rule(thresholds, rule, scores, calibrate=calibrate)
        found = deployment.expect(
            rows.rule,
            rows.scores.values,
            calibrate=rows.calibrate,
            adapt=adapt,
            level=level,
            random_state=seed,
        )
    for text in rows.notes:
        note(text)
    outputs.show(repr(found), _record(found))


def _record(found: deployment.Expectation) -> dict[str, Any]:
    """Return the result for --json."""
    measures = {
        name: {"value": value, "low": found.ranges[name][0], "high": found.ranges[name][1]}
        for name, value in found.values.items()
    }
    labels = [
        {
            "label": name,
            "frequency": found.priors[j],
            **{measure: values[j] for measure, values in found.label_values.items()},
        }
        for j, name in enumerate(found.label_names)
    ]
    return {
        "n_samples": found.n_samples,
        "level": found.level,
        "doubts": found.doubts,
        "measures": measures,
        "labels": labels,
    }
