"""Inputs that commands read in blocks of rows, here or on a cluster (the option --cluster).

These are folders, and files too large for memory. `reads_in_blocks` says which they are, and
`opened_blocks` provides them for the public functions that commands call in memory, too. Options
that need all rows in memory are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labelwise import _io
from labelwise._extras import require
from labelwise._text import printable_path
from labelwise.cli._inputs import MatrixSource, parse_names
from labelwise.cli._outputs import warnings_as_notes, working

# A command in memory needs about twice the bytes of its scores, and room for other programs.
_SHARE_OF_MEMORY = 1 / 4
_ZARR_FILES = ("zarr.json", ".zarray")
_CONNECTING_SECONDS = 10
_LOCAL = "local"


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


def refuse_with_blocks(source: MatrixSource, **options: Any) -> None:
    """Refuse options of a command that need all rows in memory, by the names of arguments."""
    from labelwise._blocks import refuse_in_blocks

    missing = None if source.missing_labels == "error" else source.missing_labels
    refuse_in_blocks(missing_labels=missing, labels=source.columns, bags=source.bags, **options)


@contextmanager
def opened_blocks(
    message: str,
    paths: Mapping[str, Path | None],
    source: MatrixSource,
    cluster: str | None = None,
    labels_of: str = "Y",
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Provide files by the names of arguments, and further arguments that match their rows.

    The files are paths or, if there is a cluster, dask arrays.
    """
    from labelwise._blocks import block_rows, open_lazily, rows_within

    files: dict[str, Any] = dict(paths)
    matching: dict[str, Any] = {"ids": source.ids_or_position(), "label_names": None}
    with (
        working(message),
        warnings_as_notes(),
        block_rows(rows_within(paths, source.max_bytes, parse_names(source.ids))),
        cluster_client(cluster) as client,
    ):
        if client is not None:
            files, names = open_lazily(files, matching["ids"], labels_of=labels_of)
            # The ids have been compared.
            matching |= {"ids": None, "label_names": names}
        yield files, matching


def block_notes(paths: Mapping[str, Path | None], source: MatrixSource) -> list[str]:
    """Return lines that say what is read in blocks, and what is matched by position."""
    from labelwise._blocks import open_source
    from labelwise._validation import position_note

    opened = {
        name: (path, open_source(path, name, None, parse_names(source.ids)))
        for name, path in paths.items()
        if path is not None
    }
    first, truth = opened.pop("Y")
    notes = []
    for path, found in opened.values():
        notes.append(f"{printable_path(path)} read in blocks.")
        by_position = {
            "rows": found.id_name is None or truth.id_name is None,
            "labels": found.names is None or truth.names is None,
        }
        if any(by_position.values()):
            notes.append(position_note(path, first, **by_position))
    return notes


@contextmanager
def cluster_client(address: str | None) -> Iterator[Any]:
    """Provide a client of the dask scheduler at an address, or None without an address.

    With the address "local", a scheduler and workers are started, and stopped at the end.
    """
    if address is None:
        yield None
        return
    require("distributed", "--cluster")
    import distributed

    connect: Any = distributed.Client  # which has no types
    if address == _LOCAL:
        start: Any = distributed.LocalCluster
        try:
            cluster = start(dashboard_address="127.0.0.1:0", host="127.0.0.1")
        except RuntimeError as error:
            raise ChildProcessError(
                "A worker of --cluster local died while it started; run the command again."
            ) from error
        with cluster as workers, connect(workers) as client:
            yield client
        return
    try:
        client = connect(address, timeout=_CONNECTING_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(
            "--cluster must be the address of a running dask scheduler, such as "
            f"tcp://host:8786, got {address!r}."
        ) from error
    with client:
        yield client
