"""Open a model file as an archive, and check names and sizes of its members."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from labelwise._io import DataError, first_line
from labelwise._saving._members import check_members, unpacked_size
from labelwise._saving._schema import Described, described_objects
from labelwise._saving._versions import ABOUT

_SCHEMA = "schema.json"
_MOST_SCHEMA = 2**28
_MOST_MEMBERS = 2**20
# Bytes in memory for each of these characters of a schema, before and while skops builds objects.
_COSTS = {b"{": 2000, b"[": 100, b",": 100}
# Deflate packs 1032 bytes into one at best, so what `save` writes is below: sparse matrices are
# packed twice, but their indices differ from each other. Small files may always unpack to this.
_MOST_RATIO = 1100
_ALWAYS_ALLOWED = 2**26


class Archive(NamedTuple):
    """An archive whose members have been checked."""

    path: Path
    stream: io.BytesIO
    objects: frozenset[Described]
    about: Any  # versions of the writer; None if the file has none


def open_archive(
    path: Path, stream: io.BytesIO, max_bytes: int, n_packed: int | None = None
) -> Archive:
    """Return the archive in a stream, its members checked against each other and for their size.

    `n_packed` is the size of the file, if it is packed once more than the stream.
    """
    n_bytes = stream.getbuffer().nbytes if n_packed is None else n_packed
    limits = _SizeLimits(path, max_bytes, n_bytes)
    with zipfile.ZipFile(stream) as packed:
        _check_names(path, packed)
        limits.check(sum(member.file_size for member in packed.infolist()))
        text = _text(path, packed, _SCHEMA)
        costs = sum(cost * text.count(sign) for sign, cost in _COSTS.items())
        limits.check(costs + unpacked_size(packed))
        objects = frozenset(described_objects(path, _parsed(path, text, _SCHEMA)).values())
        check_members(path, packed, objects, max_bytes)
        about = _parsed(path, _text(path, packed, ABOUT), ABOUT)
    return Archive(path, stream, objects, about)


class _SizeLimits(NamedTuple):
    """Largest sizes in memory of the content of a file."""

    path: Path
    max_bytes: int
    n_packed: int

    def check(self, size: int) -> None:
        if size > self.max_bytes:
            raise DataError(self.path, f"contains more than max_bytes={self.max_bytes} bytes.")
        if size > max(_ALWAYS_ALLOWED, _MOST_RATIO * self.n_packed):
            raise DataError(
                self.path,
                f"takes {size} bytes in memory, more than {_MOST_RATIO} times its size on disk.",
            )


def _check_names(path: Path, packed: zipfile.ZipFile) -> None:
    names = packed.namelist()
    if len(set(names)) < len(names) or len(names) > _MOST_MEMBERS:
        raise DataError(path, "contains a member twice, or too many of them.")
    for name in set(names) - {_SCHEMA, ABOUT}:
        if not name.endswith((".npy", ".npz")):
            raise DataError(path, f"contains {name[:50]!r}, which no model has.")
    if _SCHEMA not in names:
        raise DataError(path, "is not a model file: it describes no objects.")


def _text(path: Path, packed: zipfile.ZipFile, name: str) -> bytes:
    if name not in packed.namelist():
        return b"null"
    if packed.getinfo(name).file_size > _MOST_SCHEMA:
        raise DataError(path, f"contains more than {_MOST_SCHEMA} bytes in {name}.")
    return packed.read(name)


def _parsed(path: Path, text: bytes, name: str) -> Any:
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(path, f"has no JSON in {name} ({first_line(error)}).") from error
