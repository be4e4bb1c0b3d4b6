"""Text for terminals, HTML, figures and spreadsheets, and the words of texts by language.

Every stage may import from here; nothing here imports a stage.
"""

from labelwise._text._names import (
    counted,
    figure_text,
    listed,
    printable,
    printable_lines,
    printable_path,
    quoted,
    safe_cell,
)
from labelwise._text._near_names import NamedValues, check_known, did_you_mean
from labelwise._text._tables import as_html, as_text, latex_table, markdown_table, titles_as_html
from labelwise._text._words import check_language, stemmer_of, stop_words_of

__all__ = [
    "NamedValues",
    "as_html",
    "as_text",
    "check_known",
    "check_language",
    "counted",
    "did_you_mean",
    "figure_text",
    "latex_table",
    "listed",
    "markdown_table",
    "printable",
    "printable_lines",
    "printable_path",
    "quoted",
    "safe_cell",
    "stemmer_of",
    "stop_words_of",
    "titles_as_html",
]
