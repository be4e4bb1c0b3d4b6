"""Errors that users can cause: their exit codes, and their one sentence in the words of options.

Functions of the stages name their arguments in error messages; users of a command typed options.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from labelwise._extras import MissingPackageError

# Other errors are faults of the program, and end with a traceback.
FAILURES = (ValueError, TypeError, OSError, MemoryError, MissingPackageError)
FAILED, WRONG_USAGE = 1, 2
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EFBIG)
# Arguments of functions whose options have other names.
_OTHER_NAMES = {
    "random_state": "seed",
    "n_bootstrap": "bootstrap",
    "max_review": "review",
    "n_cells": "cells",
    "n_jobs": "jobs",
    "budget": "time",
    "sample_weight": "weights",
}
_BEFORE_NAMES = "together with|needs|without|under"
_AFTER_NAMES = "must|cannot|does not|needs"
_ALONE = r"(?<![\w'\"-])"


def exit_code(error: Exception) -> int:
    """Return 2 for wrong arguments, 1 for files, memory, packages and constraints not met.

    Of a command that ends with 1 for what it finds, every error has the exit code 2.
    """
    from labelwise._io import DataError
    from labelwise._tuning import InfeasibleError

    failures = DataError | InfeasibleError | OSError | MemoryError | MissingPackageError
    usual = FAILED if isinstance(error, failures) else WRONG_USAGE
    return int(getattr(error, "exit_code", usual))


@contextmanager
def errors_exit_with(code: int) -> Iterator[None]:
    """Give errors an exit code of their own."""
    try:
        yield
    except FAILURES as error:
        error.exit_code = code  # type: ignore[union-attr]
        raise


def message(error: Exception) -> str:
    """Return the message of an error; a full disk without a file name is that of the output."""
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_ERRORS:
        return f"the output cannot be written ({error.strerror})."
    if isinstance(error, MemoryError):
        return f"this takes more memory than there is ({error})."
    return str(error) or type(error).__name__


@contextmanager
def errors_name_options(command: Callable[[], Any]) -> Iterator[None]:
    """Rename the arguments in errors about arguments to the options of a command.

    `command` makes the command for the parser, which is needed only if there is an error.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        from labelwise._io import DataError

        if error.args and isinstance(error.args[0], str):
            options = options_of(command())
            # An error in a file has words of the file; only `name=value` is an argument there.
            translate = assignments_in_options if isinstance(error, DataError) else in_options
            error.args = (translate(error.args[0], options), *error.args[1:])
        raise


def options_of(command: Any) -> dict[str, str]:
    """Return the options of a command by the names that arguments of functions have."""
    found = {}
    for one in command.params:
        if one.param_type_name == "option":
            option = next((name for name in one.opts if name.startswith("--")), one.opts[0])
            key = option[2:].replace("-", "_") if option.startswith("--") else one.name
            found[key] = option
    others = {name: found[option] for name, option in _OTHER_NAMES.items() if option in found}
    return found | others


def in_options(text: str, options: Mapping[str, str]) -> str:
    """Write options where a message names arguments; names in quotes are left as they are.

    A name of one word is one only where a sentence is about arguments: at its beginning before
    "must", and after "together with" and such words. A message with an option is left as it is.
    """
    if "--" in text or not options:
        return text
    every = "|".join(sorted(options, key=len, reverse=True))
    text = long_names_in_options(text, options)
    text = re.sub(rf"^({every})(?= (?:{_AFTER_NAMES})\b)", lambda m: options[m[1]], text)
    return re.sub(
        rf"\b({_BEFORE_NAMES}) ({every})(?![\w'\"=-])", lambda m: f"{m[1]} {options[m[2]]}", text
    )


def long_names_in_options(text: str, options: Mapping[str, str]) -> str:
    """Write options where a text gives arguments a value, or names one of several words."""
    if "--" in text or not options:
        return text
    if "maximize" in options:
        text = re.sub(r'average="(\w+)"', r"--maximize \1-NAME", text)
    joined = "|".join(name for name in options if "_" in name) or "|".join(options)
    text = assignments_in_options(text, options)
    return re.sub(rf"{_ALONE}({joined})(?![\w'\"=])", lambda m: options[m[1]], text)


def assignments_in_options(text: str, options: Mapping[str, str]) -> str:
    """Write options where a message gives arguments a value, such as ``shared=True``."""
    if "--" in text or not options:
        return text
    if "by_position" in options:
        text = text.replace("ids=False", options["by_position"])
    every = "|".join(sorted(options, key=len, reverse=True))
    text = re.sub(rf"{_ALONE}({every})=True\b", lambda m: options[m[1]], text)
    return re.sub(
        rf"{_ALONE}({every})=\"?([\w.+-]*\w)\"?", lambda m: f"{options[m[1]]} {m[2]}", text
    )
