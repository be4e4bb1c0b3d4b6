"""Split svmlight lines into labels and features, and find the line of an error."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError, bound_of, check_lines, decode, read_bytes

# A file may use this many columns, or one for each of its bytes if that is more: so memory stays
# in proportion to the file. Beyond that, columns must be asked for by n_features or n_labels.
_FREE_COLUMNS = 2**20
_BLOCK = 2**18
# Memory of a label, a value or a row until the matrices are built.
_PART_BYTES = 48


class SvmlightRows:
    """The lines of svmlight files, as a file-like object for scikit-learn's parser.

    scikit-learn gets each line with the one label 0. The labels themselves, which may be text, and
    the file and line of each row are stored here. scikit-learn reads one line at a time, so an
    error in its parser is an error in the line that it got last.
    """

    def __init__(self, paths: Sequence[str | Path], max_bytes: int | None) -> None:
        self.paths = paths
        self.max_bytes = max_bytes
        self.bound = max((bound_of(path, max_bytes) for path in paths), key=lambda b: b.max_bytes)
        self.most_columns = _FREE_COLUMNS
        self.declared: Counter[str] | None = None
        self.path: str | Path = paths[0]
        self.line = 0
        self.features = b""
        self.file_ends: list[int] = []
        self.lines = array("q")
        self.tokens: dict[bytes, int] = {}
        self.labels = array("q")
        self.indptr = array("q", [0])

    def parse(self) -> Any:
        """Return the features as a CSR matrix, with the indices of the file."""
        from sklearn.datasets import load_svmlight_file

        try:
            return load_svmlight_file(self, zero_based=True)[0]
        except DataError:
            raise
        except (ValueError, OverflowError) as error:
            raise DataError(self.path, _fault(self.features), self.line) from error

    def read(self) -> bytes:
        """Return nothing: scikit-learn takes an object with this method for a file to iterate."""
        return b""

    def __iter__(self) -> Iterator[bytes]:
        for path in self.paths:
            self.path = path
            content = read_bytes(path, self.max_bytes)
            check_lines(path, content)
            self.most_columns = max(self.most_columns, len(content))
            n_parts = sum(map(content.count, (b",", b":", b"\n")))
            self.bound.check(n_parts * _PART_BYTES, "its labels and values")
            n_rows = None
            for self.line, line in enumerate(_lines(content), start=1):
                if self.line == 1 and (header := _header(line)) is not None:
                    n_rows = self._declare(header)
                elif n_rows is not None or (line and not line.isspace()):
                    yield self._without_labels(line)
            self._end_file(n_rows)

    def _declare(self, header: Sequence[int]) -> int:
        """Store the numbers of columns in the header, and return the number of rows."""
        n_rows, n_features, n_labels = header
        if max(n_features, n_labels) > self.most_columns:
            problem = f"declares {max(n_features, n_labels)} columns, too many for its size."
            raise DataError(self.path, problem, self.line)
        before = self.declared or Counter()
        self.declared = before | Counter(feature=n_features, label=n_labels)
        return n_rows

    def _without_labels(self, line: bytes) -> bytes:
        """Store the labels of a line and return the rest as a row with one label."""
        first, *rest = line.split(None, 1) or (b"",)
        if b":" in first:
            self.features = line
        else:
            self.features = rest[0] if rest else b""
            self._keep_labels(first)
        # Python reads 1_000 as a number, but in an svmlight file it is an error.
        if b"_" in self.features:
            raise DataError(self.path, _fault(self.features), self.line)
        self.indptr.append(len(self.labels))
        self.lines.append(self.line)
        return b"0 " + self.features

    def _keep_labels(self, written: bytes) -> None:
        for token in written.split(b",") if written else ():
            if not token:
                problem = f"has an empty label in {_quoted(written)}."
                raise DataError(self.path, problem, self.line)
            self.labels.append(self.tokens.setdefault(token, len(self.tokens)))

    def _end_file(self, n_rows: int | None) -> None:
        n_read = len(self.lines) - sum(self.file_ends[-1:])
        if n_read == 0:
            raise DataError(self.path, "has no rows.")
        if n_rows is not None and n_rows != n_read:
            raise DataError(self.path, f"declares {n_rows} rows but has {n_read}.", 1)
        self.file_ends.append(len(self.lines))

    def fault(self, problem: str, wrong: np.ndarray, indptr: Any) -> DataError:
        """Return the error for the first wrong entry of a CSR matrix with this row pointer."""
        row = int(np.searchsorted(indptr, np.argmax(wrong), side="right")) - 1
        path = self.paths[bisect_right(self.file_ends, row)]
        return DataError(path, problem, self.lines[row])


def _lines(content: bytearray) -> Iterator[bytes]:
    """Yield the lines of a file without comments, and without a second copy of the file."""
    start = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while start < len(content):
        end = content.rfind(b"\n", start, start + _BLOCK) + 1 or content.find(b"\n", start) + 1
        block = bytes(content[start : end or len(content)])
        start += len(block)
        lines = block.removesuffix(b"\n").split(b"\n")
        yield from (line.partition(b"#")[0] for line in lines) if b"#" in block else lines


def _header(line: bytes) -> list[int] | None:
    """Return the counts of rows, features and labels if the line is nothing but three integers."""
    parts = line.split(None, 3)
    # As a row this would be a fault: a feature without its colon.
    is_header = len(parts) == 3 and all(part.isdigit() and len(part) <= 18 for part in parts)
    return [int(part) for part in parts] if is_header else None


def _fault(features: bytes) -> str:
    """Return what is wrong with the features of a line that scikit-learn refuses."""
    last = -1
    for pair in features.split():
        index, _, value = pair.partition(b":")
        if index.startswith(b"qid"):
            continue
        if not index.isdigit() or not _is_number(value):
            return f"has {_quoted(pair)} where index:value should stand."
        if len(index) > 10 or int(index) >= 2**31:
            return f"has feature index {_quoted(index)}, which is too large."
        if int(index) <= last:
            return f"has feature index {int(index)} after {last}, but indices must rise."
        last = int(index)
    return "cannot be read."


def _is_number(value: bytes) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return b"_" not in value


def _quoted(token: bytes) -> str:
    text = decode(token[:40])[0]
    return repr(text if len(token) <= 40 else f"{text}…")
