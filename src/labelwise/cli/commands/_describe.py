"""`labelwise describe`: print the statistics of a data set, and write its page."""

from __future__ import annotations

from pathlib import Path

from labelwise.cli._data_source import DataSource
from labelwise.cli._outputs import Outputs, check_ending
from labelwise.cli.pages._pages import write_page


def show_description(source: DataSource, report: Path | None = None) -> None:
    """Print the statistics of a data set and how to split it, and write its page."""
    check_ending(report, ".html")
    outputs = Outputs([report], inputs=source.files())
    dataset = source.load()
    if report is not None:
        write_page(dataset, report)
    if dataset.Y is None:
        text = "The labels of this data set are unknown: it can only be predicted."
        counts = {"n_samples": dataset.n_samples, "n_features": dataset.n_features}
        record: dict[str, object] = {"name": dataset.name, **counts, "advice": None}
    else:
        found = dataset.describe()
        text = f"\n{found}\n\n{found.advice}"
        record = {**found.to_dict(), "advice": found.advice}
    record |= {"texts": list(dataset.texts), "ids": list(dataset.ids)}
    outputs.show(f"{dataset!r}\n{text}", record)
    outputs.say_written(report)
