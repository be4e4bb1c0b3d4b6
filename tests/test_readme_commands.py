"""The commands of README.md and of the page of commands run in their order, as they stand."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from labelwise.data import make_corpus, write_svmlight
from tests.cli.shell import COMMANDS, run_program
from tests.writers.arff import arff

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "command_line.md"]
# Tests of their own run the demo and the studies; warm-up starts all other commands.
ELSEWHERE = {"demo", "reproduce", "warm-up"}
UNSHOWN = {"adapt"}  # needs scores after a shift of label frequencies
N_ROWS = 60
# Commands that answer by their exit code.
CODES = {"check": {0, 1, 3}, "doctor": {0, 1}, "monitor": {0, 1}}


def table(header, *columns):
    rows = zip(*(map(str, column) for column in columns), strict=True)
    return "\n".join([header, *map(",".join, rows)]) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the commands read and no other command writes."""
    path = tmp_path_factory.mktemp("readme")
    random = np.random.default_rng(0)
    Y = (random.random((N_ROWS, 2)) < 0.4).astype(int)
    x = np.round(Y[:, 0] + random.normal(size=N_ROWS), 3)
    words = [("the storm at sea " * sea + "a blue sky " * sky + "the town") for sea, sky in Y]
    titles = [f"Page {i} on {word}" for i, word in enumerate(words)]
    subjects = ["; ".join(np.array(["sea", "sky"])[row == 1]) for row in Y]
    ids = [f"r{i}" for i in range(N_ROWS)]
    attributes = [("x", "numeric"), ("sea", ["0", "1"]), ("sky", ["0", "1"])]
    rows = [[float(a), *map(str, y)] for a, y in zip(x, Y, strict=True)]
    yeast = arff(attributes, rows, "yeast: -C -2")
    for name in ("yeast", "yeast-train", "yeast-test"):
        (path / f"{name}.arff").write_text(yeast)
    (path / "texts.csv").write_text(table("id,title,subjects", ids, titles, subjects))
    (path / "new.csv").write_text(table("id,title", ids, titles))
    (path / "table.csv").write_text(table("x,topic_sea,topic_sky", x, *Y.T))
    scores = np.round(Y + random.normal(size=Y.shape), 3)
    for name, values in (("scores", scores), ("labels", Y)):
        for file in (name, f"new_{name}", {"scores": "day17", "labels": "labels17"}[name]):
            (path / f"{file}.csv").write_text(table("id,sea,sky", ids, *values.T))
    (path / "held_out.csv").write_text(table("id,sea,sky", ids, *scores.T))
    write_svmlight(make_corpus(200, 300, 5, random_state=0), path / "corpus.svm")
    return path


def commands():
    """List the lines of the pages that begin with the program and a command, as arguments."""
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    wanted = set(COMMANDS) - ELSEWHERE
    found = [line.split() for line in lines]
    return [
        shlex.split(line, comments=True)[1:]
        for line, words in zip(lines, found, strict=True)
        if words[:1] == ["labelwise"] and words[1] in wanted
    ]


def test_every_command_of_the_pages_works(folder):
    assert {words[0] for words in commands()} == set(COMMANDS) - ELSEWHERE - UNSHOWN
    for arguments in commands():
        target = arguments.pop() if ">" in arguments else None
        done = run_program(folder, *(word for word in arguments if word != ">"))
        assert done.code in CODES.get(arguments[0], {0}), (arguments, done.stderr)
        if target is not None:
            (folder / target).write_text(done.stdout)
