"""Tune, decide and evaluate by blocks of rows, with the reports of the commands in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._text import counted
from labelwise.cli._cluster import cluster_client
from labelwise.cli._outputs import Outputs, warnings_as_notes
from labelwise.cli._progress import working
from labelwise.cli._tuning_report import TuningReport, never_decided
from labelwise.decisions import (
    Request,
    Thresholds,
    check_for_curves,
    check_request,
    solve_on_curves,
    warn_of_labels_without_positives,
)
from labelwise.engine import BlockCurves, decide, evaluate, open_blocks, open_lazily
from labelwise.measures import Evaluation

# Endings that are read whole up to --max-bytes, and in blocks above it.
_FILES = (".npy", ".parquet")
_NOTE = "{} read in blocks: labels are matched by name, rows by position"
_UNKNOWN = "rows that are read in blocks are not cross-validated"


def reads_in_blocks(path: Path | None, max_bytes: int | None) -> bool:
    """Return whether an input is a folder, or an npy or parquet file above --max-bytes."""
    if path is None:
        return False
    if path.is_dir():
        return any(path.glob("*.parquet")) or (path / "zarr.json").exists()
    is_file = path.suffix.lower() in _FILES and path.is_file()
    return is_file and max_bytes is not None and path.stat().st_size > max_bytes


def refuse_with_blocks(**options: Any) -> None:
    """Refuse options of a command that need all rows in memory; names have underscores."""
    for name, value in options.items():
        if value is not None and value is not False and value != 0:
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} needs all rows in memory: it cannot be given for an input that is "
                "read in blocks."
            )


def tuned_in_blocks(
    scores: Path, labels: Path, params: dict[str, Any], cluster: str | None
) -> TuningReport:
    """Tune thresholds block by block; the value on unseen rows is not estimated."""
    paths = {"Y": labels, "scores": scores}
    with working("reading in blocks"), warnings_as_notes(), _opened(paths, cluster) as opened:
        curves = BlockCurves(open_blocks(*opened))
        if params["shrink"] == "auto":
            params = {**params, "shrink": 0.0}
        request = check_request(params, curves.n_labels)
        check_for_curves(request)
        checked: Any = curves
        warn_of_labels_without_positives(checked)
        tuned = solve_on_curves(curves, request)
        given = [name for name, limit in request.limits._asdict().items() if limit is not None]
        return TuningReport(
            tuned,
            curves.counts(tuned.values),
            never_decided(tuned, None, request, 0),
            float("nan"),
            tuple(f"--{name.replace('_', '-')}" for name in given),
            _free_value(curves, request, tuned),
            _UNKNOWN,
        )


def _free_value(curves: BlockCurves, request: Request, tuned: Thresholds) -> float:
    """Return the value without the constraints."""
    if not request.limits.are_set:
        return tuned.value
    return solve_on_curves(curves, replace(request, limits=type(request.limits)())).value


def show_decisions_in_blocks(thresholds: Path, scores: Path, output: Path) -> None:
    """Write the decisions block by block, and print how many there are."""
    outputs = Outputs([output], inputs=[thresholds, scores])
    with working("deciding in blocks"), warnings_as_notes():
        found = decide(thresholds, scores, output)
    n_decided = int(np.sum(found.by_label))
    outputs.message(block_note(scores))
    outputs.message(
        f"{counted(n_decided, 'decision')} on {counted(found.n_rows, 'row')}, "
        f"{n_decided / found.n_rows:.2f} a row; {counted(found.n_without, 'row')} without a label"
    )
    outputs.say_written(output)


def evaluated_in_blocks(
    paths: dict[str, Path | None], beta: float, undefined: str, cluster: str | None
) -> Evaluation:
    """Compute all measures block by block."""
    with working("measuring in blocks"), warnings_as_notes(), _opened(paths, cluster) as opened:
        data, names = opened
        return evaluate(**data, beta=beta, undefined=undefined, label_names=names)


@contextmanager
def _opened(
    paths: Mapping[str, Path | None], cluster: str | None
) -> Iterator[tuple[dict[str, Any], tuple[str, ...] | None]]:
    """Provide the files, as dask arrays with the names of their labels if there is a cluster."""
    with cluster_client(cluster) as client:
        yield (dict(paths), None) if client is None else open_lazily(dict(paths))


def block_note(path: Path) -> str:
    """Return the line that says what is read in blocks."""
    return _NOTE.format(path)
