"""Write decisions block by block to parquet, npy and zarr; an error leaves no partial output."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from labelwise._extras import require
from labelwise._io import check_output, written_whole

_ENDINGS = (".parquet", ".npy", ".zarr")
# Bytes of a chunk of a zarr array.
_CHUNK_BYTES = 2**24


def check_block_output(path: Path) -> None:
    """Refuse an ending that blocks are not written to, and a file that cannot be written."""
    if path.suffix.lower() not in _ENDINGS:
        raise ValueError(f"{path} must end in one of {', '.join(_ENDINGS)}.")
    needed = {".parquet": "pyarrow", ".zarr": "zarr"}.get(path.suffix.lower())
    if needed is not None:
        require(needed, f"{path}")
    if path.suffix.lower() != ".zarr":
        check_output(path)


def write_blocks(
    path: Path,
    blocks: Iterable[np.ndarray],
    shape: tuple[int, int],
    names: tuple[str, ...] | None,
    id_name: str | None,
    ids: Iterator[Any],
) -> None:
    """Write blocks of int8 one after the other; npy and zarr files have no names and ids."""
    ending = path.suffix.lower()
    if ending == ".zarr":
        _write_zarr(path, blocks, shape)
        return
    with written_whole(path) as stream:
        if ending == ".npy":
            header = {"descr": "|i1", "fortran_order": False, "shape": shape}
            npy_format.write_array_header_1_0(stream, header)
            for block in blocks:
                stream.write(np.ascontiguousarray(block).data)
            return
        labels = names or tuple(map(str, range(shape[1])))
        _write_parquet(stream, blocks, labels, id_name, ids)


def _write_parquet(
    stream: Any,
    blocks: Iterable[np.ndarray],
    names: tuple[str, ...],
    id_name: str | None,
    ids: Iterator[Any],
) -> None:
    """Write the ids as text in the first column, and the decisions."""
    import pyarrow as pa
    from pyarrow import parquet

    fields = [(name, pa.int8()) for name in names]
    schema = pa.schema(fields if id_name is None else [(id_name, pa.string()), *fields])
    rest = pa.chunked_array([], pa.string())
    with parquet.ParquetWriter(stream, schema) as writer:
        for block in blocks:
            columns = [pa.array(np.ascontiguousarray(column)) for column in block.T]
            while id_name is not None and len(rest) < len(block):
                rest = pa.chunked_array([*rest.chunks, next(ids)])
            if id_name is not None:
                columns.insert(0, rest[: len(block)].combine_chunks())
                rest = rest[len(block) :]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def _write_zarr(path: Path, blocks: Iterable[np.ndarray], shape: tuple[int, int]) -> None:
    """Write to a folder beside, which replaces the old one at the end."""
    import zarr

    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    chunks = (min(shape[0], max(1, _CHUNK_BYTES // shape[1])), shape[1])
    try:
        array = zarr.create_array(str(part), shape=shape, dtype="int8", chunks=chunks)
        start = 0
        for block in blocks:
            array[start : start + len(block)] = block
            start += len(block)
        if path.exists():
            shutil.rmtree(path)
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
