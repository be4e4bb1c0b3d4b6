"""Read multi-label svmlight files, lines of `label,label index:value ...`, into a Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._io import SIDE_BYTES, DataError, decode, plain_name, reading
from labelwise._validation import check_whole
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest
from labelwise.data.svmlight._rows import SvmlightRows

# The vocabulary of RCV1-v2; a subset need not use its last terms.
_N_FEATURES = {f"rcv1subset{number}": 47236 for number in range(1, 6)}


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
        Refuse the file if its unpacked content, or an array built from it, takes more bytes. None
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
