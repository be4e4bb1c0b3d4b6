"""`labelwise adapt`: adapt thresholds to new scores whose label frequencies have moved."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from labelwise import decisions
from labelwise.cli import _options as opt
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import Outputs, check_ending, note, warnings_as_notes, working
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
    for line in rows.notes:
        note(line)
    if calibrate is None:
        note(
            "scores are taken as calibrated probabilities; if they are not, give the scores and "
            "labels of other rows by --calibrate."
        )
    outputs.show(repr(found), _record(found))
    outputs.say_written(output)


def _names(text: str, chosen: decisions.Thresholds) -> list[str | int]:
    """Parse the labels of --labels: names, or numbers of columns that have no names."""
    words = [word.strip() for word in text.split(",")]
    has_names = chosen.label_names is not None
    return [word if has_names or not word.isdigit() else int(word) for word in words]


def _record(found: decisions.Adaptation) -> dict[str, Any]:
    """Return the result for --json."""
    tuned, old = found.thresholds, found.old_thresholds
    columns = {
        "label": tuned.label_names or tuple(map(str, range(len(tuned)))),
        "old_prior": found.old_priors,
        "prior": found.priors,
        "p_value": found.p_values,
        "moved": found.moved,
        "old_threshold": old.values,
        "threshold": tuned.values,
    }
    return {
        "measure": tuned.evidence.measure,
        "average": tuned.evidence.average,
        "beta": tuned.evidence.beta,
        "value": tuned.value if found.moved.any() else float("nan"),
        "old_value": found.old_value,
        "n_samples": found.n_samples,
        "alpha": found.alpha,
        "n_moved": int(found.moved.sum()),
        "labels": [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ],
    }
