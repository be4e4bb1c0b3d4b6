"""Cells of csv files that a spreadsheet program would take for formulas."""

from __future__ import annotations

# As spreadsheet programs read them; the last four are the wide forms of East Asian keyboards.
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(text: str) -> str:
    """Return text that spreadsheet programs show and do not compute: with an apostrophe before it.

    Examples
    --------
    >>> from labelwise._text import safe_cell
    >>> safe_cell("=1+1"), safe_cell("sea")
    ("'=1+1", 'sea')
    """
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) else text
