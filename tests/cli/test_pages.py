"""--report writes the page of what a command shows, and report that of a store."""

import json
import re

import pytest

from tests.cli.shell import run_program
from tests.experiments.small_studies import study


def data_of(path):
    """The data of a page."""
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)[1])


COMMANDS = {
    "describe": ("describe", "data.csv", "--labels", "sea,sky"),
    "split": ("split", "data.csv", "--labels", "sea,sky", "--folds", "3"),
    "evaluate": ("evaluate", "labels.csv", "--scores", "scores.csv"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_its_page_beside_what_it_prints(small_folder, name):
    plain = run_program(small_folder, *COMMANDS[name])
    done = run_program(small_folder, *COMMANDS[name], "--report", "page.html")
    assert done.code == 0, done.stderr
    assert done.stdout == f"{plain.stdout}written to page.html\n"
    assert data_of(small_folder / "page.html")["blocks"]
    again = run_program(small_folder, *COMMANDS[name], "--report", "page.html")
    assert again.code != 0
    assert "--force overwrites it" in again.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_must_end_in_html_and_leave_its_input_alone(small_folder, name):
    done = run_program(small_folder, *COMMANDS[name], "--report", "page.txt")
    assert (done.code, done.stdout) == (2, "")
    assert "page.txt must end in .html" in done.stderr


def test_labels_of_a_split_have_the_names_of_the_table(small_folder):
    run_program(small_folder, *COMMANDS["split"], "--report", "page.html")
    table = data_of(small_folder / "page.html")["blocks"]["labels-0"]
    assert sorted(table["columns"][0]["values"]) == ["sea", "sky"]


@pytest.fixture
def store(tmp_path):
    study().run(tmp_path / "study.sqlite")
    return tmp_path


def test_a_store_is_written_as_a_page(store):
    done = run_program(store, "report", "study.sqlite", "-o", "study.html")
    assert (done.code, done.stdout) == (0, "written to study.html\n"), done.stderr
    data = data_of(store / "study.html")
    names = [option["name"] for option in data["blocks"]["results-0"]["options"]]
    assert names == ["micro-f", "hamming-loss", "coverage"]
    done = run_program(store, "report", "study.sqlite", "-o", "x.html", "--study", "another")
    assert "study must be the name of a study" in done.stderr
    done = run_program(store, "report", "study.sqlite", "-o", "x.html", "--title", "T")
    assert "a data set and --model, are needed with --title" in done.stderr
    assert not (store / "x.html").exists()


def test_scores_without_labels_are_no_store(small_folder):
    done = run_program(small_folder, "report", "scores.csv", "-o", "x.html")
    assert done.code != 0
    assert "scores.csv: is not a store of a study" in done.stderr
