"""Text of users and files made fit for terminals, figures and spreadsheets, below all stages."""

from labelwise._text._names import figure_text, printable, printable_lines, quoted
from labelwise._text._spreadsheets import safe_cell

__all__ = ["figure_text", "printable", "printable_lines", "quoted", "safe_cell"]
