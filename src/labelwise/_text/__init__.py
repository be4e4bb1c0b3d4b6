"""Text for terminals, HTML, figures and spreadsheets: printable names, and tables.

Every stage may import from here; nothing here imports a stage.
"""

from labelwise._text._lists import listed
from labelwise._text._names import figure_text, printable, printable_lines, quoted
from labelwise._text._spreadsheets import safe_cell
from labelwise._text._tables import as_html, as_text

__all__ = [
    "as_html",
    "as_text",
    "figure_text",
    "listed",
    "printable",
    "printable_lines",
    "quoted",
    "safe_cell",
]
