"""Format tables as text for the terminal and as HTML."""

from __future__ import annotations

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
    heading, *rows = [[printable(cell, _LONGEST_CELL) for cell in row] for row in table]
    return (
        f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in heading)}</tr>"
        + "".join(
            f"<tr><th style='text-align:left'>{escape(row[0])}</th>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in rows
        )
        + "</table>"
    )
