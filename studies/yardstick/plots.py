"""yardstick: corrected values of the chosen learners against their test values.

``python -m studies.yardstick.plots FOLDER`` draws them as SVG; the pages are built with it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import studies
from studies.comparison import read_table
from studies.panels import Rows, panels, split_by, write_svg

TABLE = studies.FOLDER / "yardstick" / "corrected_measured.csv"
_MARKERS = "osD^vP*X<>h"


def draw_corrected(rows: Rows) -> Any:
    """Draw a point for each run; on the line, the corrected value is the test value."""
    kinds = {(row["learner"], row["measure"]) for row in rows}
    titles = {f"{learner}, {measure}": (learner, measure) for learner, measure in sorted(kinds)}
    names = list(split_by(rows, "dataset"))
    figure, axes = panels(titles, 4.0, 3.6)
    for axis, (learner, measure) in zip(axes, titles.values(), strict=False):
        own = [row for row in rows if (row["learner"], row["measure"]) == (learner, measure)]
        for name, part in split_by(own, "dataset").items():
            values = split_by(part, "value")
            test, corrected = (
                [float(row["measured"]) for row in values[column]]
                for column in ("test", "corrected")
            )
            axis.scatter(test, corrected, 18, marker=_MARKERS[names.index(name)], label=name)
        axis.axline((0.5, 0.5), slope=1, color="grey", linewidth=0.6)
        low, high = (limit(float(row["measured"]) for row in own) for limit in (min, max))
        margin = 0.05 * (high - low) + 0.005
        axis.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin))
        axis.set(xlabel="test value", ylabel="corrected value")
        axis.legend(fontsize="x-small", frameon=False)
    return figure


def draw_all(folder: Path) -> None:
    """Write the figure, if its table was measured."""
    if TABLE.is_file():
        write_svg(draw_corrected(read_table(TABLE)[1]), folder / "corrected.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]))
