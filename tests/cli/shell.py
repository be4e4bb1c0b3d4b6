"""The command line as a user meets it: what a command shows, and how it refuses."""

import pytest
from typer.testing import CliRunner

from labelwise.cli import app, main


def run(*arguments):
    """What a command that works writes to its output."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def refusal(monkeypatch, capsys, *arguments):
    """What a user sees of a command that fails: one sentence and exit code 2."""
    monkeypatch.setattr("sys.argv", ["labelwise", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err
