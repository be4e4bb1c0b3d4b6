"""`labelwise describe`: what a data set looks like."""

from __future__ import annotations

from pathlib import Path


def show_description(data: str, labels: str | None, data_home: Path | None) -> None:
    """Print the statistics of a data set and the advice that follows from them."""
    raise ValueError(f"{data}: {labels} {data_home}")
