"""`labelwise describe`: print the statistics of a data set."""

from __future__ import annotations

from labelwise.cli._data_source import DataSource
from labelwise.cli._outputs import say


def show_description(source: DataSource) -> None:
    """Print the statistics of a data set and how to split it."""
    dataset = source.load()
    say(repr(dataset))
    if dataset.Y is None:
        say("The labels of this data set are unknown: it can only be predicted.")
        return
    found = dataset.describe()
    say(f"\n{found}\n\n{found.advice}")
