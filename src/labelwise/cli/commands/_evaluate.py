"""`labelwise evaluate`: print every measure of the scores and decisions of files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._io import written_whole
from labelwise._matrices import DEFAULT_MATCHING, Matching, matched
from labelwise._text import as_text, printable, safe_cell
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    check_safe_csv,
    note,
    warnings_as_notes,
    write_figure,
)
from labelwise.cli._parsing import parse_ids, parse_names
from labelwise.cli._progress import working
from labelwise.cli._truth import read_decided, read_truth
from labelwise.cli.blocks._block_inputs import BlockRows, reads_in_blocks, refuse_with_blocks
from labelwise.cli.pages._pages import write_page
from labelwise.cli.review._state_measures import AnsweredStates, answered_states
from labelwise.data import input_files, read_scores
from labelwise.measures import Evaluation, evaluate

# Labels in the table on the screen; a file has all labels.
_MOST_SHOWN = 20
_UNDEFINED = ("nan", "skip", "zero")
_OF_DECISIONS = ("positives", "decided", "precision", "recall", "f")
_OF_SCORES = ("positives", "auc", "average-precision")


def show_evaluation(
    labels: Path,
    *,
    scores: Path | None = None,
    decided: Path | None = None,
    columns: str | None = None,
    bags: str | None = None,
    part: str | None = None,
    ids: str | None = None,
    matching: Matching = DEFAULT_MATCHING,
    beta: float = 1.0,
    bootstrap: int = 0,
    undefined: str = "nan",
    per_label: bool = False,
    output: Path | None = None,
    plot: Path | None = None,
    report: Path | None = None,
    seed: int = 0,
    max_bytes: int | None = None,
    safe_csv: bool = False,
    cluster: str | None = None,
) -> Evaluation:
    """Print the table of all measures that apply to scores, decisions or both.

    With `per_label`, `output` or `plot`, the measures of each label are printed, written or drawn.
    """
    if scores is None and decided is None:
        raise ValueError("--scores or --decided must be given, got neither.")
    if undefined not in _UNDEFINED:
        raise ValueError(f"--undefined must be one of {', '.join(_UNDEFINED)}, got {undefined!r}.")
    check_ending(output, ".csv")
    check_safe_csv(safe_csv, output)
    check_figure(plot)
    check_ending(report, ".html")
    read = [path for path in (scores, decided) if path is not None]
    outputs = Outputs([output, plot, report], inputs=[*read, *input_files(labels, None, columns)])
    files = _EvaluationFiles(output, plot, report, per_label=per_label, safe_csv=safe_csv)
    if cluster is not None or any(reads_in_blocks(path, max_bytes) for path in read):
        refuse_with_blocks(
            matching.missing_labels,
            labels=columns,
            bags=bags,
            part=part,
            bootstrap=bootstrap,
            report=report,
        )
        from labelwise.cli.blocks._block_commands import evaluated_in_blocks

        paths = {"Y": labels, "scores": scores, "decided": decided}
        rows = BlockRows(parse_names(ids), matching.by_position, max_bytes, cluster)
        evaluation, notes = evaluated_in_blocks(paths, beta, undefined, rows)
        return _shown(evaluation, outputs, files, notes)
    with working("reading"), warnings_as_notes():
        truth = read_truth(
            labels, columns, max_bytes, bags=bags, part=part, ids=ids, allow_missing=True
        )
        scored = (
            [] if scores is None else [read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)]
        )
        found = [] if decided is None else [read_decided(decided, max_bytes, ids)]
        same = matched(truth, [*scored, *found], matching)
        decisions = same.others[-1].values if found else None
        states = answered_states(same.truth.values, decisions) if found else None
    with working("measuring"):
        evaluation = evaluate(
            same.truth.values,
            scores=same.others[0].values if scored else None,
            decided=states.decided if states else decisions,
            beta=beta,
            undefined=undefined,
            label_names=same.truth.label_names,
            n_bootstrap=bootstrap,
            random_state=seed,
        )
    return _shown(evaluation, outputs, files, same.notes, states)


class _EvaluationFiles(NamedTuple):
    """The files that an evaluation is written to, and how its labels are shown."""

    output: Path | None
    plot: Path | None
    report: Path | None
    per_label: bool
    safe_csv: bool


def _shown(
    evaluation: Evaluation,
    outputs: Outputs,
    files: _EvaluationFiles,
    notes: Iterable[str],
    states: AnsweredStates | None = None,
) -> Evaluation:
    """Write and print an evaluation, with the rows that went to review."""
    if files.output is not None:
        _write_labels(files.output, evaluation, files.safe_csv)
    if files.plot is not None:
        write_figure(files.plot, label_figure(evaluation))
    if files.report is not None:
        write_page(evaluation, files.report)
    is_shown = files.per_label and files.output is None
    table = ["", worst_labels(evaluation)] if is_shown else []
    for text in notes:
        note(text)
    record = _evaluation_record(evaluation, files.per_label)
    above = states.lines() if states else []
    if states:
        record["review"] = states.record()
    outputs.show("\n".join([*above, repr(evaluation), *table]), record)
    for path in (files.output, files.plot, files.report):
        outputs.say_written(path)
    return evaluation


def _evaluation_record(evaluation: Evaluation, per_label: bool) -> dict[str, Any]:
    """Return the measures, and those of each label if wanted, for --json."""
    record = {
        "n_samples": evaluation.n_samples,
        "n_missing": evaluation.n_missing,
        "n_labels": len(evaluation.label_names),
        "beta": evaluation.beta,
        "undefined": evaluation.undefined,
        "measures": {name: one._asdict() for name, one in evaluation.measured.items()},
    }
    if not per_label:
        return record
    by_label = evaluation.to_dict(by="label")
    return {**record, "labels": [{"label": name, **by_label[name]} for name in by_label]}


def _worst_first(evaluation: Evaluation) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the columns to show, and the labels by F (or average precision), the lowest first."""
    shown = _OF_DECISIONS if "f" in evaluation.per_label else _OF_SCORES
    # Labels without a value are last.
    return shown, np.argsort(evaluation.per_label[shown[-1]], kind="stable")


def label_figure(evaluation: Evaluation) -> Any:
    """Draw precision, recall and F, or the measures of the scores, of the worst labels."""
    from matplotlib.figure import Figure

    from labelwise.reports import LabelMeasuresDisplay

    n_shown = min(_MOST_SHOWN, len(evaluation.label_names))
    figure = Figure(figsize=(7, 1.6 + 0.3 * n_shown), layout="constrained")
    LabelMeasuresDisplay.from_evaluation(evaluation, max_labels=_MOST_SHOWN, ax=figure.subplots())
    return figure


def worst_labels(evaluation: Evaluation) -> str:
    """Return the table of labels, those of the lowest F (or average precision) first."""
    columns = evaluation.per_label
    shown, order = _worst_first(evaluation)
    rows = [
        [printable(evaluation.label_names[j]), *(_cell(columns[name][j]) for name in shown)]
        for j in order[:_MOST_SHOWN]
    ]
    more = len(order) - len(rows)
    table = as_text([["label", *shown], *rows])
    return f"{table}\n... and {more:,} more (-o FILE has all)" if more else table


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, np.integer) else f"{value:.4f}"


def _write_labels(output: Path, evaluation: Evaluation, safe_csv: bool) -> None:
    """Write a csv file with a row for each label, in the order of the labels."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["label", *evaluation.per_label])
    columns = [column.tolist() for column in evaluation.per_label.values()]
    names = map(safe_cell if safe_csv else str, evaluation.label_names)
    writer.writerows(zip(names, *columns, strict=True))
    with written_whole(output) as stream:
        stream.write(text.getvalue().encode())
