"""`labelwise decide`: decide labels for the scores of a file by tuned thresholds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from labelwise.cli._outputs import Outputs, check_safe_csv, decision_summary, warnings_as_notes
from labelwise.cli._progress import working
from labelwise.cli.matrices._matching import (
    DEFAULT_MATCHING,
    LabelColumns,
    Matching,
    position_note,
    same_labels,
)
from labelwise.cli.matrices._matrices import read_scores
from labelwise.cli.matrices._matrix_files import FileMatrix
from labelwise.cli.matrices._written_matrices import check_matrix_ending, write_matrix
from labelwise.decisions import Thresholds


def run_decisions(
    thresholds: Path,
    scores: Path,
    output: Path,
    *,
    ids: str | None = None,
    matching: Matching = DEFAULT_MATCHING,
    max_bytes: int | None = None,
    safe_csv: bool = False,
) -> None:
    """Decide by thresholds that `labelwise tune` wrote, write the decisions, and print how many."""
    check_matrix_ending(output)
    check_safe_csv(safe_csv, output)
    outputs = Outputs([output], inputs=[thresholds, scores])
    with working("deciding"), warnings_as_notes():
        tuned = Thresholds.load(thresholds)
        scored = read_scores(scores, max_bytes, ids=ids)
        labels = same_labels(
            LabelColumns(thresholds, tuned.label_names, len(tuned)),
            [LabelColumns(scores, scored.label_names, scored.values.shape[1])],
            matching,
        )
        of_thresholds, of_scores = labels.places
        chosen = replace(tuned, values=tuned.values[of_thresholds], label_names=None)
        decided = chosen.decide(scored.values[:, of_scores])
        matrix = FileMatrix(decided, labels.names, scored.ids, scored.id_name)
        write_matrix(output, matrix, safe_csv=safe_csv)
    for note in labels.notes:
        outputs.message(note)
    if labels.by_position[0]:
        outputs.message(position_note(scores, thresholds))
    outputs.message(decision_summary(decided))
    outputs.say_written(output)
