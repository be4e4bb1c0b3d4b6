"""`labelwise decide`: decide labels for the scores of a file by tuned thresholds or bands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._matrices import (
    DEFAULT_MATCHING,
    LabelColumns,
    Matching,
    check_matrix_ending,
    label_columns,
    position_note,
    same_labels,
    write_matrix,
)
from labelwise._validation import NamedMatrix, take_columns
from labelwise.cli._file_kinds import refuse_as_rule
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_safe_csv,
    decision_summary,
    note,
    warnings_as_notes,
)
from labelwise.cli._parsing import parse_ids, parse_names
from labelwise.cli._progress import working
from labelwise.cli.blocks._block_inputs import BlockRows, reads_in_blocks, refuse_with_blocks
from labelwise.cli.review._queue_file import write_queue
from labelwise.data import read_scores
from labelwise.decisions import Bands, Thresholds, bands_of_labels, load_rule


def run_decisions(
    thresholds: Path,
    scores: Path,
    output: Path,
    queue: Path | None = None,
    *,
    ids: str | None = None,
    matching: Matching = DEFAULT_MATCHING,
    max_bytes: int | None = None,
    safe_csv: bool = False,
) -> None:
    """Decide by thresholds or bands that `labelwise tune` wrote, and print how many decisions.

    The decisions are written to `output`, and the cells to review to `queue`.
    """
    if reads_in_blocks(scores, max_bytes):
        refuse_with_blocks(matching.missing_labels, queue=queue, safe_csv=safe_csv)
        # Only blocks need these functions, which import numba.
        from labelwise.cli.blocks._block_commands import show_decisions_in_blocks

        rows = BlockRows(parse_names(ids), matching.by_position, max_bytes)
        show_decisions_in_blocks(thresholds, scores, output, rows)
        return
    check_matrix_ending(output)
    check_ending(queue, ".csv")
    check_safe_csv(safe_csv, output, queue)
    refuse_as_rule(thresholds)
    outputs = Outputs([output, queue], inputs=[thresholds, scores])
    with working("deciding"), warnings_as_notes():
        rule = load_rule(thresholds)
        _check_queue(rule, queue, thresholds)
        scored = read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)
        labels = same_labels(
            LabelColumns(thresholds, rule.label_names, len(rule)),
            [label_columns(scored)],
            matching,
        )
        of_rule, of_scores = labels.places
        chosen, values = _rule_of_labels(rule, of_rule), take_columns(scored.values, of_scores)
        decided = chosen.decide(values)
        matrix = NamedMatrix(decided, labels.names, scored.ids, scored.id_name)
        write_matrix(output, _in_columns_of(matrix, of_scores), safe_csv=safe_csv)
        if queue is not None and isinstance(chosen, Bands):
            write_queue(queue, chosen.queue(values), chosen, matrix, safe_csv=safe_csv)
    for text in labels.notes:
        note(text)
    if labels.by_position[0]:
        note(position_note(scores, thresholds))
    outputs.message(_summary(rule, decided))
    for path in (output, queue):
        outputs.say_written(path)


def _in_columns_of(matrix: NamedMatrix, columns: np.ndarray) -> NamedMatrix:
    """Return decisions in the order of the columns of the scores, as `Thresholds.decide` does."""
    order = np.argsort(columns)
    names = matrix.label_names
    return replace(
        matrix,
        values=take_columns(matrix.values, order),
        label_names=None if names is None else tuple(names[j] for j in order),
    )


def _check_queue(rule: Thresholds | Bands, queue: Path | None, path: Path) -> None:
    if queue is not None and not isinstance(rule, Bands):
        raise ValueError(
            f"--queue needs bands, which labelwise tune --review writes; {path} has none."
        )


def _rule_of_labels(rule: Thresholds | Bands, labels: np.ndarray) -> Thresholds | Bands:
    """Return the thresholds or bands of some labels, in this order and without names."""
    if isinstance(rule, Bands):
        return bands_of_labels(rule, labels)
    return replace(rule, values=rule.values[labels], label_names=None)


def _summary(rule: Thresholds | Bands, decided: Any) -> str:
    """Return how many labels were decided and are to review, in one line."""
    if not isinstance(rule, Bands):
        return decision_summary(decided)
    n_reviewed = int((decided == -1).sum())
    per_1000 = 1000 * n_reviewed / decided.shape[0]
    review = f"{n_reviewed:,} cells to review ({per_1000:,.0f} in 1,000 rows)"
    return f"{decision_summary(decided == 1)}; {review}"
