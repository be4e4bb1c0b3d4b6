"""Find every object inside a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def parts_of(model: Any) -> Iterator[Any]:
    """Yield the model and every object in it, each once."""
    waiting, seen = [model], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, type | str | int | float | None):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel().tolist() if part.dtype == object else ())
        elif hasattr(part, "__dict__"):
            waiting.extend(vars(part).values())
