"""Tables as text, HTML, LaTeX and Markdown, with all names escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from labelwise._text._names import printable

# Longer than a name, since a cell may contain several names.
_LONGEST_CELL = 200
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


def as_text(table: list[list[str]]) -> str:
    """Format a table as text: first column left-aligned, others right-aligned."""
    table = [[printable(cell, _LONGEST_CELL) for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in table
    )


def as_html(table: list[list[str]]) -> str:
    """Format a table as HTML; the first row is the heading, cells are escaped."""
    heading, *rows = table
    cells = "".join(f"<th>{_escaped(cell)}</th>" for cell in heading)
    return f"<table><tr>{cells}</tr>{_html_rows(rows)}</table>"


def titles_as_html(rows: list[tuple[str, str]], caption: str = "") -> str:
    """Format pairs of title and text as an HTML table without a heading; cells are escaped."""
    above = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    return f"<table>{above}{_html_rows(rows)}</table>"


def _html_rows(rows: Sequence[Sequence[str]]) -> str:
    """Format rows as HTML; the first cell of a row is its title."""
    return "".join(
        f"<tr><th style='text-align:left'>{_escaped(row[0])}</th>"
        + "".join(f"<td>{_escaped(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )


def _escaped(cell: str) -> str:
    return escape(printable(cell, _LONGEST_CELL))


def latex_table(heading: Sequence[str], rows: Iterable[Sequence[str]], n_names: int) -> str:
    """Format a table as a LaTeX tabular with the rules of the package booktabs.

    The heading and the first `n_names` cells of each row are names, which are escaped and
    left-aligned; the other cells are LaTeX.
    """
    lines = [
        f"\\begin{{tabular}}{{{'l' * n_names}{'r' * (len(heading) - n_names)}}}",
        "\\toprule",
        f"{' & '.join(map(_latex_name, heading))} \\\\",
        "\\midrule",
    ]
    for row in rows:
        cells = [*map(_latex_name, row[:n_names]), *row[n_names:]]
        lines.append(f"{' & '.join(cells)} \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]], n_names: int) -> str:
    """Format a table as Markdown, as GitHub and pandoc read it.

    The heading and the first `n_names` cells of each row are names, which are escaped and
    left-aligned; the other cells are Markdown.
    """
    lines = [
        [*map(_markdown_name, heading)],
        [":--"] * n_names + ["--:"] * (len(heading) - n_names),
        *([*map(_markdown_name, row[:n_names]), *row[n_names:]] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _latex_name(name: str) -> str:
    # Hyphens in a row would become a dash.
    return re.sub("-(?=-)", "-{}", printable(name, _LONGEST_NAME).translate(_LATEX))


def _markdown_name(name: str) -> str:
    return printable(name, _LONGEST_NAME).translate(_MARKDOWN)
