"""What a file format declares to `load`: file name endings, arguments it uses, its reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from labelwise.data._dataset import Dataset

LabelChoice = str | Path | int | Sequence[str] | None


@dataclass(frozen=True)
class ReadRequest:
    """The name of a data set, and the arguments of `load` that a reader may use."""

    name: str
    labels: LabelChoice = None
    ids: str | Sequence[str] | None = None
    text: str | Sequence[str] | None = None
    bags: str | None = None
    max_bytes: int | None = None


class ReadFiles(Protocol):
    """A reader: return the data set in one file, or in a training and a test file."""

    def __call__(self, paths: Sequence[Path], request: ReadRequest, /) -> Dataset:
        """Return the data set in the files `paths`; a training file comes before a test file."""


@dataclass(frozen=True)
class FileFormat:
    """One entry of the list of formats in `_load`.

    Parameters
    ----------
    title : str
        What error messages call a file of this format, such as "an ARFF file".
    endings : tuple of str
        File name endings in lower case, with the dot and without ``.gz``.
    read : ReadFiles
        Reads the files.
    uses : frozenset of str, default=frozenset()
        Which of "labels", "ids", "text" and "bags" the reader uses; `load` refuses the others.
    is_folder : bool, default=False
        Whether all files of a folder are one data set; `read` then gets the folder as its one path.
    recognises : callable, default=None
        Tells whether a file or a folder, as a whole, is of this format, by its content. It is asked
        before endings are compared.
    """

    title: str
    endings: tuple[str, ...]
    read: ReadFiles
    uses: frozenset[str] = frozenset()
    is_folder: bool = False
    recognises: Callable[[Path], bool] | None = None


def refuse_unused(request: ReadRequest, title: str, uses: frozenset[str] = frozenset()) -> None:
    """Refuse arguments of `load` that a source of data, called `title`, does not use."""
    for argument in ("labels", "ids", "text", "bags"):
        value = getattr(request, argument)
        if value is not None and argument not in uses:
            raise ValueError(
                f"{argument} must be left out for {request.name!r}, {title}, got {value!r}."
            )
