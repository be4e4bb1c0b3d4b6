"""olsson2006: its tables of dots and its figures, drawn from the measured tables.

``python -m studies.olsson2006.plots FOLDER`` writes them as SVG; the pages are built with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import studies
from studies.comparison import read_table
from studies.panels import Rows, panels, split_by, write_svg

FOLDER = studies.FOLDER / "olsson2006"
Series = dict[str, dict[str, float]]  # value by column, of each series
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee")


def series_of(rows: Rows, *keys: str) -> Series:
    """Return the measured values by the last key, of each combination of the others."""
    found: Series = {}
    for row in rows:
        name = " ".join(row[key] for key in keys[:-1]).removesuffix(" alone")
        found.setdefault(name, {})[row[keys[-1]]] = float(row["measured"])
    return found


def draw_dots(rows: Rows) -> Any:
    """Draw Table 2 or 3: the larger a dot, the more splits were won."""
    sets = split_by(rows, "dataset")
    n_methods = max(len(series_of(own, "inputs", "method", "size")) for own in sets.values())
    figure, axes = panels(sets, 5.5, 1.2 + 0.16 * n_methods)
    for axis, own in zip(axes, sets.values(), strict=False):
        series = series_of(own, "inputs", "method", "size")
        sizes = list(dict.fromkeys(row["size"] for row in own))
        x, y, won = zip(
            *[
                (sizes.index(size), place, value)
                for place, values in enumerate(series.values())
                for size, value in values.items()
            ],
            strict=True,
        )
        full = [_COLOURS[1] if value == max(won) else _COLOURS[0] for value in won]
        axis.scatter(x, y, s=[8 * value for value in won], c=full)
        axis.set_xticks(range(len(sizes)), sizes, rotation=45)
        axis.set_yticks(range(len(series)), list(series), fontsize="x-small")
        axis.set_ylim(len(series) - 0.5, -0.5)
        axis.set_xlabel("terms")
    return figure


def draw_lines(sets: Mapping[str, Series]) -> Any:
    """Draw mean R-precision by the number of terms; all terms are the last point."""
    figure, axes = panels(sets, 5.0, 3.6)
    for axis, series in zip(axes, sets.values(), strict=False):
        for colour, (name, values) in zip(_COLOURS, series.items(), strict=False):
            axis.plot(list(values), list(values.values()), marker=".", color=colour, label=name)
        axis.tick_params(axis="x", rotation=45)
        axis.set_xlabel("terms")
        axis.set_ylabel("R-precision")
        axis.legend(fontsize="small", frameon=False)
    return figure


def draw_figure_1(rows: Rows) -> Any:
    """Draw each two measures of the sets, and above the diagonal their squared correlations."""
    from matplotlib.figure import Figure

    series = series_of(rows, "measure", "set")
    names, values = list(series), np.array([list(own.values()) for own in series.values()])
    squared = np.corrcoef(values) ** 2
    figure = Figure(figsize=(6.5, 6.5), layout="constrained")
    axes = figure.subplots(len(names), len(names), sharex="col")
    for i, j in np.ndindex(axes.shape):
        axis = axes[i, j]
        if i > j:
            axis.plot(values[j], values[i], ".", color=_COLOURS[0], markersize=2)
            axis.tick_params(labelsize="x-small")
        else:
            text = names[i] if i == j else f"r² = {squared[i, j]:.3f}"
            axis.text(0.5, 0.5, text, transform=axis.transAxes, ha="center", va="center")
            axis.set_yticks([])
            axis.spines[:].set_visible(i == j)
        if i <= j or i < len(names) - 1:
            axis.tick_params(axis="x", length=0, labelbottom=False)
    return figure


def draw_figure_2(rows: Rows) -> Any:
    """Draw chi2-max alone and in lowest rank with another score."""
    sets = split_by(rows, "dataset").items()
    return draw_lines({name: series_of(own, "inputs", "method", "size") for name, own in sets})


def draw_figure_3(rows: Rows) -> Any:
    """Draw the mean peak of every method at each cutting level, the best named."""
    sets = split_by(rows, "dataset")
    figure, axes = panels(sets, 7.0, 4.2)
    for axis, own in zip(axes, sets.values(), strict=False):
        for x, (_, level) in enumerate(split_by(own, "cut").items()):
            _draw_level(axis, x, level)
        axis.set_xticks(range(3), list(split_by(own, "cut")))
        axis.set_xlim(-0.3, 3.2)
        axis.set_ylabel("mean peak R-precision")
        # The few methods far below would press the others together.
        values = [float(row["measured"]) for row in own]
        axis.set_ylim(np.quantile(values, 0.1), None)
    axes[0].legend(fontsize="small", frameon=False, loc="lower right")
    return figure


def _draw_level(axis: Any, x: int, level: Rows) -> None:
    """Draw the methods of one cutting level, and name the best of each kind."""
    kinds = {
        "combination": [row for row in level if row["method"] != "alone"],
        "score alone": [row for row in level if row["method"] == "alone"],
        "all terms": [row for row in level if row["inputs"] == "all terms"],
    }
    kinds["score alone"] = [row for row in kinds["score alone"] if row not in kinds["all terms"]]
    for colour, marker, (kind, own) in zip(_COLOURS, "._*", kinds.items(), strict=False):
        values = [float(row["measured"]) for row in own]
        label = kind if x == 0 else None
        axis.scatter([x] * len(own), values, color=colour, marker=marker, s=60, label=label)
        if kind != "all terms" and own:
            best = max(own, key=lambda row: float(row["measured"]))
            name = f"{best['inputs']} {best['method']}".removesuffix(" alone")
            place = (x + 0.06, float(best["measured"]))
            axis.annotate(name, place, fontsize="xx-small", color=colour, va="center")


def draw_figure_4(rows: Rows) -> Any:
    """Draw the mean curves of the five methods."""
    return draw_lines({"20 halves of RCV1 subsets 3-4": series_of(rows, "method", "size")})


def draw_pairs(rows: Rows) -> Any:
    """Draw Figure 5 or 6: for each pair, who is higher how often."""
    pairs = {pair: series_of(own, "higher", "size") for pair, own in split_by(rows, "pair").items()}
    return draw_bars(pairs, "terms")


def draw_figure_7(rows: Rows) -> Any:
    """Draw how often each of the five is the best."""
    return draw_bars({"highest of all five": series_of(rows, "method", "size")}, "terms", 9.0)


def draw_figure_8(rows: Rows) -> Any:
    """Draw who has the higher peak how often, by R-precision and by F1."""
    found: dict[str, Series] = {"R-precision": {}, "F1": {}}
    for row in rows:
        measure, _, who = row["peak"].partition(": ")
        pair = f"{row['first']}\n{row['second']}"
        found[measure].setdefault(who, {})[pair] = float(row["measured"])
    return draw_bars(found, "", 6.5)


def draw_bars(groups: Mapping[str, Series], label: str, width: float = 5.0) -> Any:
    """Draw bars side by side for the series of each group; the line is significance, 15 of 20."""
    figure, axes = panels(groups, width, 2.8, columns=2 if width < 8 else 1)
    for axis, series in zip(axes, groups.values(), strict=False):
        share = 0.8 / len(series)
        for place, (name, values) in enumerate(series.items()):
            x = np.arange(len(values)) + (place - (len(series) - 1) / 2) * share
            axis.bar(x, list(values.values()), share, color=_COLOURS[place], label=name)
            axis.set_xticks(range(len(values)), list(values), fontsize="x-small")
        axis.axhline(15, color="grey", linewidth=0.6)
        axis.set_ylim(0, 20)
        axis.set_xlabel(label)
        axis.set_ylabel("of 20 splits")
        axis.legend(fontsize="x-small", frameon=False)
    return figure


DRAWN: dict[str, Callable[[Rows], Any]] = {
    "table2": draw_dots,
    "table3": draw_dots,
    "figure1_points": draw_figure_1,
    "figure2": draw_figure_2,
    "figure3": draw_figure_3,
    "figure4": draw_figure_4,
    "figure5": draw_pairs,
    "figure6": draw_pairs,
    "figure7": draw_figure_7,
    "figure8": draw_figure_8,
}


def draw_all(folder: Path) -> None:
    """Write every figure whose table was measured."""
    for name, draw in DRAWN.items():
        table = FOLDER / f"{name}_measured.csv"
        if table.is_file():
            write_svg(draw(read_table(table)[1]), folder / f"{name}.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]))
