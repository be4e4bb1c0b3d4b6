"""`labelwise split`: folds of a data set, and their quality beside that of other methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelwise import _io, splitting
from labelwise._text import counted, printable
from labelwise.cli import _options as opt
from labelwise.cli._blocks import reads_in_blocks
from labelwise.cli._columns import note_of_blocks
from labelwise.cli._inputs import DataSource, group_column, parse_labels, parse_names
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    note,
    warnings_as_notes,
    working,
    write_csv,
    write_page,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    import numpy as np

# Rows of the output that are text in memory at a time.
_ROWS_TOGETHER = 2**16
_LEGEND = (
    "Smaller is better. LD: distance of label ratios from those of all rows; ED: of sizes from "
    "those wanted; FZ: subsets that lack a label; FLZ: pairs of subset and label without positives."
)
_EXAMPLE = """
labelwise split yeast.arff --labels -14 --folds 10 -o folds.csv

scikit-learn reads the folds of this file by
  folds = numpy.loadtxt("folds.csv", int, delimiter=",", skiprows=1, usecols=1)
  cv = sklearn.model_selection.PredefinedSplit(folds)
"""


@command(example=_EXAMPLE, json=True, force=True, inputs=["data"])
def split(
    *,
    folds: Annotated[int, typer.Option(help="Number of folds of equal size.")] = 10,
    proportions: Annotated[
        str | None, typer.Option(help="Sizes of subsets instead of folds, such as 0.7,0.15,0.15.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(help="auto, balanced, iterative, pairs, labelset, rarest-label or random."),
    ] = "auto",
    groups: opt.Groups = None,
    seed: opt.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="csv file for columns row, subset, and ids; - for stdout."
        ),
    ] = None,
    report: opt.Report = None,
    source: DataSource,
) -> None:
    """Split a data set with every label spread evenly.

    The methods of splitting are compared.
    """
    check_ending(report, ".html")
    path, beside = Path(source.data), dict[str, Any]()
    if in_blocks := reads_in_blocks(path, source.max_bytes):
        from labelwise._blocks import refuse_in_blocks

        # Only the columns of labels are read.
        refuse_in_blocks(report=report, groups=groups, text=source.text, bags=source.bags)
        outputs = Outputs([output], inputs=[path])
        shares = _shares(folds, proportions, _rows_in_blocks(source))
        compared = _split_in_blocks(source, shares, method, seed)
        n_rows, n_labels = compared.subsets.size, compared.quality.n_labels
        name = path.name
        title = f"{name}: {counted(n_rows, 'row')}, {counted(n_labels, 'label')}"
    else:
        outputs = Outputs([output, report], inputs=source.files())
        dataset = source.load(groups=groups)
        if dataset.Y is None:
            raise ValueError(f"The labels of {dataset.name!r} are unknown: a split needs labels.")
        if groups is None:
            note_of_blocks(dataset)
        compared = splitting.compare_splits(
            dataset.Y,
            _shares(folds, proportions, dataset.n_samples),
            method=method,
            groups=None if groups is None else group_column(dataset, groups)[0],
            random_state=seed,
            label_names=dataset.label_names,
        )
        name, title = dataset.name, repr(dataset)
        beside = {one: values for one, values in dataset.ids.items() if len(values)}
    if output is not None:
        _write_subsets(compared.subsets, output, beside)
    if report is not None:
        write_page(compared, report)
    if in_blocks:
        note(f"{path} read in blocks.")
    outputs.show(_split_text(title, compared), _split_record(name, compared))
    for written in (output, report):
        outputs.say_written(written)


def _shares(folds: int, proportions: str | None, n_samples: int) -> int | list[float]:
    """Return the number of folds, checked, or the proportions that replace it."""
    if proportions is None:
        if not 2 <= folds <= n_samples:
            raise ValueError(
                f"--folds must be from 2 to the number of rows, {n_samples:,}, got {folds:,}."
            )
        return folds
    try:
        return [float(share) for share in proportions.split(",")]
    except ValueError as error:
        raise ValueError(
            f"--proportions must be numbers separated by commas, got {proportions!r}."
        ) from error


def _rows_in_blocks(source: DataSource) -> int:
    """Return the number of rows of an input, which are not read."""
    from labelwise._blocks import open_source

    labels = parse_labels(source.labels)
    if isinstance(labels, int) or (isinstance(labels, str) and labels.endswith(".xml")):
        raise ValueError(
            "--labels must name the columns of an input that is read in blocks, or be a prefix "
            f"with a star, got {labels!r}."
        )
    return open_source(Path(source.data), "Y", labels, parse_names(source.ids)).shape[0]


def _split_in_blocks(
    source: DataSource, shares: int | list[float], method: str, seed: int
) -> splitting.SplitComparison:
    """Split the rows of a label file block by block, and compare with a split at random."""
    from labelwise._blocks import block_rows, rows_within

    path, ids = Path(source.data), parse_names(source.ids)
    labels: Any = parse_labels(source.labels)  # not a number, see above
    n_rows = rows_within({"Y": path}, source.max_bytes, ids, labels)
    try:
        with working("splitting in blocks"), warnings_as_notes(), block_rows(n_rows):
            return splitting.compare_splits(
                path, shares, method=method, random_state=seed, columns=labels, ids=ids
            )
    except ValueError as error:
        if labels is not None:
            raise
        hint = "--labels names the columns that are labels"
        raise ValueError(f"{str(error).rstrip('.')}; {hint}.") from error


def _split_text(title: str, compared: splitting.SplitComparison) -> str:
    """Return a row of LD, ED, FZ and FLZ for each method, the chosen one first, and the sizes."""
    found = compared.quality
    worst = "none"
    if found.n_labels:
        worst = f"{printable(found.worst_label)} ({found.worst_ld:.3g})"
    least, most = int(min(found.sizes)), int(max(found.sizes))
    sizes = counted(least, "row") if least == most else f"{least:,} to {most:,} rows"
    line = f"subsets of {sizes}; worst label {worst}"
    return "\n".join([title, "", repr(compared), _LEGEND, "", line])


def _split_record(name: str, compared: splitting.SplitComparison) -> dict[str, Any]:
    """Return the same for --json."""
    found = compared.quality
    return {
        "name": name,
        "method": compared.chosen,
        "sizes": found.sizes,
        "worst_label": found.worst_label if found.n_labels else None,
        "worst_ld": found.worst_ld if found.n_labels else None,
        "methods": [
            {"method": method, "ld": one.ld, "ed": one.ed, "fz": one.fz, "flz": one.flz}
            for method, one in compared.qualities.items()
        ],
    }


def _write_subsets(subsets: np.ndarray, path: Path, beside: Mapping[str, Sequence[str]]) -> None:
    """Write the subset of each row, and its ids; an error leaves no partial file."""
    if beside:
        first = {"row": beside.get("row", range(subsets.size)), "subset": subsets.tolist()}
        write_csv(path, first | {name: beside[name] for name in beside if name not in first})
        return
    with _io.written_whole(path) as stream:
        stream.write(b"row,subset\n")
        for start in range(0, subsets.size, _ROWS_TOGETHER):
            rows = enumerate(subsets[start : start + _ROWS_TOGETHER].tolist(), start)
            stream.write("".join(f"{row},{subset}\n" for row, subset in rows).encode())
