"""The code and the commands of the documentation pages for beginners run as they stand."""

import re
import shlex
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labelwise.data import Dataset, load
from labelwise.learners import BinaryRelevance
from labelwise.measures import count, evaluate, macro, micro, precision, recall
from labelwise.splitting import compare_splits
from tests.cli.shell import run

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"```(python|py|sh)\n(.*?)```", re.DOTALL)


def run_page(page, folder, known, with_peer=False):
    """Run the Python code and the commands of a page in a folder, in their order.

    Blocks of the language "py" are code of another package, and run only with `with_peer`.
    """
    with chdir(folder):
        for kind, code in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
            if kind == "python":
                exec(compile(code, page, "exec"), known)
            elif kind == "py":
                if with_peer:
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


def said(page):
    """What the comments behind calls of print say that they print."""
    return re.findall(r"print\(.*\)  # (.*)", (DOCS / page).read_text("utf-8"))


def test_the_pages_data_and_features_describe_what_their_code_prints(tmp_path, capsys):
    known = {"__name__": "pages"}
    for page in ("stages/data.md", "stages/features.md"):
        run_page(page, tmp_path, known)
    printed = capsys.readouterr().out.splitlines()
    assert printed == [*said("stages/data.md"), *said("stages/features.md")]
    assert np.array_equal(known["decided"], known["model"].predict(known["posts"].samples))


def test_the_page_decisions_says_the_same_in_python_and_on_the_command_line(tmp_path, capsys):
    known = run_page("stages/decisions.md", tmp_path, {"__name__": "decisions"})
    assert (
        f"about {known['bands'].evidence.review_per_1000:,.0f} cells of" in capsys.readouterr().out
    )
    states = pd.read_csv(tmp_path / "states.csv", index_col="id")
    assert np.array_equal(states, known["decided"])
    queue = (tmp_path / "queue.csv").read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in queue] == known["queue"].rows.astype(str).tolist()


def test_pages_run_on_what_a_reader_has(tmp_path):
    """Their blocks take scores, labels, a model and results that the pages do not make."""
    random = np.random.default_rng(0)
    Y = (random.random((60, 2)) < 0.4).astype(int)
    X = Y @ [[2.0, 0, 1], [0, 2, 1]] + random.normal(size=(60, 3))
    known = {
        "X": X,
        "Y": Y,
        "names": ["sea", "sky"],
        "scores": X[:, :2],
        "new_scores": X[:, :2],
        "model": BinaryRelevance(penalty=0.1).fit(X, Y),
        "dataset": Dataset(X, Y),
        "compared": compare_splits(Y, 2, random_state=0),
        "evaluation": evaluate(Y, scores=X[:, :2]),
        "results": evaluate(Y, scores=X[:, :2]),
    }
    rows = [f"r{i},{fold}" for i, fold in enumerate(known["compared"].subsets)]
    (tmp_path / "folds.csv").write_text("\n".join(["id,subset", *rows]))
    pages = (
        "index",
        *(f"stages/{one}" for one in ("splitting", "reports", "measures", "learners")),
    )
    for page in pages:
        found = run_page(f"{page}.md", tmp_path, {"__name__": "pages", **known})
        if page == "stages/splitting":
            assert found["cv"].get_n_splits() == 2
    assert found["found"].leaderboard.chosen == "blend"
    assert found["held_out"].scores.shape == Y.shape
    for name in ("report", "data", "split", "page", "study"):
        assert (tmp_path / f"{name}.html").stat().st_size > 1000


def test_the_page_on_guarantees_shows_what_a_guarantee_is_worth(tmp_path, capsys):
    known = run_page("guarantees.md", tmp_path, {"__name__": "pages"})
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in said("guarantees.md") if line not in printed] == []
    assert (
        "guaranteed on new samples with probability 0.95: micro precision at least 0.8" in printed
    )
    truth, scores = known["new_labels"], known["new_scores"]
    assert micro(precision, count(truth, known["plain"].decide(scores))) < 0.8
    assert micro(precision, count(truth, known["tuned"].decide(scores))) >= 0.8
    by_label = count(truth, known["by_label"].decide(scores))
    is_decided = known["by_label"].values < np.inf
    assert (precision(by_label)[is_decided] >= 0.8).all()
    assert macro(recall, known["counts"], "skip") > 0.75
