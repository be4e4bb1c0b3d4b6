"""A sign of life during long work, on a terminal only."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any


def working(message: str) -> AbstractContextManager[Any]:
    """Return a context that shows what is done, on stderr so that output stays clean."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    # As plain text: brackets are no markup here.
    return Console(stderr=True).status(Text(message))
