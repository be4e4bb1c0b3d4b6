"""The command line as a user meets it: what a command shows, and how it refuses."""

import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from labelwise.cli import app, main

# In the order of the help.
COMMANDS = typer.main.get_command(app).list_commands(None)


def run(*arguments):
    """What a command that works writes to its output; an error is raised."""
    done = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def notes(*arguments):
    """The notes that a command that works writes to stderr, without the prefix of each."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, (done.output, done.exception)
    lines = done.stderr.splitlines()
    assert all(line.startswith("labelwise: note: ") for line in lines), done.stderr
    return [line.removeprefix("labelwise: note: ") for line in lines]


def refusal(monkeypatch, capsys, *arguments):
    """What a user sees of a command that fails: one sentence and exit code 1 or 2."""
    monkeypatch.setattr("sys.argv", ["labelwise", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (1, 2)
    shown = capsys.readouterr()
    assert shown.out == ""
    errors = [line for line in shown.err.splitlines() if not line.startswith("labelwise: note: ")]
    assert len(errors) == 1, shown.err
    return f"{errors[0]}\n"


class Done(NamedTuple):
    """Exit code and output of a program."""

    code: int
    stdout: str
    stderr: str


def run_program(folder, *arguments, stdin=b""):
    """Run the program in a folder as the shell would, but in this process, which has numba warm."""
    streams = [TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2)]
    code = 0
    with chdir(folder), redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        kept, sys.argv = (sys.argv, sys.stdin), ["labelwise", *map(str, arguments)]
        sys.stdin = TextIOWrapper(BytesIO(stdin), encoding="utf-8")
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        finally:
            sys.argv, sys.stdin = kept
    for stream in streams:
        stream.flush()
    return Done(code, *(stream.buffer.getvalue().decode() for stream in streams))
