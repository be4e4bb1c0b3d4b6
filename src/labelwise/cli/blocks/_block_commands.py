"""Tune, decide, evaluate and split by blocks of rows, with the reports of commands in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._blocks import block_rows, open_blocks, open_lazily, open_source, rows_within
from labelwise._curves import BlockCurves
from labelwise._matrices import position_note
from labelwise._text import counted
from labelwise.cli._outputs import Outputs, note, printable_path, warnings_as_notes, working
from labelwise.cli._tuning_report import TuningReport, never_decided
from labelwise.cli.blocks._block_inputs import BlockRows
from labelwise.cli.running import cluster_client
from labelwise.decisions import (
    Request,
    Thresholds,
    solve,
    tune_and_correct,
    warn_of_labels_without_positives,
)
from labelwise.measures import Evaluation, evaluate
from labelwise.splitting import SplitComparison, compare_splits

_UNKNOWN = "rows that are read in blocks are not cross-validated"
_NOT_SHRUNK = "so that --shrink auto is 0"


def tuned_in_blocks(
    scores: Path,
    labels: Path,
    given: Mapping[str, Any],
    rows: BlockRows,
) -> tuple[TuningReport, list[str]]:
    """Tune thresholds block by block; the value on unseen rows is not estimated.

    Return the report, and lines on how rows and labels are matched.
    """
    paths = {"Y": labels, "scores": scores}
    is_shrunk = given["shrink"] == "auto"
    with (
        working("reading in blocks"),
        warnings_as_notes(),
        block_rows(rows_within(paths, rows.max_bytes, rows.ids)),
        _opened(paths, rows, labels_of="scores") as opened,
    ):
        data, names = opened
        blocks = open_blocks(data, names, None, rows.ids, rows.by_position, "scores")
        curves = BlockCurves(blocks)
        request = Request(**{**given, "shrink": 0.0 if is_shrunk else given["shrink"]})
        warn_of_labels_without_positives(curves)
        tuned = tune_and_correct(curves, request, None).thresholds
        limits = [name for name, limit in request.limits._asdict().items() if limit is not None]
        report = TuningReport(
            tuned,
            curves.counts(tuned.values),
            never_decided(tuned, None, request, 0),
            float("nan"),
            tuple(f"--{name.replace('_', '-')}" for name in limits),
            _free_value(curves, request, tuned),
            f"{_UNKNOWN}, {_NOT_SHRUNK}" if is_shrunk else _UNKNOWN,
        )
    return report, block_notes(paths, rows)


def _free_value(curves: BlockCurves, request: Request, tuned: Thresholds) -> float:
    """Return the value without the constraints."""
    if not request.limits.are_set:
        return tuned.value
    return solve(curves, request.without_limits(), None).value


def show_decisions_in_blocks(thresholds: Path, scores: Path, output: Path, rows: BlockRows) -> None:
    """Write the decisions block by block, and print how many there are."""
    outputs = Outputs([output], inputs=[thresholds, scores])
    n_rows = rows_within({"scores": scores}, rows.max_bytes, rows.ids)
    with working("deciding in blocks"), warnings_as_notes(), block_rows(n_rows):
        rule = Thresholds.load(thresholds)
        found = rule.decide(scores, output, ids=rows.ids, by_position=rows.by_position)
    n_decided = int(np.sum(found.by_label))
    note(f"{printable_path(scores)} read in blocks.")
    outputs.message(
        f"{counted(n_decided, 'decision')} on {counted(found.n_rows, 'row')}, "
        f"{n_decided / found.n_rows:.2f} a row; {counted(found.n_without, 'row')} without a label"
    )
    outputs.say_written(output)


def evaluated_in_blocks(
    paths: dict[str, Path | None],
    beta: float,
    undefined: str,
    rows: BlockRows,
) -> tuple[Evaluation, list[str]]:
    """Compute all measures block by block; return lines on how rows and labels are matched, too."""
    with (
        working("measuring in blocks"),
        warnings_as_notes(),
        block_rows(rows_within(paths, rows.max_bytes, rows.ids)),
        _opened(paths, rows) as opened,
    ):
        data, names = opened
        found = evaluate(
            **data,
            beta=beta,
            undefined=undefined,
            label_names=names,
            ids=rows.ids,
            by_position=rows.by_position,
        )
    return found, block_notes(paths, rows)


def block_notes(paths: Mapping[str, Path | None], rows: BlockRows) -> list[str]:
    """Return lines that say what is read in blocks, and what is matched by position."""
    opened = {
        name: (path, open_source(path, name, None, rows.ids))
        for name, path in paths.items()
        if path is not None
    }
    first, truth = opened.pop("Y")
    notes = []
    for path, source in opened.values():
        notes.append(f"{printable_path(path)} read in blocks.")
        by_position = {
            "rows": source.id_name is None or truth.id_name is None,
            "labels": source.names is None or truth.names is None,
        }
        if any(by_position.values()):
            notes.append(position_note(path, first, **by_position))
    return notes


def rows_in_blocks(path: Path, labels: Any, rows: BlockRows) -> int:
    """Return the number of rows of an input, which are not read."""
    if isinstance(labels, int) or (isinstance(labels, str) and labels.endswith(".xml")):
        raise ValueError(
            "--labels must name the columns of an input that is read in blocks, or be a prefix "
            f"with a star, got {labels!r}."
        )
    return open_source(path, "Y", labels, rows.ids).shape[0]


def split_in_blocks(
    path: Path,
    shares: int | list[float],
    method: str,
    seed: int,
    labels: Any,
    rows: BlockRows,
) -> SplitComparison:
    """Split the rows of a label file block by block, and compare with a split at random."""
    n_rows = rows_within({"Y": path}, rows.max_bytes, rows.ids, labels)
    try:
        with working("splitting in blocks"), warnings_as_notes(), block_rows(n_rows):
            return compare_splits(
                path,
                shares,
                method=method,
                random_state=seed,
                columns=labels,
                ids=rows.ids,
            )
    except ValueError as error:
        if labels is not None:
            raise
        hint = "--labels names the columns that are labels"
        raise ValueError(f"{str(error).rstrip('.')}; {hint}.") from error


@contextmanager
def _opened(
    paths: Mapping[str, Path | None], rows: BlockRows, labels_of: str = "Y"
) -> Iterator[tuple[dict[str, Any], tuple[str, ...] | None]]:
    """Provide the files, as dask arrays with the names of their labels if there is a cluster."""
    with cluster_client(rows.cluster) as client:
        if client is None:
            yield dict(paths), None
        else:
            yield open_lazily(
                dict(paths), rows.ids, by_position=rows.by_position, labels_of=labels_of
            )
