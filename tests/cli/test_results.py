"""`labelwise results --ranks` explains its tests, and draws the ranks to a file."""

import re

import numpy as np
import pytest

from labelwise.experiments import average_ranks, paired_values, read_results
from tests.cli.shell import notes, refusal, run
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
    study(models={"a": Frequent()}, measures=measures, seeds=(0,), undefined="nan").run(path)
    shown = run("results", path)
    assert " nan" not in shown
    assert "  undefined\n" in shown
    assert "recall without positives: sample-matthews (" in shown
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


def mistakes(outcome):
    return float(np.abs(outcome.truth.toarray() - outcome.decided).sum())


@pytest.mark.parametrize("declared", [None, ["mistakes"], []])
def test_the_direction_of_an_own_measure_is_that_of_the_study_or_of_the_option(tmp_path, declared):
    path = tmp_path / "s.sqlite"
    datasets = [rows(seed=seed, name=f"set {seed}") for seed in range(4)]
    measures = {"mistakes": mistakes, "loss": "hamming-loss"}
    whole = study(
        datasets=datasets, models=MODELS, measures=measures, seeds=(0,), lower_is_better=declared
    )
    results = whole.run(path)
    assert results.higher_is_better("mistakes") == (None if declared is None else not declared)
    # A known measure by another name has the direction of the measure.
    assert results.higher_is_better("loss") is False
    assert read_results(path).higher_is_better("loss") is False
    ranks = ("results", path, "--measure", "mistakes", "--ranks")
    assumed = ["higher values of mistakes are taken as better (--lower-is-better)."]
    assert notes(*ranks) == (assumed if declared is None else [])
    shown = run(*ranks)
    assert f"Ranks by mistakes ({'lower' if declared else 'higher'} is better)" in shown
    if declared is None:
        shown = run(*ranks, "--lower-is-better", "mistakes", "--lower-is-better", "loss")
        with pytest.raises(ValueError, match="higher_is_better must be given for 'mistakes'"):
            paired_values(results, measure="mistakes")
    if declared != []:
        assert "Ranks by mistakes (lower is better)" in shown
        table = paired_values(results, measure="mistakes", higher_is_better=False)
        assert repr(average_ranks(table)) in shown


@pytest.mark.parametrize("form", ["--latex", "--markdown"])
@pytest.mark.parametrize("declared", [None, ["mistakes"], []])
def test_the_best_mean_of_an_own_measure_is_bold_in_tables(tmp_path, declared, form):
    path = tmp_path / "s.sqlite"
    measures = {"mistakes": mistakes, "loss": "hamming-loss"}
    whole = study(models=MODELS, measures=measures, seeds=(0,), lower_is_better=declared)
    summary = whole.run(path).summary()

    def bold(measure, *options):
        table = run("results", path, "--measure", measure, form, *options)
        return re.findall(r"\\textbf\{([\d.]+)\}|\*\*([\d.]+)\*\*", table)

    def best(measure, choose):
        means = {}
        for (dataset, _, _, name), one in summary.spreads.items():
            if name == measure:
                means.setdefault(dataset, []).append(f"{one.mean:.4f}")
        found = [mean for row in means.values() for mean in row if mean == choose(row, key=float)]
        return [(text, "") if form == "--latex" else ("", text) for text in found]

    # A known measure by another name has the direction of the measure.
    assert bold("loss") == best("loss", min)
    if declared is not None:
        assert bold("mistakes") == best("mistakes", min if declared else max)
    else:
        assert bold("mistakes") == []
        assert bold("mistakes", "--lower-is-better", "mistakes") == best("mistakes", min)


def test_directions_that_contradict_a_measure_or_name_none_are_refused(store, monkeypatch, capsys):
    ranks = ("results", store, "--measure", "micro-f", "--ranks", "--lower-is-better")
    assert "must not be 'micro-f'" in refusal(monkeypatch, capsys, *ranks, "micro-f")
    told = refusal(monkeypatch, capsys, *ranks, "hamming")
    assert "--lower-is-better must be one of micro-f, hamming-loss, got 'hamming'" in told
    told = refusal(monkeypatch, capsys, "results", store, "--lower-is-better", "hamming-loss")
    assert told == "labelwise: --lower-is-better needs --ranks, --latex or --markdown.\n"
    with pytest.raises(ValueError, match="lower_is_better must not name 'micro-f'"):
        study(measures=["micro-f"], lower_is_better=["micro-f"])
    with pytest.raises(ValueError, match=r"must name measures of the study \(micro-f\), got 'x'"):
        study(measures=["micro-f"], lower_is_better=["x"])
    with pytest.raises(TypeError, match="lower_is_better must be a sequence of names, got 'x'"):
        study(measures=["micro-f"], lower_is_better="x")


def test_parts_of_a_function_have_its_direction_unless_they_have_their_own():
    of_parts = {"cost": lambda _: {"a": 1.0, "b": 2.0}}
    whole = study(measures=of_parts, lower_is_better=["cost/a"])
    assert whole._directions == {"cost": True, "cost/a": False}
