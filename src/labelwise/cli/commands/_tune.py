"""`labelwise tune`: tune thresholds on scores and labels in files, and print the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from labelwise._matrices import DEFAULT_MATCHING, Matching, matched
from labelwise.cli._inputs import parse_ids, parse_names, read_truth
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    note,
    warnings_as_notes,
    working,
    write_figure,
)
from labelwise.cli._tuning_report import TuningReport, tuning_report
from labelwise.cli.blocks._block_inputs import BlockRows, reads_in_blocks, refuse_with_blocks
from labelwise.data import input_files, read_scores
from labelwise.decisions import Problem, Thresholds, check_problem, check_request
from labelwise.measures import average_and_measure

# Labels in the figure, the most frequent ones.
_MOST_DRAWN = 25


class TuneOptions(NamedTuple):
    """The options of the command as typed; `parse_options` turns them into arguments."""

    maximize: str = "micro-f"
    beta: float = 1.0
    shared: bool = False
    shrink: str = "auto"
    fbr: str | None = None
    fbr_rule: int = 1
    min_precision: float | None = None
    min_recall: float | None = None
    max_decisions: str | None = None
    guarantee: str | None = None
    across: str = "each"
    tuning_share: float = 0.5
    bootstrap: int = 0
    seed: int = 0


def show_tuning(
    scores: Path,
    labels: Path,
    options: TuneOptions,
    *,
    columns: str | None = None,
    bags: str | None = None,
    ids: str | None = None,
    matching: Matching = DEFAULT_MATCHING,
    output: Path | None = None,
    plot: Path | None = None,
    max_bytes: int | None = None,
    cluster: str | None = None,
) -> Thresholds:
    """Print the best thresholds, their value, and the value to expect on unseen rows.

    With `output`, the thresholds are also written to a JSON file, and with `plot` a figure of them.
    """
    check_figure(plot)
    params = parse_options(options)
    check_ending(output, ".json")
    outputs = Outputs([output, plot], inputs=[scores, *input_files(labels, None, columns)])
    if cluster is not None or reads_in_blocks(scores, max_bytes):
        refuse_with_blocks(matching.missing_labels, plot=plot, labels=columns, bags=bags)
        from labelwise.cli.blocks._block_commands import tuned_in_blocks

        rows = BlockRows(parse_names(ids), matching.by_position, max_bytes, cluster)
        report, notes = tuned_in_blocks(scores, labels, params, rows)
        for text in notes:
            note(text)
        return _shown(report, outputs, output, None)
    with working("reading"), warnings_as_notes():
        truth = read_truth(labels, columns, max_bytes, bags=bags, ids=ids, allow_missing=True)
        scored = read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)
        same = matched(truth, [scored], matching, labels_of_scores=True)
    n_labels = same.truth.values.shape[1]
    request = check_request(params, n_labels, shrink_if_possible=True)
    problem = _problem(same.others[0].values, same.truth.values, same.truth.label_names)
    with working("tuning"):
        report = tuning_report(problem, request, options.seed)
        tuned = report.tuned
    if plot is not None:
        write_figure(plot, tuning_figure(tuned, problem))
    for text in same.notes:
        note(text)
    return _shown(report, outputs, output, plot)


def _shown(
    report: TuningReport, outputs: Outputs, output: Path | None, plot: Path | None
) -> Thresholds:
    """Write the thresholds, print the report, and name the files."""
    if output is not None:
        report.tuned.save(output)
    outputs.show("\n".join(report.lines()), report.record())
    for path in (output, plot):
        outputs.say_written(path)
    return report.tuned


def _problem(scores: Any, Y: Any, label_names: tuple[str, ...] | None) -> Problem:
    """Return the problem of checked matrices; labels of type float have NaN for missing ones."""
    if Y.dtype == bool:
        return Problem(scores, Y, label_names)
    return check_problem(scores, Y, label_names, allow_missing=True)


def tuning_figure(tuned: Thresholds, problem: Problem) -> Any:
    """Draw the frontier of precision and recall, and the thresholds of the frequent labels."""
    from matplotlib.figure import Figure

    from labelwise.reports import FrontierDisplay, ThresholdDisplay

    height = max(5.0, 1.6 + 0.34 * min(len(tuned), _MOST_DRAWN))
    left, right = Figure(figsize=(13, height), layout="constrained").subplots(1, 2)
    FrontierDisplay.from_predictions(problem.Y, problem.scores, beta=tuned.beta, ax=left)
    ThresholdDisplay.from_predictions(
        problem.Y,
        problem.scores,
        thresholds=tuned,
        label_names=tuned.label_names,
        max_labels=_MOST_DRAWN,
        ax=right,
    )
    return left.figure


def parse_options(options: TuneOptions) -> dict[str, Any]:
    """Return the options as arguments of `best_thresholds`."""
    average, measure = average_and_measure(options.maximize, "--maximize")
    most = options.max_decisions
    return {
        "measure": measure,
        "average": average,
        "beta": options.beta,
        "shared": options.shared,
        "shrink": _amount(options.shrink, "--shrink"),
        "fbr": None if options.fbr is None else _amount(options.fbr, "--fbr"),
        "fbr_rule": options.fbr_rule,
        "min_precision": options.min_precision,
        "min_recall": options.min_recall,
        "max_decisions": None if most is None else _most_decisions(most),
        "n_bootstrap": options.bootstrap,
        "guarantee": None if options.guarantee is None else parse_level(options.guarantee),
        "across": options.across,
        "tuning_share": options.tuning_share,
    }


def _amount(text: str, option: str) -> float | str:
    """Parse "auto" or a number."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"{option} must be auto or a number from 0 to 1, got {text!r}.") from error


def parse_level(text: str) -> float | str:
    """Parse a probability or the word expectation."""
    try:
        return float(text)
    except ValueError:
        return text


def _most_decisions(text: str) -> int | float | str:
    """Parse a number, and leave "3 per row" as it is."""
    return text if text.strip().endswith("per row") else parse_count(text, "--max-decisions")


def parse_count(text: str, option: str) -> int | float:
    """Parse a whole number as a total, and any other number as a mean per row."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError as error:
        raise ValueError(f"{option} must be a number, got {text!r}.") from error
