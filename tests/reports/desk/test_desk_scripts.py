"""The arithmetic of the page's scripts, run in a browser on many small problems."""

from importlib import resources

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from labelwise._text import safe_cell
from labelwise.decisions import best_thresholds, micro_frontier
from labelwise.measures import (
    Counts,
    f_measure,
)
from labelwise.reports import Desk
from labelwise.reports.desk import _page_data
from labelwise.reports.desk._cuts import stored_cuts
from tests.decisions.problems import problems
from tests.measures.outcomes import MEASURES
from tests.oracles import desk as oracle

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
SCRIPTS = resources.files("labelwise.reports.page") / "templates" / "scripts"
FRONTIER = """
(data) => {
  SCRIPTS
  const curves = readCurves(data);
  const stops = buildFrontier(curves, new Map());
  const thresholds = stops.decided.map((_, stop) =>
    Array.from(cutsAt(curves, stops, new Map(), stop), (cut) => curves.thresholds[cut]));
  const best = firstBest(stops.n, (stop) =>
    fMeasure(...countsOf(curves, stops.decided[stop], stops.hits[stop]), data.beta), () => true);
  return { ...stops, thresholds: thresholds.map((one) => one.map(String)), best };
}
"""


@pytest.fixture(scope="module")
def tab(chromium):
    """An empty page on which functions of the scripts run."""
    found = chromium.new_page()
    found.set_content('<script type="application/json" id="page-data">{}</script>')
    yield found
    found.close()


def with_scripts(code, *names):
    parts = "\n".join((SCRIPTS / name).read_text("utf-8") for name in names)
    return code.replace("SCRIPTS", parts)


NUMERIC = ("frame/10_data.js", "desk/10_measures.js", "desk/20_frontier.js")


def curves_of(scores, truth, most=50_000):
    """What the page stores of the hulls."""
    desk = Desk(scores, truth)
    best = best_thresholds(scores, truth)
    cuts = stored_cuts(desk.problem, best.evidence.certificate, most)
    labels = _page_data._label_data(desk)
    return {"nRows": len(truth), **labels, "cuts": _page_data._cut_data(cuts)}


@given(problems(most_samples=12, most_labels=4), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_page_merges_hulls_to_the_frontier_of_python(tab, given_problem, beta):
    scores, truth = given_problem
    data = curves_of(scores, truth) | {"beta": beta}
    found = tab.evaluate(with_scripts(FRONTIER, *NUMERIC), data)
    frontier = micro_frontier(scores, truth)
    assert found["decided"] == frontier.decided.tolist()
    assert found["hits"] == frontier.hits.tolist()
    for vertex, texts in enumerate(found["thresholds"]):
        numbers = [float(text.replace("Infinity", "inf")) for text in texts]
        assert numbers == frontier.thresholds(vertex).tolist()
    counts = Counts(*(cells[found["best"]] for cells in frontier.counts))
    assert f_measure(counts, beta) == pytest.approx(
        best_thresholds(scores, truth, beta=beta).value, rel=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_summary_on_the_page_has_points_of_the_frontier_and_the_best(tab, seed):
    random = np.random.default_rng(seed)
    truth = random.random((120, 6)) < 0.3
    scores = np.round(truth + random.normal(size=truth.shape), 1)
    data = curves_of(scores, truth, most=24)
    assert data["cuts"]["levels"] is not None
    found = tab.evaluate(with_scripts(FRONTIER, *NUMERIC), data | {"beta": 1.0})
    frontier = micro_frontier(scores, truth)
    known = set(zip(frontier.decided.tolist(), frontier.hits.tolist(), strict=True))
    points = set(zip(found["decided"], found["hits"], strict=True))
    assert points < known
    assert len(points) > 2
    hits, decided = found["hits"][found["best"]], found["decided"][found["best"]]
    value = f_measure(Counts(hits, decided - hits, truth.sum() - hits, 0))
    assert value == pytest.approx(best_thresholds(scores, truth).value, rel=1e-12)


COUNTS = st.tuples(*[st.integers(0, 30) | st.integers(0, 10**6)] * 4)


@given(st.lists(COUNTS, min_size=1, max_size=20), st.sampled_from([0.3, 1.0, 2.5]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_measures_of_the_page_are_those_of_python(tab, counts, beta):
    code = """([counts, beta]) => {
        SCRIPTS
        return Object.fromEntries(Object.entries(MEASURES).map(([name, one]) =>
            [name, counts.map((four) => one.of(...four, beta))]));
    }"""
    found = tab.evaluate(with_scripts(code, "desk/10_measures.js"), [counts, beta])
    cells = Counts(*np.array(counts).T)
    assert set(found) == set(MEASURES)
    for name, measure in MEASURES.items():
        wanted = measure(cells, beta) if name == "f" else measure(cells)
        np.testing.assert_allclose(found[name], wanted, rtol=1e-12, atol=1e-12, equal_nan=True)


@given(st.lists(COUNTS, min_size=1, max_size=20), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_intervals_of_the_page_are_those_of_the_definition(tab, counts, beta):
    code = """([counts, beta]) => {
        SCRIPTS
        return counts.map(([tp, fp, fn]) => fInterval(tp, fp, fn, beta, 1.5));
    }"""
    found = tab.evaluate(with_scripts(code, "desk/10_measures.js"), [counts, beta])
    wanted = [oracle.f_interval(tp, fp, fn, beta, 1.5) for tp, fp, fn, _ in counts]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-15)


def test_intervals_of_f_cover_the_true_value():
    random = np.random.default_rng(0)
    for shares in ((0.02, 0.01, 0.03, 0.94), (0.1, 0.1, 0.02, 0.78)):
        tp, fp, fn, _ = shares
        truth = 2 * tp / (2 * tp + fp + fn)
        drawn = random.multinomial(1000, shares, size=2000)
        ends = np.array([oracle.f_interval(*one[:3], 1.0) for one in drawn])
        covered = np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
        assert 0.93 <= covered <= 0.98


@given(
    st.lists(st.text() | st.sampled_from(["=1", "+", "-2", "@x", "\t", "\r", "＝1", 'a"b', "a,b"]))
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_csv_cells_are_as_safe_as_those_of_python(tab, texts):
    code = "(texts) => { SCRIPTS\n return texts.map(csvCell); }"
    texts = [text for text in texts if text.isprintable() or text in "\t\r"]
    found = tab.evaluate(with_scripts(code, "frame/20_format.js"), texts)
    for text, cell in zip(texts, found, strict=True):
        plain = cell[1:-1].replace('""', '"') if cell.startswith('"') else cell
        assert plain == safe_cell(text)
