"""`labelwise decide`: decide labels for the scores of a file by a rule of a file, or by rank."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelwise import _matrices, decisions
from labelwise._text import printable_path
from labelwise.cli import _options as opt
from labelwise.cli._blocks import reads_in_blocks, refuse_with_blocks
from labelwise.cli._cell_lists import (
    CELL_LISTS,
    queue_columns,
    row_columns,
    write_cells,
)
from labelwise.cli._inputs import MatrixSource, parse_names, refuse_as_rule
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_safe_csv,
    decision_line,
    decision_summary,
    note,
    warnings_as_notes,
    working,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    import numpy as np

    from labelwise._validation import NamedMatrix

    _Rule = decisions.Thresholds | decisions.Bands | decisions.Proportions


@command(
    example="labelwise decide thresholds.json new_scores.csv -o decided.csv",
    force=True,
    inputs=["thresholds", "scores"],
    without=["bags"],
)
def decide(
    thresholds: Annotated[
        Path,
        typer.Argument(help="File written by labelwise tune; left out with --top and --as-in."),
    ],
    scores: Annotated[
        Path | None,
        typer.Argument(
            help="Scores: a csv, parquet, jsonl, npy or npz file, a row a sample; - for csv.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File for 0 and 1, and -1 for review: csv, parquet, jsonl, npy, npz; - for csv.",
        ),
    ],
    queue: Annotated[
        Path | None,
        typer.Option(
            help="csv or jsonl file for the cells to review, the most uncertain first: id, label, "
            "score, lower, upper, probability, and an empty column for the answer; for bands only."
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(help="Decide this many labels of each row, those of the highest scores."),
    ] = None,
    as_in: Annotated[
        Path | None,
        typer.Option(
            "--as-in",
            help="Decide each label as often as it is true in this file of labels, for the rows of "
            "its highest scores.",
        ),
    ] = None,
    slices: opt.Slices = None,
    source: MatrixSource,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Decide the labels of each row by thresholds, bands or ranks."""
    from labelwise._validation import NamedMatrix, take_columns

    if top is not None or as_in is not None:
        _check_by_rank(top, as_in, {"SCORES": scores, "--queue": queue, "--slices": slices})
        _decide_by_rank(thresholds, top, as_in, output, source, safe_csv=safe_csv)
        return
    if scores is None:
        raise ValueError("SCORES must be given after THRESHOLDS, or --top or --as-in.")
    if reads_in_blocks(scores, source.max_bytes):
        refuse_with_blocks(source, queue=queue, slices=slices, safe_csv=safe_csv)
        _decide_in_blocks(thresholds, scores, output, source)
        return
    _matrices.check_matrix_ending(output)
    check_ending(queue, *CELL_LISTS)
    check_safe_csv(safe_csv, output, queue)
    refuse_as_rule(thresholds)
    source.refuse_labels_of_scores(scores)
    outputs = Outputs([output, queue], inputs=[thresholds, scores])
    with working("deciding"), warnings_as_notes():
        rule = decisions.load_rule(thresholds)
        _check_queue(rule, queue, thresholds)
        _check_slices(rule, slices, thresholds)
        scored = source.scores(scores, () if slices is None else (slices,))
        if scored.has_label_lists and rule.label_names is not None:
            # Labels that are not suggested in these rows have no score.
            scored = scored.widened(rule.label_names)
        labels = source.match_rule(thresholds, rule, [scored])
        of_rule, of_scores = labels.places
        chosen, values = rule._of_labels(of_rule, None), take_columns(scored.values, of_scores)
        by_slice: dict[str, Any] = source.row_values(scores, {"slices": slices}, scored)
        decided = chosen.decide(values, **by_slice)
        matrix = NamedMatrix(decided, labels.names, scored.ids, scored.id_name)
        _matrices.write_matrix(output, _in_columns_of(matrix, of_scores), safe_csv=safe_csv)
        if queue is not None and isinstance(chosen, decisions.Bands):
            names = matrix.label_names or tuple(map(str, range(len(chosen))))
            cells = chosen.queue(values)
            columns = row_columns(cells.rows, (matrix.ids, matrix.id_name), {})
            columns |= queue_columns(cells, chosen, names) | {"answer": [""] * cells.rows.size}
            write_cells(queue, columns, safe_csv=safe_csv)
    for text in labels.notes:
        note(text)
    outputs.message(_summary(rule, decided))
    outputs.say_all_written()


def _decide_in_blocks(thresholds: Path, scores: Path, output: Path, source: MatrixSource) -> None:
    """Write the decisions block by block, and print how many there are."""
    from labelwise._blocks import block_rows, rows_within

    outputs = Outputs([output], inputs=[thresholds, scores])
    n_rows = rows_within({"scores": scores}, source.max_bytes, parse_names(source.ids))
    with working("deciding in blocks"), warnings_as_notes(), block_rows(n_rows):
        rule = decisions.load_rule(thresholds)
        if not isinstance(rule, decisions.Thresholds):
            kind = type(rule).__name__.lower()
            raise ValueError(
                f"{thresholds} must have thresholds to decide rows that are read in blocks, got "
                f"{kind}, which need all rows in memory."
            )
        found = rule.decide(scores, output, ids=source.ids_or_position())
    note(f"{printable_path(scores)} read in blocks.")
    outputs.message(decision_line(int(found.by_label.sum()), found.n_rows, found.n_without))
    outputs.say_written(output)


def _check_by_rank(top: int | None, as_in: Path | None, others: dict[str, Any]) -> None:
    """Refuse what does not go together with a decision by rank."""
    option = "--as-in" if top is None else "--top"
    if top is not None and as_in is not None:
        raise ValueError("--top does not go together with --as-in.")
    for name, given in others.items():
        if given is not None:
            files = ", which decides without thresholds: give the scores alone"
            raise ValueError(
                f"{name} does not go together with {option}{files if name == 'SCORES' else ''}."
            )


def _decide_by_rank(
    scores: Path,
    top: int | None,
    as_in: Path | None,
    output: Path,
    source: MatrixSource,
    *,
    safe_csv: bool,
) -> None:
    """Write the decisions of `rank_cut` or `proportion_cut`, and print how many there are."""
    from labelwise._validation import NamedMatrix, same_labels, side_of, take_columns

    _matrices.check_matrix_ending(output)
    check_safe_csv(safe_csv, output)
    outputs = Outputs([output], inputs=[scores] if as_in is None else [scores, as_in])
    notes: list[str] = []
    with working("deciding"), warnings_as_notes():
        scored = source.scores(scores)
        names, n_labels = scored.label_names, scored.shape[1]
        if top is not None:
            if not 0 <= top <= n_labels:
                raise ValueError(f"--top must be from 0 to the {n_labels} labels, got {top}.")
            decided = decisions.rank_cut(scored.values, top)
        elif as_in is not None:
            truth = source.read(as_in, allow_missing=True).truth
            same = same_labels(
                side_of(scored), [side_of(truth)], source.by_position, source.missing_labels
            )
            own, others = same.places
            names, notes = same.names, same.notes
            columns = take_columns(scored.values, own)
            decided = decisions.proportion_cut(columns, take_columns(truth.values, others))
        matrix = NamedMatrix(decided, names, scored.ids, scored.id_name)
        _matrices.write_matrix(output, matrix, safe_csv=safe_csv)
    for text in notes:
        note(text)
    outputs.message(decision_summary(decided))
    outputs.say_all_written()


def _in_columns_of(matrix: NamedMatrix, columns: np.ndarray) -> NamedMatrix:
    """Return decisions in the order of the columns of the scores, as `Thresholds.decide` does."""
    import numpy as np

    from labelwise._validation import take_columns

    order = np.argsort(columns)
    names = matrix.label_names
    return replace(
        matrix,
        values=take_columns(matrix.values, order),
        label_names=None if names is None else tuple(names[j] for j in order),
    )


def _check_slices(rule: _Rule, slices: str | None, path: Path) -> None:
    """Refuse thresholds by slice without --slices, and other rules with it."""
    has_slices = isinstance(rule, decisions.Thresholds) and rule.slices is not None
    if has_slices and slices is None:
        raise ValueError(f"--slices must name a column: the thresholds of {path} differ by slice.")
    if slices is not None and not has_slices:
        raise ValueError(f"--slices needs thresholds of labelwise tune --slices; {path} has none.")


def _check_queue(rule: _Rule, queue: Path | None, path: Path) -> None:
    if queue is not None and not isinstance(rule, decisions.Bands):
        raise ValueError(
            f"--queue needs bands, which labelwise tune --review writes; {path} has none."
        )


def _summary(rule: _Rule, decided: Any) -> str:
    """Return how many labels were decided and are to review, in one line."""
    if not isinstance(rule, decisions.Bands):
        return decision_summary(decided)
    n_reviewed = int((decided == -1).sum())
    per_1000 = 1000 * n_reviewed / decided.shape[0]
    review = f"{n_reviewed:,} cells to review ({per_1000:,.0f} in 1,000 samples)"
    return f"{decision_summary(decided == 1)}; {review}"
