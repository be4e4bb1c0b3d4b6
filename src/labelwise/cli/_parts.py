"""The option --part: some rows of data that come as a training and a test part."""

from __future__ import annotations

from labelwise.data import Dataset

_PARTS = ("train", "test", "all")


def check_part(part: str | None) -> None:
    """Refuse a part that no data set has."""
    if part is not None and part not in _PARTS:
        raise ValueError(f"--part must be one of {', '.join(_PARTS)}, got {part!r}.")


def part_of(data: Dataset, part: str) -> Dataset:
    """Return the rows of the part that the data set came with."""
    if part == "all":
        return data
    rows = data.train if part == "train" else data.test
    if rows is None:
        raise ValueError(f"--part {part} is not in {data.name!r}, which came as one.")
    return data.take(rows)
