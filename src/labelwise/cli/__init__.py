"""The command line program: parse options, call the stages, print results.

`_program` names the commands; `commands` has one file for each: its signature, the call of the
stages, and what it prints. `_options` declares the options that several commands have, `_outputs`
writes and prints, `running` runs commands. No other package imports this one.
"""

from labelwise.cli._program import app, main

__all__ = ["app", "main"]
