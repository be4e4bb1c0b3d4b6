"""Start the command line program, and turn errors into one sentence on stderr."""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper

from labelwise._text import printable
from labelwise.cli._app import app

# Messages name paths and labels, and a label's name has no limit of its own.
_LONGEST_MESSAGE = 2000
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EFBIG)


def main() -> None:
    """Run the command line; wrong input ends with one sentence on stderr and exit code 2."""
    # joblib starts its processes with python -m, which would take modules from the current folder.
    os.environ["PYTHONSAFEPATH"] = "1"
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks is escaped instead of raising an error.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError) as error:
        sys.stderr.write(f"labelwise: {printable(_message(error), _LONGEST_MESSAGE)}\n")
        sys.exit(2)


def _message(error: Exception) -> str:
    """Return the message of an error; a full disk without a file name is that of the output."""
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_ERRORS:
        return f"the output cannot be written ({error.strerror})."
    if isinstance(error, MemoryError):
        return f"this takes more memory than there is ({error})."
    return str(error) or type(error).__name__
