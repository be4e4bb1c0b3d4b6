"""Names and numbers in a sentence: the first few names, and nouns with their plural."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labelwise._text._names import quoted


def listed(names: Sequence[object], most: int = 3, show: Callable[[object], str] = quoted) -> str:
    """Write names for a sentence: the first ones, then the number of the others.

    Parameters
    ----------
    names : sequence of object
        The names, at least one.
    most : int, default=3
        Number of names to write out.
    show : callable, default=quoted
        Turns a name into text.

    Returns
    -------
    str
        Names with commas between them, and " and n more" if there are more than `most`.

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

    Parameters
    ----------
    number : int
        How many.
    noun : str
        The noun for one.

    Returns
    -------
    str
        Number, with commas between thousands, and noun.

    Examples
    --------
    >>> from labelwise._text import counted
    >>> counted(1, "label"), counted(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
