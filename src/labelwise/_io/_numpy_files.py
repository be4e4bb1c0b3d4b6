"""Read npy and npz files from untrusted sources, without pickle and with all sizes checked."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format
from scipy import sparse

from labelwise._errors import DataError
from labelwise._io._reading import SIDE_BYTES, Bound, first_line

Arrays = dict[str, np.ndarray]
_HEADERS = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}
_MOST_MEMBERS = 100
# Larger shapes are not written by labelwise, and take memory without a byte in the file.
_LONGEST_SIDE = 2**26
_LONGEST_HEADER = 2**17


def npy_array(path: Path, content: bytes | bytearray) -> np.ndarray:
    """Return the array of an npy file whose header agrees with its length."""
    shape, by_columns, dtype, body = _header_and_body(path, content)
    try:
        if dtype.kind not in "biufSU":
            raise ValueError(f"it contains {dtype}")
        # A header may claim any shape: nothing is allocated for it, and only existing bytes are
        # reshaped.
        flat = np.frombuffer(body, dtype=dtype) if len(body) else np.empty(0, dtype)
        flat = flat.astype(dtype.newbyteorder("="), copy=False)
        return flat.reshape(shape, order="F" if by_columns else "C")
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(path, f"is not an array in npy format ({first_line(error)}).") from error


class NpyHeader(NamedTuple):
    """What the header of an npy file says, and its length."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]
    n_bytes: int


def npy_header(path: Path) -> NpyHeader:
    """Read the header of an npy file, and refuse one that claims more cells than there are."""
    with path.open("rb") as stream:
        start = stream.read(_LONGEST_HEADER)
    shape, by_columns, dtype, body = _header_and_body(path, start)
    n_bytes = len(start) - len(body)
    n_cell_bytes = path.stat().st_size - n_bytes
    if dtype.hasobject or math.prod(shape) * dtype.itemsize > n_cell_bytes:
        raise DataError(path, f"claims an array of {shape} {dtype} in {n_cell_bytes} bytes.")
    return NpyHeader(shape, by_columns, dtype, n_bytes)


def check_npy(path: Path, content: bytes) -> None:
    """Refuse an npy file whose header claims more or less than its bytes, or Python objects."""
    shape, _, dtype, body = _header_and_body(path, content)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(body):
        raise DataError(path, f"claims an array of {shape} {dtype} in {len(body)} bytes.")


def npz_arrays(path: Path, content: bytes, max_bytes: int) -> Arrays:
    """Return the arrays of an npz file by name, refusing more than `max_bytes` unpacked."""
    # Each entry of the directory becomes an object; its mark may also occur in the numbers.
    if content.count(b"PK\x01\x02") > 100 * _MOST_MEMBERS:
        raise DataError(path, f"contains more than {_MOST_MEMBERS} arrays.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = packed.infolist()
            # A member is read only up to the size that it claims here.
            size = sum(member.file_size for member in members)
            Bound(path, max_bytes).check(size, "its unpacked arrays")
            if len(members) > _MOST_MEMBERS:
                raise DataError(path, f"contains {len(members)} arrays, more than {_MOST_MEMBERS}.")
            parts = {member.filename: packed.read(member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise DataError(
            path, f"is not an npz file, or is truncated ({first_line(error)})."
        ) from error
    except RuntimeError as error:  # an unknown compression, or an encrypted member
        raise DataError(path, f"has an unsupported compression ({first_line(error)}).") from error
    return {name.removesuffix(".npy"): npy_array(path, part) for name, part in parts.items()}


def sparse_matrix(path: Path, arrays: Arrays, bound: Bound | None = None) -> Any:
    """Return the matrix that scipy.sparse.save_npz wrote, its indices and its shape checked."""
    try:
        form = bytes(arrays["format"].astype("S8").item())
        shape = tuple(int(side) for side in arrays["shape"])
        if len(shape) != 2 or not all(0 <= side <= _LONGEST_SIDE for side in shape):
            raise ValueError(f"the shape {shape} is not that of a matrix")
        if bound is not None:
            bound.check(sum(shape) * SIDE_BYTES, f"{shape[0]} rows and {shape[1]} columns")
        data = arrays["data"]
        for key in {"row", "col", "indices", "indptr"} & arrays.keys():
            if arrays[key].dtype.kind not in "iu":
                raise TypeError(f"{key} must be whole numbers, got {arrays[key].dtype}")
        if form == b"coo":
            places = (arrays["row"], arrays["col"])
            return sparse.csr_array(sparse.coo_array((data, places), shape=shape))
        if form not in (b"csr", b"csc"):
            raise ValueError(f"the format {form.decode('latin-1')!r} is none of csr, csc, coo")
        kind = sparse.csr_array if form == b"csr" else sparse.csc_array
        matrix = kind((data, arrays["indices"], arrays["indptr"]), shape=shape)
        matrix.check_format(full_check=True)
    except DataError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise DataError(path, f"is not a sparse matrix, or is incomplete ({error}).") from error
    return matrix


def _header_and_body(
    path: Path, content: bytes | bytearray
) -> tuple[tuple[int, ...], bool, np.dtype[Any], memoryview]:
    # numpy reads no longer header, and the rest need not be copied.
    stream = io.BytesIO(memoryview(content)[:_LONGEST_HEADER])
    try:
        version = npy_format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version} is not known")
        with warnings.catch_warnings():
            # numpy warns that Python 2 may have written the header, which is harmless.
            warnings.simplefilter("ignore")
            shape, by_columns, dtype = _HEADERS[version](stream)
    # The header is parsed as a Python literal, by whose text any of these may be raised.
    except (
        ValueError,
        TypeError,
        EOFError,
        SyntaxError,
        RecursionError,
        OverflowError,
        MemoryError,
        TokenError,
    ) as error:
        raise DataError(path, f"is not an array in npy format ({first_line(error)}).") from error
    return shape, by_columns, dtype, memoryview(content)[stream.tell() :]
