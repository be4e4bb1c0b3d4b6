"""`labelwise evaluate`: print every measure of the scores and decisions of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from labelwise import data, decisions, deployment, measures
from labelwise._text import as_text, printable
from labelwise.cli import _options as opt
from labelwise.cli._blocks import (
    block_notes,
    opened_blocks,
    reads_in_blocks,
    refuse_with_blocks,
)
from labelwise.cli._cell_lists import CELL_LISTS, write_cells
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    check_safe_csv,
    warnings_as_notes,
    working,
    write_csv,
    write_figure,
    write_page,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    import numpy as np
    from scipy import sparse

# Labels in the table on the screen; a file has all labels.
_MOST_SHOWN = 20
_UNDEFINED = ("defined", "skip", "zero", "nan")
_OF_DECISIONS = ("positives", "decided", "precision", "recall", "f")
_OF_SCORES = ("positives", "auc", "average-precision")


@command(
    example="labelwise evaluate labels.csv --scores scores.csv --decided decided.csv",
    json=True,
    force=True,
    inputs=["labels", "scores", "decided"],
)
def evaluate(
    labels: opt.Truth,
    *,
    scores: Annotated[Path | None, typer.Option(help="File of scores.")] = None,
    decided: Annotated[
        Path | None, typer.Option(help="File of decisions: 0 and 1, and -1 for review.")
    ] = None,
    beta: Annotated[
        float, typer.Option(help="Beta of the F-measure: above 1 favours recall.")
    ] = 1.0,
    bootstrap: Annotated[int, typer.Option(help="Resamples of the rows for intervals.")] = 0,
    undefined: Annotated[
        str,
        typer.Option(
            help="How labels and rows without a value enter a mean: defined leaves them out, skip "
            "also those without positives and decisions, zero counts 0 (scikit-learn), nan gives "
            "nan."
        ),
    ] = "defined",
    per_label: Annotated[
        bool, typer.Option("--per-label", help="Show the measures of each label, the worst first.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="csv file for the measures of every label; - for stdout."
        ),
    ] = None,
    suspects: Annotated[
        Path | None,
        typer.Option(
            help="csv or jsonl file for the labels that are probably wrong by held-out scores, the "
            "likeliest first: id, label, score, truth, chance, and errors of the label."
        ),
    ] = None,
    plot: opt.Plot = None,
    report: opt.Report = None,
    seed: opt.Seed = 0,
    part: opt.Part = None,
    groups: opt.Groups = None,
    weights: opt.Weights = None,
    slices: Annotated[
        str | None,
        typer.Option(help="Column of the labels file: each of its values is evaluated, too."),
    ] = None,
    source: MatrixSource,
    cluster: opt.Cluster = None,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Show every measure of scores, of decisions, or of both."""
    if scores is None and decided is None:
        raise ValueError("--scores or --decided must be given, got neither.")
    if undefined not in _UNDEFINED:
        raise ValueError(f"--undefined must be one of {', '.join(_UNDEFINED)}, got {undefined!r}.")
    check_ending(output, ".csv")
    check_ending(suspects, *CELL_LISTS)
    check_safe_csv(safe_csv, output, suspects)
    if suspects is not None and scores is None:
        raise ValueError("--suspects needs --scores.")
    check_figure(plot)
    check_ending(report, ".html")
    read = [path for path in (scores, decided) if path is not None]
    inputs = [*read, *data.input_files(labels, labels=source.columns)]
    outputs = Outputs([output, suspects, plot, report], inputs=inputs)
    how: dict[str, Any] = {"beta": beta, "undefined": undefined}
    states = None
    if cluster is not None or any(reads_in_blocks(path, source.max_bytes) for path in read):
        refused = {"part": part, "bootstrap": bootstrap, "report": report, "suspects": suspects}
        refuse_with_blocks(source, **refused, slices=slices, groups=groups, weights=weights)
        paths = {"Y": labels, "scores": scores, "decided": decided}
        with opened_blocks("measuring in blocks", paths, source, cluster) as (files, matching):
            evaluation = measures.evaluate(**files, **how, **matching)
        notes = block_notes(paths, source)
    else:
        with working("reading"), warnings_as_notes():
            scored = [] if scores is None else [scores]
            beside = {"slices": slices, "groups": groups, "weights": weights}
            same = source.read(
                labels, scored, decided, part=part, beside=beside, allow_missing=True
            )
            how |= source.row_arguments(labels, beside, same.truth)
            found = None if decided is None else same.others[-1].values
            states = None if found is None else answered_states(same.truth.values, found)
        with working("measuring"):
            evaluation = measures.evaluate(
                same.truth.values,
                scores=same.others[0].values if scored else None,
                decided=states.decided if states else found,
                **how,
                label_names=same.truth.label_names,
                n_bootstrap=bootstrap,
                random_state=seed,
            )
        notes = same.notes
        if suspects is not None:
            names = same.truth.label_names
            wrong = deployment.find_label_errors(
                same.others[0].values, same.truth.values, label_names=names
            )
            columns = replace(wrong, ids=same.truth.ids).columns()
            write_cells(suspects, columns, safe_csv=safe_csv)
    if output is not None:
        measured = {name: column.tolist() for name, column in evaluation.per_label.items()}
        write_csv(output, {"label": evaluation.label_names, **measured}, safe_csv=safe_csv)
    if plot is not None:
        write_figure(plot, label_figure(evaluation))
    if report is not None:
        write_page(evaluation, report)
    lines = [*(states.lines() if states else ()), repr(evaluation)]
    if per_label and output is None:
        lines += ["", worst_labels(evaluation)]
    record = _evaluation_record(evaluation, per_label)
    if states:
        record["review"] = states.record()
    outputs.show("\n".join(lines), record, notes)
    outputs.say_all_written()


def _evaluation_record(evaluation: measures.Evaluation, per_label: bool) -> dict[str, Any]:
    """Return the measures, and those of each label if wanted, for --json."""
    record = {
        "n_samples": evaluation.n_samples,
        "n_missing": evaluation.n_missing,
        "n_labels": len(evaluation.label_names),
        "beta": evaluation.beta,
        "undefined": evaluation.undefined,
        "measures": {name: one._asdict() for name, one in evaluation.measured.items()},
        "slices": {
            name: {"n_samples": one.n_samples, **one.to_dict()}
            for name, one in evaluation.slices.items()
        },
    }
    if not per_label:
        return record
    by_label = evaluation.to_dict(by="label")
    return {**record, "labels": [{"label": name, **by_label[name]} for name in by_label]}


def _worst_first(evaluation: measures.Evaluation) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the columns to show, and the labels by F (or average precision), the lowest first."""
    import numpy as np

    shown = _OF_DECISIONS if "f" in evaluation.per_label else _OF_SCORES
    # Labels without a value are last.
    return shown, np.argsort(evaluation.per_label[shown[-1]], kind="stable")


def label_figure(evaluation: measures.Evaluation) -> Any:
    """Draw precision, recall and F, or the measures of the scores, of the worst labels."""
    from matplotlib.figure import Figure

    from labelwise.reports import LabelMeasuresDisplay

    n_shown = min(_MOST_SHOWN, len(evaluation.label_names))
    figure = Figure(figsize=(7, 1.6 + 0.3 * n_shown), layout="constrained")
    LabelMeasuresDisplay.from_evaluation(evaluation, max_labels=_MOST_SHOWN, ax=figure.subplots())
    return figure


def worst_labels(evaluation: measures.Evaluation) -> str:
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
    return f"{value:,}" if value.dtype.kind in "iu" else f"{value:.4f}"


class AnsweredStates(NamedTuple):
    """Measures of three-state decisions, and the decisions if the person answers right."""

    measures: decisions.ReviewMeasures
    decided: sparse.csc_array

    def lines(self) -> list[str]:
        """Return the lines that explain the measures to the user."""
        found = self.measures
        of_cells, of_rows = found.reviewed / found.n_cells, found.reviewed_samples / found.n_samples
        return [
            f"accepted: {found.accepted:,} cells, precision {found.precision:.4f}, recall "
            f"{found.recall_accepted:.4f}",
            f"to review: {found.reviewed:,} cells ({found.review_per_1000:,.0f} in 1,000 samples), "
            f"{of_cells:.2%} of all cells, in {of_rows:.2%} of the rows",
            f"accepted or to review: recall {found.recall:.4f}",
            "",
            "if the person answers everything right:",
        ]

    def record(self) -> dict[str, Any]:
        """Return the same for --json."""
        found = self.measures
        return {
            "precision_accepted": found.precision,
            "recall_accepted": found.recall_accepted,
            "recall_kept": found.recall,
            "n_accepted": found.accepted,
            "n_reviewed": found.reviewed,
            "share_reviewed": found.reviewed / found.n_cells,
            "rows_reviewed": found.reviewed_samples / found.n_samples,
            "review_per_1000": found.review_per_1000,
        }


def answered_states(Y: sparse.csc_array, decided: Any) -> AnsweredStates | None:
    """Measure states, and replace each review by the true label; None without reviews."""
    from scipy import sparse

    if decided.dtype == bool:
        return None
    found = decisions.review_measures(Y, decided)
    answered = (decided == 1) + (decided == -1).multiply(Y)
    return AnsweredStates(found, sparse.csc_array(answered, dtype=bool))
