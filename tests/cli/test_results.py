"""`labelwise results --ranks` explains its tests, and draws the ranks to a file."""

import pytest

from labelwise.cli.commands._results import ranks_in_words
from labelwise.experiments import paired_values
from tests.cli.shell import refusal, run
from tests.experiments.small_studies import Frequent, rows, study

MODELS = {"a": Frequent(), "b": Frequent(shift=0.2), "c": Frequent(shift=-0.2)}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "s.sqlite"
    datasets = [rows(seed=seed, name=f"set {seed}") for seed in range(4)]
    measures = ["micro-f", "hamming-loss"]
    study(datasets=datasets, models=MODELS, measures=measures, seeds=(0,)).run(path)
    return path


def test_ranks_and_tests_explain_themselves(store, tmp_path):
    figure = tmp_path / "cd.svg"
    shown = run("results", store, "--measure", "hamming-loss", "--ranks", "--figure", figure)
    for words in (
        "Ranks by hamming-loss (lower is better): on each data set the best model has rank 1.",
        "method  average rank",
        "Over 4 data sets.",
        "Do the models differ at all? Friedman's test: if all models were equal",
        "Which models differ? Nemenyi's test: those whose average ranks differ by the critical",
        "Groups without a significant difference: ",
        "36 of 36 cells are done.",
        f"written to {figure}",
    ):
        assert words in shown
    assert figure.read_text().startswith("<?xml")


def test_undefined_means_are_explained(tmp_path):
    path = tmp_path / "s.sqlite"
    measures = ["micro-f", "sample-matthews"]
    study(models={"a": Frequent()}, measures=measures, seeds=(0,)).run(path)
    shown = run("results", path)
    assert "nan" not in shown
    assert "  undefined\n" in shown
    assert "or recall without positives: sample-matthews (" in shown
    assert "undefined" not in run("results", path, "--measure", "micro-f")


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_ending_of_the_figure_is_its_format(store, tmp_path, ending, start):
    figure = tmp_path / f"cd.{ending}"
    run("results", store, "--measure", "micro-f", "--figure", figure)
    assert figure.read_bytes().startswith(start)


def test_wrong_endings_and_missing_measures_are_refused(store, tmp_path, monkeypatch, capsys):
    told = refusal(monkeypatch, capsys, "results", store, "--figure", tmp_path / "cd.gif")
    assert told.endswith("cd.gif must end in .svg or .png or .pdf.\n")
    told = refusal(monkeypatch, capsys, "results", store, "--ranks")
    assert told == "labelwise: --measure must be given for ranks: one of micro-f, hamming-loss.\n"
    told = refusal(monkeypatch, capsys, "results", store, "--ranks", "--latex")
    assert told == "labelwise: --latex and --ranks cannot be given together.\n"


def test_two_models_one_data_set_and_ties_have_words_of_their_own():
    two = paired_values({"a": [1, 2, 3], "b": [2, 3, 4]}, measure="coverage")
    assert "Sign test, a against b (two-sided): 3 wins, 0 losses; p = 0.25" in ranks_in_words(two)
    one = paired_values({"a": [1], "b": [2], "c": [3]}, measure="coverage")
    assert ranks_in_words(one).endswith("A test needs at least 2 data sets.")
    tied = paired_values({"a": [1, 2], "b": [1, 2], "c": [1, 2]}, measure="coverage")
    assert "All models tie on every data set" in ranks_in_words(tied)
