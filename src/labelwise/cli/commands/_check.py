"""`labelwise check`: test on new labelled rows whether thresholds keep their promises."""

from __future__ import annotations

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import Outputs, warnings_as_notes, working
from labelwise.cli.running import command

# Exit codes by verdict.
_CODES = {"kept": 0, "broken": 1, "not enough samples": 3}


@command(
    example="labelwise check thresholds.json new_scores.csv new_labels.csv --at-least micro-f=0.6",
    json=True,
    inputs=["scores", "labels"],
    finds=True,
)
def check(
    thresholds: opt.ThresholdFile,
    scores: opt.Scores,
    labels: opt.Truth,
    *,
    at_least: opt.AtLeast = None,
    level: opt.Level = 0.95,
    groups: opt.Groups = None,
    source: MatrixSource,
) -> None:
    """Check on new samples whether promises are kept.

    The exit code is 0 if they are kept, 1 if one is broken, 3 with too few samples, and 2 after an
    error.
    """
    outputs = Outputs()
    with working("checking"), warnings_as_notes():
        rows = source.rows_of_rule(
            thresholds, decisions.load_rule, scores, labels, groups=groups, promises=True
        )
        found = deployment.check_promises(
            rows.rule,
            rows.scores.values,
            rows.Y,
            at_least=opt.parse_at_least(at_least),
            level=level,
            groups=rows.groups,
        )
    outputs.show_result(found, rows.notes)
    if _CODES[found.verdict]:
        raise typer.Exit(_CODES[found.verdict])
