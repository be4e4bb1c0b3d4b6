"""The command line program: parse options, call the stages, print results.

`_program` names the commands; `commands` has one file for each: its signature, the call of the
stages, and what it prints. `_options` declares the options that several commands have, `_outputs`
writes and prints, `running` runs commands. No other package imports this one.
"""

import sys
from typing import TYPE_CHECKING

from labelwise import _extras
from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.cli._program import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; an error ends with one sentence on stderr and exit code 1 or 2."""
    try:
        _extras.require("typer", "the command line")
    except _extras.MissingPackageError as error:
        sys.exit(f"labelwise: {error}")
    import labelwise.cli._program as program

    program.run()


publish(__name__)
