"""Refuse files of another kind than a command takes, and name the command that takes them."""

from __future__ import annotations

from pathlib import Path

from labelwise._io import DataError
from labelwise._matrices import is_matrix_file

# The first bytes of zip files, which models are.
_ZIP = b"PK"
_UNNAMED = (".npy", ".npz", ".jsonl")


def is_model_file(path: Path) -> bool:
    """Return whether a file is a model, which labelwise fit writes."""
    return not is_matrix_file(path) and _first_bytes(path).startswith(_ZIP)


def refuse_as_rule(path: Path) -> None:
    """Refuse a model and a matrix where a file of thresholds or bands is needed."""
    if is_matrix_file(path) and path.is_file() and not _first_bytes(path).startswith(b"{"):
        raise DataError(path, "is no file of thresholds, which labelwise tune writes as JSON.")
    if is_model_file(path):
        raise DataError(
            path,
            "is a model, not thresholds, which labelwise tune writes as JSON: use labelwise "
            "predict, which decides the rows of a data set by a model.",
        )


def refuse_as_model(path: Path) -> None:
    """Refuse a file of thresholds and a table where a model is needed."""
    if _first_bytes(path).startswith(b"{"):
        raise DataError(
            path,
            "is JSON, not a model, which labelwise fit writes: use labelwise decide, which decides "
            "scores by the thresholds of a file.",
        )
    if is_matrix_file(path) and path.is_file() and not _first_bytes(path).startswith(_ZIP):
        raise DataError(
            path, "is a data set, not a model, which labelwise fit writes as a .skops file."
        )


def refuse_as_data(path: Path) -> None:
    """Refuse a matrix without the names of features where a model needs a data set."""
    if path.name.lower().removesuffix(".gz").endswith(_UNNAMED):
        raise DataError(
            path,
            "is a matrix, not a data set such as a csv table with the features of the model: use "
            "labelwise decide if it has scores, which decides them by thresholds of labelwise "
            "tune.",
        )


def _first_bytes(path: Path) -> bytes:
    """Return the first bytes of a file after blanks; none for a stream, which is read once."""
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(16).lstrip()
