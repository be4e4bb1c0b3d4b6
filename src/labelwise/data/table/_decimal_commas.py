"""Text columns of csv files that are numbers with decimal commas or thousands separators."""

from __future__ import annotations

from typing import Any

from labelwise.data.table._csv_text import MISSING_NUMBERS

_NUMBER = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?"
# No-break, thin and narrow no-break spaces, and two apostrophes.
_GAPS = " '’\u00a0\u2009\u202f"
_GROUPED = (
    r"[+-]?[1-9]\d{0,2}"
    rf"((,\d{{3}})+(\.\d*)?|(\.\d{{3}})+(,\d*)?|([{_GAPS}]\d{{3}})+([.,]\d*)?)"
)


def with_decimal_commas(column: Any) -> Any:
    """Return a text column as numbers, None unless all cells are and one has a decimal comma.

    The column is converted by chunks: text stops at its first chunk, and copies stay small.
    """
    import pyarrow as pa
    from pyarrow import compute as pc

    if not pc.any(pc.match_substring(column, ",")).as_py():
        return None
    parts = []
    for chunk in column.chunks:
        if pc.any(pc.match_substring(chunk, ".")).as_py():
            return None
        try:
            parts.append(pc.replace_substring(_known(chunk), ",", ".").cast(pa.float64()))
        except pa.ArrowInvalid:
            return None
    return pa.chunked_array(parts, pa.float64())


def row_with_thousands(column: Any) -> int | None:
    """Return the first row with a thousands separator if all cells of a text column are numbers."""
    from pyarrow import compute as pc

    found, start = None, 0
    for chunk in column.chunks:
        known = _known(chunk)
        is_grouped = pc.match_substring_regex(known, f"^({_GROUPED})$")
        is_number = pc.match_substring_regex(known, f"^({_NUMBER})$")
        if not pc.all(pc.or_(is_grouped, is_number)).as_py():
            return None
        if found is None and pc.any(is_grouped).as_py():
            found = start + pc.index(is_grouped, True).as_py()
        start += len(chunk)
    return found


def _known(chunk: Any) -> Any:
    """Return text without blanks around it, null where a number is missing."""
    import pyarrow as pa
    from pyarrow import compute as pc

    texts = pc.utf8_trim_whitespace(chunk)
    return pc.if_else(pc.is_in(texts, value_set=pa.array(MISSING_NUMBERS)), None, texts)
