"""Pages of results that are small, empty or incomplete are written, too."""

import json
import re

import numpy as np
import pytest

from labelwise.data import Dataset
from labelwise.measures import evaluate
from labelwise.reports import write_report
from labelwise.splitting import split_quality
from tests.experiments.small_studies import Frequent
from tests.reports.overviews.small_pages import (
    COMPARISON,
    DATASET,
    EVALUATION,
    small_results,
    watched,
)


def written(results, folder):
    """The text and the data of a page."""
    path = folder / "page.html"
    write_report(results, path)
    text = path.read_text(encoding="utf-8")
    data = re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)[1]
    return text, json.loads(data)


@pytest.mark.parametrize(
    ("results", "sections"),
    [
        (EVALUATION, "measures labels"),
        (COMPARISON, "quality subsets labels"),
        (DATASET, "overview labels label-sets pairs duplicates"),
        (None, "overview results significance distributions conditions problems"),
    ],
    ids=["evaluation", "splits", "data", "study"],
)
def test_every_page_has_its_sections_in_order(results, sections, tmp_path):
    text, _ = written(results or small_results(), tmp_path)
    assert re.findall('<section id="(.*?)"', text) == sections.split()


def test_scores_alone_are_evaluated_by_average_precision(tmp_path):
    found = evaluate([[1, 0], [0, 1], [1, 1]], scores=[[0.9, 0.2], [0.3, 0.8], [0.6, 0.4]])
    _, data = written(found, tmp_path)
    assert data["blocks"]["labels-1"]["sort"] == "average-precision"
    assert data["numbers"]["measures-0"]["show"] == "share"


def test_a_sentence_says_what_an_evaluation_and_a_monitor_found(tmp_path):
    Y, decided = [[1, 1], [1, 1], [1, 0]], [[1, 1], [0, 0], [0, 1]]
    text, _ = written(evaluate(Y, decided=decided), tmp_path)
    assert "Finds 4 of 10 positives, 7 of 10 decisions are right. 3 samples, 2 labels." in text
    text, _ = written(evaluate([[1, 0]], decided=[[0, 0]]), tmp_path)
    assert "Finds 0 of 10 positives, decides nothing. 1 sample, 2 labels." in text
    text, _ = written(watched(0), tmp_path)
    assert "No alarm: no promise is shown to be broken. 5 updates" in text
    text, _ = written(watched(2), tmp_path)
    assert "Alarm: micro-precision at least 0.2: broken, probably since update 4. 5" in text


def test_labels_beyond_the_most_are_left_out_and_the_page_says_so(tmp_path):
    Y = np.zeros((3, 6000), dtype=bool)
    Y[0] = True
    _, data = written(evaluate(Y, decided=Y), tmp_path)
    assert data["blocks"]["labels-1"]["nRows"] == 5000
    assert "5,000 most frequent of 6,000" in data["blocks"]["labels-1"]["note"]
    assert (tmp_path / "page.html").stat().st_size < 3e6


def test_data_without_labels_have_a_page(tmp_path):
    text, data = written(Dataset([[1.0], [1.0]], None, name="unlabelled"), tmp_path)
    assert "There are no known labels" in text
    assert list(data["blocks"]) == ["duplicates-0"]


def test_one_label_and_one_sample_have_a_page(tmp_path):
    for results in (
        Dataset([[1.0]], [[1]]),
        evaluate([[1]], decided=[[1]]),
        split_quality([[1], [0]], [0, 1]),
    ):
        text, _ = written(results, tmp_path)
        assert text.startswith("<!DOCTYPE html>")


def test_one_data_set_is_compared_over_its_folds(tmp_path):
    text, data = written(small_results(n_sets=1), tmp_path)
    first = data["blocks"]["significance-0"]["options"][0]
    assert "over its folds" in first["blocks"][0]["texts"][0]
    assert "Difference from the best model" in first["blocks"][1]["title"]
    assert 'id="problems"' in text


def test_two_models_have_the_tests_of_pairs(tmp_path):
    models = {"plain": Frequent(), "shifted": Frequent(shift=0.2)}
    text, data = written(small_results(models=models), tmp_path)
    words = data["blocks"]["significance-0"]["options"][0]["blocks"][0]["texts"]
    assert "The sign test has p = " in words[1]
    assert 'id="problems"' not in text


def test_a_study_of_one_model_has_no_test(tmp_path):
    _, data = written(small_results(models={"plain": Frequent()}), tmp_path)
    words = data["blocks"]["significance-0"]["options"][0]["blocks"][0]["texts"]
    assert words[0].startswith("There is no test: values must have at least two methods")


@pytest.mark.parametrize(
    "results", [EVALUATION, COMPARISON, DATASET], ids=lambda r: type(r).__name__
)
def test_the_same_results_give_the_same_page(tmp_path, results):
    assert written(results, tmp_path)[0] == written(results, tmp_path)[0]
