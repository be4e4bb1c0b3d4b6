"""Figures of tune and evaluate: written in each format, names as they are, endings first."""

from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from labelwise.cli.commands._evaluate import label_figure
from labelwise.data import make_multilabel
from labelwise.measures import evaluate
from tests.cli.shell import run_program

DATA = make_multilabel(40, n_features=3, n_labels=3, random_state=0)[0]
NAMES = ["a$b$", "_under", "x\x1b[31m"]
TRUTH = DATA.Y.toarray().astype(int)
SCORES = TRUTH + np.random.default_rng(0).normal(size=TRUTH.shape)
STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def folder(tmp_path):
    pd.DataFrame(TRUTH, columns=NAMES).to_csv(tmp_path / "y.csv", index=False)
    pd.DataFrame(SCORES, columns=NAMES).to_csv(tmp_path / "s.csv", index=False)
    pd.DataFrame((SCORES > 0.5) * 1, columns=NAMES).to_csv(tmp_path / "d.csv", index=False)
    return tmp_path


COMMANDS = {
    "tune": ("tune", "s.csv", "y.csv"),
    "decided": ("evaluate", "y.csv", "--decided", "d.csv"),
    "scores": ("evaluate", "y.csv", "--scores", "s.csv"),
}


def test_long_names_leave_room_for_the_axes():
    names = ["n" * 100_000, *NAMES[1:]]
    figure = label_figure(evaluate(TRUTH, scores=SCORES, label_names=names))
    figure.savefig(BytesIO())  # matplotlib warns of axes without room, and warnings are errors
    assert figure.axes[0].get_position().width > 0.3


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ending", STARTS)
def test_a_figure_is_written_in_the_format_of_its_ending(folder, command, ending):
    done = run_program(folder, *COMMANDS[command], "--plot", f"f.{ending}")
    assert done.code == 0, done.stderr
    assert f"written to f.{ending}" in done.stdout
    assert (folder / f"f.{ending}").read_bytes().startswith(STARTS[ending])


@pytest.mark.parametrize("command", COMMANDS)
def test_the_ending_of_a_figure_is_checked_before_files_are_read(folder, command):
    arguments = [part.replace(".csv", ".none") for part in COMMANDS[command]]
    done = run_program(folder, *arguments, "--plot", "f.gif")
    assert (done.code, done.stdout) == (2, "")
    assert "f.gif must end in .png or .svg or .pdf" in done.stderr


def test_the_worst_label_is_drawn_on_top_and_names_are_escaped():
    found = evaluate(TRUTH, decided=(SCORES > 0.5) * 1, label_names=NAMES)
    (ax,) = label_figure(found).axes
    order = np.argsort(found.per_label["f"])
    lines = {line.get_label(): line.get_xdata() for line in ax.lines}
    assert list(lines) == ["precision", "recall", "f"]
    for name, values in lines.items():
        np.testing.assert_array_equal(values, found.per_label[name][order])
    words = " ".join(text.get_text() for text in ax.get_yticklabels())
    assert r"a\$b\$" in words
    assert "\x1b" not in words
