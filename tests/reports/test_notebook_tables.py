"""Results shown in a notebook: tables of HTML in which hostile names are inert."""

from html.parser import HTMLParser

import pytest

from labelwise.data import Dataset
from labelwise.decisions import best_thresholds
from labelwise.measures import evaluate
from tests.reports.overviews.small_pages import (
    ATTACK,
    COMPARISON,
    DATASET,
    EVALUATION,
    NAMES,
    QUALITY,
    SCORES,
    Y,
    small_results,
)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(text)

    def handle_starttag(self, tag, _attributes):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


def shown_objects():
    thresholds = best_thresholds(SCORES, Y, label_names=NAMES)
    unknown = Dataset([[1.0]], None, name=f"data {ATTACK}")
    results = small_results(n_sets=1)
    return {
        "dataset": DATASET,
        "unknown": unknown,
        "evaluation": EVALUATION,
        "thresholds": thresholds,
        "results": results,
        "summary": results.summary(),
        "comparison": COMPARISON,
        "quality": QUALITY,
    }


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_names_are_text_in_every_table():
    for name, one in shown_objects().items():
        found = Tags(one._repr_html_())
        allowed = {"table", "caption", "tr", "th", "td", "p", "b", "details", "summary"}
        assert found.tags <= allowed, name
        assert "\x1b" not in found.text
        if name in ("dataset", "unknown", "results", "summary"):
            assert ATTACK in found.text, name
        elif name in ("evaluation", "thresholds"):
            assert NAMES[1] in found.text, name


def test_thresholds_beyond_the_first_are_counted():
    html = best_thresholds([[0.1] * 25, [0.9] * 25], [[0] * 25, [1] * 25])._repr_html_()
    assert html.count("<tr>") == 21
    assert "and 5 more" in html


def test_an_unfinished_study_shows_its_state():
    results = small_results(n_sets=1)
    assert results.state() in Tags(results._repr_html_()).text


def test_the_table_of_an_evaluation_has_its_numbers():
    found = evaluate([[1], [0]], decided=[[1], [1]])
    assert f"{found['micro-f']:.4f}" in found._repr_html_()
