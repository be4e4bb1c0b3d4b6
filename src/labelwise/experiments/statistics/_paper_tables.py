"""Tables of means for a paper, in LaTeX and Markdown: a row a data set, a column a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from labelwise._text import printable
from labelwise.measures import measure_named

_COLUMNS = "model"
# A name in a table may be longer than one in a sentence.
_LONGEST_NAME = 200
# Brackets and stars after the end of a row would be arguments of the row break.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}&%$#_"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
    }
)
_MARKDOWN = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_{}[]#|~$"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


class PaperCell(NamedTuple):
    """Mean and deviation as text; "" for no deviation, and whether the mean is the best."""

    mean: str
    deviation: str = ""
    is_best: bool = False


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
        raise ValueError(f"measure must be one of {known}, got {measure!r}.")
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
    heading = " & ".join(map(_latex_name, (*table.keys, *table.models)))
    lines = [
        f"\\begin{{tabular}}{{{'l' * len(table.keys)}{'r' * len(table.models)}}}",
        "\\toprule",
        f"{heading} \\\\",
        "\\midrule",
    ]
    for cells in _written(table, _latex_name, "\\textbf{{{}}}", " $\\pm$ "):
        lines.append(f"{' & '.join(cells)} \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def as_markdown(table: PaperTable) -> str:
    """Format a table as Markdown, as GitHub and pandoc read it."""
    heading = map(_markdown_name, (*table.keys, *table.models))
    lines = [list(heading), [":--"] * len(table.keys) + ["--:"] * len(table.models)]
    lines += _written(table, _markdown_name, "**{}**", " ± ")
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _written(
    table: PaperTable, name: Callable[[str], str], bold: str, plus_minus: str
) -> Iterable[list[str]]:
    """Yield the text of each cell of each row."""
    for names, cells in table.rows:
        texts = [
            (bold.format(cell.mean) if cell.is_best else cell.mean)
            + (plus_minus + cell.deviation if cell.deviation else "")
            for cell in cells
        ]
        yield [*map(name, names), *texts]


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
        cells.append(PaperCell(text, f"{deviation:.4f}" if n > 1 else "", text == best))
    return cells


def _best(means: Sequence[float], measure: str) -> str | None:
    """Return the best mean as it is printed, or None if the direction is not known."""
    try:
        best = max if measure_named(measure).higher_is_better else min
    except ValueError:
        return None
    known = [mean for mean in means if not np.isnan(mean)]
    return f"{best(known):.4f}" if known else None


def _latex_name(name: str) -> str:
    # Hyphens in a row would become a dash.
    return re.sub("-(?=-)", "-{}", printable(name, _LONGEST_NAME).translate(_LATEX))


def _markdown_name(name: str) -> str:
    return printable(name, _LONGEST_NAME).translate(_MARKDOWN)
