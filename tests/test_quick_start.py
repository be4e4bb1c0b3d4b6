"""The code and the commands of the documentation pages for beginners run as they stand."""

import re
import shlex
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labelwise.data import load
from labelwise.measures import evaluate
from tests.cli.shell import run

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"```(python|sh)\n(.*?)```", re.DOTALL)


def run_page(page, folder, known):
    """Run the Python code and the commands of a page in a folder, in their order."""
    with chdir(folder):
        for kind, code in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
            if kind == "python":
                exec(compile(code, page, "exec"), known)
            else:
                for command in code.splitlines():
                    program, *arguments = shlex.split(command)
                    assert program == "labelwise"
                    run(*arguments)
    return known


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("quick_start")


@pytest.fixture(scope="module")
def names(folder):
    return run_page("quick_start.md", folder, {"__name__": "quick_start"})


def test_the_quick_start_predicts_better_than_guessing(names):
    truth = names["new"].Y
    guessed = evaluate(truth, decided=np.ones(truth.shape))["micro-f"]
    for decided in (names["decided"], names["again"]):
        assert evaluate(truth, decided=decided)["micro-f"] > guessed + 0.1


def test_commands_and_python_code_decide_the_same(names, folder):
    written = load(folder / "decided.csv", labels=["oil", "sea", "trade"]).Y.toarray()
    assert np.array_equal(written, names["decided"])


def test_the_pages_data_and_features_describe_what_their_code_prints(tmp_path, capsys):
    known = {"__name__": "pages"}
    for page in ("stages/data.md", "stages/features.md"):
        run_page(page, tmp_path, known)
    printed = capsys.readouterr().out.splitlines()
    said = [
        comment
        for page in ("stages/data.md", "stages/features.md")
        for comment in re.findall(r"print\(.*\)  # (.*)", (DOCS / page).read_text("utf-8"))
    ]
    assert printed == said
    assert np.array_equal(known["decided"], known["model"].predict(known["posts"].samples))


def test_the_page_decisions_says_the_same_in_python_and_on_the_command_line(tmp_path, capsys):
    known = run_page("stages/decisions.md", tmp_path, {"__name__": "decisions"})
    assert f"about {known['bands'].review_per_1000:,.0f} cells of" in capsys.readouterr().out
    states = pd.read_csv(tmp_path / "states.csv", index_col="id")
    assert np.array_equal(states, known["decided"])
    queue = (tmp_path / "queue.csv").read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in queue] == known["queue"].rows.astype(str).tolist()
