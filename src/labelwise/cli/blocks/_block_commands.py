"""Tune, decide, evaluate and split by blocks of rows, with the reports of commands in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._text import counted
from labelwise.cli._cluster import cluster_client
from labelwise.cli._outputs import Outputs, note, warnings_as_notes
from labelwise.cli._progress import working
from labelwise.cli._tuning_report import TuningReport, never_decided
from labelwise.cli.blocks._block_inputs import block_note
from labelwise.decisions import (
    Request,
    Thresholds,
    check_for_curves,
    check_request,
    solve_on_curves,
    warn_of_labels_without_positives,
)
from labelwise.engine import (
    BlockCurves,
    compare_splits,
    decide,
    evaluate,
    open_blocks,
    open_lazily,
    rows_within,
)
from labelwise.measures import Evaluation
from labelwise.splitting import SplitComparison

_UNKNOWN = "rows that are read in blocks are not cross-validated"


def tuned_in_blocks(
    scores: Path,
    labels: Path,
    params: dict[str, Any],
    max_bytes: int | None,
    cluster: str | None,
) -> TuningReport:
    """Tune thresholds block by block; the value on unseen rows is not estimated."""
    paths = {"Y": labels, "scores": scores}
    n_rows = rows_within(paths, max_bytes)
    with (
        working("reading in blocks"),
        warnings_as_notes(),
        _opened(paths, cluster, "scores") as opened,
    ):
        curves = BlockCurves(open_blocks(*opened, n_rows, labels_of="scores"))
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


def show_decisions_in_blocks(
    thresholds: Path, scores: Path, output: Path, max_bytes: int | None
) -> None:
    """Write the decisions block by block, and print how many there are."""
    outputs = Outputs([output], inputs=[thresholds, scores])
    n_rows = rows_within({"scores": scores}, max_bytes)
    with working("deciding in blocks"), warnings_as_notes():
        found = decide(thresholds, scores, output, block_rows=n_rows)
    n_decided = int(np.sum(found.by_label))
    note(block_note(scores))
    outputs.message(
        f"{counted(n_decided, 'decision')} on {counted(found.n_rows, 'row')}, "
        f"{n_decided / found.n_rows:.2f} a row; {counted(found.n_without, 'row')} without a label"
    )
    outputs.say_written(output)


def evaluated_in_blocks(
    paths: dict[str, Path | None],
    beta: float,
    undefined: str,
    max_bytes: int | None,
    cluster: str | None,
) -> Evaluation:
    """Compute all measures block by block."""
    n_rows = rows_within(paths, max_bytes)
    with working("measuring in blocks"), warnings_as_notes(), _opened(paths, cluster) as opened:
        data, names = opened
        return evaluate(
            **data, beta=beta, undefined=undefined, label_names=names, block_rows=n_rows
        )


def rows_in_blocks(path: Path) -> int:
    """Return the number of rows of an input, which are not read."""
    return open_blocks({"Y": path}).n_samples


def split_in_blocks(
    path: Path,
    shares: int | list[float],
    method: str,
    seed: int,
    labels: str | int | list[str] | None,
    max_bytes: int | None,
) -> SplitComparison:
    """Split the rows of a label file block by block, and compare with a split at random."""
    if isinstance(labels, int) or (isinstance(labels, str) and labels.endswith(".xml")):
        raise ValueError(
            "--labels must name the columns of an input that is read in blocks, or be a prefix "
            f"with a star, got {labels!r}."
        )
    n_rows = rows_within({"Y": path}, max_bytes)
    try:
        with working("splitting in blocks"), warnings_as_notes():
            return compare_splits(
                path, shares, method=method, random_state=seed, columns=labels, block_rows=n_rows
            )
    except ValueError as error:
        if labels is not None:
            raise
        hint = "--labels names the columns that are labels"
        raise ValueError(f"{str(error).rstrip('.')}; {hint}.") from error


@contextmanager
def _opened(
    paths: Mapping[str, Path | None], cluster: str | None, labels_of: str = "Y"
) -> Iterator[tuple[dict[str, Any], tuple[str, ...] | None]]:
    """Provide the files, as dask arrays with the names of their labels if there is a cluster."""
    with cluster_client(cluster) as client:
        yield (dict(paths), None) if client is None else open_lazily(dict(paths), labels_of)
