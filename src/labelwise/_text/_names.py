"""Names of labels, features, files and data sets, as they may be printed and drawn."""

from __future__ import annotations

from unicodedata import category

# A longer name is cut where it is printed.
_MOST = 80
_TAIL = 10
# Control characters, text direction and other formats, halves of surrogates, private use, unknown
# characters, and separators of lines and paragraphs.
_NOT_SHOWN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
# Without these two, which only join letters, Persian and Indic words and many emoji fall apart.
_JOINERS = "\u200c\u200d"


def printable(name: object, most: int = _MOST) -> str:
    r"""Return a name for a terminal: one line, nothing that controls it, and not too long.

    Characters that are not shown (escape sequences, line breaks, text direction) come as Python
    writes them, such as ``\x1b``. Other characters stay, backslashes too.

    Parameters
    ----------
    name : object
        Whatever `str` takes.
    most : int, default=80
        A longer name is cut in the middle, and its length is told.

    Returns
    -------
    str

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


def printable_lines(text: str) -> str:
    """Return text of several lines with what controls a terminal escaped, line breaks kept."""
    return "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))


def quoted(name: object, most: int = _MOST) -> str:
    """Return a name in quotes, as `repr` writes it; a long one is cut, and its length is told."""
    text = str(name)
    if len(text) <= most:
        return repr(text)
    return f"{text[: most - _TAIL]!r}… ({len(text):,} characters)"


def figure_text(name: object) -> str:
    r"""Return a name for matplotlib, which would read what stands between dollars as formulas.

    Labels of lines that begin with an underscore would be left out of legends; a space of no width
    before it prevents that.
    """
    text = printable(name).replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def _escaped(text: str) -> str:
    return "".join(
        ascii(c)[1:-1] if category(c) in _NOT_SHOWN and c not in _JOINERS else c for c in text
    )
