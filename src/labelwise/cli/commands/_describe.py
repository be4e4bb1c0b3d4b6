"""`labelwise describe`: print the statistics of a data set."""

from __future__ import annotations

from pathlib import Path

from labelwise.cli._outputs import say
from labelwise.cli._parsing import parse_labels
from labelwise.data import load


def show_description(
    data: str,
    labels: str | None,
    data_home: Path | None,
    bags: str | None = None,
    *,
    max_bytes: int | None = None,
) -> None:
    """Print the statistics of a data set and how to split it."""
    wanted = parse_labels(labels)
    dataset = load(data, data_home=data_home, labels=wanted, bags=bags, max_bytes=max_bytes)
    say(repr(dataset))
    if dataset.Y is None:
        say("The labels of this data set are unknown: it can only be predicted.")
        return
    found = dataset.describe()
    say(f"\n{found}\n\n{found.advice}")
