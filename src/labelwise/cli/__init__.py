"""The command line program: parse options, call the stages, print results.

`_app` has the signature of every command, `_options` the options that commands share, and
`commands` one file a command. Nothing imports this package, and it computes nothing itself.
"""

from labelwise.cli._app import app
from labelwise.cli._program import main

__all__ = ["app", "main"]
