"""Figures of several panels, drawn from the rows of measured tables and written as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labelwise._io import written_whole

Rows = list[dict[str, str]]


def split_by(rows: Rows, key: str) -> dict[str, Rows]:
    """Return the rows of each value of a key, in their order."""
    found: dict[str, Rows] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


def panels(titles: Mapping[str, Any], width: float, height: float, columns: int = 2) -> Any:
    """Return a figure and one axis for each title."""
    from matplotlib.figure import Figure

    columns = min(columns, len(titles))
    n_rows = -(-len(titles) // columns)
    figure = Figure(figsize=(width * columns, height * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(title, fontsize="medium")
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[len(titles) :]:
        axis.set_visible(False)
    return figure, axes


def write_svg(figure: Any, path: Path) -> None:
    """Write a figure as an SVG file that is the same in every run."""
    from matplotlib import rc_context

    with (
        rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}),
        written_whole(path) as stream,
    ):
        figure.savefig(stream, format="svg")
