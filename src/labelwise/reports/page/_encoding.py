"""Data inside a page: arrays as base64, and JSON that no script element can end."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

# Larger numbers are in a list of their own.
_ESCAPE = 255
_CODES: dict[Any, str] = {np.uint8: "u1", np.int32: "i4", np.float32: "f4", np.float64: "f8"}


def packed(array: Any, kind: Any) -> dict[str, str]:
    """Encode an array as little-endian bytes in base64, with the code of its type."""
    code = _CODES[kind]
    content = np.ascontiguousarray(array, dtype=f"<{code}").tobytes()
    return {"type": code, "data": base64.b64encode(content).decode("ascii")}


def packed_small(array: Any) -> dict[str, str]:
    """Encode whole numbers, most of them small, in a byte each; the others follow as int32."""
    numbers = np.ravel(array)
    large = numbers >= _ESCAPE
    content = np.where(large, _ESCAPE, numbers).astype(np.uint8).tobytes()
    rest = numbers[large].astype("<i4").tobytes()
    return {
        "type": "small",
        "data": base64.b64encode(content).decode("ascii"),
        "rest": base64.b64encode(rest).decode("ascii"),
    }


def as_script(data: Any) -> str:
    """Write data as ASCII JSON for a script element, without any <, > or &.

    Text of a script element ends at ``</script`` and changes its meaning at ``<!--``, whatever
    JSON string contains them.
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
