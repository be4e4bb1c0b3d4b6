"""`labelwise adapt`: adapt thresholds to new scores whose label frequencies have moved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelwise._matrices import (
    DEFAULT_MATCHING,
    LabelColumns,
    Matching,
    label_columns,
    matched,
    position_note,
    same_labels,
)
from labelwise._validation import NamedMatrix
from labelwise.cli._inputs import parse_ids, read_truth, refuse_as_rule
from labelwise.cli._outputs import Outputs, check_ending, note, warnings_as_notes, working
from labelwise.data import read_scores
from labelwise.decisions import Adaptation, Thresholds, adapt_thresholds


def show_adaptation(
    thresholds: Path,
    scores: Path,
    *,
    tested: str | None = None,
    alpha: float = 0.05,
    calibrate: tuple[Path, Path] | None = None,
    output: Path | None = None,
    ids: str | None = None,
    matching: Matching = DEFAULT_MATCHING,
    max_bytes: int | None = None,
) -> None:
    """Print which label frequencies moved, and write the thresholds for the new ones."""
    check_ending(output, ".json")
    refuse_as_rule(thresholds)
    outputs = Outputs([output], inputs=[thresholds, scores, *(calibrate or ())])
    with working("adapting"), warnings_as_notes():
        tuned = Thresholds.load(thresholds)
        scored = read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)
        known, notes = _labelled(calibrate, ids, matching, max_bytes)
        labels = same_labels(
            LabelColumns(thresholds, tuned.label_names, len(tuned)),
            [label_columns(one) for one in (scored, *known)],
            matching,
        )
        of_thresholds, of_scores, *of_known = labels.places
        chosen = tuned.of_labels(of_thresholds, labels.names)
        found = adapt_thresholds(
            chosen,
            scored.values[:, of_scores],
            labels=None if tested is None else _names(tested, chosen),
            alpha=alpha,
            calibrate=[one.values[:, place] for one, place in zip(known, of_known, strict=True)]
            or None,
        )
        if output is not None:
            found.thresholds.save(output)
    for line in (*labels.notes, *notes):
        note(line)
    if labels.by_position[0]:
        note(position_note(scores, thresholds))
    if not known:
        note(
            "scores are taken as calibrated probabilities; if they are not, give the scores and "
            "labels of other rows by --calibrate."
        )
    outputs.show(repr(found), _record(found))
    outputs.say_written(output)


def _labelled(
    files: tuple[Path, Path] | None, ids: str | None, matching: Matching, max_bytes: int | None
) -> tuple[list[NamedMatrix], Sequence[str]]:
    """Read scores and labels of the same rows, in the same order, and notes about their matching.

    There are none of both without files.
    """
    if files is None:
        return [], ()
    scores, labels = files
    truth = read_truth(labels, None, max_bytes, ids=ids, allow_missing=True)
    same = matched(truth, [read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)], matching)
    return [*same.others, same.truth], same.notes


def _names(text: str, chosen: Thresholds) -> list[str | int]:
    """Parse the labels of --labels: names, or numbers of columns that have no names."""
    words = [word.strip() for word in text.split(",")]
    has_names = chosen.label_names is not None
    return [word if has_names or not word.isdigit() else int(word) for word in words]


def _record(found: Adaptation) -> dict[str, Any]:
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
