"""Text for terminals, HTML, figures and spreadsheets, and the words of texts by language.

Every stage may import from here; nothing here imports a stage.
"""

from labelwise._text._names import (
    counted as counted,
    figure_text as figure_text,
    listed as listed,
    printable as printable,
    printable_lines as printable_lines,
    printable_path as printable_path,
    quoted as quoted,
    rates_in_words as rates_in_words,
    safe_cell as safe_cell,
)
from labelwise._text._near_names import (
    NamedValues as NamedValues,
    check_known as check_known,
    did_you_mean as did_you_mean,
)
from labelwise._text._tables import (
    as_html as as_html,
    as_text as as_text,
    latex_table as latex_table,
    markdown_table as markdown_table,
    titles_as_html as titles_as_html,
)
from labelwise._text._words import (
    WordNumbers as WordNumbers,
    check_language as check_language,
    stemmer_of as stemmer_of,
    stop_words_of as stop_words_of,
)
