"""Commands of the program: functions whose parameters are the options.

`command` makes a function a command of the program, and adds the options that commands share.
Options that are declared elsewhere are not written again. A parameter whose type is a NamedTuple,
such as `DataSource`, stands for an option for each of its fields. A parameter
``Annotated[dict[str, Any], Request]`` stands for all options that the dataclass `Request` of a
stage declares, and gets their values by name; ``beta: Annotated[float, Request]`` for one of them.

The file of a command is imported when the command is asked for (`load_command`), and its top
imports nothing heavy, so that help is printed before NumPy would be loaded.
"""

from __future__ import annotations

import inspect
import os
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import fields
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command

from labelwise.cli.running._errors import (
    FAILURES,
    WRONG_USAGE,
    errors_exit_with,
    errors_name_options,
    exit_code,
    long_names_in_options,
    options_of,
)

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
PROGRAMS: dict[str, typer.Typer] = {}


def command(
    *,
    example: str,
    json: bool = False,
    force: bool = False,
    inputs: Sequence[str] = (),
    without: Sequence[str] = (),
    finds: bool = False,
) -> Callable[[_Function], _Function]:
    """Return a decorator that makes a function a command, and leaves the function as it is.

    The help ends with the lines of `example`. The command has --json and --force if these are
    asked for; ``-`` is the standard input for the arguments named in `inputs`; `without` names
    fields of records that are not options of this command, and have their defaults. A command
    that `finds` something ends with 1 if it does, so that errors end with 2.
    """
    has = {"json": json, "force": force, "quiet": True, "debug": True}
    shared = [name for name in _SHARED if has[name]]

    def add(function: _Function) -> _Function:
        name = function.__name__.replace("_", "-")
        own = inspect.signature(function, eval_str=True).parameters.values()
        groups = {one.name: _group(one.name, one.annotation, without) for one in own}

        @wraps(function)
        def run(**given: Any) -> None:
            typed = {option: given.pop(option) for option in shared}
            settings = Settings(**typed, command=name)
            with (
                settings_in_use(settings),
                _traceback(settings.debug),
                errors_exit_with(WRONG_USAGE) if finds else nullcontext(),
                errors_name_options(lambda: get_command(PROGRAMS[name])),
                standard_input_as_file(given, inputs) as arguments,
            ):
                made = {
                    of: group.make({one.name: arguments.pop(one.name) for one in group.options})
                    for of, group in groups.items()
                    if group is not None
                }
                function(**arguments, **made)

        options = []
        for one in own:
            group = groups[one.name]
            options += [one] if group is None else group.options
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
        PROGRAMS[name] = program
        return function

    return add


def load_command(name: str) -> Any:
    """Import the file of a command, and return the command for the parser."""
    import_module(f"labelwise.cli.commands._{name.replace('-', '_')}")
    return get_command(PROGRAMS[name])


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


class _Group(NamedTuple):
    """Options that a command takes as one argument, and the function that makes it of them."""

    options: list[inspect.Parameter]
    make: Callable[[dict[str, Any]], Any]


def _group(name: str, annotation: Any, without: Sequence[str]) -> _Group | None:
    """Return the options that a parameter stands for; None if it is an option itself."""
    if hasattr(annotation, "_field_defaults"):
        types = get_type_hints(annotation, include_extras=True)
        defaults = annotation._field_defaults
        options = [
            _option(field, kind, defaults.get(field, inspect.Parameter.empty))
            for field, kind in types.items()
            if field not in without
        ]
        return _Group(options, lambda given: annotation(**given))
    records = [one for one in get_args(annotation)[1:] if hasattr(one, "__dataclass_fields__")]
    if not records:
        return None
    declared = {of: one for of, one in _declared(*records).items() if of not in without}
    is_one = name in declared
    if is_one:
        declared = {name: declared[name]}
    options = []
    for field, option in declared.items():
        kind = option.kind if option.typed_default is not None else option.kind | None
        text = typer.Option(_flag(field), help=option.help)
        options.append(_option(field, Annotated[kind, text], option.typed_default))
    return _Group(
        options,
        lambda given: _parsed(declared, given)[name] if is_one else _parsed(declared, given),
    )


class _DeclaredOption(NamedTuple):
    """An option of a command that a field of a dataclass declares."""

    help: str
    kind: Any
    parse: Callable[[str, str], Any] | None
    typed_default: Any


def _declared(*records: Any) -> dict[str, _DeclaredOption]:
    """Return the options that dataclasses declare for commands, in ``metadata["option"]``."""
    found = {}
    for one in (one for record in records for one in fields(record)):
        option = one.metadata.get("option")
        if option is not None and option.in_command:
            default = option.other_default if option.has_other_default else one.default
            found[one.name] = _DeclaredOption(option.help, option.kind, option.parse, default)
    return found


def declared_defaults(*records: Any) -> dict[str, Any]:
    """Return the default values that commands have for the options that dataclasses declare."""
    return {name: option.typed_default for name, option in _declared(*records).items()}


def _parsed(declared: dict[str, _DeclaredOption], given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of declared options, with texts parsed."""
    return {
        name: value
        if value is None or declared[name].parse is None
        else declared[name].parse(value, _flag(name))  # type: ignore[misc]
        for name, value in given.items()
    }


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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
    command: str | None = None


_CURRENT: ContextVar[Settings] = ContextVar("settings")


def current_settings() -> Settings:
    """Return the shared options of the running command; all are off outside of a command."""
    return _CURRENT.get(Settings())


def with_options(text: str) -> str:
    """Write options of the running command where a text of a stage names arguments."""
    name = current_settings().command
    if name is None:
        return text
    return long_names_in_options(text, options_of(get_command(PROGRAMS[name])))


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


_DASH, _NAME = "-", "stdin.csv"
_BLOCK = 2**20


@contextmanager
def standard_input_as_file(
    given: dict[str, Any], inputs: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a command, with ``-`` replaced by a file of the standard input.

    `inputs` are the names of the arguments that are input files.
    """
    asked = [name for name in inputs if str(given[name]) == _DASH]
    if len(asked) > 1:
        raise ValueError(
            f"- is the standard input, which can be one input file, got {' and '.join(asked)}."
        )
    if not asked:
        yield given
        return
    for name, value in given.items():
        if name not in inputs and isinstance(value, Path) and _is_standard_input(value):
            raise OSError(f"{value} cannot be written: this command reads it.")
    with tempfile.TemporaryDirectory(prefix="labelwise-") as folder:
        path = Path(folder) / _NAME
        _copy_standard_input(path, given.get("max_bytes"))
        try:
            yield {**given, asked[0]: type(given[asked[0]])(path)}
        except ValueError as error:
            # The file is removed, so that its path would mean nothing to the user.
            error.args = (str(error).replace(str(path), _NAME),)
            raise


def _is_standard_input(path: Path) -> bool:
    """Return whether the standard input is this file, by a redirection of the shell."""
    try:
        read = os.fstat(sys.stdin.fileno())
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, path.stat())
    except (AttributeError, OSError, ValueError):  # closed, or no file of the system
        return False


def _copy_standard_input(path: Path, max_bytes: int | None) -> None:
    """Write the standard input to a file, unless it is larger than the bound."""
    from labelwise._io import DataError, bound_of

    bound, size = bound_of(_NAME, max_bytes), 0
    if sys.stdin is None:
        raise DataError(_NAME, "the standard input is closed.")
    with path.open("wb") as file:
        while block := sys.stdin.buffer.read(_BLOCK):
            size += len(block)
            bound.check(size, "the standard input, as far as it was read,")
            file.write(block)
