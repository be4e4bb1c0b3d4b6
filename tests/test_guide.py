"""The pages of the guide run as they stand, and what they say of their results is true."""

import importlib
import operator
import re
from pathlib import Path

import numpy as np
import pytest

from tests.test_quick_start import DOCS, run_page

PAGES = sorted(path.stem for path in (DOCS / "guide").glob("*.md") if path.stem != "index")
TEXTS = sorted(
    path.relative_to(DOCS) for path in DOCS.rglob("*.md") if "generated" not in path.parts
)


@pytest.fixture
def names(request, tmp_path):
    """What the code of a page has defined."""
    page = f"guide/{request.param}.md"
    return run_page(page, tmp_path, {"__name__": request.param})


def page(name):
    return pytest.mark.parametrize("names", [name], indirect=True)


@page("which_rule")
def test_each_rule_is_good_at_its_measure(names):
    values = names["values"]
    for measure in ("micro-f", "macro-f", "sample-f"):
        for rule in ("micro", "macro", "expected F"):
            assert values["0.5"][measure] < values[rule][measure]
    assert max(values, key=lambda rule: values[rule]["micro-precision"]) == "0.5"
    assert max(values, key=lambda rule: values[rule]["sample-f"]) == "expected F"
    assert values["micro"]["micro-f"] > values["macro"]["micro-f"]
    assert values["micro"]["macro-f"] < values["macro"]["macro-f"]
    assert (names["rules"]["2 labels"].sum(axis=1) == 2).all()


@page("which_learner")
def test_the_best_learner_is_within_a_tie_of_the_highest_and_a_blend_is_not_worse(names):
    board = names["board"]
    assert board.chosen in board.candidate
    assert len(board) == 4
    assert names["blended"].corrected_value_ >= names["model"].corrected_value_


@page("rare_labels")
def test_labels_that_borrow_from_each_other_have_a_higher_f_on_new_rows(names):
    assert names["exact"].value > names["shrunk"].value
    assert names["f_exact"] < names["f_shrunk"]
    assert names["balanced"].ld < names["random"].ld
    assert names["f_at_1"][0] < names["f_at_1"][1]


@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
@page("precision_at_least")
def test_the_guarantee_holds_on_new_rows_and_costs_recall(names):
    assert names["promised"]["micro-precision"] >= 0.75
    assert names["promised"]["micro-recall"] < names["reached"]["micro-recall"]
    assert names["reached"]["micro-precision"] < names["promised"]["micro-precision"]
    assert set(np.unique(names["states"])) == {-1, 0, 1}
    assert names["queue"].rows.size == (names["states"] == -1).sum()


@page("incomplete_labels")
def test_missing_cells_hardly_change_values_and_completed_labels_bring_back_hidden_ones(names):
    assert names["with_gaps"]["micro-f"] == pytest.approx(names["with_truth"]["micro-f"], abs=0.03)
    assert names["with_gaps"].n_missing == np.isnan(names["Y"][2000:]).sum()
    found = names["found"]
    for written, completed, complete in zip(*found.values(), strict=True):
        assert completed - written > 2 / 3 * (complete - written) > 0


@page("groups")
def test_groups_stay_together(names):
    assert names["together"]
    assert np.intersect1d(names["g_train"], names["g_test"]).size == 0
    assert len(names["found"].value) == 2


@page("text")
def test_texts_become_labels(names, tmp_path):
    assert names["found"] > 0.8
    written = (tmp_path / "decided.csv").read_text().splitlines()
    assert len(written) == 1 + len(names["new"])
    assert (tmp_path / "report.html").stat().st_size > 10_000
    # A person has answered every cell of the queue, and no cell is left open.
    assert 0 < len(names["queue"]) < 100
    assert set(np.unique(names["final"])) == {0, 1}
    assert (names["queue"]["why"].fillna("").str.contains("(+", regex=False)).mean() > 0.5


@page("bags")
def test_both_ways_learn_bags(names):
    assert names["f_plugin"] > names["f_summary"] > 0.3


@page("a_million_rows")
def test_sparse_scores_and_files_reach_the_value_of_all_scores(names):
    assert names["f_sparse"] == pytest.approx(names["thresholds"].value, abs=1e-3)
    assert np.array_equal(names["from_files"].values, names["thresholds"].values)


def test_every_page_of_the_guide_has_a_test():
    marked = re.findall(r'^@page\("(\w+)"\)', Path(__file__).read_text("utf-8"), re.MULTILINE)
    assert sorted(marked) == PAGES


@pytest.mark.parametrize("path", TEXTS, ids=str)
def test_names_of_the_library_on_a_page_exist(path):
    text = (DOCS / path).read_text(encoding="utf-8")
    for name in set(re.findall(r"\{py:\w+\}`~?([\w.]+)`", text)):
        package, stage, *attributes = name.split(".")
        module = importlib.import_module(f"{package}.{stage}")
        assert operator.attrgetter(".".join(attributes))(module) is not None, name
