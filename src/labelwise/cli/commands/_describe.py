"""`labelwise describe`: print the statistics of a data set."""

from __future__ import annotations

from labelwise.cli._data_source import DataSource
from labelwise.cli._outputs import Outputs


def show_description(source: DataSource) -> None:
    """Print the statistics of a data set and how to split it."""
    dataset = source.load()
    if dataset.Y is None:
        text = "The labels of this data set are unknown: it can only be predicted."
        counts = {"n_samples": dataset.n_samples, "n_features": dataset.n_features}
        record: dict[str, object] = {"name": dataset.name, **counts, "advice": None}
    else:
        found = dataset.describe()
        text = f"\n{found}\n\n{found.advice}"
        record = {**found.to_dict(), "advice": found.advice}
    record |= {"texts": list(dataset.texts), "ids": list(dataset.ids)}
    Outputs().show(f"{dataset!r}\n{text}", record)
