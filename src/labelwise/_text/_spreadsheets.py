"""Escape csv cells that a spreadsheet program would run as formulas."""

from __future__ import annotations

# The first characters of formulas; the last four are the full-width forms of =, +, - and @.
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    Examples
    --------
    >>> from labelwise._text import safe_cell
    >>> safe_cell("=1+1"), safe_cell("sea")
    ("'=1+1", 'sea')
    """
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) else text
