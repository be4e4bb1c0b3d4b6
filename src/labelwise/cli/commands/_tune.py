"""`labelwise tune`: tune thresholds or bands on scores and labels in files, and print the result.

The options that say what thresholds are tuned for are those of the request of
`labelwise.decisions`, which declares their names, defaults, parsers and help texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelwise import data
from labelwise._tuning import Certify, Request
from labelwise.cli import _options as opt
from labelwise.cli._blocks import BlockRows, reads_in_blocks, refuse_with_blocks, tuned_in_blocks
from labelwise.cli._inputs import (
    columns_beside,
    parse_ids,
    parse_names,
    read_groups,
    read_truth,
)
from labelwise.cli._outputs import (
    FIGURES,
    Outputs,
    check_ending,
    note,
    warnings_as_notes,
    working,
    write_figure,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    from labelwise.cli._band_report import BandReport
    from labelwise.cli._tuning_report import TuningReport

# Labels in the figure, the most frequent ones.
_MOST_DRAWN = 25
# Options of the request that bands take, too.
_OF_BANDS = ("min_precision", "min_recall", "guarantee", "weigh")


@command(
    example="labelwise tune scores.csv labels.csv --maximize macro-f -o thresholds.json",
    json=True,
    force=True,
    inputs=["scores", "labels"],
)
def tune(
    scores: opt.Scores,
    labels: opt.Truth,
    *,
    asked: Annotated[dict[str, Any], Request, Certify],
    review: Annotated[
        str | None,
        typer.Option(
            help="Find bands (accept, review, reject) instead: most cells that a person reviews, "
            "500 in total or 0.05 as mean of a row (50 cells of 1,000 rows); auto for the fewest "
            "that meet --min-precision and --min-recall."
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Resamples for a 95% interval of the value on new rows, e.g. 200.")
    ] = 0,
    seed: opt.Seed = 0,
    output: opt.ThresholdOutput = None,
    plot: opt.Plot = None,
    columns: opt.Labels = None,
    bags: opt.Bags = None,
    groups: opt.Groups = None,
    ids: opt.Ids = None,
    by_position: opt.ByPosition = False,
    missing_labels: opt.MissingLabels = "error",
    max_bytes: opt.MaxBytes = None,
    cluster: opt.Cluster = None,
) -> None:
    """Find the thresholds that maximize a measure.

    Its value on new rows is estimated, too.
    """
    from labelwise._validation import matched

    report: TuningReport | BandReport
    given, changed = opt.tuning_arguments(asked)
    if review is not None:
        others = {"bootstrap": bootstrap, "plot": plot, "cluster": cluster}
        refused = [name for name, value in others.items() if value]
        refused += [name for name in changed if name not in _OF_BANDS]
        if refused:
            option = f"--{refused[0].replace('_', '-')}"
            raise ValueError(f"--review does not go together with {option}.")
        if review == "auto" and given["min_precision"] is given["min_recall"] is None:
            raise ValueError("--review auto needs --min-precision or --min-recall.")
    check_ending(plot, *FIGURES)
    check_ending(output, ".json")
    inputs = [scores, *data.input_files(labels, labels=columns)]
    outputs = Outputs([output, plot], inputs=inputs)
    if review is None and (cluster is not None or reads_in_blocks(scores, max_bytes)):
        refuse_with_blocks(missing_labels, plot=plot, labels=columns, bags=bags, groups=groups)
        if bootstrap:
            raise ValueError("--bootstrap needs all scores in memory.")
        rows = BlockRows(parse_names(ids), by_position, max_bytes, cluster)
        report, notes = tuned_in_blocks(scores, labels, given, rows)
    else:
        with working("reading"), warnings_as_notes():
            names_of_labels: str | list[str] | None = columns
            ids_of_labels = ids
            if groups is not None:
                beside, ids_of_labels = columns_beside(labels, groups, ids, max_bytes)
                names_of_labels = columns or beside
            truth = read_truth(
                labels,
                names_of_labels,
                max_bytes,
                bags=bags,
                ids=ids_of_labels,
                allow_missing=review is None,
            )
            scored = data.read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)
            same = matched(
                truth,
                [scored],
                by_position=by_position,
                missing_labels=missing_labels,
                labels_of_scores=True,
            )
        notes = same.notes
        matrices, names = (same.others[0].values, same.truth.values), same.truth.label_names
        group_of_row = None
        if groups is not None:
            group_of_row = read_groups(labels, groups, same.truth, by_position, ids, max_bytes)
        if review is not None:
            report = _band_report(*matrices, names, review, given, seed, group_of_row)
        else:
            from labelwise.cli._tuning_report import tuning_report

            with working("tuning"):
                report = tuning_report(
                    *matrices,
                    given,
                    seed=seed,
                    n_bootstrap=bootstrap,
                    groups=group_of_row,
                    label_names=names,
                )
        if plot is not None:
            write_figure(plot, _figure(report.tuned, *matrices))
    if output is not None:
        report.tuned.save(output)
    for text in notes:
        note(text)
    outputs.show("\n".join(report.lines()), report.record())
    for path in (output, plot):
        outputs.say_written(path)


def _band_report(
    scores: Any,
    Y: Any,
    label_names: Any,
    review: str,
    given: dict[str, Any],
    seed: int,
    groups: Any,
) -> BandReport:
    """Find bands for a review."""
    from labelwise._tuning import Problem
    from labelwise._validation import check_groups
    from labelwise.cli._band_report import band_report

    numbers = None if groups is None else check_groups(groups, len(groups))
    with working("tuning"), warnings_as_notes():
        problem = Problem(scores, Y, label_names, groups=numbers)
        return band_report(problem, review, given, seed)


def _figure(tuned: Any, scores: Any, Y: Any) -> Any:
    """Draw the frontier of precision and recall, and the thresholds of the frequent labels."""
    from matplotlib.figure import Figure

    from labelwise.reports import FrontierDisplay, ThresholdDisplay

    height = max(5.0, 1.6 + 0.34 * min(len(tuned), _MOST_DRAWN))
    left, right = Figure(figsize=(13, height), layout="constrained").subplots(1, 2)
    FrontierDisplay.from_predictions(Y, scores, beta=tuned.evidence.beta, ax=left)
    ThresholdDisplay.from_predictions(
        Y,
        scores,
        thresholds=tuned,
        label_names=tuned.label_names,
        max_labels=_MOST_DRAWN,
        ax=right,
    )
    return left.figure
