"""Format tables as text for the terminal and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from labelwise._text._names import printable

# Longer than a name, since a cell may contain several names.
_LONGEST_CELL = 200


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
