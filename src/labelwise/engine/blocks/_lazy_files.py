"""Files as dask arrays, whose chunks are read by the workers that need them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelwise._validation import columns_in_order
from labelwise.decisions import warn_of_label_order
from labelwise.engine.blocks._matched_blocks import BLOCK_BYTES, check_same
from labelwise.engine.blocks._sources import RowSource, open_source


def open_lazily(
    paths: dict[str, Path | None],
    ids: Sequence[str] | None = None,
    *,
    by_position: bool = False,
    labels_of: str = "Y",
) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """Open files as dask arrays, for workers that see the same file system.

    A chunk has about 32 MB; in parquet files, it is a row group.

    Parameters
    ----------
    paths : dict of str to Path or None
        Files of "Y", "scores" and "decided"; None for one that is not given.
    ids : sequence of str, default=None
        Names of the column of ids, see `open_source`.
    by_position : bool, default=False
        Whether rows and labels are matched by position if only some files have ids or names.
    labels_of : {"Y", "scores"}, default="Y"
        The file whose names, if it has any, give the order of the labels.

    Returns
    -------
    arrays : dict of str to dask array
        The files with their columns in the same order.
    names : tuple of str or None
        The names of the labels, or None.
    """
    sources = {
        name: (path, open_source(path, "scores", None, ids))
        for name, path in paths.items()
        if path is not None
    }
    opened = {name: one for name, (_, one) in sources.items()}
    names = check_same(opened, by_position=by_position, labels_of=labels_of)
    if labels_of == "scores":
        warn_of_label_order(names, opened["Y"].names, None)
    # Files whose chunks have the same rows need not be cut again.
    n_together = max(1, BLOCK_BYTES // max(source.row_bytes for _, source in sources.values()))
    arrays = {}
    for name, (path, source) in sources.items():
        array, own = _lazy_array(path, source, n_together), source.names
        if own is not None and names is not None and own != names:
            array = array[:, columns_in_order(names, own, name)]
        arrays[name] = array
    return arrays, names


def _lazy_array(path: Path, source: RowSource, n_together: int) -> Any:
    """Return a file as a dask array."""
    from dask import array as dask_array
    from dask.delayed import delayed

    read: Any = delayed(_read_rows, pure=True)
    from_delayed: Any = dask_array.from_delayed
    concatenate: Any = dask_array.concatenate
    parts, start = [], 0
    for size in source.chunk_sizes(n_together):
        shape = (size, source.shape[1])
        parts.append(
            from_delayed(read(path, source.names, start, start + size), shape, source.dtype)
        )
        start += size
    return concatenate(parts)


def _read_rows(path: Path, columns: tuple[str, ...] | None, start: int, stop: int) -> Any:
    return open_source(path, "scores", columns).rows(start, stop)
