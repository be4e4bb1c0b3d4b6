"""Names in sentences, terminals, figures and spreadsheets: shortened, quoted and escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from unicodedata import category

# Longer names are shortened when printed.
_MOST = 80
_LONGEST_IN_FIGURE = 40
_LONGEST_PATH = 4096
_TAIL = 10
# Control characters, text direction and other formats, halves of surrogates, private use, unknown
# characters, and separators of lines and paragraphs.
_NOT_SHOWN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
# Without these two, which only join letters, Persian and Indic words and many emoji fall apart.
_JOINERS = "\u200c\u200d"
# The first characters of formulas; the last four are the full-width forms of =, +, - and @.
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def printable(name: object, most: int = _MOST) -> str:
    r"""Convert a name to one short line without control characters.

    Characters that are not shown (escape sequences, line breaks, text direction) are written as
    Python escapes, such as ``\x1b``. Other characters stay, including backslashes. Names of more
    than `most` characters are shortened in the middle, and their length is added.

    Examples
    --------
    >>> from labelwise._text import printable
    >>> print(printable("sea\x1b[2Jsky"))
    sea\x1b[2Jsky
    >>> print(printable("s" + 100 * "e" + "a", most=30))
    seeeeeeeeeeeeeeeeeee…eeeeeeeeea (102 characters)
    """
    text = str(name)
    if len(text) <= most and text.isprintable():
        return text
    head, tail = _escaped(text[:most]), _escaped(text[-_TAIL:])
    if len(text) <= most and len(head) <= most:
        return head
    return f"{head[: most - _TAIL]}…{tail[-_TAIL:]} ({len(text):,} characters)"


def printable_path(path: object) -> str:
    """Convert a path to one line without control characters, at any length that systems allow."""
    return printable(path, _LONGEST_PATH)


def printable_lines(text: str) -> str:
    """Escape what controls a terminal in a text of several lines."""
    return "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))


def quoted(name: object, most: int = _MOST) -> str:
    """Quote a name as `repr` does; long names are shortened."""
    text = str(name)
    if len(text) <= most:
        return repr(text)
    return f"{text[: most - _TAIL]!r}… ({len(text):,} characters)"


def figure_text(name: object) -> str:
    """Escape a name for matplotlib, which reads text between dollars as formulas.

    Names are cut at 40 characters, since longer ones leave no room for the axes beside them.

    matplotlib leaves lines whose label begins with an underscore out of legends; a zero-width space
    before the underscore prevents that.
    """
    text = printable(name, _LONGEST_IN_FIGURE)
    if len(text) > _LONGEST_IN_FIGURE:  # its length was added
        text = text[: _LONGEST_IN_FIGURE + 1]
    text = text.replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def _escaped(text: str) -> str:
    return "".join(
        ascii(c)[1:-1] if category(c) in _NOT_SHOWN and c not in _JOINERS else c for c in text
    )


def listed(names: Sequence[object], most: int = 3, show: Callable[[object], str] = quoted) -> str:
    """Write names for a sentence: the first ones, then the number of the others.

    Examples
    --------
    >>> from labelwise._text import listed
    >>> listed(["sea", "sky"])
    "'sea', 'sky'"
    >>> listed(range(12), most=2, show=str)
    '0, 1 and 10 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(show(name) for name in names[:most]) + more


def counted(number: int, noun: str) -> str:
    """Write a number and a noun, with an "s" unless the number is 1.

    Examples
    --------
    >>> from labelwise._text import counted
    >>> counted(1, "label"), counted(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def rates_in_words(precision: float, recall: float) -> str:
    """Say precision and recall as numbers out of ten; NaN is a rate that is not defined.

    Examples
    --------
    >>> from labelwise._text import rates_in_words
    >>> rates_in_words(0.52, 0.03)
    'finds 3 of 100 positives, 5 of 10 decisions are right'
    """
    found = "there are no positives" if isnan(recall) else f"finds {_of_ten(recall)} positives"
    if isnan(precision):
        return f"{found}, decides nothing"
    return f"{found}, {_of_ten(precision)} decisions are right"


def _of_ten(rate: float) -> str:
    """Return a share as 7 of 10, or in hundredths near the ends."""
    if 0.05 <= rate < 0.95 or rate in (0, 1):
        return f"{rate * 10:.0f} of 10"
    return f"{min(max(rate * 100, 1), 99):.0f} of 100"


def safe_cell(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    Examples
    --------
    >>> from labelwise._text import safe_cell
    >>> safe_cell("=1+1"), safe_cell("sea")
    ("'=1+1", 'sea')
    """
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) else text
