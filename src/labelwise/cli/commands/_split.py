"""`labelwise split`: folds of a data set, and their quality beside that of other methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._io import written_whole
from labelwise._text import counted, printable
from labelwise.cli._data_source import DataSource, group_column
from labelwise.cli._outputs import Outputs, check_ending, note
from labelwise.cli._parsing import parse_labels, parse_names, parse_proportions
from labelwise.cli.blocks._block_inputs import BlockRows, reads_in_blocks, refuse_with_blocks
from labelwise.cli.pages._pages import write_page
from labelwise.splitting import SplitComparison, SplitQuality, compare_splits

# Rows of the output that are text in memory at a time.
_ROWS_TOGETHER = 2**16
_LEGEND = (
    "Smaller is better. LD: distance of label ratios from those of all rows; ED: of sizes from "
    "those wanted; FZ: subsets that lack a label; FLZ: pairs of subset and label without positives."
)


class SplitOptions(NamedTuple):
    """Options of the command as the user typed them; `proportions` replaces `folds`."""

    folds: int = 10
    proportions: str | None = None
    method: str = "auto"
    seed: int = 0
    groups: str | None = None


def show_split(
    source: DataSource,
    options: SplitOptions,
    *,
    output: Path | None = None,
    report: Path | None = None,
) -> None:
    """Print the quality of a split beside that of other methods, and write its subsets and page.

    The file has the columns row and subset, both counted from 0.
    """
    check_ending(report, ".html")
    if reads_in_blocks(Path(source.data), source.max_bytes):
        _show_split_in_blocks(source, options, output, report)
        return
    outputs = Outputs([output, report], inputs=source.files())
    dataset = source._replace(groups=options.groups).load()
    if dataset.Y is None:
        raise ValueError(f"The labels of {dataset.name!r} are unknown: a split needs labels.")
    shares = _shares(options, dataset.n_samples)
    groups = None if options.groups is None else group_column(dataset, options.groups)[0]
    compared = compare_splits(
        dataset.Y,
        shares,
        method=options.method,
        groups=groups,
        random_state=options.seed,
        label_names=dataset.label_names,
    )
    if output is not None:
        write_subsets(compared.subsets, output)
    if report is not None:
        write_page(compared, report)
    outputs.show(_split_text(repr(dataset), compared), _split_record(dataset.name, compared))
    for path in (output, report):
        outputs.say_written(path)


def _show_split_in_blocks(
    source: DataSource, options: SplitOptions, output: Path | None, report: Path | None
) -> None:
    """Split labels that are read in blocks of rows; only the label columns are read."""
    refuse_with_blocks("error", report=report, groups=options.groups)
    refuse_with_blocks("error", text=source.text, bags=source.bags)
    from labelwise.cli.blocks._block_commands import rows_in_blocks, split_in_blocks

    path = Path(source.data)
    outputs = Outputs([output], inputs=[path])
    labels = parse_labels(source.labels)
    rows = BlockRows(parse_names(source.ids), max_bytes=source.max_bytes)
    shares = _shares(options, rows_in_blocks(path, labels, rows))
    compared = split_in_blocks(path, shares, options.method, options.seed, labels, rows)
    if output is not None:
        write_subsets(compared.subsets, output)
    n_rows, n_labels = compared.subsets.size, compared.quality.n_labels
    title = f"{path.name}: {counted(n_rows, 'row')}, {counted(n_labels, 'label')}"
    note(f"{path} read in blocks.")
    outputs.show(_split_text(title, compared), _split_record(path.name, compared))
    outputs.say_written(output)


def _shares(options: SplitOptions, n_samples: int) -> int | list[float]:
    """Return the number of folds, checked, or the proportions that replace it."""
    if options.proportions is not None:
        return parse_proportions(options.proportions)
    if not 2 <= options.folds <= n_samples:
        raise ValueError(
            f"--folds must be from 2 to the number of rows, {n_samples:,}, got {options.folds:,}."
        )
    return options.folds


def _split_text(title: str, compared: SplitComparison) -> str:
    """Return a row of LD, ED, FZ and FLZ for each method, the chosen one first, and the sizes."""
    found = compared.quality
    name = _worst_label(found)
    worst = "none" if name is None else f"{printable(name)} ({found.worst_ld:.3g})"
    least, most = int(min(found.sizes)), int(max(found.sizes))
    sizes = counted(least, "row") if least == most else f"{least:,} to {most:,} rows"
    line = f"subsets of {sizes}; worst label {worst}"
    return "\n".join([title, "", repr(compared), _LEGEND, "", line])


def _split_record(name: str, compared: SplitComparison) -> dict[str, Any]:
    """Return the same for --json."""
    found = compared.quality
    return {
        "name": name,
        "method": compared.chosen,
        "sizes": found.sizes,
        "worst_label": _worst_label(found),
        "worst_ld": found.worst_ld if found.n_labels else None,
        "methods": [
            {"method": method, "ld": one.ld, "ed": one.ed, "fz": one.fz, "flz": one.flz}
            for method, one in compared.qualities.items()
        ],
    }


def write_subsets(subsets: np.ndarray, path: Path) -> None:
    """Write the subset of each row; an error leaves no partial file."""
    with written_whole(path) as stream:
        stream.write(b"row,subset\n")
        for start in range(0, subsets.size, _ROWS_TOGETHER):
            rows = enumerate(subsets[start : start + _ROWS_TOGETHER].tolist(), start)
            stream.write("".join(f"{row},{subset}\n" for row, subset in rows).encode())


def _worst_label(found: SplitQuality) -> str | None:
    return found.worst_label if found.n_labels else None
