"""Read and write multi-label svmlight files, lines of `label,label index:value ...`."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._io import (
    SIDE_BYTES,
    DataError,
    bound_of,
    check_lines,
    decode,
    plain_name,
    read_bytes,
    reading,
    written_whole,
)
from labelwise._validation import check_instance, check_whole
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest

# The vocabulary of RCV1-v2; a subset need not use its last terms.
_N_FEATURES = {f"rcv1subset{number}": 47236 for number in range(1, 6)}

# A file may use this many columns, or one for each of its bytes if that is more: so memory stays
# in proportion to the file. Beyond that, columns must be asked for by n_features or n_labels.
_FREE_COLUMNS = 2**20
_BLOCK = 2**18
# Memory of a label, a value or a row until the matrices are built.
_PART_BYTES = 48


def read_svmlight(
    path: str | Path,
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | str = "auto",
    max_bytes: int | None = None,
) -> Dataset:
    r"""Read a data set from a multi-label svmlight (libsvm) file, plain or gzip.

    A line is ``label,label,... index:value index:value ...``. The labels may be missing, ``#``
    begins a comment, and ``qid:n`` is ignored. A first line of three integers (rows, features,
    labels), as in the extreme classification repository, is a header.

    Parameters
    ----------
    path : str or Path
        The file. gzip is recognised by the content of the file, not by its name.
    n_features : int, default=None
        Number of columns of X. None takes the number in the header, or the columns that occur.
    n_labels : int, default=None
        Number of columns of Y. None takes the number in the header, or the labels that occur.
    zero_based : bool or "auto", default="auto"
        Whether feature indices start at 0. "auto" means at 0 if there is a header or if index 0
        occurs, and at 1 otherwise.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        The data, with X as CSR. If all labels are whole numbers, column j of Y is label j;
        otherwise the columns are the distinct labels, sorted as text. ``Y`` is None if no line has
        a label.

    Raises
    ------
    DataError
        If the file cannot be read, with the file, the line and the reason. Indices must rise
        within a line.
    TypeError
        If `n_features` or `n_labels` is not a whole number.
    ValueError
        If `n_features` or `n_labels` is negative, or `zero_based` is not one of its values.

    See Also
    --------
    write_svmlight : Write a data set as an svmlight file.
    load : Load a data set by name, or from a file or folder.

    Notes
    -----
    A line without labels and without features is a blank line, not a row; such a row can be
    written as ``1:0``.

    An index or a label that needs more columns than 2**20, and more than the file has bytes, is
    refused unless `n_features` or `n_labels` allows it. In `max_bytes` a column counts as 100
    bytes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labelwise.data import read_svmlight
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "tiny.svm")
    ...     _ = path.write_text("0,2 1:0.5 3:1.5\n 2:1  # no label\n")
    ...     tiny = read_svmlight(path)
    >>> tiny
    Dataset 'tiny': 2 samples, 3 features, 3 labels
    >>> tiny.Y.toarray().astype(int)
    array([[1, 0, 1],
           [0, 0, 0]])
    """
    return svmlight_files(
        [path], n_features=n_features, n_labels=n_labels, zero_based=zero_based, max_bytes=max_bytes
    )


def svmlight_files(
    paths: Sequence[str | Path],
    *,
    name: str | None = None,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | str = "auto",
    max_bytes: int | None = None,
) -> Dataset:
    """Read one data set from one file, or from a training and a test file of equal columns."""
    if n_features is not None:
        n_features = check_whole(n_features, "n_features", least=0)
    if n_labels is not None:
        n_labels = check_whole(n_labels, "n_labels", least=0)
    if zero_based not in (True, False, "auto"):
        raise ValueError(f'zero_based must be True, False or "auto", got {zero_based!r}.')
    with reading(paths[0], max_bytes):
        rows = SvmlightRows(paths, max_bytes)
        X = _features(rows, n_features, zero_based)
        Y, label_names = _labels(rows, n_labels)
        train = test = None
        if len(paths) == 2:
            train, test = np.split(np.arange(X.shape[0]), rows.file_ends[:1])
        name = plain_name(paths[0]) if name is None else name
        return Dataset(X, Y, name, label_names=label_names, train=train, test=test)


def _read(paths: Sequence[Path], request: ReadRequest) -> Dataset:
    n_features = _N_FEATURES.get(request.name)
    return svmlight_files(
        paths, name=request.name, n_features=n_features, max_bytes=request.max_bytes
    )


SVMLIGHT = FileFormat("an svmlight file", (".svm", ".svmlight", ".libsvm"), _read)


def _features(
    rows: SvmlightRows, n_features: int | None, zero_based: bool | str
) -> sparse.csr_array:
    X = rows.parse()
    lowest = X.indices.min(initial=1)
    if zero_based is False and lowest == 0:
        problem = "has feature index 0, but with zero_based=False indices begin at 1."
        raise rows.fault(problem, X.indices == 0, X.indptr)
    if zero_based == "auto":
        zero_based = lowest == 0 or rows.declared is not None
    indices = X.indices if zero_based else np.subtract(X.indices, 1, out=X.indices)
    n_columns = _n_columns(rows, "feature", n_features, indices, X.indptr)
    index_type = sparse.get_index_dtype(maxval=max(X.nnz, n_columns))
    places = indices.astype(index_type), X.indptr.astype(index_type)
    return sparse.csr_array((X.data, *places), shape=(X.shape[0], n_columns))


def _labels(rows: SvmlightRows, n_labels: int | None) -> tuple[Any, tuple[str, ...] | None]:
    """Return the label matrix, None if no row has a label, and the names of text labels."""
    number = np.array(rows.labels)
    indptr = np.array(rows.indptr)
    tokens = list(rows.tokens)
    if all(map(bytes.isdigit, tokens)):
        # Nineteen digits may pass 2**63, and any such number is too large for a column.
        names = None
        columns = np.array([int(t) if len(t) < 19 else 2**62 for t in tokens], dtype=np.int64)
    else:
        texts = decode(b"\n".join([b"", *tokens]))[0].split("\n")[1:]
        names = tuple(sorted(texts))
        columns = np.argsort(np.argsort(np.array(texts, dtype=object)))
    columns = columns[number]
    n_columns = _n_columns(rows, "label", n_labels, columns, indptr)
    if not tokens:
        return None, tuple(map(str, range(n_columns)))
    if names is not None and n_columns > len(names):
        problem = f"names {len(names)} labels by text, so there are not {n_columns}."
        raise DataError(rows.path, problem)
    ones = np.ones(number.size, dtype=bool)
    return sparse.csr_array((ones, columns, indptr), shape=(indptr.size - 1, n_columns)), names


def _n_columns(
    rows: SvmlightRows, kind: str, asked: int | None, columns: np.ndarray, indptr: Any
) -> int:
    """Return the number of columns, after checking that the file uses no others."""
    if asked is not None:
        allowed, reason = asked, f"n_{kind}s={asked}"
    elif rows.declared is not None:
        allowed, reason = rows.declared[kind], f"the {rows.declared[kind]} of its header"
    else:
        allowed, reason = rows.most_columns, f"{rows.most_columns}; allow it by n_{kind}s="
    wrong = columns >= allowed
    if wrong.any():
        column = columns[np.argmax(wrong)]
        raise rows.fault(f"has {kind} {column}, counted from 0, beyond {reason}.", wrong, indptr)
    is_open = asked is None and rows.declared is None
    n_columns = int(columns.max(initial=-1)) + 1 if is_open else allowed
    if asked is None:
        rows.bound.check(n_columns * SIDE_BYTES, f"its {n_columns} {kind} columns")
    return n_columns


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


def write_svmlight(dataset: Dataset, path: str | Path) -> None:
    """Write data as a multi-label svmlight file.

    `read_svmlight` reads the same numbers back, bit for bit. The first line is a header (rows,
    features, labels). Features and labels are written as numbers from 0; names, identifiers and the
    fixed split are not written. An existing file is replaced only after all has been written.

    Parameters
    ----------
    dataset : Dataset
        Data without bags and without missing values.
    path : str or Path
        The file to write; ``-`` is the standard output.

    Raises
    ------
    ValueError
        If the data have bags or missing values, for which the format has no notation.

    See Also
    --------
    read_svmlight : Read a data set from an svmlight file.

    Examples
    --------
    >>> from labelwise.data import Dataset, read_svmlight, write_svmlight
    >>> path = getfixture("tmp_path") / "tiny.svm"
    >>> write_svmlight(Dataset([[0.5, 0.0], [0.0, 0.0]], [[1, 0], [1, 1]]), path)
    >>> print(path.read_text())
    2 2 2
    0 0:0.5
    0,1
    <BLANKLINE>
    >>> read_svmlight(path)
    Dataset 'tiny': 2 samples, 2 features, 2 labels
    """
    check_instance(dataset, Dataset, "dataset")
    if dataset.bags is not None:
        raise ValueError(f"{dataset.name!r} has bags, which svmlight files cannot have.")
    X = sparse.csr_array(dataset.X)
    if np.isnan(X.data).any():
        raise ValueError(f"{dataset.name!r} has missing values, which svmlight files cannot have.")
    if dataset.missing is not None:
        raise ValueError(f"{dataset.name!r} has missing labels, which svmlight files cannot have.")
    X.sort_indices()
    Y = sparse.csr_array((dataset.n_samples, dataset.n_labels) if dataset.Y is None else dataset.Y)
    with written_whole(path) as stream:
        stream.write(b"%d %d %d\n" % (dataset.n_samples, dataset.n_features, dataset.n_labels))
        for i in range(dataset.n_samples):
            stream.write(_line(X, Y, i).encode("ascii"))


def _line(X: sparse.csr_array, Y: sparse.csr_array, i: int) -> str:
    labels = Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()
    cells = slice(X.indptr[i], X.indptr[i + 1])
    entries = zip(X.indices[cells].tolist(), X.data[cells].tolist(), strict=True)
    # repr is the shortest text that gives the same number.
    words = [",".join(map(str, sorted(labels))), *(f"{f}:{value!r}" for f, value in entries)]
    if words == [""]:
        # A blank line is not a row.
        words.append("0:0")
    return " ".join(words) + "\n"
