"""Promises on new samples: checked once, or watched as samples arrive."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from labelwise.data import DataError
from labelwise.decisions import Certify, ConstraintCheck, best_thresholds, review_bands
from labelwise.deployment import Monitor, check_promises, plan_audit
from labelwise.deployment._quotients import Quotient, bounds
from labelwise.measures import count, f_measure, macro, micro, precision, recall
from tests.oracles.guarantees import capitals


def draw(random, n_samples, precision_of_half=0.7):
    """Scores of one label, of which those above 0.5 are right with a known probability."""
    scores = random.random((n_samples, 3))
    chance = np.where(scores >= 0.5, precision_of_half, 0.1)
    return scores, (random.random(scores.shape) < chance).astype(np.int64)


@pytest.fixture(scope="module")
def rule():
    """Thresholds of 0.5, roughly, for three labels."""
    found = best_thresholds(*draw(np.random.default_rng(0), 2000), random_state=0)
    assert np.abs(found.values - 0.5).max() < 0.02
    return replace(found, values=np.full(3, 0.5))


def test_values_are_those_of_the_measures(rule):
    scores, Y = draw(np.random.default_rng(1), 300)
    counts = count(Y, rule.decide(scores))
    by_sample = count(Y, rule.decide(scores), by="sample")
    asked = {f"{a}-{m}": 0.5 for a in ("micro", "sample") for m in ("precision", "recall", "f")}
    found = check_promises(rule, scores, Y, at_least=asked)
    values = {one.name: found.values[k] for k, one in enumerate(found.promises)}
    for name, measure in {"precision": precision, "recall": recall, "f": f_measure}.items():
        assert values[f"micro-{name}"] == pytest.approx(float(micro(measure, counts)))
        assert values[f"sample-{name}"] == pytest.approx(np.nanmean(measure(by_sample)))


@pytest.mark.parametrize(
    ("limit", "verdict"), [(0.6, "kept"), (0.8, "broken"), (0.7, "not enough samples")]
)
def test_a_promise_is_kept_broken_or_needs_more_rows(rule, limit, verdict):
    scores, Y = draw(np.random.default_rng(2), 600)
    found = check_promises(rule, scores, Y, at_least={"micro-precision": limit})
    assert found.verdicts == (verdict,)
    assert found.verdict == verdict
    assert verdict in repr(found)


def test_verdicts_on_promises_at_their_limit_are_seldom_wrong(rule):
    """Both verdicts on a promise that is met exactly are rare, over all promises together."""
    random = np.random.default_rng(3)
    asked = {"micro-precision": 0.7, "sample-precision": 0.7}
    wrong = 0
    for _ in range(100):
        verdicts = check_promises(rule, *draw(random, 100), at_least=asked, level=0.8).verdicts
        wrong += any(one != "not enough samples" for one in verdicts)
    assert wrong <= 30  # 20 are expected at most


@pytest.mark.parametrize(
    ("margin", "verdict"), [(-0.1, "kept"), (0.0, "not enough samples"), (0.1, "broken")]
)
def test_a_macro_average_is_tested_by_the_bounds_of_its_labels(rule, margin, verdict):
    scores, Y = draw(np.random.default_rng(12), 1000)
    value = float(macro(f_measure, count(Y, rule.decide(scores))))
    found = check_promises(rule, scores, Y, at_least={"macro-f": value + margin})
    assert found.values.tolist() == [pytest.approx(value)]
    assert found.verdicts == (verdict,)


def test_verdicts_on_a_macro_average_at_its_limit_are_seldom_wrong(rule):
    random = np.random.default_rng(13)
    asked = {"macro-precision": 0.7, "macro-recall": 0.35 / 0.4}
    wrong = 0
    for _ in range(60):
        verdicts = check_promises(rule, *draw(random, 150), at_least=asked, level=0.6).verdicts
        wrong += any(one != "not enough samples" for one in verdicts)
    assert wrong <= 31  # 24 are expected at most


def test_the_corrected_value_of_a_macro_average_is_a_promise():
    random = np.random.default_rng(14)
    tuned = best_thresholds(*draw(random, 1500), maximize="macro-f", min_recall=0.5, random_state=0)
    found = check_promises(tuned, *draw(random, 3000))
    names = {one.name: verdict for one, verdict in zip(found.promises, found.verdicts, strict=True)}
    assert names["macro-f"] == "kept"
    assert "macro-f" not in [one.name for one in Monitor(tuned).promises]


def test_an_end_of_an_interval_is_the_last_value_before_one_that_no_bet_rejects():
    """The ends are those of the bets of the oracle, one value of the grid at a time."""
    random = np.random.default_rng(15)
    above = random.integers(0, 3, 80).astype(float)
    below = np.maximum(above, random.integers(0, 4, 80))
    one, grid = Quotient(above, below, 3.0, 3.0, 1.0), np.linspace(0, 1, 21)
    expected = []
    for sign, values in ((1, grid.tolist()), (-1, grid[::-1].tolist())):
        end = values[0]
        for value in values:
            least = -3 * value if sign > 0 else -3 * (1 - value)
            numbers = sign * (above - value * below)
            square = value * (1 - value) + 1e-3
            reached = capitals(numbers.tolist(), min(least, -1e-9), square, 0.05, n_planned=80)
            if max([1.0, *reached]) < 1 / 0.05:
                break
            end = value
        expected.append(end)
    assert bounds(one.bets, 80, 0.1, grid) == tuple(expected)
    assert 0 < expected[0] < one.value < expected[1] < 1


def test_a_largest_number_of_decisions_is_tested_like_a_least_share(rule):
    scores, Y = draw(np.random.default_rng(16), 2000)
    mean = rule.decide(scores).sum(axis=1).mean()
    for limit, verdict in (
        (mean + 0.2, "kept"),
        (mean, "not enough samples"),
        (mean - 0.2, "broken"),
    ):
        check = ConstraintCheck("max_decisions", limit * 2000, mean * 2000, mean * 2000)
        promised = replace(rule, evidence=replace(rule.evidence, constraints=(check,)))
        found = check_promises(promised, scores, Y)
        assert found.promises[0].name == "decisions"
        assert found.values[0] == pytest.approx(mean)
        assert found.intervals[0, 0] < mean < found.intervals[1, 0]
        assert found.verdicts[0] == verdict


def test_guarantees_and_constraints_are_promises():
    random = np.random.default_rng(4)
    scores, Y = draw(random, 3000)
    certified = best_thresholds(scores, Y, min_precision=0.6, guarantee=0.9, random_state=0)
    found = check_promises(certified, *draw(random, 3000))
    texts = [(one.name, one.limit, one.source) for one in found.promises]
    assert ("micro-precision", 0.6, "guarantee") in texts
    assert ("micro-f", certified.evidence.guarantee.f_bound, "guarantee") in texts
    assert found.verdicts[0] == "kept"
    with pytest.warns(UserWarning, match="constraint|min_precision"):
        plain = best_thresholds(scores, Y, min_precision=0.75, max_decisions=900, random_state=0)
    sources = {one.source for one in check_promises(plain, *draw(random, 500)).promises}
    assert sources == {"constraint", "corrected value"}
    by_label = best_thresholds(
        scores, Y, maximize="macro-f", min_precision=0.6, guarantee=0.9, random_state=0
    )
    labels = [one.label for one in check_promises(by_label, *draw(random, 500)).promises]
    assert labels == [0, 1, 2, None]  # the last is the corrected macro value
    bands = review_bands(scores, Y, min_precision=0.6, min_recall=0.5)
    names = [one.name for one in check_promises(bands, *draw(random, 500)).promises]
    assert names == ["micro-precision", "micro-recall"]


def test_groups_are_the_units_of_a_check(rule):
    """A sample that is copied a hundred times is one unit, and proves nothing more."""
    scores, Y = draw(np.random.default_rng(5), 20)
    copied = [np.repeat(part, 100, axis=0) for part in (scores, Y)]
    asked = {"micro-precision": 0.6}
    alone = check_promises(rule, scores, Y, at_least=asked)
    groups = np.repeat(np.arange(20), 100)
    together = check_promises(rule, *copied, at_least=asked, groups=groups)
    np.testing.assert_allclose(together.intervals, alone.intervals)
    as_samples = check_promises(rule, *copied, at_least=asked)
    assert np.diff(as_samples.intervals, axis=0) < np.diff(alone.intervals, axis=0)


@pytest.mark.parametrize(("weigh", "verdict"), [("sample", "kept"), ("group", "broken")])
def test_samples_count_the_same_unless_groups_do_in_the_guarantee(weigh, verdict):
    """Small groups are decided wrongly and large ones rightly: 0.87 of all, and 0.63 of a group."""
    random = np.random.default_rng(17)
    sizes = np.where(np.arange(600) % 2, 9, 1)
    groups = np.repeat(np.arange(600), sizes)
    scores = random.random((groups.size, 2))
    chance = np.where(sizes[groups] == 9, 0.9, 0.3)[:, None] * (scores > 0.5)
    Y = (random.random(scores.shape) < chance).astype(int)
    rule = best_thresholds(scores, Y)
    certify = Certify(0.9, weigh=weigh)
    with_guarantee = best_thresholds(
        scores, Y, min_precision=0.3, guarantee=certify, groups=groups, random_state=0
    ).evidence.guarantee
    promised = replace(with_guarantee, min_precision=0.75, f_bound=None)
    rule = replace(rule, evidence=replace(rule.evidence, guarantee=promised))
    found = check_promises(rule, scores, Y, groups=groups)
    assert found.verdicts == (verdict,)
    if weigh == "sample":
        expected = micro(precision, count(Y, rule.decide(scores)))
        assert found.values[0] == pytest.approx(float(expected))
    else:
        with pytest.raises(ValueError, match="groups must be given: these thresholds guarantee"):
            check_promises(rule, scores, Y)
        assert plan_audit(rule, scores, 10).promises == {}


def test_promises_about_weighted_samples_are_not_tested():
    random = np.random.default_rng(19)
    scores, Y = draw(random, 1000)
    weights = np.where(Y.any(axis=1), 5.0, 1.0)
    rule = best_thresholds(
        scores, Y, min_precision=0.6, guarantee=0.9, sample_weight=weights, random_state=0
    )
    with pytest.raises(ValueError, match="of samples without weights, or at_least must name"):
        check_promises(rule, scores, Y)
    found = check_promises(rule, scores, Y, at_least={"micro-precision": 0.5})
    assert [one.source for one in found.promises] == ["asked"]
    assert plan_audit(rule, scores, 10).promises == {}


def test_a_monitor_remembers_the_largest_group(rule, tmp_path):
    random = np.random.default_rng(18)
    groups = np.repeat(np.arange(40), [60, *[1] * 39])
    monitors = [Monitor(rule, at_least={"micro-precision": 0.7}) for _ in range(2)]
    for k in range(2):
        scores, Y = draw(random, 99, 0.4)
        monitors[0].update(scores, Y, groups=groups)
        monitors[1].update(scores[60 * k :], Y[60 * k :])
        monitors[0].save(tmp_path / "m.json")
        monitors[0] = Monitor.load(tmp_path / "m.json", rule)
        groups = np.arange(99)
    # Later samples are groups of one, and count little beside one of sixty.
    assert monitors[0].evidence[-1][0] < 0.2 * monitors[1].evidence[-1][0]


def test_cells_without_truth_count_nowhere(rule):
    scores, Y = draw(np.random.default_rng(6), 200)
    partly = Y.astype(float)
    partly[100:, 1] = np.nan
    found = check_promises(rule, scores, partly, at_least={"micro-precision": 0.5})
    decided = rule.decide(scores) * ~np.isnan(partly)
    assert found.values[-1] == (decided * Y).sum() / decided.sum()


# ------------------------------------------------ monitors


def evidence_of(numbers, most, bets):
    """The capital of all players, batch after batch, as the definition has it."""
    players, found = [], []
    for k, batch in enumerate(numbers, 1):
        players += [[1 / (k * (k + 1)) / len(bets), bet] for bet in bets]
        for player in players:
            for number in batch:
                player[0] *= 1 - player[1] / most * number
        found.append(math.log(sum(capital for capital, _ in players)))
    return found


def test_evidence_is_that_of_the_definition(rule):
    from labelwise.deployment._monitor import BETS

    random = np.random.default_rng(7)
    batches = [draw(random, 15, 0.4) for _ in range(4)]
    monitor = Monitor(rule, at_least={"micro-precision": 0.7, "sample-f": 0.5})
    numbers = []
    for scores, Y in batches:
        monitor.update(scores, Y)
        decided = rule.decide(scores)
        numbers.append((decided * (Y - 0.7)).sum(axis=1))
    k = [one.name for one in monitor.promises].index("micro-precision")
    expected = evidence_of(numbers, 0.3 * 3, BETS.tolist())
    np.testing.assert_allclose([one[k] for one in monitor.evidence], expected)


def test_false_alarms_are_as_rare_as_the_level_says(rule):
    random = np.random.default_rng(8)
    asked = {"micro-precision": 0.7, "micro-recall": 0.5}
    alarms = 0
    for _ in range(40):
        monitor = Monitor(rule, at_least=asked, level=0.8)
        for _ in range(10):
            monitor.update(*draw(random, 20))
        alarms += monitor.alarm
    assert alarms <= 13  # 8 are expected at most


@pytest.mark.parametrize("start", [1, 25])
def test_an_early_and_a_late_change_are_found_and_dated(rule, start):
    random = np.random.default_rng(9)
    monitor = Monitor(rule, at_least={"micro-precision": 0.65})
    for day in range(40):
        monitor.update(*draw(random, 50, 0.7 if day < start else 0.45), name=f"day {day}")
        if monitor.alarm:
            break
    assert start <= day <= start + 5
    assert abs(int(monitor.changed_at.split()[1]) - start) <= 2
    assert f"alarm, changed at {monitor.changed_at}" in repr(monitor)


def test_a_monitor_without_an_update_shows_its_promises(rule):
    monitor = Monitor(rule, at_least={"micro-f": 0.7})
    found = monitor.to_dict()
    assert (found["alarm"], found["n_updates"]) == (False, 0)
    assert np.isnan(found["promises"][0]["value"])
    assert "no alarm" in repr(monitor)
    assert "micro-f at least 0.7" in repr(monitor)


def test_a_monitor_goes_on_from_its_file(rule, tmp_path):
    random = np.random.default_rng(10)
    batches = [draw(random, 30, 0.5) for _ in range(6)]
    whole, parts = (Monitor(rule, at_least={"micro-f": 0.7}) for _ in range(2))
    for k, batch in enumerate(batches):
        whole.update(*batch)
        if k:
            parts = Monitor.load(tmp_path / "m.json", rule)
        parts.update(*batch).save(tmp_path / "m.json")
    again = Monitor.load(tmp_path / "m.json", rule)
    assert repr(again) == repr(whole)
    np.testing.assert_array_equal(again.evidence, whole.evidence)
    assert again.changed_at == whole.changed_at
    content = json.loads((tmp_path / "m.json").read_text())
    for name, value in {
        "at_least": {"x": 0.5},
        "limits": [0.8],
        "largest_group": 0,
        "state": [9.0] * 30,
        "values": [],
        "level": 2.0,
    }.items():
        (tmp_path / "n.json").write_text(json.dumps({**content, name: value}))
        with pytest.raises(DataError):
            Monitor.load(tmp_path / "n.json", rule)
    other = best_thresholds(*draw(random, 100), random_state=0)
    with pytest.raises(DataError, match="is the state of a monitor of other thresholds"):
        Monitor.load(tmp_path / "m.json", other)


def test_wrong_use_is_named(rule):
    scores, Y = draw(np.random.default_rng(11), 50)
    plain = best_thresholds(scores, Y)
    with pytest.raises(ValueError, match="thresholds must have a guarantee"):
        check_promises(plain, scores, Y)
    with pytest.raises(ValueError, match=r"at_least must name one of micro-.* 'macro-f'"):
        Monitor(rule, at_least={"macro-f": 0.5})
    for refused in (lambda: check_promises([0.5], scores, Y), lambda: Monitor([0.5])):
        with pytest.raises(TypeError, match="thresholds must be a Thresholds, got"):
            refused()
    sliced = best_thresholds(scores, Y, slices=np.arange(50) % 2)
    with pytest.raises(ValueError, match="slice"):
        Monitor(sliced, at_least={"micro-f": 0.5})
    monitor = Monitor(rule, at_least={"micro-f": 0.5}).update(scores, Y, name="May")
    with pytest.raises(ValueError, match="name must be that of a new update, got 'May' again"):
        monitor.update(scores, Y, name="May")
    with pytest.raises(ValueError, match="scores must have the 3 labels of the rule, got 2"):
        check_promises(rule, scores[:, :2], Y[:, :2], at_least={"micro-f": 0.5})
