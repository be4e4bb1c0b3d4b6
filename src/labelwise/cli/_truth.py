"""Read labels and decisions by the options --labels, --bags, --part and --ids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from labelwise._io import DataError
from labelwise._matrices import is_matrix_file, read_decisions
from labelwise._validation import NamedMatrix, first_cell
from labelwise.cli._parsing import check_part, parse_ids, parse_labels
from labelwise.data import read_labels


def read_truth(
    path: Path,
    columns: str | None = None,
    max_bytes: int | None = None,
    *,
    bags: str | None = None,
    part: str | None = None,
    ids: str | None = None,
    allow_missing: bool = False,
) -> NamedMatrix:
    """Read labels by the text of the options.

    Missing labels are NaN. They are refused unless `allow_missing`.
    """
    check_part(part)
    truth = read_labels(
        path,
        labels=parse_labels(columns),
        ids=parse_ids(ids),
        bags=bags,
        part=part,
        max_bytes=max_bytes,
    )
    if not allow_missing:
        _refuse_missing(truth)
    return truth


def read_decided(path: Path, max_bytes: int | None, ids: str | None) -> NamedMatrix:
    """Read decisions from a matrix, in which -1 is a cell to review, or from a data set."""
    if not is_matrix_file(path):
        return read_truth(path, max_bytes=max_bytes, ids=ids)
    return read_decisions(path, ids=parse_ids(ids), max_bytes=max_bytes)


def _refuse_missing(truth: NamedMatrix) -> None:
    """Refuse missing labels where the truth of every cell is needed."""
    if truth.values.dtype.kind != "f" or not (gone := np.isnan(truth.values.data)).any():
        return
    cells = truth.values.tocoo()
    missing = sparse.csc_array((gone[gone], (cells.row[gone], cells.col[gone])), cells.shape)
    row, column = first_cell(missing)
    name = column if truth.label_names is None else truth.label_names[column]
    place = f"row {row if truth.ids is None else truth.ids[row]!r}, label {name!r}"
    raise DataError(
        truth.source,
        f"must have no missing labels, because this command needs the truth of every cell, got "
        f"{missing.nnz:,} (first: {place}): fill them in or leave out their rows, or use labelwise "
        "tune without --review and labelwise evaluate, which leave missing cells out.",
    )
