"""Turn the text of options into arguments of the stages, and refuse text that means nothing."""

from __future__ import annotations

from labelwise.data import Dataset

_PARTS = ("train", "test", "all")


def parse_labels(text: str | None) -> str | int | list[str] | None:
    """Read --labels: an XML file, a count, a prefix with *, one column, or names with commas.

    An empty text means that no column is a label.
    """
    if text == "":
        return []
    if text is None or text.endswith((".xml", "*")):
        return text
    if text.lstrip("-").isdigit():
        return int(text)
    names = text.split(",")
    return names if len(names) > 1 else text


def parse_names(text: str | None) -> list[str] | None:
    """Read --ids or --text: names of columns with commas; an empty text is no column."""
    return None if text is None else [name for name in text.split(",") if name]


def parse_ids(text: str | None) -> list[str] | None:
    """Read --ids of files that are matched: names, of which each file uses the first it has."""
    return None if text is None else text.split(",")


def parse_proportions(text: str) -> list[float]:
    """Read --proportions: numbers separated by commas."""
    try:
        return [float(share) for share in text.split(",")]
    except ValueError as error:
        raise ValueError(
            f"--proportions must be numbers separated by commas, got {text!r}."
        ) from error


def check_part(part: str | None) -> None:
    """Refuse a value of --part that no data set has."""
    if part is not None and part not in _PARTS:
        raise ValueError(f"--part must be one of {', '.join(_PARTS)}, got {part!r}.")


def part_of(data: Dataset, part: str) -> Dataset:
    """Return the rows of the training part or the test part of a data set, or all rows."""
    if part == "all":
        return data
    rows = data.train if part == "train" else data.test
    if rows is None:
        raise ValueError(f"--part {part} is not in {data.name!r}, which has a single part.")
    return data.take(rows)
