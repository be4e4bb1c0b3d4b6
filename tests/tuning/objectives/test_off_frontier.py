"""Constraints that some thresholds meet are met, and the gap bounds all other values.

Tests `_off_frontier` with its kernels, and the steps of the frontier.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise._curves import frontier_steps, hulls_of
from labelwise._tuning import check_problem
from labelwise._tuning.objectives import _off_frontier as _off_frontier
from labelwise._tuning.objectives._linear_fractional import gains_from_hits
from labelwise._tuning.objectives._off_frontier import Wanted, search_hits
from labelwise.decisions import LinearFractional, best_thresholds
from labelwise.measures import (
    Counts,
    accuracy,
    balanced_accuracy,
    f_measure,
    g_mean,
    jaccard,
    matthews,
    precision,
    recall,
)
from tests.decisions.problems import problems, random_problems
from tests.oracles import thresholds as oracle
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings(
    "ignore:Y has no positives", "ignore:Constraints that new samples may break"
)
TVERSKY = LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0), when_empty=1.0)
# Undefined where nothing is decided, where one wrong decision is better than two.
LAZY = LinearFractional((0, 0, 0, 1), (1, 1, 0, 0))
GAINING = [
    f_measure,
    jaccard,
    precision,
    recall,
    accuracy,
    balanced_accuracy,
    g_mean,
    matthews,
    TVERSKY,
    LAZY,
]
ODDS = LinearFractional((1, 0, 0, 0), (0, 1, 0, 0))


def fond_of_errors(counts):
    return np.sin(counts.fp) - counts.tp


MEASURES = [*GAINING, ODDS, fond_of_errors]
NAMES = ("min_precision", "min_recall", "max_decisions")
COMBINATIONS = [names for size in (1, 2, 3) for names in itertools.combinations(NAMES, size)]


def check(scores, Y, measure, limits, *, shared=False):
    """Hold the tuned thresholds to all threshold vectors; tell whether some meet the limits."""
    decided, hits = oracle.totals(scores, Y, shared)
    kept = oracle.keeps(limits, Y, decided, hits)
    if not kept.any():
        with pytest.raises(ValueError, match="cannot be met"):
            best_thresholds(scores, Y, maximize=measure, shared=shared, **limits)
        return False
    tuned = best_thresholds(scores, Y, maximize=measure, shared=shared, **limits)
    reached = tuned.decide(scores).astype(bool)
    n_decided, n_hits = reached.sum(), (reached & Y).sum()
    assert oracle.keeps(limits, Y, n_decided, n_hits)
    value = measure(oracle.counts_of_totals(Y, n_decided, n_hits))
    np.testing.assert_allclose(tuned.value, value, rtol=1e-12)
    values = np.asarray(measure(oracle.counts_of_totals(Y, decided, hits)))
    values = np.where(kept, values, np.nan)
    if measure in GAINING and Y.any():
        assert np.isnan(values).all() == np.isnan(tuned.value)
        assert np.isnan(values).all() or tuned.evidence.exact
    if tuned.evidence.gap is not None and not np.isnan(values).all():
        highest = np.nanmax(values)
        assert highest <= tuned.value + tuned.evidence.gap + 1e-12
        if tuned.evidence.exact:
            assert n_decided == decided[values >= highest - 1e-12].min()
    return True


@st.composite
def limits(draw, most_cells=21):
    rates = st.sampled_from([0.0, 0.5, 0.9, 1.0]) | st.floats(0, 1)
    names = draw(st.sampled_from(COMBINATIONS))
    return {
        name: draw(st.integers(0, most_cells) if name == "max_decisions" else rates)
        for name in names
    }


@pytest.mark.parametrize("measure", MEASURES, ids=spoken)
@given(problem=problems(), limits=limits(), shared=st.booleans())
def test_what_some_thresholds_meet_is_met_by_the_best_of_them(measure, problem, limits, shared):
    check(*problem, measure, limits, shared=shared)


def test_no_feasible_problem_of_a_thousand_is_refused():
    random = np.random.default_rng(7)
    n_feasible = 0
    for scores, Y in random_problems(1600, seed=8, most_samples=7, with_positives=False):
        if random.random() < 0.5:
            scores = random.permuted(np.indices(Y.shape)[0], axis=0) / 8.0  # no ties
        names = COMBINATIONS[random.integers(len(COMBINATIONS))]
        rate, most = random.choice([0.0, 0.5, 0.75, 0.9, 1.0]), random.integers(0, Y.size + 1)
        limits = {name: int(most) if name == "max_decisions" else float(rate) for name in names}
        measure = MEASURES[random.integers(len(MEASURES))]
        n_feasible += check(scores, Y, measure, limits, shared=random.random() < 0.2)
    assert n_feasible >= 1000


def tuned_or_refusal(scores, Y, measure, limits):
    try:
        return best_thresholds(scores, Y, maximize=measure, **limits), None
    except ValueError as error:
        return None, str(error)


@pytest.mark.parametrize(
    ("n_steps", "least_bounded", "least_refused"),
    [((1,), 20, 10), ((30,), 5, 0), ((10, 100), 1, 0)],
)
def test_the_gap_bounds_what_a_short_search_misses(
    monkeypatch, n_steps, least_bounded, least_refused
):
    monkeypatch.setattr(_off_frontier, "_MOST_STEPS", n_steps)
    random = np.random.default_rng(9)
    n_refused = n_bounded = 0
    for scores, Y in random_problems(300, seed=10, most_samples=20, most_labels=4):
        limits = {"max_decisions": int(random.integers(1, Y.size + 1)), "min_precision": 0.6}
        measure = GAINING[random.integers(len(GAINING))]
        decided, hits = oracle.totals(scores, Y)
        kept = oracle.keeps(limits, Y, decided, hits)
        tuned, refusal = tuned_or_refusal(scores, Y, measure, limits)
        if tuned is None:
            assert ("cannot be met" in refusal) != ("not proven" in refusal)
            assert "not proven" in refusal or not kept.any()
            n_refused += "not proven" in refusal
            continue
        values = np.asarray(measure(oracle.counts_of_totals(Y, decided, hits)))[kept]
        if not np.isnan(values).all():
            assert np.nanmax(values) <= tuned.value + tuned.evidence.gap + 1e-12
            n_bounded += tuned.evidence.gap > 0
    assert n_bounded >= least_bounded
    assert n_refused >= least_refused


def test_a_longer_search_follows_a_short_one_that_met_no_constraints(monkeypatch):
    monkeypatch.setattr(_off_frontier, "_MOST_STEPS", (1, 10**6))
    n_feasible = 0
    for scores, Y in random_problems(100, seed=10, most_samples=8):
        for rates in ((0.6, 0.5), (0.8, 0.3), (0.5, 0.9)):
            limits = dict(zip(("min_precision", "min_recall"), rates, strict=True))
            n_feasible += check(scores, Y, fond_of_errors, limits)
    assert n_feasible >= 100


@given(problem=problems(most_samples=9))
def test_the_search_finds_the_fewest_decisions_for_every_number_of_hits(problem):
    checked = check_problem(*problem, None)
    cuts = checked.cuts_of_all()
    steps = frontier_steps(hulls_of(cuts))
    decided, hits = oracle.totals(*problem)
    fewest = [
        decided[hits == n].min() if (hits == n).any() else None for n in range(hits.max() + 1)
    ]
    bounds = steps.fewest_decided()
    assert all(n is None or bound <= n for bound, n in zip(bounds, fewest, strict=True))
    np.testing.assert_array_equal(bounds[steps.hits], steps.decided)
    if hits.max() == 0:
        return
    everything = Wanted(np.arange(hits.max() + 1), np.full(hits.max() + 1, problem[1].size))
    reached = search_hits(cuts, steps, everything, 10**6)
    assert reached.is_complete
    assert dict(zip(reached.hits.tolist(), reached.decided.tolist(), strict=True)) == {
        n: least for n, least in enumerate(fewest) if least is not None
    }
    for number in range(reached.hits.size):
        places = reached.places(number)
        np.testing.assert_array_equal(cuts.labels[places], np.arange(cuts.positives.size))
        assert cuts.hits[places].sum() == reached.hits[number]
        assert cuts.decided[places].sum() == reached.decided[number]


@pytest.mark.parametrize("measure", GAINING, ids=spoken)
@pytest.mark.parametrize(("n_positive", "n_negative"), [(1, 1), (4, 7), (7, 2)])
def test_measures_known_to_gain_from_hits_do(measure, n_positive, n_negative):
    assert gains_from_hits(measure, n_positive, n_positive + n_negative)
    tp, fp = np.indices((n_positive + 1, n_negative + 1))
    value = np.asarray(measure(Counts(tp, fp, n_positive - tp, n_negative - fp)), dtype=float)
    worse_by_error = np.diff(value, axis=1)
    better_by_hit = value[1:, :-1] - value[:-1, 1:]  # as many decisions, one more is right
    assert (np.nan_to_num(worse_by_error) <= 1e-12).all()
    assert (np.nan_to_num(better_by_hit) >= -1e-12).all()


def test_no_quotient_that_may_lose_by_hits_is_taken_to_gain():
    random = np.random.default_rng(11)
    n_gaining = 0
    for _ in range(400):
        weights = random.integers(-1, 4, size=(2, 4)) * (random.random((2, 4)) < 0.7)
        measure, totals = LinearFractional(*weights), random.integers(1, 6, size=2)
        if gains_from_hits(measure, totals[0], totals.sum()):
            n_gaining += 1
            test_measures_known_to_gain_from_hits_do(measure, *totals)
    assert n_gaining > 20
    assert not gains_from_hits(ODDS, 4, 9)
    assert not gains_from_hits(fond_of_errors, 4, 9)


def test_the_top_decisions_keep_to_precision_and_number():
    scores, Y = [[0.9], [0.8], [0.7], [0.1]], [[1], [1], [1], [0]]
    tuned = best_thresholds(scores, Y, min_precision=0.9, max_decisions=2)
    assert tuned.evidence.decided == [2]
    assert tuned.value == pytest.approx(0.8)
    assert tuned.evidence.exact
    tuned = best_thresholds(scores, Y, maximize=precision, max_decisions=2)
    assert (tuned.value, tuned.evidence.decided) == (1.0, [1])


@pytest.mark.parametrize("measure", [matthews, balanced_accuracy])
@pytest.mark.parametrize("options", [{}, {"shared": True}, {"average": "macro"}])
def test_constraints_are_kept_where_the_measure_has_no_value(measure, options):
    # Recall of 1 takes all decisions, where the correlation is not defined.
    tuned = best_thresholds(
        [[0.1], [0.9]],
        [[1], [0 if measure is matthews else 1]],
        maximize=measure,
        min_recall=1.0,
        **options,
    )
    assert tuned.evidence.decided == [2]
    assert np.isnan(tuned.value)
    assert not tuned.evidence.exact
    assert "highest" not in repr(tuned)


@pytest.mark.parametrize("options", [{}, {"shared": True}, {"maximize": "macro-f"}])
def test_a_least_rate_of_0_asks_for_nothing(options):
    scores = [[0.3, 0.2], [0.1, 0.9]]
    for Y in ([[0, 0], [0, 0]], [[0, 1], [1, 0]]):
        free = best_thresholds(scores, Y, **options)
        bound = best_thresholds(scores, Y, min_precision=0.0, min_recall=0, **options)
        np.testing.assert_array_equal(free.values, bound.values)
        assert free.value == bound.value
    with pytest.raises(ValueError, match=r"min_recall=0\.5 cannot be met: Y has no positives"):
        best_thresholds(scores, np.zeros((2, 2)), min_recall=0.5)
