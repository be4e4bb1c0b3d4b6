"""`labelwise describe`: print the statistics of a data set, and write its page."""

from labelwise.cli import _options as opt
from labelwise.cli._columns import ColumnsUsed, note_of_blocks
from labelwise.cli._inputs import DataSource
from labelwise.cli._outputs import Outputs, check_ending, write_page
from labelwise.cli.running import command


@command(
    example="labelwise describe yeast.arff --labels -14 --report data.html",
    json=True,
    force=True,
    inputs=["data"],
)
def describe(*, report: opt.Report = None, source: DataSource) -> None:
    """Show statistics of a data set, and how to split it."""
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
    columns = ColumnsUsed.of(dataset)
    note_of_blocks(dataset)
    record |= {"texts": list(dataset.texts), "ids": list(dataset.ids)}
    record["columns"] = columns._asdict()
    outputs.show(f"{dataset!r}\n{columns.in_words()}\n{text}", record)
    outputs.say_written(report)
