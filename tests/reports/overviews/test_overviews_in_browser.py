"""Pages of evaluations, studies, splits and data in a real browser: tables are those of Python."""

import csv

import numpy as np
import pytest

from labelwise.experiments import average_ranks, nemenyi_test, paired_values
from labelwise.reports import write_report
from tests.reports.browser import OpenPage
from tests.reports.overviews.small_pages import (
    ATTACK,
    COMPARISON,
    DATASET,
    EVALUATION,
    HOSTILE,
    N_LABELS,
    NAMES,
    QUALITY,
    small_results,
    watched,
)

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


@pytest.fixture(scope="module")
def results():
    return small_results()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, results):
    """The file of each page."""
    folder = tmp_path_factory.mktemp("pages")
    found = {
        "evaluation": EVALUATION,
        "study": results,
        "split": COMPARISON,
        "quality": QUALITY,
        "data": DATASET,
        "monitor": watched(2),
    }
    for name, one in found.items():
        write_report(one, folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in found}


@pytest.fixture(scope="module")
def context(chromium):
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as found:
        yield found


@pytest.fixture
def opened(context, pages):
    """A function that opens a page; at the end, nothing may have gone wrong on it."""
    found = []

    def open_page(name, address=""):
        found.append(OpenPage(context, pages[name], address))
        return found[-1]

    yield open_page
    for page in found:
        assert page.errors == []
        assert {url.split("?")[0] for url in page.requests} <= {page.url}
        page.close()


def column(page, table, name):
    """A column of numbers by row number, over all turned pages of a table."""
    place = f"[data-table='{table}'] tbody tr"
    found = page.tab.eval_on_selector_all(
        place,
        "(rows, name) => rows.map((row) => [Number(row.dataset.row), "
        "row.querySelector(`[data-column='${name}']`).dataset.value])",
        name,
    )
    return {row: float(text.replace("Infinity", "inf")) for row, text in found}


def texts(page, table, name):
    """A column of texts, from top to bottom."""
    return page.tab.locator(
        f"[data-table='{table}'] tbody [data-column='{name}']"
    ).all_text_contents()


def in_order(found):
    return [found[row] for row in sorted(found)]


def test_an_evaluation_has_every_measure_with_all_digits(opened):
    page = opened("evaluation")
    assert texts(page, "measures-0", "measure") == list(EVALUATION)
    np.testing.assert_array_equal(
        in_order(column(page, "measures-0", "value")), list(EVALUATION.values())
    )
    ends = [found.low for found in EVALUATION.measured.values()]
    lows = np.array(ends, dtype=float)  # None, for measures without an interval, becomes NaN
    np.testing.assert_array_equal(in_order(column(page, "measures-0", "low")), lows)
    assert "Share of the decisions that are right." in texts(page, "measures-0", "meaning")
    assert page.number("[data-number=measures-0]") == EVALUATION["micro-f"]


def test_labels_of_an_evaluation_are_sorted_searched_and_saved(opened, tmp_path):
    page = opened("evaluation")
    for name, values in EVALUATION.per_label.items():
        np.testing.assert_array_equal(in_order(column(page, "labels-1", name)), values)
    worst_first = list(column(page, "labels-1", "f").values())
    assert worst_first[:-1] == sorted(worst_first[:-1])
    page.tab.click("[data-table='labels-1'] [data-sort=positives]")
    assert list(column(page, "labels-1", "positives").values()) == sorted(
        EVALUATION.per_label["positives"], reverse=True
    )
    assert page.tab.get_attribute("th:has([data-sort=positives])", "aria-sort") == "descending"
    page.tab.fill("#labels-1-search", "LABEL ")
    assert set(column(page, "labels-1", "f")) == {
        j for j, name in enumerate(NAMES) if name.startswith("label ")
    }
    page.tab.fill("#labels-1-search", "")
    path = page.saved("[data-save='labels-1']", tmp_path)
    with path.open(newline="", encoding="utf-8") as file:
        saved = {row["label"]: row for row in csv.DictReader(file)}
    assert len(saved) == N_LABELS
    assert "'=1+1" in saved
    j = NAMES.index("label 2")
    assert float(saved["label 2"]["f"]) == EVALUATION.per_label["f"][j]
    assert (
        page.tab.locator("#labels circle").count() == np.isfinite(EVALUATION.per_label["f"]).sum()
    )


def test_a_study_has_the_means_of_the_summary_with_the_best_marked(opened, results):
    page = opened("study")
    spreads = results.summary().spreads
    models = list(dict.fromkeys(group[1] for group in spreads))
    sets = list(dict.fromkeys(group[0] for group in spreads))
    for measure, best in (("micro-f", max), ("hamming-loss", min)):
        page.tab.select_option("#results-0-choice", measure)
        values = {}
        for j, model in enumerate(models):
            found = column(page, "results-0-0", f"model-{j}")
            values[model] = in_order(found)
            assert values[model] == [spreads[name, model, "cv", measure].mean for name in sets]
        for row in range(len(sets)):
            place = f"[data-table='results-0-0'] tr[data-row='{row}'] td.best"
            marked = page.tab.locator(place).first.get_attribute("data-value")
            assert float(marked) == best(values[model][row] for model in models)
    page.settle()
    assert "results-0=hamming-loss" in page.tab.url


def test_a_study_has_ranks_groups_and_p_values(opened, results):
    page = opened("study")
    table = paired_values(results, measure="micro-f", missing="drop")
    test = nemenyi_test(table)
    ranks = sorted(average_ranks(table).ranks)
    assert list(column(page, "significance-0-2", "rank").values()) == pytest.approx(ranks)
    first = int(np.argmin(test.ranks.ranks))
    order = np.argsort(test.ranks.ranks, kind="stable")
    found = in_order(column(page, "significance-0-2", f"p-{first}"))
    assert found == pytest.approx(test.p_values[order, first].tolist())
    assert page.tab.locator("#significance line.group").count() == len(test.groups)
    shown = page.tab.text_content("#significance svg")
    assert "critical difference" in shown
    assert "shifted" in shown


def test_a_study_draws_every_value_and_says_what_failed_and_how_it_ran(opened, results):
    page = opened("study")
    n_values = sum(
        row["measure"] == "micro-f" and np.isfinite(row["value"]) for row in results.rows()
    )
    assert page.tab.locator("#distributions circle").count() == n_values
    assert in_order(column(page, "problems-0", "cells")) == [6.0, 6.0, 6.0]
    page.tab.click("[data-table='problems-0'] summary >> nth=0")
    trace = page.tab.text_content("[data-table='problems-0'] pre >> nth=0")
    assert trace.startswith("Traceback")
    assert "\\x1b" in trace
    conditions = dict(
        zip(texts(page, "conditions-3", "what"), texts(page, "conditions-3", "value"), strict=True)
    )
    assert conditions["seeds"] == "0, 1"
    assert conditions["numpy"] == np.__version__
    seconds = column(page, "conditions-2", "fit_seconds")
    assert len(seconds) == 9
    assert all(value >= 0 for value in seconds.values())


def test_a_split_has_the_quality_of_each_method_and_the_worst_labels(opened):
    page = opened("split")
    assert texts(page, "quality-0", "method")[0] == "auto (chosen)"
    for name in ("ld", "ed", "fz", "flz"):
        wanted = [getattr(one, name) for one in COMPARISON.qualities.values()]
        assert in_order(column(page, "quality-0", name)) == wanted
    assert in_order(column(page, "subsets-0", "samples")) == list(COMPARISON.quality.sizes)
    distances = list(column(page, "labels-0", "ld").values())
    assert distances == sorted(COMPARISON.quality.label_ld, reverse=True)
    assert page.number("[data-number=quality-0]") == COMPARISON.quality.ld


def test_a_single_split_has_its_labels_and_no_methods(opened):
    page = opened("quality")
    assert page.tab.locator("[data-table='quality-0']").count() == 0
    assert list(column(page, "labels-0", "ld").values()) == sorted(QUALITY.label_ld, reverse=True)
    assert (
        in_order(column(page, "subsets-0", "positives")) == QUALITY.positives.sum(axis=0).tolist()
    )


def test_a_data_set_has_its_labels_sets_pairs_and_duplicates(opened):
    page = opened("data")
    profile = DATASET.label_profile()
    counts = np.sort(profile.counts)[::-1]
    assert list(column(page, "labels-1", "samples").values()) == counts.tolist()
    assert (
        list(column(page, "labels-1", "imbalance").values()) == np.sort(profile.imbalance).tolist()
    )
    sizes = column(page, "label-sets-1", "samples")
    assert list(sizes.values()) == profile.label_set_counts[:25].tolist()
    page.tab.click("#label-sets .pager button >> nth=1")
    assert (
        list(column(page, "label-sets-1", "samples").values())
        == profile.label_set_counts[25:50].tolist()
    )
    pairs = DATASET.co_occurrence().pairs()
    assert list(column(page, "pairs-1", "together").values()) == [p.together for p in pairs[:25]]
    assert page.tab.locator("#pairs rect.heat").count() == N_LABELS**2
    found = DATASET.find_duplicates()
    assert page.number("[data-number=duplicates-2]") == found.leaked.size == 90
    assert list(column(page, "duplicates-0", "row").values()) == found.leaked[:25].tolist()
    assert page.number("[data-number=overview-3]") == DATASET.describe().cardinality


@pytest.mark.parametrize("name", ["evaluation", "study", "split", "quality", "data"])
def test_hostile_names_are_inert_on_every_page(opened, name):
    page = opened(name)
    assert page.tab.evaluate("window.owned") is None
    assert page.tab.locator("main img, main b, main i, main script").count() == 0
    shown = page.tab.text_content("main")
    assert "\x1b" not in shown
    hostile = HOSTILE[1] if name == "study" else HOSTILE[0]
    assert hostile in shown
    if name in ("study", "data"):
        assert ATTACK in page.tab.text_content("h1")


@pytest.mark.parametrize("name", ["evaluation", "study", "split", "data"])
def test_a_page_fits_a_telephone_follows_the_theme_and_prints_all_rows(chromium, pages, name):
    with chromium.new_context(
        viewport={"width": 400, "height": 800}, color_scheme="dark"
    ) as narrow:
        page = OpenPage(narrow, pages[name])
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= 400
        back = "getComputedStyle(document.body).backgroundColor"
        assert page.tab.evaluate(back) == "rgb(20, 23, 26)"
        page.tab.select_option("#theme", "light")
        page.settle()
        assert page.tab.evaluate(back) == "rgb(246, 246, 243)"
        assert "theme=light" in page.tab.url
        page.tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.tab.locator(".pager button:not([disabled]):visible").count() == 0
        assert page.errors == []


def test_a_link_restores_sorting_search_and_choices(opened):
    page = opened("evaluation", "labels-1.sort=-positives&labels-1.search=label")
    assert list(column(page, "labels-1", "positives").values()) == sorted(
        (int(EVALUATION.per_label["positives"][j]) for j, n in enumerate(NAMES) if "label" in n),
        reverse=True,
    )
    page = opened("study", "results-0=hamming-loss&labels-1.sort=constructor")
    assert "Means of hamming-loss" in page.tab.text_content("#results")
    assert page.tab.input_value("#results-0-choice") == "hamming-loss"


def test_every_control_is_reached_by_keyboard_and_has_a_name(opened):
    page = opened("evaluation")
    reached = []
    for _ in range(30):
        page.tab.keyboard.press("Tab")
        reached.append(
            page.tab.evaluate(
                "document.activeElement.id || document.activeElement.dataset.sort || ''"
            )
        )
    for name in ("theme", "measures-0-search", "value", "labels-1-search", "f"):
        assert name in reached
    unnamed = page.tab.evaluate(
        """() => [...document.querySelectorAll("button, input, select")]
            .filter((one) => !(one.labels?.length || one.textContent.trim())).length"""
    )
    assert unnamed == 0
    assert page.tab.locator("svg[role=img]:not([aria-label])").count() == 0


# The cells whose text is wider than the cell; words for screen readers take no room.
OVERPRINTED = """
() => (document.querySelectorAll(".hidden-visually").forEach((one) => one.remove()),
  [...document.querySelectorAll("[data-table] tbody tr > *")]
  .filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const [text, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
    return text.width && (text.right > box.right + 1 || text.left < box.left - 1);
  })
  .map((cell) => cell.textContent))
"""


@pytest.mark.parametrize("name", ["evaluation", "study", "split", "quality", "data", "monitor"])
def test_no_text_is_printed_over_another(opened, name):
    assert opened(name).tab.evaluate(OVERPRINTED) == []


def test_the_evidence_of_a_monitor_is_drawn_beside_the_line_of_the_alarm(opened):
    page = opened("monitor")
    chart = page.tab.locator("svg").filter(has=page.tab.locator(".limit")).first
    marks = chart.locator(".tick").all_text_contents()
    assert marks[:5] == ["1", "2", "3", "4", "5"]
    line, curve = (chart.locator(one).bounding_box() for one in (".limit", ".frontier"))
    # The alarm is between the lowest and the highest evidence.
    assert curve["y"] < line["y"] < curve["y"] + curve["height"]


def test_the_numbers_of_an_evaluation_come_before_their_explanations(opened):
    page = opened("evaluation")
    tops = [page.tab.locator(one).first.bounding_box()["y"] for one in (".numbers", ".explain")]
    assert tops[0] < tops[1]
    heads = page.tab.locator("[data-table='measures-0'] thead th").all_text_contents()
    assert (heads[0], heads[1], heads[-1]) == ("measure", "value", "what it says")
    cells = texts(page, "measures-0", "value")
    name = next(one for one, n in EVALUATION.n_undefined.items() if n and one.startswith("macro"))
    n_defined = N_LABELS - EVALUATION.n_undefined[name]
    assert cells[list(EVALUATION).index(name)].endswith(f"({n_defined} of {N_LABELS})")


def test_the_parameters_of_models_are_on_the_page_of_a_study(opened, results):
    page = opened("study")
    names = texts(page, "conditions-0", "name")
    shown = dict(zip(names, texts(page, "conditions-0", "parameters"), strict=True))
    assert shown["shifted"] == "shift=0.2"
    stored = [one["name"] for one in results.parameters() if one["kind"] == "model"]
    assert len(names) == len(stored) == 4
    assert set(texts(page, "conditions-0", "class")) == {"Frequent", "Broken"}
