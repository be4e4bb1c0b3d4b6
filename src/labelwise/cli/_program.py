"""The program: its commands by name, and `run`, which turns errors into one sentence."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from labelwise import __version__
from labelwise._text import printable
from labelwise.cli.running import (
    FAILURES,
    example_text,
    exit_code,
    load_command,
    message,
    with_options,
)

# In the order of the help. The command warm-up is the function warm_up in commands/_warm_up.py.
COMMANDS = (
    *("describe", "split", "select", "learners", "fit", "predict", "thresholds"),
    *("tune", "adapt", "decide", "evaluate", "report", "doctor"),
    *("expect", "audit", "check", "monitor"),
    *("compare", "results", "reproduce", "warm-up", "demo"),
)
# New objects between two runs of the garbage collector. Imports create half a million objects that
# are never freed; by Python's default, 700, they would be visited again and again, for a tenth of
# the time of a short command.
_OBJECTS_PER_COLLECTION = 200_000
# Messages name paths and labels, and a label's name has no limit of its own.
_LONGEST_MESSAGE = 2000
_EXAMPLE = """
labelwise fit train.csv --labels 'topic_*' -o model.skops
labelwise predict model.skops new.csv -o labels.csv
"""


class _Commands(TyperGroup):
    """The commands, each imported from its file when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        # A name that is not a command is compared with all that are, for "Did you mean".
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.commands[name] = load_command(name)
        return self.commands.get(cmd_name)


app = typer.Typer(
    name="labelwise",
    cls=_Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"labelwise {__version__}")
        raise typer.Exit


@app.callback(epilog=example_text(_EXAMPLE))
def labelwise(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Multi-label classification: read, split, score, decide, measure, compare, report."""


def run() -> None:
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

    note(with_options(str(message)))
