"""Start the command line program, and turn errors into one sentence on stderr."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from io import TextIOWrapper
from typing import Any

from labelwise._text import printable
from labelwise.cli._app import app
from labelwise.cli.running import FAILURES, exit_code, message

# New objects between two runs of the garbage collector. Imports create half a million objects that
# are never freed; by Python's default, 700, they would be visited again and again, for a tenth of
# the time of a short command.
_OBJECTS_PER_COLLECTION = 200_000
# Messages name paths and labels, and a label's name has no limit of its own.
_LONGEST_MESSAGE = 2000


def main() -> None:
    """Run the command line; an error ends with one sentence on stderr and exit code 1 or 2."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    atexit.register(gc.disable)  # Python would collect all objects before it ends
    # joblib starts its processes with python -m, which would take modules from the current folder.
    os.environ["PYTHONSAFEPATH"] = "1"
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks is escaped instead of raising an error.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app()
    except FAILURES as error:
        sys.stderr.write(f"labelwise: {printable(message(error), _LONGEST_MESSAGE)}\n")
        sys.exit(exit_code(error))


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning without the file and line of the program that caused it."""
    from labelwise.cli._outputs import note

    note(str(message))
