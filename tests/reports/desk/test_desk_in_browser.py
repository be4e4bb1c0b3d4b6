"""The decision desk in a real browser: handles move, and numbers are those of Python."""

import csv
import json
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from labelwise._curves import cuts_of
from labelwise._tuning import Problem, Request, random_folds, tune_and_correct
from labelwise.decisions import (
    Bands,
    Thresholds,
    best_thresholds,
    corrected_value,
    micro_frontier,
)
from labelwise.measures import (
    Counts,
    count,
    f_measure,
    macro,
    precision,
    recall,
)
from labelwise.reports import Desk, write_report
from tests.cli.shell import run
from tests.measures.outcomes import MEASURES
from tests.oracles import desk as oracle
from tests.reports.browser import OpenPage
from tests.reports.small_desk import GROUPS, HOSTILE, N_LABELS, N_ROWS, NAMES, SCORES, SMALL, Y

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
FRONTIER = micro_frontier(SCORES, Y)
LAST = len(FRONTIER) - 1


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12, equal_nan=True)


def check_point(desk, counts, thresholds, beta=1.0):
    """All numbers of the page are those of these thresholds, and so are the labels."""
    total = Counts(*map(np.sum, counts))
    same(desk.number("#n-precision"), precision(total))
    same(desk.number("#n-recall"), recall(total))
    same(desk.number("#n-f"), f_measure(total, beta))
    same(desk.number("#n-work"), 1000 * (total.tp + total.fp) / N_ROWS)
    found = desk.numbers("threshold")
    assert [found[j] for j in range(N_LABELS)] == thresholds.tolist()
    by_label = count(Y, (thresholds <= SCORES).astype(int))
    for name, rate in (("precision", precision), ("recall", recall)):
        found = desk.numbers(name)
        same([found[j] for j in range(N_LABELS)], rate(by_label))


def check_vertex(desk, vertex):
    counts = Counts(*(cells[vertex] for cells in FRONTIER.counts))
    check_point(desk, counts, FRONTIER.thresholds(vertex))


def test_the_page_opens_at_the_exact_optimum(desk):
    best = best_thresholds(SCORES, Y)
    check_point(desk, count(Y, best.decide(SCORES)), best.values)
    same(desk.number("#n-f"), best.value)


def test_keys_move_the_handle_along_the_vertices_of_the_frontier(desk):
    desk.tab.focus("#handle")
    desk.tab.keyboard.press("Home")
    desk.settle()
    assert desk.number("#n-work") == 0
    for vertex in (1, 2, 3):
        desk.tab.keyboard.press("ArrowRight")
        desk.settle()
        check_vertex(desk, vertex)
    desk.tab.keyboard.press("ArrowDown")
    desk.settle()
    desk.tab.keyboard.press("PageUp")
    desk.settle()
    now = int(desk.tab.get_attribute("#handle", "aria-valuenow"))
    assert FRONTIER.recall[now] >= FRONTIER.recall[2] + 0.05 > FRONTIER.recall[now - 1]
    check_vertex(desk, now)
    desk.tab.keyboard.press("End")
    desk.settle()
    check_vertex(desk, LAST)
    said = desk.tab.get_attribute("#handle", "aria-valuetext")
    assert said.startswith("precision ")
    assert "recall 1.000" in said


@pytest.mark.parametrize("vertex", [0, 1, LAST // 3, LAST // 2, LAST])
def test_a_link_restores_every_number(desk, vertex):
    desk.go(f"at=hand&stop={vertex}")
    check_vertex(desk, vertex)


def test_the_mouse_drags_the_handle(desk):
    def middle(selector):
        box = desk.tab.locator(selector).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    before = int(desk.tab.get_attribute("#handle", "aria-valuenow"))
    x, y = middle("#handle .knob")
    desk.tab.mouse.move(x, y)
    desk.tab.mouse.down()
    desk.tab.mouse.move(x - 60, y - 20, steps=4)
    desk.tab.mouse.move(x - 150, y - 60, steps=4)
    desk.tab.mouse.up()
    desk.settle()
    now = int(desk.tab.get_attribute("#handle", "aria-valuenow"))
    assert now < before
    check_vertex(desk, now)
    assert f"stop={now}" in desk.tab.url


def test_a_finger_moves_the_handle(chromium, desk_file):
    with chromium.new_context(has_touch=True, viewport={"width": 400, "height": 800}) as context:
        page = OpenPage(context, desk_file)
        chart = page.tab.locator("#chart svg")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        page.tab.touchscreen.tap(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.4)
        page.settle()
        check_vertex(page, int(page.tab.get_attribute("#handle", "aria-valuenow")))
        assert "at=hand" in page.tab.url
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.mark.parametrize("name", MEASURES)
def test_the_best_point_of_a_measure_is_that_of_the_frontier(desk, name):
    desk.tab.select_option("#measure", name)
    desk.settle()
    shown = {"f": "#n-f", "precision": "#n-precision", "recall": "#n-recall"}.get(name, "#n-value")
    same(desk.number(shown), np.nanmax(MEASURES[name](FRONTIER.counts)))
    if name not in ("g-mean", "matthews"):  # whose best thresholds may lie off the frontier
        same(desk.number(shown), best_thresholds(SCORES, Y, maximize=f"micro-{name}").value)


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_beta_moves_the_best_point(desk, beta):
    desk.fill("#beta", beta)
    best = best_thresholds(SCORES, Y, beta=beta)
    same(desk.number("#n-f"), best.value)
    check_point(desk, count(Y, best.decide(SCORES)), best.values, beta)


@pytest.mark.parametrize("power", [-1.0, 0.5])
def test_the_cost_slider_finds_the_lowest_cost(desk, power):
    desk.tab.focus("#cost")
    desk.tab.fill("#cost", str(power))
    desk.settle()
    cost = (10.0**power, 1.0) if power > 0 else (1.0, 10.0**-power)
    best = best_thresholds(SCORES, Y, cost=cost)
    same(desk.number("#n-cost"), best.value)
    assert [*desk.numbers("decided").values()]
    found = desk.numbers("threshold")
    assert [found[j] for j in range(N_LABELS)] == best.values.tolist()


def test_constraints_hold_at_the_best_point_of_the_frontier(desk):
    desk.fill("#minPrecision", 0.8)
    allowed = FRONTIER.precision >= 0.8
    same(desk.number("#n-f"), f_measure(FRONTIER.counts)[allowed].max())
    desk.fill("#minPrecision", "")
    desk.fill("#minRecall", 0.95)
    same(desk.number("#n-f"), f_measure(FRONTIER.counts)[FRONTIER.recall >= 0.95].max())
    desk.fill("#maxWork", 1)
    assert "No point of the frontier meets" in desk.tab.text_content("#place")


FOLDS = random_folds(Problem(SCORES, sparse.csc_array(Y.astype(bool)), None), 0)


def check_unseen(desk, counts, beta=1.0):
    """The numbers beside those of these rows are those of counts."""
    same(desk.number("#u-precision"), precision(counts))
    same(desk.number("#u-recall"), recall(counts))
    same(desk.number("#u-f"), f_measure(counts, beta))
    same(desk.number("#u-work"), 1000 * (counts.tp + counts.fp) / N_ROWS)


def best_vertex(beta=1.0, **least):
    """Chooses the vertex of the highest F whose rates are at least those that are given."""

    def choose(frontier):
        values = np.asarray(f_measure(frontier.counts, beta))
        for name, limit in least.items():
            values = np.where(getattr(frontier, name) >= limit, values, -np.inf)
        return int(np.argmax(values))

    return choose


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_beside_the_optimum_is_the_corrected_value_of_python(desk, beta):
    desk.fill("#beta", beta)
    problem = Problem(SCORES, sparse.csc_array(Y.astype(bool)), None)
    request = Request(beta=beta)
    same(desk.number("#u-f"), tune_and_correct(problem, request, 0)[0].evidence.corrected_value)
    assert desk.number("#u-f") < desk.number("#n-f")
    check_unseen(desk, oracle.held_out_counts(SCORES, Y, FOLDS, best_vertex(beta)), beta)


def test_beside_a_constrained_point_is_what_other_folds_reach_under_the_constraint(desk):
    desk.fill("#minPrecision", 0.9)
    chosen = best_vertex(precision=0.9)
    counts = oracle.held_out_counts(SCORES, Y, FOLDS, chosen)
    check_unseen(desk, counts)
    assert desk.number("#n-precision") >= 0.9 > precision(counts)
    said = desk.tab.text_content("#place")
    assert f"expected to break the constraint: precision {precision(counts):.3f}" in said
    desk.fill("#minPrecision", "")
    desk.fill("#minRecall", 0.8)
    check_unseen(desk, oracle.held_out_counts(SCORES, Y, FOLDS, best_vertex(recall=0.8)))


@pytest.mark.parametrize("vertex", [0, 1, LAST // 3, LAST // 2, LAST])
def test_beside_the_handle_is_what_other_folds_reach_at_its_slope(desk, vertex):
    desk.go(f"at=hand&stop={vertex}")
    slope = oracle.slopes(FRONTIER)[vertex : vertex + 2].mean()
    counts = oracle.held_out_counts(
        SCORES, Y, FOLDS, lambda frontier: oracle.vertex_at_slope(frontier, slope)
    )
    check_unseen(desk, counts)


def test_rules_have_their_values_on_held_out_rows_beside_those_of_these_rows(desk):
    decided = oracle.held_out(SCORES, Y, FOLDS, shared=True)
    desk.tab.click("[data-point=shared]")
    desk.settle()
    counts = Counts(*map(np.sum, count(Y, decided.astype(int))))
    check_unseen(desk, counts)
    row = "#points tr[data-key=shared]"
    same(desk.number(f"{row} [data-name=unseen-precision]"), precision(counts))
    same(desk.number(f"{row} [data-name=held-out]"), f_measure(counts))


def test_values_on_new_rows_are_not_known_with_pinned_labels(desk):
    desk.go("pins=12.0")
    assert np.isnan(desk.number("#u-f"))
    assert "not known" in desk.tab.text_content("#unseen-words")


def test_bands_have_what_other_folds_reach_at_the_slopes_of_their_limits(desk):
    desk.go("accept=5&review=20")
    slopes = [oracle.slopes(FRONTIER)[vertex : vertex + 2].mean() for vertex in (5, 20)]
    accept, review = (
        oracle.held_out_counts(
            SCORES, Y, FOLDS, lambda frontier, at=slope: oracle.vertex_at_slope(frontier, at)
        )
        for slope in slopes
    )
    same(desk.number("#band-u-precisionAbove"), precision(accept))
    same(desk.number("#band-u-recallBelow"), recall(review))
    queue = review.tp + review.fp - accept.tp - accept.fp
    same(desk.number("#band-u-queue"), 1000 * queue / N_ROWS)
    same(desk.number("#band-u-precisionInside"), (review.tp - accept.tp) / queue)


# Five distinct scores whose shares of positives are far apart: every cut of every fold is a vertex
# of the frontier, so that Python finds nothing off the frontier. The other label has no positives;
# its scores make the rows different, because copies of a row stay in one fold.
MIXED = np.random.default_rng(0).permutation(400)
STEPS = np.column_stack([np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 80), np.arange(400) / 400])[MIXED]
STEP_LABELS = np.column_stack(
    [np.arange(400) % 80 < np.repeat([2, 14, 32, 54, 75], 80), np.zeros(400)]
).astype(int)[MIXED]
STEP_NAMES = ("sky", "never")


@pytest.fixture(scope="module")
def step_desk(chromium, tmp_path_factory):
    path = tmp_path_factory.mktemp("steps") / "report.html"
    write_report(Desk(STEPS, STEP_LABELS, label_names=STEP_NAMES), path)
    with chromium.new_context() as context:
        page = OpenPage(context, path)
        yield page
        assert page.errors == []


@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
@pytest.mark.parametrize(
    ("field", "typed", "option"),
    [
        ("minPrecision", 0.8, {"min_precision": 0.8}),
        ("minRecall", 0.7, {"min_recall": 0.7}),
        ("maxWork", 450, {"max_decisions": 0.45}),
    ],
)
def test_the_saved_file_has_the_constraint_and_both_values_of_python(
    step_desk, tmp_path, field, typed, option
):
    page = step_desk
    page.go(f"{field}={typed}")
    tuned = best_thresholds(STEPS, STEP_LABELS, label_names=STEP_NAMES, **option)
    saved = page.saved("#save-thresholds", tmp_path)
    found = Thresholds.load(saved)
    assert found.values.tolist() == tuned.values.tolist()
    assert [check.name for check in found.evidence.constraints] == list(option)
    for check, wanted in zip(found.evidence.constraints, tuned.evidence.constraints, strict=True):
        assert check.limit == wanted.limit
        same(check.value, wanted.value)
        same(check.corrected_value, wanted.corrected_value)
    scores, decided = tmp_path / "scores.csv", tmp_path / "decided.csv"
    np.savetxt(scores, STEPS, delimiter=",", header=",".join(STEP_NAMES), comments="")
    run("decide", saved, scores, "-o", decided)
    rows = np.loadtxt(decided, delimiter=",", skiprows=1)
    assert (rows == tuned.decide(STEPS)).all()
    page.tab.focus("#handle")
    page.tab.keyboard.press("ArrowLeft")
    page.settle()
    assert Thresholds.load(page.saved("#save-thresholds", tmp_path)).evidence.constraints == ()


def test_the_workload_axis_keeps_the_point(desk):
    before = desk.number("#n-work")
    desk.tab.check("input[value=work]")
    desk.settle()
    assert "decisions per 1,000 samples" in desk.tab.text_content("#chart")
    assert desk.number("#n-work") == before
    desk.tab.focus("#handle")
    desk.tab.keyboard.press("ArrowRight")
    desk.settle()
    assert desk.number("#n-work") > before


def test_a_rule_is_chosen_with_its_own_thresholds(desk):
    shared = best_thresholds(SCORES, Y, shared=True)
    desk.tab.click("[data-point=shared]")
    desk.settle()
    check_point(desk, count(Y, shared.decide(SCORES)), shared.values)
    desk.tab.click("[data-point=default]")
    desk.settle()
    half = np.full(N_LABELS, 0.5)
    check_point(desk, count(Y, (half <= SCORES).astype(int)), half)
    desk.tab.click("#to-best")
    desk.settle()
    same(desk.number("#n-f"), best_thresholds(SCORES, Y).value)


def test_bands_have_their_queue_precision_and_recall(desk):
    for handle, keys in (
        ("accept", ("Home", "ArrowRight", "PageUp")),
        ("review", ("End", "PageDown")),
    ):
        desk.tab.focus(f"#handle-{handle}")
        for key in keys:
            desk.tab.keyboard.press(key)
    desk.settle()
    accept, review = (
        int(desk.tab.get_attribute(f"#handle-{name}", "aria-valuenow"))
        for name in ("accept", "review")
    )
    assert 0 < accept < review < LAST
    d0, d1 = FRONTIER.decided[[accept, review]]
    h0, h1 = FRONTIER.hits[[accept, review]]
    same(desk.number("#band-queue"), 1000 * (d1 - d0) / N_ROWS)
    same(desk.number("#band-precisionAbove"), h0 / d0)
    same(desk.number("#band-precisionInside"), (h1 - h0) / (d1 - d0))
    same(desk.number("#band-recallBelow"), h1 / Y.sum())
    desk.fill("#band-precision", 0.9)
    assert desk.number("#band-precisionAbove") >= 0.9
    desk.fill("#band-recall", 0.7)
    assert desk.number("#band-recallBelow") >= 0.7


def test_the_mouse_drags_a_limit_of_the_bands(desk):
    before = desk.number("#band-queue")
    desk.tab.locator("#band-chart").scroll_into_view_if_needed()
    box = desk.tab.locator("#handle-review .knob").bounding_box()
    desk.tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    desk.tab.mouse.down()
    desk.tab.mouse.move(box["x"] + 120, box["y"], steps=4)
    desk.tab.mouse.up()
    desk.settle()
    assert desk.number("#band-queue") > before


def test_labels_are_sorted_searched_and_filtered(desk):
    support = Y.sum(axis=0)
    assert desk.labels() == np.argsort(-support, kind="stable").tolist()
    desk.tab.click("[data-sort=recall]")
    desk.settle()
    rates = [desk.numbers("recall")[j] for j in desk.labels()]
    assert all(a >= b for a, b in pairwise(rate for rate in rates if not np.isnan(rate)))
    assert np.isnan(rates[-1])
    desk.tab.click("[data-sort=recall]")
    desk.settle()
    assert np.isnan(desk.numbers("recall")[desk.labels()[-1]])
    assert desk.tab.get_attribute("th:has([data-sort=recall])", "aria-sort") == "ascending"
    desk.tab.fill("#search", "LABEL ")
    desk.settle()
    assert {NAMES[j][:6] for j in desk.labels()} == {"label "}
    desk.tab.fill("#search", "")
    desk.tab.select_option("#filter", "never")
    desk.settle()
    assert 3 in desk.labels()
    assert "no positives" in desk.tab.text_content("#labels-body")


def pinned_optimum(label, threshold):
    """The best micro F of all labels but one, added to what that label decides."""
    others = [j for j in range(N_LABELS) if j != label]
    frontier = micro_frontier(SCORES[:, others], Y[:, others])
    fixed = SCORES[:, label] >= threshold
    tp = frontier.hits + (fixed & (Y[:, label] == 1)).sum()
    decided = frontier.decided + fixed.sum()
    values = f_measure(Counts(tp, decided - tp, Y.sum() - tp, 0 * tp))
    return values.max(), frontier.thresholds(int(np.argmax(values)))


@pytest.mark.parametrize("label", [12, 13])
def test_the_rest_moves_to_the_best_point_around_a_pinned_label(desk, label):
    desk.tab.click(f"#labels-body tr[data-label='{label}'] button")
    desk.settle()
    assert desk.tab.locator(".panel figure").count() == 3
    desk.fill("#pin-value", 0.9)
    threshold = desk.numbers("threshold")[label]
    assert threshold > best_thresholds(SCORES, Y).values[label]
    value, others = pinned_optimum(label, threshold)
    same(desk.number("#n-f"), value)
    found = desk.numbers("threshold")
    assert [found[j] for j in range(N_LABELS) if j != label] == others.tolist()
    assert "pinned" in desk.tab.text_content(f"tr[data-label='{label}'] .notes")
    address = desk.tab.url.split("#")[1]
    desk.go(address)
    same(desk.number("#n-f"), value)
    desk.tab.click("#unpin")
    desk.settle()
    same(desk.number("#n-f"), best_thresholds(SCORES, Y).value)


def test_a_pin_is_moved_by_keys_over_cuts_with_exact_counts(desk):
    desk.tab.click("#labels-body tr[data-label='12'] button")
    desk.settle()
    desk.tab.focus("#pin")
    cuts = cuts_of(SCORES, sparse.csc_array(Y.astype(bool)))
    for _ in range(3):
        desk.tab.keyboard.press("ArrowRight")
        desk.settle()
        threshold = desk.numbers("threshold")[12]
        assert threshold in cuts.thresholds[cuts.starts[12] : cuts.starts[13]]
        decided = SCORES[:, 12] >= threshold
        assert desk.numbers("decided")[12] == decided.sum()
        same(desk.numbers("precision")[12], Y[decided, 12].mean())


def test_thresholds_are_saved_for_decide_with_the_same_numbers(desk, tmp_path):
    desk.go(f"at=hand&stop={LAST // 2}")
    path = desk.saved("#save-thresholds", tmp_path)
    loaded = Thresholds.load(path)
    assert loaded.values.tolist() == FRONTIER.thresholds(LAST // 2).tolist()
    assert loaded.evidence.decided.tolist() == (loaded.values <= SCORES).sum(axis=0).tolist()
    assert loaded.evidence.support.tolist() == Y.sum(axis=0).tolist()
    same(loaded.value, f_measure(Counts(*(cells[LAST // 2] for cells in FRONTIER.counts))))
    assert loaded.label_names == NAMES
    with (tmp_path / "scores.csv").open(
        "w", newline="", encoding="utf-8", errors="replace"
    ) as file:
        csv.writer(file).writerows([[f"c{j}" for j in range(N_LABELS)], *SCORES.tolist()])
    unnamed = json.loads(path.read_text(encoding="utf-8")) | {"label_names": None}
    (tmp_path / "unnamed.json").write_text(json.dumps(unnamed))
    decided = tmp_path / "decided.csv"
    run(
        "decide", tmp_path / "unnamed.json", tmp_path / "scores.csv", "-o", decided, "--by-position"
    )
    rows = np.loadtxt(decided, delimiter=",", skiprows=1)
    assert (rows == (loaded.values <= SCORES)).all()


def test_the_file_of_the_exact_rule_is_that_of_python(desk, tmp_path):
    desk.tab.click("[data-point=exact]")
    desk.settle()
    found = Thresholds.load(desk.saved("#save-thresholds", tmp_path))
    wanted = best_thresholds(SCORES, Y, label_names=NAMES)
    assert repr(found) == repr(wanted)
    assert found.values.tolist() == wanted.values.tolist()
    assert (found.evidence.gap, found.evidence.certificate) == (
        wanted.evidence.gap,
        wanted.evidence.certificate,
    )


def test_bands_are_saved_for_decide_with_the_same_numbers(desk, tmp_path):
    desk.go("accept=2&review=9")
    bands = Bands.load(desk.saved("#save-bands", tmp_path))
    assert bands.upper.tolist() == FRONTIER.thresholds(2).tolist()
    assert bands.lower.tolist() == FRONTIER.thresholds(9).tolist()
    same(desk.number("#band-precisionAbove"), bands.evidence.precision)
    same(desk.number("#band-recallBelow"), bands.evidence.recall)
    same(desk.number("#band-queue"), bands.evidence.review_per_1000)
    queue = bands.queue(SCORES)
    assert queue.rows.size == bands.evidence.reviewed.sum()
    inside = (bands.lower <= SCORES) & (bands.upper > SCORES)
    assert inside[queue.rows, queue.labels].all()
    assert (np.diff(np.abs(queue.probability - 0.5)) >= -1e-12).all()


def test_tables_are_saved_without_formulas(desk, tmp_path):
    with desk.saved("#save-labels", tmp_path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == N_LABELS
    assert "'=1+1" in {row["label"] for row in rows}
    best = best_thresholds(SCORES, Y).values
    for row in rows:
        assert not row["label"].startswith(("=", "+", "-", "@"))
        if row["label"].startswith("label "):
            assert float(row["threshold"]) == best[NAMES.index(row["label"])]
    with desk.saved("#save-rows", tmp_path).open(newline="", encoding="utf-8") as file:
        texts = {row["text"][:6] for row in csv.DictReader(file)}
    assert texts == {"'=text"}


def check_slices(desk, thresholds):
    decided = (thresholds <= SCORES).astype(int)
    for row, group in enumerate(np.unique(GROUPS), start=1):
        here = group == GROUPS
        counts = Counts(*map(np.sum, count(Y[here], decided[here])))
        place = f"#slices-body tr:nth-child({row})"
        assert group in desk.tab.text_content(place)
        for name, rate in (("precision", precision), ("recall", recall), ("f", f_measure)):
            same(desk.number(f"{place} [data-name={name}]"), rate(counts))


def test_slices_have_the_counts_of_their_rows(desk):
    for vertex in (LAST // 3, LAST // 2):
        desk.go(f"at=hand&stop={vertex}")
        check_slices(desk, FRONTIER.thresholds(vertex))
    desk.tab.click("[data-point=shared]")
    desk.settle()
    check_slices(desk, best_thresholds(SCORES, Y, shared=True).values)
    desk.go("at=shared&pins=12.0")
    assert desk.tab.is_visible("#slices-off")


def test_two_models_are_compared(desk):
    assert desk.tab.locator("#chart path.rival").count() == 1
    assert desk.tab.locator("#versus-body tr").count() == 3
    assert np.isfinite(desk.number("[data-name=difference-f]"))
    assert "higher F in" in desk.tab.text_content("#versus-words")


def test_hostile_names_are_inert(desk):
    for place in ("#labels-body", "#rows-near", "#points", "h1"):
        assert desk.tab.locator(place).count() == 1
    shown = desk.tab.text_content("#labels-body")
    for name in (HOSTILE[0], HOSTILE[1], HOSTILE[2], HOSTILE[4]):
        assert name in shown
    assert "\\u202e" in shown
    assert "\x1b" not in shown
    assert desk.tab.text_content("h1") == SMALL["title"]
    assert desk.tab.locator("main img, main b, main i, main script").count() == 0
    assert desk.tab.evaluate("window.owned") is None


def test_the_policy_of_the_page_refuses_scripts_of_others(desk):
    desk.tab.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.owned = 1";
            document.body.append(script);
            document.body.setAttribute("onclick", "window.owned = 1");
            document.body.click();
        }"""
    )
    assert desk.tab.evaluate("window.owned") is None
    assert desk.errors
    assert all("Content Security Policy" in error for error in desk.errors)
    desk.errors.clear()


def brightness(desk):
    color = desk.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, color.removeprefix("rgb(").removesuffix(")").split(",")))


def test_both_themes_follow_the_system_and_the_choice(desk):
    desk.tab.emulate_media(color_scheme="dark")
    assert brightness(desk) < 150
    desk.tab.select_option("#theme", "light")
    desk.settle()
    assert brightness(desk) > 600
    assert "theme=light" in desk.tab.url
    desk.tab.emulate_media(color_scheme="light")
    desk.go("theme=dark")
    assert brightness(desk) < 150
    desk.tab.emulate_media(media="print")
    assert brightness(desk) == 3 * 255


def test_everything_is_reached_by_keyboard_alone(desk):
    reached = []
    for _ in range(80):
        desk.tab.keyboard.press("Tab")
        reached.append(desk.tab.evaluate("document.activeElement.id"))
    wanted = ["save-thresholds", "theme", "handle", "measure", "beta", "cost", "minPrecision"]
    wanted += ["handle-accept", "handle-review", "search", "filter"]
    assert [name for name in dict.fromkeys(reached) if name in wanted] == wanted
    unnamed = desk.tab.evaluate(
        """() => [...document.querySelectorAll("button, input, select, [role=slider]")]
            .filter((one) => !(one.labels?.length || one.textContent.trim()
                               || one.getAttribute("aria-label")))
            .map((one) => one.outerHTML)"""
    )
    assert unnamed == []


def test_the_changing_numbers_are_announced(desk):
    desk.tab.focus("#handle")
    desk.tab.keyboard.press("End")
    desk.tab.wait_for_selector("#announcer:has-text('recall 1.000')", state="attached")
    assert desk.tab.get_attribute("#announcer", "aria-live") == "polite"


def test_an_address_with_nonsense_opens_the_page(desk):
    desk.go(
        "at=nobody&stop=-7&beta=x&measure=%3Cb%3E&pins=99.1_a.b_1.-4&label=1e9&sort=constructor&accept=1e12&slice=77&cost=9e99"
    )
    assert 0 <= desk.number("#n-f") <= 1


def test_certified_thresholds_are_saved_with_their_guarantee(chromium, tmp_path):
    rows = np.arange(N_ROWS) % 2 == 0
    names = NAMES[9:]
    tuned = best_thresholds(
        SCORES[rows, 9:],
        Y[rows, 9:],
        min_precision=0.3,
        guarantee=0.9,
        random_state=0,
        label_names=names,
    )
    report = tmp_path / "report.html"
    write_report(Desk(SCORES[~rows, 9:], Y[~rows, 9:], tuned, label_names=names), report)
    with chromium.new_context() as context:
        page = OpenPage(context, report, "at=given0&measure=jaccard")
        assert "guaranteed on new samples" in page.tab.text_content("#place").lower()
        decided = tuned.decide(SCORES[~rows, 9:])
        totals = Counts(*map(np.sum, count(Y[~rows, 9:], decided)))
        same(page.number("#n-precision"), precision(totals))
        found = Thresholds.load(page.saved("#save-thresholds", tmp_path))
        assert repr(found) == repr(tuned)
        assert page.errors == []


@pytest.mark.parametrize("name", ["macro-f", "sample-f"])
def test_the_best_point_of_an_average_over_labels_or_samples_is_that_of_python(
    desk, name, tmp_path
):
    best = best_thresholds(SCORES, Y, maximize=name)
    at_first = best_thresholds(SCORES, Y).decide(SCORES)
    same(desk.number("#n-sample-f"), macro(f_measure, count(Y, at_first, "sample")))
    # The page opens at the highest micro F, which the rule "exact" is.
    for average, key in (("macro-f", "unseen-macro-f"), ("sample-f", "unseen-sample-f")):
        expected = desk.tab.text_content(f"#points [data-key=exact] [data-name={key}]")
        assert desk.tab.text_content(f"#u-{average}") == expected != "–"
    desk.tab.select_option("#measure", name)
    desk.settle()
    decided = best.decide(SCORES)
    check_point(desk, count(Y, decided), best.values)
    same(desk.number(f"#n-{name}"), best.value)
    same(desk.number("#n-macro-f"), macro(f_measure, count(Y, decided)))
    same(desk.number("#n-sample-f"), macro(f_measure, count(Y, decided, "sample")))
    unseen = corrected_value(best, SCORES, Y, random_state=0)
    same(desk.number(f"#u-{name}"), unseen)
    assert desk.tab.is_disabled("#minPrecision")
    assert "Highest" in desk.tab.text_content("#place")
    found = Thresholds.load(desk.saved("#save-thresholds", tmp_path))
    assert (found.evidence.measure, found.evidence.average) == ("f_measure", name.split("-")[0])
    assert found.values.tolist() == best.values.tolist()
    # The handle keeps macro F, which follows from the labels; sample F does not.
    desk.tab.focus("#handle")
    desk.tab.keyboard.press("Home")
    desk.settle()
    same(desk.number("#n-macro-f"), macro(f_measure, count(Y, np.zeros_like(Y))))
    assert np.isnan(desk.number("#n-sample-f"))
    saved = Thresholds.load(desk.saved("#save-thresholds", tmp_path))
    same(saved.value, desk.number("#n-macro-f") if name == "macro-f" else np.nan)
    assert desk.errors == []


def test_the_chosen_point_is_said_in_words_and_drawn_among_macro_averages(desk):
    desk.tab.click("[data-point=exact]")
    desk.settle()
    best = best_thresholds(SCORES, Y)
    present = Y.any(axis=0)
    cells = count(Y[:, present], best.decide(SCORES)[:, present])
    rates = macro(precision, cells, undefined=0.0), macro(recall, cells)
    words = desk.tab.text_content("#macro-words")
    assert f"macro precision {rates[0]:.3f}, macro recall {rates[1]:.3f}" in words
    assert desk.tab.text_content("#in-words").startswith("On new samples: finds ")
    at = [desk.tab.get_attribute("#macro-here", name) for name in ("cx", "cy")]
    desk.tab.click("[data-point=macro-f]")
    desk.settle()
    assert [desk.tab.get_attribute("#macro-here", name) for name in ("cx", "cy")] != at


def test_a_page_opens_at_the_given_thresholds(chromium, tmp_path):
    path, given = tmp_path / "report.html", np.full(N_LABELS, 0.6)
    write_report(Desk(SCORES, Y, {"in use": given}), path)
    counts = Counts(*map(np.sum, count(Y, (given <= SCORES).astype(int))))
    with chromium.new_context() as context:
        page = OpenPage(context, path)
        same(page.number("#n-f"), f_measure(counts))
        first = page.tab.text_content("#points tr:first-child")
        assert "in use" in first
        headline = page.tab.text_content("#headline")
        assert headline.startswith("On these samples (in use): finds ")
        assert f"Micro F is {f_measure(counts):.3f}." in headline
        assert f"{best_thresholds(SCORES, Y).value:.3f} here" in headline
        page.fill("#minPrecision", 0.8)
        assert "at=best" in page.tab.url
        page.go("at=best")
        same(page.number("#n-f"), best_thresholds(SCORES, Y).value)
        assert page.errors == []


def test_given_decisions_have_no_thresholds_to_save(chromium, tmp_path):
    path = tmp_path / "report.html"
    decided = np.random.default_rng(0).random(Y.shape) < 0.5
    write_report(Desk(SCORES, Y, decided=decided, slices=GROUPS), path)
    counts = Counts(*map(np.sum, count(Y, decided)))
    with chromium.new_context() as context:
        page = OpenPage(context, path)
        same(page.number("#n-f"), f_measure(counts))
        assert page.tab.is_disabled("#save-thresholds")
        assert np.isnan([*page.numbers("threshold").values()]).all()
        page.tab.click("[data-point=exact]")
        page.settle()
        assert page.tab.is_enabled("#save-thresholds")
        assert page.errors == []


def test_a_certified_point_is_shown_near_the_handle_and_saved_with_its_guarantee(
    chromium, tmp_path
):
    random = np.random.default_rng(0)
    truth = random.random((1500, 3)) < 0.3
    scores = truth + 0.6 * random.normal(size=truth.shape)
    path = tmp_path / "certified.html"
    write_report(Desk(scores, truth, random_state=0, slices=["a", "b"] * 750), path)
    with chromium.new_context() as context:
        page = OpenPage(context, path)
        assert page.tab.locator("#chart path.certified").count() == 1
        words = page.tab.text_content("#certified-words")
        assert words.startswith("Certified nearby, with other thresholds: on new samples, ")
        page.tab.click("#to-certified")
        page.settle()
        assert page.tab.text_content("#certified-words").startswith("Certified here: ")
        assert page.tab.is_visible("#slices-off")
        saved = Thresholds.load(page.saved("#save-thresholds", tmp_path))
        assert page.errors == []
    decided = saved.decide(scores)
    assert saved.evidence.decided.tolist() == decided.sum(axis=0).tolist()
    guarantee = saved.evidence.guarantee
    assert guarantee.level == 0.95
    here = Counts(*map(np.sum, count(truth, decided)))
    assert 0.5 < guarantee.min_precision < precision(here)
    assert 0.5 < guarantee.min_recall < recall(here)
