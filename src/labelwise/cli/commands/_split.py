"""`labelwise split`: folds of a data set, and their quality beside that of other methods."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelwise._io import written_whole
from labelwise._text import printable
from labelwise.cli._data_source import DataSource
from labelwise.cli._outputs import Outputs
from labelwise.cli._parsing import parse_proportions
from labelwise.data import Dataset
from labelwise.splitting import SplitQuality, assign, split_quality

_ALWAYS_SHOWN = ("random", "labelset", "iterative", "balanced")


class SplitOptions(NamedTuple):
    """Options of the command as the user typed them; `proportions` replaces `folds`."""

    folds: int = 10
    proportions: str | None = None
    method: str = "auto"
    seed: int = 0


def show_split(source: DataSource, options: SplitOptions, *, output: Path | None = None) -> None:
    """Print the quality of a split beside that of other methods, and write its subsets.

    The file has the columns row and subset, both counted from 0.
    """
    folds, proportions, method, seed = options
    outputs = Outputs([output], inputs=source.files())
    dataset = source.load()
    if dataset.Y is None:
        raise ValueError(f"The labels of {dataset.name!r} are unknown: a split needs labels.")
    shares = folds if proportions is None else parse_proportions(proportions)
    subsets = assign(dataset.Y, shares, method=method, random_state=seed)
    if output is not None:
        write_subsets(subsets, output)
    outputs.say(repr(dataset))
    outputs.say(f"\n{quality_table(dataset, shares, method, seed, subsets)}")
    found = split_quality(dataset.Y, subsets, shares)
    worst = "none" if not dataset.n_labels else _label_name(dataset, found)
    outputs.say(
        f"\nsubsets of {min(found.sizes):,} to {max(found.sizes):,} rows; worst label {worst}"
    )
    outputs.say_written(output)


def quality_table(
    dataset: Dataset, shares: int | list[float], method: str, seed: int, subsets: np.ndarray
) -> str:
    """Return a row of LD, ED, FZ and FLZ for the chosen method and for each other one."""
    rows = [(f"{method} (chosen)", split_quality(dataset.Y, subsets, shares))]
    for other in _ALWAYS_SHOWN:
        if other != method:
            found = assign(dataset.Y, shares, method=other, random_state=seed)
            rows.append((other, split_quality(dataset.Y, found, shares)))
    lines = [f"{'method':<20}{'LD':>12}{'ED':>10}{'FZ':>7}{'FLZ':>9}"]
    lines += [
        f"{name:<20}{found.ld:>12.6f}{found.ed:>10.2f}{found.fz:>7}{found.flz:>9}"
        for name, found in rows
    ]
    return "\n".join(lines)


def write_subsets(subsets: np.ndarray, path: Path) -> None:
    """Write the subset of each row; an error leaves no partial file."""
    lines = [f"{row},{subset}\n" for row, subset in enumerate(subsets.tolist())]
    with written_whole(path) as stream:
        stream.write("".join(["row,subset\n", *lines]).encode())


def _label_name(dataset: Dataset, found: SplitQuality) -> str:
    """Return the name of the worst label, which `split_quality` knows by its number."""
    name = found.worst_label
    known = dataset.label_names[int(name)] if name.isdigit() else name
    return f"{printable(known)} ({found.worst_ld:.3g})"
