"""`labelwise report`: the page of scores and labels, or of the results of a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labelwise import _saving
from labelwise._io import DataError
from labelwise._matrices import Matching, matched
from labelwise._validation import NamedMatrix
from labelwise.cli._file_kinds import is_model_file, refuse_as_rule
from labelwise.cli._outputs import Outputs, check_ending, note, warnings_as_notes
from labelwise.cli._parsing import parse_ids
from labelwise.cli._progress import working
from labelwise.cli._truth import read_truth
from labelwise.cli.pages._pages import write_page
from labelwise.cli.pages._row_columns import only_texts, read_row_columns
from labelwise.data import input_files, read_scores
from labelwise.decisions import Thresholds
from labelwise.experiments import read_results


class ReportFiles(NamedTuple):
    """The files of the command; only scores, labels and the output are required."""

    scores: Path
    labels: Path
    output: Path
    thresholds: Path | None = None
    versus: Path | None = None
    slices: Path | None = None
    texts: Path | None = None

    @property
    def read(self) -> list[Path]:
        """Files that the command reads beside the labels."""
        optional = (self.thresholds, self.versus, self.slices, self.texts)
        return [self.scores, *(path for path in optional if path is not None)]


def write_desk(
    files: ReportFiles,
    *,
    title: str | None,
    columns: str | None,
    bags: str | None,
    ids: str | None,
    matching: Matching,
    seed: int,
    max_bytes: int | None,
) -> None:
    """Write the decision desk of scores and labels in files."""
    check_ending(files.output, ".html")
    inputs = [*files.read, *input_files(files.labels, None, columns)]
    outputs = Outputs([files.output], inputs=inputs)
    with working("reading"), warnings_as_notes():
        truth = read_truth(files.labels, columns, max_bytes, bags=bags, ids=ids)
        models = [path for path in (files.scores, files.versus) if path is not None]
        scored = [read_scores(path, ids=parse_ids(ids), max_bytes=max_bytes) for path in models]
        same = matched(truth, scored, matching, labels_of_scores=True)
        beside, notes = _beside(files, same.truth, matching, ids, max_bytes)
    from labelwise.reports import Desk, write_report

    scores, *rivals = (matrix.values for matrix in same.others)
    names, heading = same.truth.label_names, title or files.scores.name
    with working("writing"), warnings_as_notes():
        desk = Desk(
            scores,
            same.truth.values,
            label_names=names,
            title=heading,
            random_state=seed,
            versus=rivals[0] if rivals else None,
            **beside,
        )
        write_report(desk, files.output)
    for text in (*same.notes, *notes):
        note(text)
    outputs.say_written(files.output)


def _beside(
    files: ReportFiles,
    truth: NamedMatrix,
    matching: Matching,
    ids: str | None,
    max_bytes: int | None,
) -> tuple[dict[str, Any], list[str]]:
    """Read what belongs to the rows and labels, as arguments of a desk, with lines for the user."""
    found: dict[str, Any] = {"ids": truth.ids}
    notes: list[str] = []
    if files.slices is not None:
        found["slices"], of_slices = read_row_columns(files.slices, truth, matching, ids, max_bytes)
        notes += of_slices
    if files.texts is not None:
        columns, of_texts = read_row_columns(files.texts, truth, matching, ids, max_bytes)
        found["texts"] = only_texts(files.texts, columns)
        notes += of_texts
    if files.thresholds is not None:
        found["thresholds"] = {files.thresholds.name: _given_thresholds(files.thresholds)}
    return found, notes


def _given_thresholds(path: Path) -> Thresholds:
    """Read thresholds from their file, or from a model that decides by thresholds."""
    if not is_model_file(path):
        refuse_as_rule(path)
        return Thresholds.load(path)
    model = _saving.load(path)
    found = getattr(model, "thresholds_", None)
    if not isinstance(found, Thresholds):
        raise DataError(
            path,
            f"has no thresholds, because {type(model).__name__} does not decide by them: "
            "--thresholds takes a file of labelwise tune, or a model of tuned thresholds.",
        )
    return found


def write_study(
    store: Path,
    output: Path,
    study: str | None,
    title: str | None,
    of_desks: Sequence[Path | None],
) -> None:
    """Write the page of the results in a store; files of a desk must not be given."""
    if title is not None or any(path is not None for path in of_desks):
        raise ValueError(
            "--thresholds, --versus, --slices, --texts and --title need scores and labels, "
            "got one file."
        )
    check_ending(output, ".html")
    outputs = Outputs([output], inputs=[store])
    write_page(read_results(store, study=study), output)
    outputs.say_written(output)
