"""The error and the warning about files that are read."""

from __future__ import annotations

from pathlib import Path


class DataError(ValueError):
    """Error in a file that is read.

    The message contains the file, the line if it is known, and the reason.

    Parameters
    ----------
    path : str or Path
        The file.
    problem : str
        What is wrong, as the rest of a sentence that begins with the file.
    line : int, default=None
        Line of the file, counted from 1.

    Examples
    --------
    >>> from labelwise.data import DataError
    >>> print(DataError("tiny.csv", "has no rows.", 1))
    tiny.csv, line 1: has no rows.
    """

    def __init__(self, path: str | Path, problem: str, line: int | None = None) -> None:
        place = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {problem}")


class DataWarning(UserWarning):
    """Warning that names an assumption with which a file was read.

    A csv file does not say what separates its cells. If the reader assumes anything other than
    commas, decimal points and UTF-8, it warns with the file and the assumption.

    Examples
    --------
    >>> import warnings
    >>> from labelwise.data import DataWarning
    >>> warnings.filterwarnings("ignore", category=DataWarning)  # silences these warnings
    """
