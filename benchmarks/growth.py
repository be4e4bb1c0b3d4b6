"""How times grow over three decades: one table, and one figure with a line of slope 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.timing import fastest

FIGURES = Path("build")
# What is called, and what grows: calls by their sizes.
Curves = Mapping[tuple[str, str], Mapping[int, Callable[[], Any]]]


def show_growth(title: str, curves: Curves, repeats: int = 3) -> None:
    """Time every call, print the slopes between sizes, and draw the curves to a file."""
    seconds = {
        key: [fastest(call, repeats) for call in calls.values()] for key, calls in curves.items()
    }
    table = Table("call", "what grows", title=f"{title}: growth (seconds; slope 1 is linear)")
    for heading in ("from", "x 1", "x 10", "x 100", "x 1,000", "slope", "last"):
        table.add_column(heading, justify="right")
    for (call, grows), times in seconds.items():
        first = f"{next(iter(curves[call, grows])):,}"
        logs = np.log10(times)
        slopes = (np.polyfit(range(logs.size), logs, 1)[0], logs[-1] - logs[-2])
        cells = [*(f"{s:.4f}" for s in times), *(f"{slope:.2f}" for slope in slopes)]
        table.add_row(call, grows, first, *cells)
    Console(width=110).print(table)
    sizes = {key: list(calls) for key, calls in curves.items()}
    print(f"drawn to {draw(title, sizes, seconds)}")


def draw(
    title: str,
    sizes: Mapping[tuple[str, str], Sequence[int]],
    seconds: Mapping[tuple[str, str], Sequence[float]],
) -> Path:
    """Draw a panel for each thing that grows, with a dashed line of slope 1."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    panels = list(dict.fromkeys(grows for _, grows in sizes))
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.2 * len(panels), 3.8), layout="constrained", squeeze=False
    )
    for ax, panel in zip(axes[0], panels, strict=True):
        for (call, grows), times in seconds.items():
            if grows == panel:
                ax.loglog(sizes[call, grows], times, "o-", label=call)
        ends = np.array(ax.get_xlim())
        ax.loglog(ends, ax.get_ylim()[1] * ends / ends[1], "k--", linewidth=0.8, label="slope 1")
        ax.set(xlabel=panel, ylabel="seconds")
        ax.legend()
    figure.suptitle(title)
    FIGURES.mkdir(exist_ok=True)
    path = FIGURES / f"growth-{title.lower().replace(' ', '-')}.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
