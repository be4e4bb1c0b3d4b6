"""`labelwise describe`: what a data set looks like."""

from __future__ import annotations

from pathlib import Path

from labelwise.cli._outputs import say
from labelwise.data import load


def show_description(
    data: str,
    labels: str | None,
    data_home: Path | None,
    bags: str | None = None,
    *,
    max_bytes: int | None = None,
) -> None:
    """Print the statistics of a data set and the advice that follows from them."""
    wanted = parse_labels(labels)
    dataset = load(data, data_home=data_home, labels=wanted, bags=bags, max_bytes=max_bytes)
    say(repr(dataset))
    if dataset.Y is None:
        say("Its labels are unknown: it is for prediction.")
        return
    found = dataset.describe()
    say(f"\n{found}\n\n{found.advice}")


def parse_labels(text: str | None) -> str | int | list[str] | None:
    """Read --labels: an XML file, a number, a prefix with *, one column, or names with commas."""
    if text is None or text.endswith((".xml", "*")):
        return text
    if text.lstrip("-").isdigit():
        return int(text)
    names = text.split(",")
    return names if len(names) > 1 else text
