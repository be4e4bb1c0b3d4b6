"""Check the arrays in a model file before skops builds objects around them."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from labelwise._io import DataError, check_npy, npz_arrays, sparse_matrix
from labelwise._saving._schema import Described

# What scipy.sparse.save_npz writes for CSR and CSC; `_is_array` only for sparse arrays.
_SPARSE_MEMBERS = {"data.npy", "format.npy", "indices.npy", "indptr.npy", "shape.npy"}


def unpacked_size(packed: zipfile.ZipFile) -> int:
    """Return the bytes of all members, and of the arrays in those that are archives themselves.

    Nothing is unpacked but the inner archives; `zipfile` reads no more of a member than the size
    that it claims here.
    """
    size = 0
    for member in packed.infolist():
        size += member.file_size
        if member.filename.endswith(".npz"):
            with zipfile.ZipFile(io.BytesIO(packed.read(member))) as inner:
                size += sum(part.file_size for part in inner.infolist())
    return size


def check_members(
    path: Path, packed: zipfile.ZipFile, objects: Iterable[Described], max_bytes: int
) -> None:
    """Refuse arrays that differ from their headers or from the objects that own them."""
    owners = {one.file: one for one in objects if one.file is not None}
    arrays = {name for name in packed.namelist() if name.endswith((".npy", ".npz"))}
    for name in sorted(arrays ^ owners.keys()):
        raise DataError(path, f"has no object for, or lacks, the array {name[:50]!r}.")
    for name, owner in owners.items():
        content = packed.read(name)
        if owner.loader == "SparseMatrixNode":
            _check_sparse(path, content, owner.type.rpartition(".")[2], max_bytes)
        else:
            _check_dense(path, content, owner.type, max_bytes)


def _check_dense(path: Path, content: bytes, owner: str, max_bytes: int) -> None:
    check_npy(path, content)
    array = np.load(io.BytesIO(content), allow_pickle=False)
    # Sides without bytes, as of 10**18 empty strings, cost nothing in a file, and much in a loop.
    sides = math.prod(max(side, 1) for side in array.shape)
    if sides * max(array.itemsize, 1) > max_bytes or (array.itemsize == 0 and array.size > 1):
        raise DataError(path, f"claims an array of shape {array.shape} without its bytes.")
    if owner != "numpy.ndarray" and array.ndim > 0:
        raise DataError(path, f"has an array of {array.ndim} dimensions for one {owner}.")


def _check_sparse(path: Path, content: bytes, kind: str, max_bytes: int) -> None:
    """Refuse a matrix whose format is not that of its class, such as CSC for a csr_array."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = packed.namelist()
    # scipy takes `indices` for `indices.npy`, if both are there.
    if len(set(names)) < len(names) or set(names) - {"_is_array.npy"} != _SPARSE_MEMBERS:
        raise DataError(path, f"has no {kind:.50} in a part that must contain one.")
    arrays = npz_arrays(path, content, max_bytes)
    sparse_matrix(path, arrays)
    form = bytes(arrays["format"].astype("S8").item()).decode("latin-1")
    suffix = "array" if arrays.get("_is_array", np.False_).any() else "matrix"
    if kind != f"{form}_{suffix}" or arrays["data"].dtype.kind not in "biuf":
        raise DataError(path, f"has a {form}_{suffix} of {arrays['data'].dtype} for a {kind:.50}.")
