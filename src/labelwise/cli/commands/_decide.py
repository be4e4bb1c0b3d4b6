"""`labelwise decide`: decide labels for the scores of a file by tuned thresholds."""

from __future__ import annotations

from pathlib import Path

from labelwise.cli._matrices import column_order, read_scores
from labelwise.cli._matrix_files import (
    FileMatrix,
    check_matrix_ending,
    write_matrix,
)
from labelwise.cli._outputs import Outputs, check_safe_csv, decision_summary, warnings_as_notes
from labelwise.cli._progress import working
from labelwise.decisions import Thresholds


def run_decisions(
    thresholds: Path,
    scores: Path,
    output: Path,
    *,
    max_bytes: int | None = None,
    safe_csv: bool = False,
) -> None:
    """Decide by thresholds that `labelwise tune` wrote, write the decisions, and print how many."""
    check_matrix_ending(output)
    check_safe_csv(safe_csv, output)
    outputs = Outputs([output], inputs=[thresholds, scores])
    with working("deciding"), warnings_as_notes():
        tuned = Thresholds.load(thresholds)
        scored = read_scores(scores, max_bytes)
        order = column_order(tuned.label_names, len(tuned), scored, str(thresholds))
        decided = tuned.decide(scored.values if order is None else scored.values[:, order])
        names = tuned.label_names or scored.label_names
        matrix = FileMatrix(decided, names, scored.ids, scored.id_name)
        write_matrix(output, matrix, safe_csv=safe_csv)
    outputs.say(decision_summary(decided))
    outputs.say_written(output)
