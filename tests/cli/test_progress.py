"""The status line of a terminal follows the messages of a learner; a pipe gets none of it."""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from rich.status import Status

import labelwise
from labelwise.cli import main
from labelwise.cli._outputs import following, working
from labelwise.data import make_multilabel
from tests.cli.shell import run_program

MESSAGE = "BinaryRelevance: paths of penalties, part 3 of 10\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def as_terminal(monkeypatch):
    """Make stderr a terminal; called in the test, because pytest sets stderr after fixtures."""
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_the_status_line_shows_the_last_message(monkeypatch):
    terminal = as_terminal(monkeypatch)
    with following("learning br"):
        sys.stderr.write(MESSAGE)
    assert "learning br: paths of penalties, part 3 of 10" in terminal.getvalue()
    assert "BinaryRelevance" not in terminal.getvalue()
    assert sys.stderr is terminal
    with working("reading [red]"):
        pass
    assert "reading [red]" in terminal.getvalue()


def test_in_a_pipe_messages_stay_lines(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with following("learning br"):
        stream.write(MESSAGE)
    assert stream.getvalue() == MESSAGE


def test_fit_shows_its_parts_on_a_terminal_only(tmp_path, monkeypatch):
    data = make_multilabel(40, n_features=3, n_labels=2, random_state=0)[0]
    columns = dict(zip("abc", np.round(data.X, 3).T, strict=True))
    truth = dict(zip("yz", data.Y.toarray().astype(int).T, strict=True))
    pd.DataFrame(columns | truth).to_csv(tmp_path / "d.csv", index=False)
    arguments = ["fit", "d.csv", "--labels", "y,z", "--learner", "br", "-o", "m.skops"]
    monkeypatch.chdir(tmp_path)
    as_terminal(monkeypatch)
    # What is drawn depends on the time, because the line is drawn a few times a second.
    seen = []
    monkeypatch.setattr(Status, "update", lambda _, text: seen.append(text.plain))
    monkeypatch.setattr("sys.argv", ["labelwise", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert any(text.startswith("learning br: paths of penalties, part ") for text in seen)
    fitted = labelwise.load(tmp_path / "m.skops")
    assert fitted.estimator.verbose == fitted.estimator_.verbose == 0
    (tmp_path / "m.skops").unlink()
    done = run_program(tmp_path, *arguments)
    assert done.code == 0
    assert "part" not in done.stderr
