"""Text columns of csv files that are numbers with decimal commas."""

from __future__ import annotations

from typing import Any

from labelwise._columns import MISSING_NUMBERS


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


def _known(chunk: Any) -> Any:
    """Return text without blanks around it, null where a number is missing."""
    import pyarrow as pa
    from pyarrow import compute as pc

    texts = pc.utf8_trim_whitespace(chunk)
    return pc.if_else(pc.is_in(texts, value_set=pa.array(MISSING_NUMBERS)), None, texts)
