"""Tables of means for a paper, in LaTeX and Markdown: a row a data set, a column a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from labelwise._text import latex_table, markdown_table
from labelwise.measures import did_you_mean, measure_named

_COLUMNS = "model"


class PaperCell(NamedTuple):
    """Mean and deviation as text and as numbers, and whether the mean is the best."""

    mean: str
    deviation: str = ""  # "" for none
    is_best: bool = False
    numbers: tuple[float, float] = (float("nan"), float("nan"))


class PaperTable(NamedTuple):
    """Names of the columns before the models, names of models, and rows of names and cells."""

    keys: tuple[str, ...]
    models: tuple[str, ...]
    rows: list[tuple[tuple[str, ...], list[PaperCell]]]


def paper_table(
    by: tuple[str, ...],
    spreads: Mapping[tuple[str, ...], tuple[float, float, int, int]],
    measure: str | None,
) -> PaperTable:
    """Arrange the spreads of a summary; the best mean of each row is marked."""
    if _COLUMNS not in by:
        raise ValueError(f"the summary must be grouped by {_COLUMNS}, got {', '.join(by)}.")
    measures = tuple(dict.fromkeys(group[-1] for group in spreads))
    if measure is not None and measure not in measures:
        known = ", ".join(measures) or "none"
        meant = did_you_mean(measure, measures)
        raise ValueError(f"measure must be one of {known}, got {measure!r}{meant}")
    place = by.index(_COLUMNS)
    groups = [group for group in spreads if measure is None or group[-1] == measure]
    models = tuple(dict.fromkeys(group[place] for group in groups))
    rests = dict.fromkeys((*group[:place], *group[place + 1 :]) for group in groups)
    keys = (*by[:place], *by[place + 1 :])
    # A column with one value everywhere is left out, except the first.
    shown = [j for j in range(len(keys)) if j == 0 or len({rest[j] for rest in rests}) > 1]
    rows = []
    for rest in rests:
        found = [spreads.get((*rest[:place], model, *rest[place:])) for model in models]
        rows.append((tuple(rest[j] for j in shown), _cells(found, rest[-1])))
    return PaperTable(tuple(keys[j] for j in shown), models, rows)


def as_latex(table: PaperTable) -> str:
    """Format a table as a LaTeX tabular with the rules of the package booktabs."""
    rows = _written(table, "\\textbf{{{}}}", " $\\pm$ ")
    return latex_table((*table.keys, *table.models), rows, len(table.keys))


def as_markdown(table: PaperTable) -> str:
    """Format a table as Markdown, as GitHub and pandoc read it."""
    rows = _written(table, "**{}**", " ± ")
    return markdown_table((*table.keys, *table.models), rows, len(table.keys))


def _written(table: PaperTable, bold: str, plus_minus: str) -> Iterable[list[str]]:
    """Yield the names of each row, and the text of its cells."""
    for names, cells in table.rows:
        texts = [
            (bold.format(cell.mean) if cell.is_best else cell.mean)
            + (plus_minus + cell.deviation if cell.deviation else "")
            for cell in cells
        ]
        yield [*names, *texts]


def _cells(found: Sequence[tuple[float, float, int, int] | None], measure: str) -> list[PaperCell]:
    """Format the spreads of a row; means that look like the best one are the best as well."""
    best = _best([one[0] for one in found if one is not None], measure)
    cells = []
    for one in found:
        if one is None:
            cells.append(PaperCell("-"))
            continue
        mean, deviation, n, _ = one
        text = f"{mean:.4f}"
        spread = f"{deviation:.4f}" if n > 1 else ""
        cells.append(PaperCell(text, spread, text == best, (mean, deviation)))
    return cells


def _best(means: Sequence[float], measure: str) -> str | None:
    """Return the best mean as it is printed, or None if the direction is not known."""
    try:
        best = max if measure_named(measure).higher_is_better else min
    except ValueError:
        return None
    known = [mean for mean in means if not np.isnan(mean)]
    return f"{best(known):.4f}" if known else None
