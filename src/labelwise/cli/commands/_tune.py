"""`labelwise tune`: tune thresholds on scores and labels in files, and print the result.

The options that say what thresholds are tuned for are those of the request of
`labelwise.decisions`, which declares their names, defaults, parsers and help texts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelwise.cli import _options as opt
from labelwise.cli.running import command
from labelwise.decisions import Certify, Request, option_of, options

if TYPE_CHECKING:
    from labelwise._matrices import Matching
    from labelwise.cli._outputs import Outputs
    from labelwise.cli._tuning_report import TuningReport
    from labelwise.decisions import Problem, Thresholds

# Labels in the figure, the most frequent ones.
_MOST_DRAWN = 25
# The first option of the command that is not part of the request.
_FIRST_OTHER = "review"


def declared() -> Iterator[Any]:
    """Yield the declared fields that are options of the command."""
    for one in (*options(Request), *options(Certify)):
        if option_of(one).in_command:
            yield one


def default_of(one: Any) -> Any:
    """Return the default that a declared field has on the command line."""
    option = option_of(one)
    return option.other_default if option.has_other_default else one.default


def with_declared_options(function: Callable[..., None]) -> Callable[..., None]:
    """Replace the ``**typed`` of a command by the declared options, before its other options."""
    own = inspect.signature(function, eval_str=True)
    parameters = {
        name: one for name, one in own.parameters.items() if one.kind is not one.VAR_KEYWORD
    }
    added = {}
    for one in declared():
        option, default = option_of(one), default_of(one)
        flag = f"--{one.name.replace('_', '-')}"
        kind: Any = option.kind if default is not None else option.kind | None
        added[one.name] = inspect.Parameter(
            one.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=default,
            annotation=Annotated[kind, typer.Option(flag, help=option.help)],
        )
    before = list(parameters)[: list(parameters).index(_FIRST_OTHER)]
    first = {name: parameters.pop(name) for name in before}
    function.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*first.values(), *added.values(), *parameters.values()]
    )
    return function


def parse_options(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `best_thresholds` that the typed options mean."""
    given = {}
    for one in declared():
        value, parse = typed[one.name], option_of(one).parse
        has_text = parse is not None and value is not None
        given[one.name] = parse(value, f"--{one.name.replace('_', '-')}") if has_text else value  # type: ignore[misc]
    certify = {one.name: given.pop(one.name) for one in options(Certify)}
    level = given["guarantee"]
    # A wrong value is refused without a guarantee, too.
    checked = Certify(0.5 if level is None else level, **certify)
    return given | {"guarantee": None if level is None else checked}


@command(
    example="labelwise tune scores.csv labels.csv --maximize macro-f -o thresholds.json",
    json=True,
    force=True,
    inputs=["scores", "labels"],
)
@with_declared_options
def tune(
    scores: opt.Scores,
    labels: opt.Truth,
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
    ids: opt.Ids = None,
    by_position: opt.ByPosition = False,
    missing_labels: opt.MissingLabels = "error",
    max_bytes: opt.MaxBytes = None,
    cluster: opt.Cluster = None,
    **typed: Any,
) -> None:
    """Find the thresholds that maximize a measure.

    Its value on new rows is estimated, too.
    """
    from labelwise._matrices import Matching

    given = parse_options(typed)
    reading: dict[str, Any] = {
        "columns": columns,
        "bags": bags,
        "ids": ids,
        "matching": Matching(by_position, missing_labels),
        "max_bytes": max_bytes,
    }
    if review is None:
        show_tuning(
            scores, labels, given, bootstrap, seed, output, plot, cluster=cluster, **reading
        )
        return
    from labelwise.cli.review._band_tuning import show_bands

    others = {"bootstrap": bootstrap, "plot": plot, "cluster": cluster}
    refused = [name for name, value in others.items() if value]
    refused += [
        one.name
        for one in declared()
        if one.name not in ("min_precision", "min_recall", "guarantee")
        and typed[one.name] != default_of(one)
    ]
    if refused:
        option = f"--{refused[0].replace('_', '-')}"
        raise ValueError(f"--review does not go together with {option}.")
    show_bands(review, scores, labels, given, seed, output, **reading)


def show_tuning(
    scores: Path,
    labels: Path,
    given: Mapping[str, Any],
    bootstrap: int,
    seed: int,
    output: Path | None,
    plot: Path | None,
    *,
    columns: str | None,
    bags: str | None,
    ids: str | None,
    matching: Matching,
    max_bytes: int | None,
    cluster: str | None,
) -> None:
    """Print the best thresholds, their value, and the value to expect on unseen rows.

    `given` are arguments of `best_thresholds`. With `output`, the thresholds are also written to a
    JSON file, and with `plot` a figure of them.
    """
    from labelwise._matrices import matched
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
    from labelwise.cli._tuning_report import tuning_report
    from labelwise.cli.blocks._block_inputs import BlockRows, reads_in_blocks, refuse_with_blocks
    from labelwise.data import input_files, read_scores

    check_figure(plot)
    check_ending(output, ".json")
    outputs = Outputs([output, plot], inputs=[scores, *input_files(labels, None, columns)])
    if cluster is not None or reads_in_blocks(scores, max_bytes):
        refuse_with_blocks(matching.missing_labels, plot=plot, labels=columns, bags=bags)
        from labelwise.cli.blocks._block_commands import tuned_in_blocks

        if bootstrap:
            raise ValueError("--bootstrap needs all scores in memory.")
        rows = BlockRows(parse_names(ids), matching.by_position, max_bytes, cluster)
        report, notes = tuned_in_blocks(scores, labels, given, rows)
        for text in notes:
            note(text)
        _show(report, outputs, output, None)
        return
    with working("reading"), warnings_as_notes():
        truth = read_truth(labels, columns, max_bytes, bags=bags, ids=ids, allow_missing=True)
        scored = read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)
        same = matched(truth, [scored], matching, labels_of_scores=True)
    request = Request(**given)
    problem = _problem(same.others[0].values, same.truth.values, same.truth.label_names)
    with working("tuning"):
        report = tuning_report(problem, request, seed, bootstrap)
    if plot is not None:
        write_figure(plot, tuning_figure(report.tuned, problem))
    for text in same.notes:
        note(text)
    _show(report, outputs, output, plot)


def _show(report: TuningReport, outputs: Outputs, output: Path | None, plot: Path | None) -> None:
    """Write the thresholds, print the report, and name the files."""
    if output is not None:
        report.tuned.save(output)
    outputs.show("\n".join(report.lines()), report.record())
    for path in (output, plot):
        outputs.say_written(path)


def _problem(scores: Any, Y: Any, label_names: tuple[str, ...] | None) -> Problem:
    """Return the problem of checked matrices; labels of type float have NaN for missing ones."""
    from labelwise.decisions import Problem, check_problem

    if Y.dtype == bool:
        return Problem(scores, Y, label_names)
    return check_problem(scores, Y, label_names, allow_missing=True)


def tuning_figure(tuned: Thresholds, problem: Problem) -> Any:
    """Draw the frontier of precision and recall, and the thresholds of the frequent labels."""
    from matplotlib.figure import Figure

    from labelwise.reports import FrontierDisplay, ThresholdDisplay

    height = max(5.0, 1.6 + 0.34 * min(len(tuned), _MOST_DRAWN))
    left, right = Figure(figsize=(13, height), layout="constrained").subplots(1, 2)
    FrontierDisplay.from_predictions(problem.Y, problem.scores, beta=tuned.evidence.beta, ax=left)
    ThresholdDisplay.from_predictions(
        problem.Y,
        problem.scores,
        thresholds=tuned,
        label_names=tuned.label_names,
        max_labels=_MOST_DRAWN,
        ax=right,
    )
    return left.figure
