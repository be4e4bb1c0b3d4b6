"""Show a status line on the terminal during long work."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr
from typing import Any

from labelwise.cli.running import current_settings


def shows_status() -> bool:
    """Return whether a status line is shown: only on a terminal, and not with --quiet."""
    return sys.stderr.isatty() and not current_settings().quiet


def working(message: str) -> AbstractContextManager[Any]:
    """Return a context that shows a message on stderr, if stderr is a terminal.

    There is no message with --quiet. rich omits colours if the variable NO_COLOR is set.
    """
    if not shows_status():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    # Plain text, because rich would read brackets in a message as markup. The console keeps its
    # stream while `following` redirects stderr.
    return Console(file=sys.stderr).status(Text(message))


@contextmanager
def following(message: str) -> Iterator[None]:
    """Show a message, and on a terminal after it the last line that was written to stderr."""
    with working(message) as status, _redirected(status, message):
        yield


def _redirected(status: Any, message: str) -> AbstractContextManager[Any]:
    return redirect_stderr(_StatusLines(status, message)) if status else nullcontext()


class _StatusLines(io.TextIOBase):
    """A stream whose lines, such as "BinaryRelevance: part 3 of 10", become the status."""

    def __init__(self, status: Any, message: str) -> None:
        self._status, self._message = status, message

    def write(self, text: str) -> int:
        from rich.text import Text

        if text.strip():
            step = text.strip().partition(": ")[2] or text.strip()
            self._status.update(Text(f"{self._message}: {step}"))
        return len(text)
