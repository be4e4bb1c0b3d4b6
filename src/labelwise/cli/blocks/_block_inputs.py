"""Which inputs are read in blocks of rows, and which options need all rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from labelwise._io import memory_bytes, reading

# A command in memory needs about twice the bytes of its scores, and room for other programs.
_SHARE_OF_MEMORY = 1 / 4
_ZARR_FILES = ("zarr.json", ".zarray")


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
    return _cell_bytes(path) > _SHARE_OF_MEMORY * memory_bytes()


def _cell_bytes(path: Path) -> int:
    """Return the bytes of the numbers of an npy or parquet file, and 0 for other files."""
    ending = path.suffix.lower()
    if ending == ".npy":
        return path.stat().st_size
    if ending != ".parquet":
        return 0
    from pyarrow import parquet

    with reading(path):
        found = parquet.read_metadata(path)
    return 8 * int(found.num_rows) * int(found.num_columns)


def refuse_with_blocks(missing_labels: str, **options: Any) -> None:
    """Refuse options of a command that need all rows in memory; names have underscores."""
    if missing_labels != "error":
        options["missing_labels"] = missing_labels
    for name, value in options.items():
        if value is not None and value is not False and value != 0:
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} needs all rows in memory: it cannot be given for an input that is "
                "read in blocks."
            )
