"""Audits: cells are drawn with known probabilities, and intervals contain the value."""

import json
from bisect import bisect_left
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from labelwise.data import DataError
from labelwise.decisions import best_thresholds, review_bands, review_measures
from labelwise.deployment import AuditPlan, audit_report, check_promises, plan_audit
from labelwise.deployment._audit_plan import CellTotals
from labelwise.deployment._audit_report import GRID, Population
from labelwise.measures import count, f_measure, macro, micro, precision, recall
from tests.oracles import audits

MEASURES = {"precision": precision, "recall": recall, "f": f_measure}


def population(random, n_samples=300, n_labels=3, quality=1.0):
    """Guesses, of which some are wrong, and the truth."""
    proba = random.beta(0.4, 2.0, size=(n_samples, n_labels))
    Y = random.random(proba.shape) < quality * proba + (1 - quality) * (1 - proba) * 0.3
    return proba, Y.astype(np.int64)


def tuned_thresholds(seed=0):
    return best_thresholds(*population(np.random.default_rng(seed)))


def answers_to(plan, Y):
    return Y[np.array(plan.ids, dtype=int), plan.labels]


STATES = {"no": 0, "yes": 1, "review": 2}


@st.composite
def drawn_cells(draw):
    """A small population, and some of its cells with answers."""
    shares = st.floats(0.05, 0.95)
    cell = st.builds(
        audits.Cell, st.sampled_from(list(STATES)), shares, st.floats(0.2, 3.0), st.none()
    )
    known = st.builds(
        audits.Cell,
        st.sampled_from(list(STATES)),
        shares,
        st.just(1.0),
        st.sampled_from([0.0, 1.0]),
    )
    cells = draw(st.lists(cell, min_size=2, max_size=8)) + draw(st.lists(known, max_size=3))
    unknown = [i for i, one in enumerate(cells) if one.known is None]
    order = draw(st.permutations(unknown))[: draw(st.integers(1, len(unknown) - 1))]
    answers = draw(
        st.lists(st.sampled_from([0.0, 1.0, 1.0, None]), min_size=len(order), max_size=len(order))
    )
    return cells, order, answers


def as_population(cells, order, answers):
    totals = CellTotals(*(np.zeros(3) for _ in CellTotals._fields))
    for one in cells:
        state = STATES[one.decided]
        if one.known is not None:
            totals.n_cells[state] += 1
            totals.guessed[state] += one.known
            continue
        p, u = one.guess, one.weight
        for part, term in zip(totals, (1, 1, p, u, p * (1 - p) / u), strict=False):
            part[state] += term
        for part, term in zip(totals[5:], (p / u, (1 - p) / u), strict=True):
            part[state] = max(part[state], term)
    chosen = [cells[i] for i in order]
    return Population(
        len(order),
        totals,
        np.array([STATES[one.decided] for one in chosen]),
        np.array([one.guess for one in chosen]),
        np.array([one.weight for one in chosen]),
        np.array([np.nan if one is None else one for one in answers]),
    )


@settings(max_examples=15, deadline=None)
@given(drawn_cells(), st.sampled_from(list(MEASURES)), st.sampled_from([0.5, 1.0, 2.0]))
@example(([audits.Cell("yes", 0.5, 1.0)] * 4, [0, 1, 2], [1.0, 1.0, 1.0]), "precision", 1.0)
def test_intervals_are_those_of_the_definition(problem, measure, beta):
    cells, order, answers = problem
    found = as_population(*problem).bounds(measure, beta, 0.6)
    expected = audits.interval(cells, order, answers, GRID, measure, beta, 0.6, len(order))
    # Bets of the fast routine are interpolated in a table.
    np.testing.assert_allclose(found, expected, atol=2.1 * GRID[1])


def test_the_first_cells_are_drawn_in_proportion_to_their_weights():
    proba, _ = population(np.random.default_rng(0), 4, 2)
    rule = tuned_thresholds()
    rule = replace(rule, values=np.array([0.2, 0.3]), evidence=rule.evidence)
    times, weights = {}, {}
    for seed in range(600):
        plan = plan_audit(rule, proba, 8, random_state=seed)
        cells = [(*cell,) for cell in zip(plan.ids, plan.labels.tolist(), strict=True)]
        weights = dict(zip(cells, plan.weights.tolist(), strict=True))
        times[cells[0]] = times.get(cells[0], 0) + 1
    total = sum(weights.values())
    assert len(weights) == 8
    for cell, weight in weights.items():
        share = weight / total
        assert abs(times.get(cell, 0) / 600 - share) < 4.5 * np.sqrt(share / 600)


@pytest.mark.parametrize("quality", [1.0, 0.6])
def test_every_interval_misses_its_value_at_most_as_often_as_it_may(quality):
    """Also if the guesses are wrong: a bound that was ever crossed counts as missed."""
    random = np.random.default_rng(1)
    rule = tuned_thresholds()
    proba, Y = population(random, quality=quality)
    counts = count(Y, rule.decide(proba))
    missed = dict.fromkeys(MEASURES, 0)
    n_plans = 60
    for seed in range(n_plans):
        plan = plan_audit(rule, proba, 120, random_state=seed)
        cells = Population.of(plan, answers_to(plan, Y).astype(float))
        for name, measure in MEASURES.items():
            low, high = cells.bounds(name, 1.0, 0.2)
            missed[name] += not low <= micro(measure, counts) <= high
            assert low > 0.05 or name == "recall"
    # 0.2 of 60 plans are 12; 21 or more would happen with a probability of 0.003 for an exact 0.2.
    assert max(missed.values()) <= 20, missed


def test_weights_by_influence_lower_the_error_of_cells_drawn_evenly_by_a_quarter():
    random = np.random.default_rng(3)
    rule = tuned_thresholds()
    proba, Y = population(random, 2000)
    decided = rule.decide(proba)
    value = micro(f_measure, count(Y, decided))
    errors = {"plan": [], "even": []}
    for seed in range(40):
        plan = plan_audit(rule, proba, 150, random_state=seed)
        found = Population.of(plan, answers_to(plan, Y).astype(float)).estimate("f", 1.0)
        errors["plan"].append(found - value)
        cells = np.random.default_rng(seed).choice(Y.size, 150, replace=False)
        y, d = Y.ravel()[cells], decided.ravel()[cells]
        errors["even"].append(2 * (y & d).sum() / (y.sum() + d.sum()) - value)
    of_plan, evenly = (np.sqrt(np.mean(np.square(one))) for one in errors.values())
    assert of_plan < 0.75 * evenly


@pytest.mark.parametrize("goal", ["micro-f", "macro-recall"])
def test_answers_for_all_cells_give_the_values_themselves(goal):
    rule = tuned_thresholds()
    proba, Y = population(np.random.default_rng(2), 30)
    plan = plan_audit(rule, proba, 1000, goal=goal, random_state=0)
    assert len(plan) == Y.size
    report = audit_report(plan, answers_to(plan, Y))
    counts = count(Y, rule.decide(proba))
    for name, measure in MEASURES.items():
        value = float(micro(measure, counts))
        assert report.intervals[f"micro-{name}"] == pytest.approx((value, value))
        assert report.values[f"macro-{name}"] == pytest.approx(float(macro(measure, counts)))
        np.testing.assert_allclose(report.label_values[name], measure(counts))


def test_answers_of_the_review_queue_are_counted_and_not_drawn():
    random = np.random.default_rng(4)
    scores, Y = population(random, 400)
    bands = review_bands(scores, Y, min_precision=0.8, min_recall=0.8)
    states = bands.decide(scores)
    assert (states == -1).any()
    known = np.where(states == -1, Y, np.nan)
    plan = plan_audit(bands, scores, 5000, known=known, random_state=0)
    assert not (plan.states == 2).any()
    without = plan_audit(bands, scores, 5000, random_state=0)
    assert (without.states == 2).any()
    answered = np.where(states == -1, Y, states)
    value = float(micro(f_measure, count(Y, answered)))
    for one in (plan, without):
        report = audit_report(one, answers_to(one, Y))
        assert report.values["micro-f"] == pytest.approx(value)


@pytest.mark.parametrize("kind", ["thresholds", "bands"])
def test_an_audit_of_all_cells_and_a_check_have_the_same_values(kind):
    scores, Y = population(np.random.default_rng(12), 400)
    rule = best_thresholds(scores, Y, beta=2.0)
    if kind == "bands":
        rule = review_bands(scores, Y, min_precision=0.8, min_recall=0.8)
        found = review_measures(Y, rule.decide(scores))
    plan = plan_audit(rule, scores, Y.size, random_state=0)
    report = audit_report(plan, answers_to(plan, Y))
    asked = {f"{a}-{m}": 0.5 for a in ("micro", "macro") for m in MEASURES}
    check = check_promises(rule, scores, Y, at_least=asked)
    values = {one.name: check.values[k] for k, one in enumerate(check.promises)}
    assert report.values == pytest.approx(values)
    if kind == "bands":
        assert report.values["micro-precision"] == pytest.approx(found.precision)
        assert report.values["micro-recall"] == pytest.approx(found.recall)


def test_only_answers_before_the_first_gap_count_and_doubts_widen_the_interval():
    rule = tuned_thresholds()
    proba, Y = population(np.random.default_rng(5))
    plan = plan_audit(rule, proba, 100, random_state=0)
    answers = [int(one) for one in answers_to(plan, Y)]
    first = audit_report(plan, [*answers[:60], *[None] * 40])
    gap = audit_report(plan, [*answers[:60], "", *answers[61:]])
    assert first.n_answers == gap.n_answers == 60
    assert (first.n_later, gap.n_later) == (0, 39)
    assert first.intervals == gap.intervals
    unsure = audit_report(plan, ["?" if i % 9 == 0 else one for i, one in enumerate(answers)])
    sure = audit_report(plan, answers)
    assert unsure.n_unsure == 12
    for name in ("micro-precision", "micro-recall", "micro-f"):
        assert unsure.intervals[name][0] <= sure.intervals[name][0]
        assert unsure.intervals[name][1] >= sure.intervals[name][1]
    assert unsure.intervals["micro-f"] != sure.intervals["micro-f"]


def test_the_interval_of_a_label_does_not_depend_on_later_draws():
    proba, Y = population(np.random.default_rng(5), 400)
    plan = plan_audit(tuned_thresholds(), proba, 200, random_state=0)
    part = [*answers_to(plan, Y)[:120].tolist(), *[None] * 80]
    later = np.array([*plan.labels[:120], *[0] * 80])
    for name, ends in audit_report(plan, part).label_intervals.items():
        other = audit_report(replace(plan, labels=later), part).label_intervals[name]
        np.testing.assert_array_equal(other, ends)
    assert ends[1, 0] - ends[0, 0] < 1


def test_a_third_of_the_answers_has_an_interval_already():
    rule = tuned_thresholds()
    proba, Y = population(np.random.default_rng(7), 2000)
    plan = plan_audit(rule, proba, 600, random_state=0)
    given = answers_to(plan, Y)
    part = audit_report(plan, [*given[:200].tolist(), *[None] * 400])
    low, high = part.intervals["micro-precision"]
    assert 0.2 < high - low < 0.6
    ends = audit_report(plan, given).intervals["micro-precision"]
    assert np.diff(ends) < 0.6 * (high - low)


def test_promises_are_proven_disproven_or_need_more_answers():
    rule = tuned_thresholds()
    proba, Y = population(np.random.default_rng(6), 2000)
    plan = plan_audit(rule, proba, 400, at_least={"micro-f": 0.2}, random_state=0)
    assert audit_report(plan, answers_to(plan, Y)).verdicts == {"micro-f": "proven"}
    asked = {"micro-f": 0.95, "micro-precision": 0.05}
    report = audit_report(plan, answers_to(plan, Y), at_least=asked)
    assert report.verdicts["micro-f"] == "disproven"
    assert report.verdicts["micro-precision"] == "proven"
    at = round(report.values["micro-f"] - 0.02, 3)
    near = audit_report(plan, answers_to(plan, Y), at_least={"micro-f": at})
    assert near.verdicts == {"micro-f": "open"}
    assert near.n_more["micro-f"] > 400
    assert "not decided yet" in repr(near)


@pytest.mark.parametrize("seed", [2, 3])
def test_a_promise_is_decided_after_about_as_many_more_answers_as_an_early_report_says(seed):
    proba, Y = population(np.random.default_rng(seed), 2000)
    plan = plan_audit(tuned_thresholds(), proba, 800, random_state=seed)
    given = answers_to(plan, Y)
    limit = audit_report(plan, given).values["micro-f"] - 0.12

    def report(n):
        part = [*given[:n].tolist(), *[None] * (800 - n)]
        return audit_report(plan, part, at_least={"micro-f": limit})

    sizes = range(0, 800, 20)
    at = bisect_left(sizes, "p", key=lambda n: report(n).verdicts["micro-f"][0])
    early = report(150)
    assert early.verdicts == {"micro-f": "open"}
    assert 0.6 < (150 + early.n_more["micro-f"]) / sizes[at] < 1.7
    assert f"about {early.n_more['micro-f']} more answers" in repr(early)


def test_a_promise_that_needs_a_longer_plan_says_so():
    proba, Y = population(np.random.default_rng(2), 2000)
    plan = plan_audit(tuned_thresholds(), proba, 200, random_state=2)
    report = audit_report(plan, answers_to(plan, Y), at_least={"micro-f": 0.45})
    more = report.n_more["micro-f"]
    assert more > 1
    said = f"needs about {more} more answers like these, {more} of them beyond this plan"
    assert said in repr(report)
    few = [*answers_to(plan, Y)[:30].tolist(), *[None] * 170]
    at = audit_report(plan, few).values["micro-f"]
    near = audit_report(plan, few, at_least={"micro-f": at})
    assert near.n_more == {"micro-f": np.inf}
    assert "far more answers needed" in repr(near)


def test_macro_averages_have_estimates_and_needs_before_each_label_has_answers():
    proba, Y = population(np.random.default_rng(5), 2000)
    plan = plan_audit(tuned_thresholds(), proba, 400, goal="macro-f", random_state=0)
    given = answers_to(plan, Y)
    n = 1 + max(np.flatnonzero(plan.labels == j)[0] for j in range(3))
    for few in (n - 1, 100):
        part = [*given[:few].tolist(), *[None] * (400 - few)]
        report = audit_report(plan, part, at_least={"macro-f": 0.2})
        assert 0 < report.values["macro-f"] < 1
    assert report.verdicts == {"macro-f": "open"}
    assert 0 < report.n_more["macro-f"] < 2000


def test_macro_averages_leave_out_labels_that_are_never_decided():
    proba, Y = population(np.random.default_rng(5), 400)
    rule = tuned_thresholds()
    rule = replace(rule, values=np.array([*rule.values[:2], np.inf]))
    plan = plan_audit(rule, proba, proba.size, random_state=0)
    report = audit_report(plan, answers_to(plan, Y))
    assert np.isnan(report.label_values["precision"]).tolist() == [False, False, True]
    expected = macro(precision, count(Y, rule.decide(proba)), undefined="skip")
    assert report.values["macro-precision"] == pytest.approx(expected)
    assert report.intervals["macro-precision"][1] > expected


def test_guarantees_of_thresholds_are_the_promises_of_a_plan():
    proba, Y = population(np.random.default_rng(7), 3000)
    rule = best_thresholds(proba, Y, min_precision=0.5, guarantee=0.9, random_state=0)
    plan = plan_audit(rule, proba, 10, random_state=0)
    assert plan.promises["micro-precision"] == 0.5
    assert plan.promises["micro-f"] == rule.evidence.guarantee.f_bound
    bands = review_bands(proba, Y, min_precision=0.5, guarantee=0.9, random_state=0)
    assert plan_audit(bands, proba, 10, random_state=0).promises == {"micro-precision": 0.5}


def test_a_plan_is_read_from_its_file_and_a_changed_file_is_refused(tmp_path):
    rule = tuned_thresholds()
    proba, Y = population(np.random.default_rng(8), 50)
    plan = plan_audit(rule, proba, 20, at_least={"micro-f": 0.5}, random_state=0)
    plan.save(tmp_path / "p.json")
    again = AuditPlan.load(tmp_path / "p.json")
    expected = audit_report(plan, answers_to(plan, Y))
    assert repr(audit_report(again, answers_to(plan, Y))) == repr(expected)
    content = json.loads((tmp_path / "p.json").read_text())
    for name, value in {
        "weights": [0.0] * 20,
        "labels": [3] * 20,
        "guesses": [1.5] * 20,
        "states": [1] * 19,
        "totals": [0.0],
        "goal": "micro-x",
        "beta": -1.0,
        "promises": {"micro-f": 3},
    }.items():
        (tmp_path / "q.json").write_text(json.dumps({**content, name: value}))
        with pytest.raises(DataError):
            AuditPlan.load(tmp_path / "q.json")


def test_wrong_arguments_are_named():
    rule = tuned_thresholds()
    proba, Y = population(np.random.default_rng(9), 20)
    with pytest.raises(ValueError, match=r"goal must be one of micro-f, .* got 'f'\."):
        plan_audit(rule, proba, 5, goal="f")
    with pytest.raises(ValueError, match=r"from 0 to 1 without calibrate, got"):
        plan_audit(rule, proba * 3, 5)
    with pytest.raises(ValueError, match=r"known must leave a cell to look at"):
        plan_audit(rule, proba, 5, known=Y)
    with pytest.raises(ValueError, match=r"ids must have one id for each of 20 samples, got 1\."):
        plan_audit(rule, proba, 5, ids=["a"])
    with pytest.raises(ValueError, match=r"scores must have at least one sample, got 0\."):
        plan_audit(rule, proba[:0], 5)
    with pytest.raises(ValueError, match=r"ids must be distinct, got 'a' twice\."):
        plan_audit(rule, proba, 5, ids=["a"] * 20)
    plan = plan_audit(rule, proba, 5, random_state=0)
    with pytest.raises(
        ValueError, match=r"answers must have one answer for each of 5 cells, got 1"
    ):
        audit_report(plan, [1])
    with pytest.raises(ValueError, match=r"answers must be 1, 0, .* got 7 of cell 2\."):
        audit_report(plan, [1, 7, 1, 1, 1])
    with pytest.raises(ValueError, match=r"at_least must name one of .* got 'f'\."):
        audit_report(plan, [1] * 5, at_least={"f": 0.5})


def test_calibration_samples_turn_any_scores_into_guesses():
    proba, Y = population(np.random.default_rng(10), 500)
    scores = 5 * np.log(proba / (1 - proba))
    rule = best_thresholds(scores, Y)
    plan = plan_audit(rule, scores, 50, calibrate=(scores, Y), random_state=0)
    rows = np.array(plan.ids, dtype=int)
    assert np.corrcoef(plan.guesses, proba[rows, plan.labels])[0, 1] > 0.9


def test_without_any_answer_the_guesses_are_the_estimate_and_nothing_is_proven():
    proba, _ = population(np.random.default_rng(3), 40)
    plan = plan_audit(tuned_thresholds(), proba, 10, random_state=0)
    found = audit_report(plan, np.full(10, np.nan))
    assert found.n_answers == 0
    assert set(found.intervals.values()) == {(0.0, 1.0)}
    assert "which no answer has checked" in repr(found)
    asked = audit_report(plan, np.full(10, np.nan), at_least={"micro-f": 0.2})
    assert "\nmicro-f at least 0.2: not decided yet\n" in repr(asked)
    expected = plan.totals.guessed.sum(axis=1)
    assert found.values["micro-recall"] == pytest.approx(expected[1] / expected.sum())


def test_the_beta_of_the_thresholds_is_that_of_the_audit():
    proba, Y = population(np.random.default_rng(11), 40)
    rule = best_thresholds(proba, Y, beta=2.0)
    plan = plan_audit(rule, proba, 1000, random_state=0)
    report = audit_report(plan, answers_to(plan, Y))
    value = float(micro(partial(f_measure, beta=2.0), count(Y, rule.decide(proba))))
    assert report.values["micro-f"] == pytest.approx(value)
