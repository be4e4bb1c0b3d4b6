"""Commands on inputs that are read in blocks of rows: folders, and files too large for memory.

`reads_in_blocks` says which inputs these are. The functions below tune, decide, evaluate and split
by the same public functions as in memory; options that need all rows in memory are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from labelwise import _io, decisions, measures, splitting
from labelwise._text import counted, printable_path
from labelwise.cli._outputs import Outputs, note, warnings_as_notes, working
from labelwise.cli.running import cluster_client

if TYPE_CHECKING:
    from labelwise.cli._tuning_report import TuningReport

# A command in memory needs about twice the bytes of its scores, and room for other programs.
_SHARE_OF_MEMORY = 1 / 4
_ZARR_FILES = ("zarr.json", ".zarray")
_UNKNOWN = "rows that are read in blocks are not cross-validated"
_NOT_SHRUNK = "so that --shrink auto is 0"


class BlockRows(NamedTuple):
    """How rows are read and matched: --ids, --by-position, --max-bytes and --cluster."""

    ids: list[str] | None = None
    by_position: bool = False
    max_bytes: int | None = None
    cluster: str | None = None


def reads_in_blocks(path: Path | None, max_bytes: int | None) -> bool:
    """Return whether an input is read in blocks.

    These are folders of parquet files, zarr arrays, and npy and parquet files whose cells take
    more than a quarter of the memory. With --max-bytes, files are read whole or refused.
    """
    if path is None:
        return False
    if path.is_dir():
        has_array = any((path / name).exists() for name in _ZARR_FILES)
        return has_array or any(path.glob("*.parquet"))
    if max_bytes is not None or not path.is_file():
        return False
    return _cell_bytes(path) > _SHARE_OF_MEMORY * _io.memory_bytes()


def _cell_bytes(path: Path) -> int:
    """Return the bytes of the numbers of an npy or parquet file, and 0 for other files."""
    ending = path.suffix.lower()
    if ending == ".npy":
        return path.stat().st_size
    if ending != ".parquet":
        return 0
    from pyarrow import parquet

    with _io.reading(path):
        found = parquet.read_metadata(path)
    return 8 * int(found.num_rows) * int(found.num_columns)


def refuse_with_blocks(missing_labels: str, **options: Any) -> None:
    """Refuse options of a command that need all rows in memory, by the names of arguments."""
    from labelwise._blocks import refuse_in_blocks

    given = None if missing_labels == "error" else missing_labels
    refuse_in_blocks(missing_labels=given, **options)


def tuned_in_blocks(
    scores: Path,
    labels: Path,
    given: Mapping[str, Any],
    rows: BlockRows,
) -> tuple[TuningReport, list[str]]:
    """Tune thresholds block by block; the value on unseen rows is not estimated.

    Return the report, and lines on how rows and labels are matched.
    """
    from labelwise._blocks import block_rows, rows_within
    from labelwise.cli._tuning_report import tuning_report

    paths = {"Y": labels, "scores": scores}
    is_shrunk = given["shrink"] == "auto"
    with (
        working("reading in blocks"),
        warnings_as_notes(),
        block_rows(rows_within(paths, rows.max_bytes, rows.ids)),
        _opened(paths, rows, labels_of="scores") as opened,
    ):
        data, names, ids = opened
        report = tuning_report(
            data["scores"],
            data["Y"],
            {**given, "shrink": 0.0 if is_shrunk else given["shrink"]},
            why_unknown=f"{_UNKNOWN}, {_NOT_SHRUNK}" if is_shrunk else _UNKNOWN,
            label_names=names,
            ids=ids,
            by_position=rows.by_position,
        )
    return report, block_notes(paths, rows)


def show_decisions_in_blocks(thresholds: Path, scores: Path, output: Path, rows: BlockRows) -> None:
    """Write the decisions block by block, and print how many there are."""
    from labelwise._blocks import block_rows, rows_within

    outputs = Outputs([output], inputs=[thresholds, scores])
    n_rows = rows_within({"scores": scores}, rows.max_bytes, rows.ids)
    with working("deciding in blocks"), warnings_as_notes(), block_rows(n_rows):
        rule = decisions.Thresholds.load(thresholds)
        found = rule.decide(scores, output, ids=rows.ids, by_position=rows.by_position)
    n_decided = int(found.by_label.sum())
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
) -> tuple[measures.Evaluation, list[str]]:
    """Compute all measures block by block; return lines on how rows and labels are matched, too."""
    from labelwise._blocks import block_rows, rows_within

    with (
        working("measuring in blocks"),
        warnings_as_notes(),
        block_rows(rows_within(paths, rows.max_bytes, rows.ids)),
        _opened(paths, rows) as opened,
    ):
        data, names, ids = opened
        found = measures.evaluate(
            **data,
            beta=beta,
            undefined=undefined,
            label_names=names,
            ids=ids,
            by_position=rows.by_position,
        )
    return found, block_notes(paths, rows)


def block_notes(paths: Mapping[str, Path | None], rows: BlockRows) -> list[str]:
    """Return lines that say what is read in blocks, and what is matched by position."""
    from labelwise._blocks import open_source
    from labelwise._validation import position_note

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
    from labelwise._blocks import open_source

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
) -> splitting.SplitComparison:
    """Split the rows of a label file block by block, and compare with a split at random."""
    from labelwise._blocks import block_rows, rows_within

    n_rows = rows_within({"Y": path}, rows.max_bytes, rows.ids, labels)
    try:
        with working("splitting in blocks"), warnings_as_notes(), block_rows(n_rows):
            return splitting.compare_splits(
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
) -> Iterator[tuple[dict[str, Any], tuple[str, ...] | None, list[str] | None]]:
    """Provide the files, as dask arrays with the names of their labels if there is a cluster."""
    from labelwise._blocks import open_lazily

    with cluster_client(rows.cluster) as client:
        if client is None:
            yield dict(paths), None, rows.ids
        else:
            yield (
                *open_lazily(
                    dict(paths), rows.ids, by_position=rows.by_position, labels_of=labels_of
                ),
                None,  # the ids have been compared
            )
