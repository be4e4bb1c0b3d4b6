"""Write a Dataset as a multi-label svmlight file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from labelwise._io import written_whole
from labelwise._validation import check_instance
from labelwise.data._dataset import Dataset


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
        # A blank line is no row.
        words.append("0:0")
    return " ".join(words) + "\n"
