"""Parts of an overview page: sections with key numbers, tables, charts and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labelwise._text import printable, printable_lines
from labelwise.reports.page import Page, packed

# Rows of a table in a page; more would make the page slow to open and to send.
MOST_ROWS = 5000
_LONGEST_TEXT = 300
Block = dict[str, Any]


@dataclass(frozen=True)
class KeyNumber:
    """A number in large type, with its name and a note; `show` is the format of the script."""

    name: str
    value: Any
    show: str = "whole"
    note: str = ""


@dataclass(frozen=True)
class PageSection:
    """A section of a page: a name for the menu, a heading, sentences, numbers and blocks."""

    key: str
    name: str
    title: str
    explain: Sequence[str] = ()
    numbers: Sequence[KeyNumber] = ()
    blocks: Sequence[Block] = field(default_factory=tuple)


def text_column(key: str, head: str, values: Sequence[str]) -> Block:
    """Return a column of texts, such as names; what cannot be shown is shown escaped."""
    given = list(map(str, values))
    pairs = ((i, text, printable(text, _LONGEST_TEXT)) for i, text in enumerate(given))
    shown = {i: short for i, text, short in pairs if short != text}
    return {"key": key, "head": head, "show": "text", "values": given, "shown": shown, "note": ""}


def long_column(key: str, head: str, values: Sequence[str]) -> Block:
    """Return a column of texts of many lines; the last line is shown before the rest."""
    lines = [printable_lines(str(text)) for text in values]
    shown = [(text.strip().splitlines() or ["?"])[-1] for text in lines]
    short = {i: printable(text, _LONGEST_TEXT) for i, text in enumerate(shown)}
    return {"key": key, "head": head, "show": "long", "values": lines, "shown": short, "note": ""}


def number_column(
    key: str,
    head: str,
    values: Any,
    show: str = "number",
    *,
    note: str = "",
    bar: bool = False,
    best: Sequence[bool] | None = None,
    beside: Sequence[str] | None = None,
) -> Block:
    """Return a column of numbers; `best` marks cells, `beside` is a text after each number."""
    return {
        "key": key,
        "head": head,
        "show": show,
        "values": packed(values, np.float64),
        "note": note,
        "bar": bar,
        "best": None if best is None else [int(one) for one in best],
        "beside": None if beside is None else list(beside),
    }


def table(
    title: str,
    columns: Sequence[Block],
    n_rows: int,
    *,
    sort: str = "",
    note: str = "",
    page_size: int = 25,
) -> Block:
    """Return a table; `sort` is the key of a column, with a minus for falling values."""
    return {
        "kind": "table",
        "title": title,
        "columns": list(columns),
        "nRows": n_rows,
        "sort": sort,
        "note": note,
        "pageSize": page_size,
    }


def words(*texts: str) -> Block:
    """Return paragraphs."""
    return {"kind": "words", "texts": list(texts)}


def axis(
    name: str,
    values: Any,
    *,
    log: bool = False,
    full: tuple[float, float] | None = None,
    also: float | None = None,
    whole: bool = False,
) -> Block:
    """Return an axis with its values; it spans `full`, or the finite values and `also`.

    The marks of `whole` axes are whole numbers.
    """
    numbers = np.asarray(values, dtype=np.float64)
    shown = numbers if also is None else np.append(numbers, also)
    low, high = full or range_of(shown, log=log)
    return {
        "name": name,
        "values": packed(numbers, np.float64),
        "from": low,
        "to": high,
        "log": log,
        "whole": whole,
    }


def range_of(values: np.ndarray, *, log: bool = False) -> tuple[float, float]:
    """Return the ends of an axis for values; a single value has room on both sides."""
    finite = values[np.isfinite(values) & ((values > 0) | (not log))]
    if not finite.size:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = float(finite.min()), float(finite.max())
    if low < high:
        return low, high
    return (low / 2, high * 2) if log else (low - 0.5, high + 0.5)


def overview_page(title: str, summary: str, sections: Sequence[PageSection]) -> Page:
    """Return a page of sections."""
    blocks: dict[str, Block] = {}
    numbers: dict[str, Block] = {}
    shown = []
    for section in sections:
        keys = [f"{section.key}-{i}" for i in range(len(section.blocks))]
        blocks |= dict(zip(keys, section.blocks, strict=True))
        found = [(f"{section.key}-{i}", one) for i, one in enumerate(section.numbers)]
        numbers |= {key: _number_data(one) for key, one in found}
        shown.append(
            {
                "key": section.key,
                "name": section.name,
                "title": section.title,
                "explain": list(section.explain),
                "numbers": [{"key": key, "name": one.name, "note": one.note} for key, one in found],
                "blocks": keys,
            }
        )
    data = {"blocks": blocks, "numbers": numbers}
    return Page("overview.html", title, data, {"summary": summary, "sections": shown})


def _number_data(one: KeyNumber) -> Block:
    is_text = one.show == "text"
    value = printable(one.value) if is_text else packed([float(one.value)], np.float64)
    return {"show": one.show, "value": value}


def choice(label: str, options: Mapping[str, Sequence[Block]]) -> Block:
    """Return several lists of blocks, of which the page shows one by a field."""
    found = [{"name": printable(name), "blocks": list(blocks)} for name, blocks in options.items()]
    return {"kind": "choice", "label": label, "options": found}
