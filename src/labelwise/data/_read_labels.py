"""Read labels from a file of labels or from a data set, with names and the ids of samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labelwise._io import DataError
from labelwise._matrices import is_matrix_file, read_label_matrix
from labelwise._tables import ids_in, named_ids, read_frame
from labelwise._validation import NamedMatrix
from labelwise.data._annif import is_annif
from labelwise.data._file_format import LabelChoice
from labelwise.data._load import load


def read_labels(
    path: str | Path,
    *,
    labels: LabelChoice = None,
    ids: str | Sequence[str] | None = None,
    bags: str | None = None,
    part: str | None = None,
    max_bytes: int | None = None,
) -> NamedMatrix:
    r"""Read labels from a file, with the names of labels and the ids of rows.

    Parameters
    ----------
    path : str or Path
        A csv, tsv, parquet, jsonl, npy or npz file of 0 and 1, also .gz; a csv, parquet or jsonl
        file with lists of label names; or a data set, as for `load`.
    labels : str, Path, int or sequence of str, default=None
        Which columns or attributes are labels, as for `load`, if the file also has others.
    ids : str or sequence of str, default=None
        Name of the column of ids, or several names of which the file has one. None recognises a
        first column of texts, of whole numbers under the name "id" or "row", or of row names that
        pandas or R wrote.
    bags : str, default=None
        Name of the column with the bag of each row, as for `load`.
    part : {"train", "test", "all"}, default=None
        Samples of a data set with a fixed split; None means all.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    NamedMatrix
        The labels as `values`, boolean CSC, or float64 with NaN for missing labels, with
        `label_names` and `ids`, which are None if the file has none. All functions that take labels
        accept it, match rows by id and labels by name.

    Raises
    ------
    DataError
        If the file cannot be read, with the file, the line and the reason.
    ValueError
        If `part` is not a part of the data.

    See Also
    --------
    read_scores : Read scores from a file, with the names of labels and the ids of rows.
    load : Load a data set by name, or from a file or folder.

    Examples
    --------
    >>> from labelwise.data import read_labels, read_scores
    >>> from labelwise.measures import evaluate
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "y.csv").write_text("id,sea,sky\na,1,0\nb,0,1\n")
    >>> _ = (folder / "s.csv").write_text("id,sky,sea\nb,0.75,0.5\na,0.25,1.0\n")
    >>> Y, scores = read_labels(folder / "y.csv"), read_scores(folder / "s.csv")
    >>> evaluate(Y, scores=scores)["macro-auc"]
    1.0
    """
    if labels is bags is part is None and is_matrix_file(path) and not is_annif(path):
        return read_label_matrix(path, ids=ids, max_bytes=max_bytes)
    if part not in (None, "train", "test", "all"):
        raise ValueError(f'part must be "train", "test", "all" or None, got {part!r}.')
    if ids is not None and not isinstance(ids, str):
        known = read_frame(path, (), max_bytes).column_names if len(ids) > 1 else ids
        ids = named_ids(path, ids, known)
    data = load(path, labels=labels, ids=ids, bags=bags, max_bytes=max_bytes)
    if part in ("train", "test"):
        rows = data.train if part == "train" else data.test
        if rows is None:
            raise ValueError(f"part {part!r} is not in {data.name!r}, which has a single part.")
        data = data.take(rows)
    if data.Y is None:
        raise DataError(path, "has no labels.")
    if 0 in data.Y.shape:
        raise DataError(path, f"must have a row and a label, got shape {data.Y.shape}.")
    has_lists = is_annif(path)
    if is_matrix_file(path) and isinstance(labels, str) and not labels.endswith("*"):
        has_lists |= data.label_names != (labels,)
    # Of several columns of identifiers, the one that was asked for.
    found = data.ids if ids is None or ids not in data.ids else {ids: data.ids[ids]}
    return NamedMatrix(data.Y, data.label_names, *ids_in(found), Path(path), has_lists)
