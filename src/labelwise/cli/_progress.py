"""Show a status line on the terminal during long work."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from labelwise.cli.running import current_settings


def working(message: str) -> AbstractContextManager[Any]:
    """Return a context that shows a message on stderr, if stderr is a terminal.

    There is no message with --quiet. rich omits colours if the variable NO_COLOR is set.
    """
    if current_settings().quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    # Plain text, because rich would read brackets in a message as markup.
    return Console(stderr=True).status(Text(message))
