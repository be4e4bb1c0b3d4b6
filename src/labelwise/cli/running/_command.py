"""Commands of the program: functions whose parameters are the options.

`command` makes a function a command of the program, and adds the options that commands share. A
parameter whose type is a record (a NamedTuple or a dataclass) stands for an option for each of its
fields, so that options of several commands are declared once, where the record is.

The file of a command is imported when the command is asked for (`load_command`), and its top
imports nothing heavy, so that help is printed before NumPy would be loaded.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from textwrap import indent
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command

from labelwise.cli.running._errors import FAILURES, errors_name_options, exit_code
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
# A program of one command for each command whose file was imported.
_PROGRAMS: dict[str, typer.Typer] = {}


def command(
    *,
    example: str,
    json: bool = False,
    force: bool = False,
    inputs: Sequence[str] = (),
    without: Sequence[str] = (),
) -> Callable[[_Function], _Function]:
    """Return a decorator that makes a function a command, and leaves the function as it is.

    Parameters
    ----------
    example : str
        Command line to print below the help; it may have several lines.
    json : bool, default=False
        Whether the command has the option --json.
    force : bool, default=False
        Whether the command has the option --force.
    inputs : sequence of str, default=()
        Names of the arguments that are csv files, for which ``-`` is the standard input.
    without : sequence of str, default=()
        Fields of records that are not options of this command, and have their defaults.
    """
    has = {"json": json, "force": force, "quiet": True, "debug": True}
    shared = [name for name in _SHARED if has[name]]

    def add(function: _Function) -> _Function:
        name = function.__name__.replace("_", "-")
        own = inspect.signature(function, eval_str=True).parameters.values()
        records = {
            one.name: (one.annotation, _record_options(one.annotation, without))
            for one in own
            if _is_record(one.annotation)
        }

        @wraps(function)
        def run(**given: Any) -> None:
            settings = Settings(**{option: given.pop(option) for option in shared})
            with (
                settings_in_use(settings),
                _traceback(settings.debug),
                errors_name_options(lambda: get_command(_PROGRAMS[name])),
                standard_input_as_file(given, inputs) as arguments,
            ):
                made = {
                    of: record(**{one.name: arguments.pop(one.name) for one in parts})
                    for of, (record, parts) in records.items()
                }
                function(**arguments, **made)

        options = [part for one in own for part in records.get(one.name, (None, [one]))[1]]
        options += [
            _option(option, Annotated[bool, _SHARED[option]], default=False) for option in shared
        ]
        # typer makes the options from the signature and the annotations.
        options = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in options]
        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in options}
        program = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        program.command(name, epilog=example_text(example), cls=_Command)(run)
        _PROGRAMS[name] = program
        return function

    return add


def load_command(name: str) -> Any:
    """Import the file of a command, and return the command for the parser."""
    import_module(f"labelwise.cli.commands._{name.replace('-', '_')}")
    return get_command(_PROGRAMS[name])


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


def _is_record(annotation: Any) -> bool:
    return isinstance(annotation, type) and (
        is_dataclass(annotation) or hasattr(annotation, "_field_defaults")
    )


def _record_options(record: Any, without: Sequence[str]) -> list[inspect.Parameter]:
    """Return the fields of a record as options.

    A field is declared as an option by its annotation, such as ``Annotated[int, typer.Option()]``,
    or by ``metadata={"help": ...}`` in a dataclass that knows nothing of command lines.
    """
    types = get_type_hints(record, include_extras=True)
    if is_dataclass(record):
        defaults = {one.name: one.default for one in fields(record) if one.default is not MISSING}
        helps = {one.name: one.metadata.get("help") for one in fields(record)}
    else:
        defaults, helps = record._field_defaults, {}
    options = []
    for name, kind in types.items():
        if name in without:
            continue
        if helps.get(name):
            kind = Annotated[kind, typer.Option(help=helps[name])]
        options.append(_option(name, kind, defaults.get(name, inspect.Parameter.empty)))
    return options


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def example_text(example: str) -> str:
    """Return the end of a help text: an example, with its line breaks."""
    # The character \b keeps the line breaks of a paragraph.
    paragraphs = f"Example:\n{indent(example.strip(), '  ')}".split("\n\n")
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in paragraphs)


class Settings(NamedTuple):
    """The shared options as the user typed them; a command need not have all of them."""

    json: bool = False
    quiet: bool = False
    force: bool = False
    debug: bool = False


_CURRENT: ContextVar[Settings] = ContextVar("settings")


def current_settings() -> Settings:
    """Return the shared options of the running command; all are off outside of a command."""
    return _CURRENT.get(Settings())


@contextmanager
def settings_in_use(settings: Settings) -> Iterator[None]:
    """Make these the options of the running command until the end of the context."""
    token = _CURRENT.set(settings)
    try:
        yield
    finally:
        _CURRENT.reset(token)


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
