"""npy and npz files from anywhere: nothing is unpickled, and no size is believed."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

from labelwise.data._files import DataError

Arrays = dict[str, np.ndarray]
_HEADERS = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}
_MOST_MEMBERS = 100


def npy_array(path: Path, content: bytes) -> np.ndarray:
    """Return the array of an npy file whose header agrees with its length."""
    stream = io.BytesIO(content)
    try:
        version = npy_format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version} is not known")
        shape, by_columns, dtype = _HEADERS[version](stream)
        if dtype.kind not in "biufSU":
            raise ValueError(f"it holds {dtype}")
        body = memoryview(content)[stream.tell() :]
        # A header may claim any shape: nothing is allocated for it, and only the bytes that are
        # there are given it.
        flat = np.frombuffer(body, dtype=dtype) if len(body) else np.empty(0, dtype)
        flat = flat.astype(dtype.newbyteorder("="), copy=False)
        return flat.reshape(shape, order="F" if by_columns else "C")
    except (ValueError, TypeError, EOFError, SyntaxError, RecursionError, OverflowError) as error:
        raise DataError(path, f"is no array in npy format ({_first_line(error)}).") from error


def npz_arrays(path: Path, content: bytes, max_bytes: int) -> Arrays:
    """Return the arrays of an npz file by name, refusing more than `max_bytes` unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = packed.infolist()
            # A member is read only up to the size that it claims here.
            size = sum(member.file_size for member in members)
            if size > max_bytes or len(members) > _MOST_MEMBERS:
                raise DataError(path, f"holds more than max_bytes={max_bytes} bytes.")
            parts = {member.filename: packed.read(member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise DataError(path, f"is no whole npz file ({_first_line(error)}).") from error
    except (NotImplementedError, RuntimeError) as error:
        raise DataError(path, f"is packed in an unknown way ({_first_line(error)}).") from error
    return {name.removesuffix(".npy"): npy_array(path, part) for name, part in parts.items()}


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
