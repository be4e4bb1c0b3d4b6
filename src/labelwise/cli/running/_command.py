"""Add functions to the program as commands, with the options that commands share."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from textwrap import indent
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from labelwise.cli.running._failures import FAILURES, exit_code
from labelwise.cli.running._option_names import errors_name_options
from labelwise.cli.running._settings import Settings, settings_in_use
from labelwise.cli.running._standard_input import standard_input_as_file

# Options that are less similar to the one that was typed are not suggested.
_SIMILAR = 0.8
_Function = TypeVar("_Function", bound=Callable[..., None])
_SHARED = {
    "json": typer.Option("--json", help="Print the result as JSON, and messages to stderr."),
    "force": typer.Option("--force", help="Overwrite output files that exist."),
    "quiet": typer.Option("--quiet", "-q", help="Print results and errors only."),
    "debug": typer.Option("--debug", help="Show where an error occurred in the program."),
}


def command(
    app: typer.Typer,
    *,
    example: str,
    json: bool = False,
    force: bool = False,
    inputs: Sequence[str] = (),
) -> Callable[[_Function], _Function]:
    """Return a decorator that adds a function to the program as a command.

    Parameters
    ----------
    app : Typer
        The program.
    example : str
        Command line to print below the help; it may have several lines.
    json : bool, default=False
        Whether the command has the option --json.
    force : bool, default=False
        Whether the command has the option --force.
    inputs : sequence of str, default=()
        Names of the arguments that are csv files, for which ``-`` is the standard input.
    """
    has = {"json": json, "force": force, "quiet": True, "debug": True}
    shared = [name for name in _SHARED if has[name]]

    def add(function: _Function) -> _Function:
        @wraps(function)
        def run(**given: Any) -> None:
            settings = Settings(**{name: given.pop(name) for name in shared})
            with (
                settings_in_use(settings),
                _traceback(settings.debug),
                errors_name_options(app, function.__name__.replace("_", "-")),
                standard_input_as_file(given, inputs) as arguments,
            ):
                function(**arguments)

        # typer makes the options from the signature and the annotations.
        signature = _with_options(function, shared)
        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
        app.command(epilog=example_text(example), cls=_Command)(run)
        return function

    return add


class _Command(TyperCommand):
    """A command that suggests an option only if what was typed is nearly the same."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # The parser lists options that share a few letters with the one that it does not know.
            found = getattr(error, "possibilities", None)
            if found:
                near = get_close_matches(error.option_name, found, cutoff=_SIMILAR)  # type: ignore[attr-defined]
                error.possibilities = near  # type: ignore[attr-defined]
            raise


def _with_options(function: Callable[..., None], names: Sequence[str]) -> inspect.Signature:
    """Return the signature of a function with shared options at its end."""
    own = inspect.signature(function, eval_str=True)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    added = [
        inspect.Parameter(name, kind, default=False, annotation=Annotated[bool, _SHARED[name]])
        for name in names
    ]
    return own.replace(parameters=[*own.parameters.values(), *added])


def example_text(example: str) -> str:
    """Return the end of a help text: an example, with its line breaks."""
    # The character \b keeps the line breaks of a paragraph.
    paragraphs = f"Example:\n{indent(example.strip(), '  ')}".split("\n\n")
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in paragraphs)


@contextmanager
def _traceback(wanted: bool) -> Iterator[None]:
    """Print the traceback of an error, if wanted, and end with its exit code."""
    try:
        yield
    except BrokenPipeError:
        raise
    except FAILURES as error:
        if not wanted:
            raise
        traceback.print_exc()
        raise typer.Exit(exit_code(error)) from None
