"""Paths are chosen by rows that they were not made of; certified points pass all tests."""

import re

import numpy as np
import pytest

from labelwise._tuning import Request, check_problem
from labelwise._tuning.guarantees import _certified_path
from labelwise._tuning.guarantees._certified_path import (
    certified_point,
    f_bound,
    first_controlled_point,
    quotient_bound,
)
from labelwise._tuning.guarantees._paths import (
    SURE,
    PathSummary,
    choose_paths,
    path_of,
    summarise_path,
)
from labelwise._tuning.guarantees._unit_statistics import path_cells, shuffled_units
from labelwise.decisions import best_thresholds
from labelwise.measures import count, f_measure, macro, micro


def units(scores, Y, seed=0):
    return shuffled_units(check_problem(scores, Y, None), np.random.RandomState(seed))


def noisy(n_samples, n_labels, seed=0, shift=0.0):
    """Labels with normal scores; `shift` moves the scores of each label by another amount."""
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, n_labels)) < 0.25
    return 2 * Y + random.normal(size=Y.shape) + shift * np.arange(n_labels), Y


def request_of(n_labels, **options):
    return Request(**{"guarantee": 0.9, "min_precision": 0.7, **options}, n_labels=n_labels)


@pytest.mark.parametrize("kind", ["frontier", "shared"])
def test_a_path_falls_and_reaches_every_positive(kind):
    random = np.random.default_rng(1)
    Y = random.random((300, 4)) < 0.2
    scores = Y + random.normal(size=Y.shape)
    path = path_of(check_problem(scores, Y, None), kind)
    assert (path[1:] <= path[:-1]).all()
    assert (scores[Y] >= np.broadcast_to(path[-1], Y.shape)[Y]).all()
    assert len(path) <= 200
    if kind == "shared":
        assert (path == path[:, :1]).all()


@pytest.mark.parametrize("has_errors", [True, False])
@pytest.mark.parametrize("factor", [0.125, 64.0])
def test_the_bound_of_a_quotient_does_not_depend_on_the_unit_of_its_numbers(factor, has_errors):
    random = np.random.default_rng(0)
    below = random.integers(1, 5, size=(2, 400)).astype(float)
    above = random.binomial(below.astype(int), 0.8).astype(float)
    if not has_errors:
        above[0] = below[0]
    tuning, calibration = zip(above, below, strict=True)
    found = quotient_bound(tuning, calibration, 4.0, 0.1)
    assert 0.7 < found < above.sum() / below.sum()
    # Powers of 2 change no digit of a float.
    scaled = (
        tuple(factor * numbers for numbers in tuning),
        tuple(factor * numbers for numbers in calibration),
    )
    assert quotient_bound(*scaled, factor * 4.0, 0.1, factor) == found


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("most_per_row", [None, 2])
def test_f_is_bounded_as_a_quotient_whose_terms_have_the_least_bound(beta, most_per_row):
    both = [units(*noisy(400, 4, seed=seed)) for seed in (0, 1)]
    terms = []
    for one in both:
        order = np.argsort(-one.problem.scores, axis=1, kind="stable").argsort(axis=1)
        decided = (one.problem.scores >= 1.0) & (order < (most_per_row or 4))
        truth = one.problem.Y.toarray()
        hits, size = (decided & truth).sum(axis=1), decided.sum(axis=1)
        terms.append(((1 + beta**2) * hits, size + beta**2 * truth.sum(axis=1)))
    most = (most_per_row or 4) + beta**2 * 4
    found = f_bound(*both, beta, np.full(4, 1.0), most_per_row, 0.1)
    assert found == pytest.approx(quotient_bound(*terms, most, 0.1), rel=1e-12)
    assert 0.3 < found < terms[1][0].sum() / terms[1][1].sum()


@pytest.mark.parametrize("average", ["micro", "sample"])
def test_values_and_moments_are_those_of_the_decisions_at_each_point(average):
    scores, Y = noisy(50, 4)
    both = units(scores, Y)
    request = request_of(4, maximize=f"{average}-f", min_recall=0.5)
    path = path_of(both.problem, "frontier")
    summary = summarise_path(both, request, path_cells(both.problem, path))
    truth = both.problem.Y.toarray()
    for k in (0, len(path) // 2, len(path) - 1):
        decided = both.problem.scores >= path[k]
        by_sample = count(truth, decided, by="sample")
        value = micro(f_measure, count(truth, decided))
        of_precision = (decided * (truth - 0.7)).sum(axis=1)
        of_recall = (truth * (decided - 0.5)).sum(axis=1)
        if average == "sample":
            value = macro(f_measure, by_sample, undefined="skip")
            of_precision = of_precision / np.maximum(decided.sum(axis=1), 1)
            of_recall = of_recall / np.maximum(truth.sum(axis=1), 1)
        assert summary.values[k] == pytest.approx(value)
        for number, each in enumerate((of_precision, of_recall)):
            assert summary.means[number, k] == pytest.approx(each.mean())
            assert summary.mean_squares[number, k] == pytest.approx((each**2).mean())


def test_tests_go_to_the_best_point_and_end_with_the_first_failure(monkeypatch):
    scores, Y = noisy(400, 5)
    tuning, calibration = units(scores[:200], Y[:200]), units(scores[200:], Y[200:])
    request = request_of(5, min_precision=0.6)
    choices = choose_paths(tuning, request, 200, 0.1)
    path, _, summary, sequence = choices[-1]
    evidence = summary.evidence(200, 0.1)
    assert sequence.size > 5
    assert sequence[-1] == summary.best
    assert sequence[0] in (np.argmax(evidence), *np.flatnonzero(evidence >= SURE))

    def fails_at(number):
        failing = np.searchsorted(np.sort(sequence), sequence[number])

        def p_values(units, request, cells, squares, alpha):
            return np.where(np.arange(cells.n_points) == failing, 1.0, alpha)

        monkeypatch.setattr(_certified_path, "_p_values", p_values)
        return certified_point(choices[-1:], calibration, request, 0.1)

    assert fails_at(0) is None
    for number in (1, 5, sequence.size - 1):
        chosen = fails_at(number)
        allowed = sequence[:number]
        best = allowed[np.argmax(summary.values[allowed])]
        np.testing.assert_array_equal(chosen.thresholds, path[best])
        assert chosen.n_tested == sequence.size


def test_labels_with_scores_of_their_own_scale_need_a_threshold_each():
    path = choose_paths(units(*noisy(400, 5, shift=3.0)), request_of(5), 400, 0.1)[-1].path
    assert not (path == path[:, :1]).all()


def test_many_labels_with_scores_of_one_scale_share_a_threshold():
    path = choose_paths(units(*noisy(60, 30)), request_of(30), 60, 0.1)[-1].path
    assert (path == path[:, :1]).all()
    shifted = units(*noisy(400, 5, shift=3.0))
    only = choose_paths(shifted, request_of(5, shared=True), 400, 0.1)[-1].path
    assert (only == only[:, :1]).all()


def test_decisions_are_limited_only_where_that_gives_power():
    both = units(*noisy(200, 40))
    few = choose_paths(both, request_of(40), 50, 0.1)[-1].most_per_row
    many = choose_paths(both, request_of(40), 100_000, 0.1)[-1].most_per_row
    assert few is not None
    assert many is None or many > few
    assert choose_paths(both, request_of(40, maximize="sample-f"), 50, 0.1)[-1].most_per_row is None
    of_recall = request_of(40, min_precision=None, min_recall=0.5)
    assert choose_paths(both, of_recall, 50, 0.1)[-1].most_per_row is None


def test_a_path_is_measured_on_rows_that_it_was_not_made_of():
    random = np.random.default_rng(3)
    scores, Y = random.normal(size=(200, 30)), random.random((200, 30)) < 0.1
    both = units(scores, Y)
    choice = choose_paths(both, request_of(30, min_precision=0.3), 200, 0.1)[-1]
    own = summarise_path(
        both, request_of(30, min_precision=0.3), path_cells(both.problem, choice.path)
    )
    # Scores are noise: the precision of any decisions is 0.1, whatever the own rows show.
    assert (choice.summary.means[0] < 0).mean() > 0.8
    assert own.values.max() >= choice.summary.values.max()


def summary_of(means, mean_squares, n_units=1000):
    """Points whose statistic is that of a precision of at least 0.9, two decisions a row."""
    means, mean_squares = np.array(means)[None], np.array(mean_squares)[None]
    values = np.linspace(0.1, 0.5, means.size)
    return PathSummary(values, means, mean_squares, np.array([-1.8]), np.array([-0.9]), n_units)


def test_a_handful_of_perfect_decisions_is_less_evidence_than_many_good_ones():
    # 5 right decisions; 500 decisions of which 95 % are right; 1000 of which 91 % are right.
    decided, right = np.array([5, 500, 1000]), np.array([1.0, 0.95, 0.91])
    means = decided * (right - 0.9) / 1000
    squares = decided * (right * 0.01 + (1 - right) * 0.81) / 1000
    summary = summary_of(means, squares)
    evidence = summary.evidence(1000, 0.05)
    assert np.argmax(evidence) == 1
    assert evidence[0] < 0
    np.testing.assert_array_equal(summary.points_to_best(evidence), [1, 2])
    np.testing.assert_array_equal(summary.safest_points(evidence), [1])


def test_evidence_is_the_expected_result_of_the_tests_in_standard_errors():
    random = np.random.default_rng(5)
    mean, square = 0.03, 0.06
    evidence = summary_of([mean], [square], n_units=10**9).evidence(1000, 0.05)[0]
    bet = min(np.sqrt(2 * -np.log(0.05) / (1000 * square)), 0.95 / 1.8)
    noise = random.normal(mean, np.sqrt(square - mean**2), size=(4000, 1000))
    logs = (bet * noise - bet**2 * square / 2).sum(axis=1)
    assert evidence == pytest.approx((logs.mean() + np.log(0.05)) / logs.std(), rel=0.05)


def test_the_safest_point_is_certified_though_the_tests_of_the_best_path_fail(monkeypatch):
    tuning, request = units(*noisy(400, 20)), request_of(20, min_precision=0.85)
    choices = choose_paths(tuning, request, 200, 0.05)
    evidence = [choice.summary.evidence(200, 0.05).max() for choice in choices]
    assert len(choices) == 2
    assert evidence[0] > SURE > evidence[1]
    answers = iter([0.05, 1.0])
    monkeypatch.setattr(
        _certified_path, "_p_values", lambda *args: np.full(args[2].n_points, next(answers))
    )
    found = certified_point(choices, tuning, request, 0.05)
    safest = choices[0]
    best = safest.sequence[np.argmax(safest.summary.values[safest.sequence])]
    np.testing.assert_array_equal(found.thresholds, safest.path[best])
    assert found.most_per_row == safest.most_per_row


def test_a_refusal_says_what_is_reached_and_proven():
    scores, Y = noisy(300, 5)
    with pytest.raises(ValueError, match=r"^min_precision=0.97 cannot be guaranteed") as refused:
        best_thresholds(scores, Y, min_precision=0.97, guarantee=0.95)
    said = re.search(r"with precision ([01]\.\d+), which proves (0\.\d+);", str(refused.value))
    reached, proven = float(said[1]), float(said[2])
    assert 0 < proven < 0.97
    assert proven <= reached
    assert best_thresholds(
        scores, Y, min_precision=proven - 0.05, guarantee=0.95
    ).evidence.guarantee


def test_a_refusal_says_how_many_decisions_the_rate_is_of():
    random = np.random.default_rng(0)
    said = set()
    for _ in range(30):
        Y, scores = random.random((40, 2)) < 0.2, random.random((40, 2))
        with pytest.raises(ValueError, match="cannot be guaranteed") as refused:
            best_thresholds(scores, Y, min_precision=0.9, guarantee=0.95, random_state=0)
        assert "nan" not in str(refused.value)
        said |= {
            *re.findall(r"make (no decision there;|\d+ decisions? there, with)", str(refused.value))
        }
    assert {"no decision there;", "1 decision there, with", "2 decisions there, with"} <= said


def test_the_best_point_is_one_that_has_a_value():
    summary = summary_of(np.zeros(4), np.zeros(4))
    assert summary._replace(values=np.array([np.nan, 0.2, 0.7, np.nan])).best == 2


PATH = np.linspace(3, -3, 40)[:, None].repeat(3, axis=1)


def definition(scores, Y, least):
    """The definition, with samples that have labels."""
    has_labels = Y.any(axis=1)
    n = has_labels.sum()
    for k, thresholds in enumerate(PATH):
        found = ((scores >= thresholds) & Y)[has_labels].sum(axis=1)
        loss = (1 - found / Y[has_labels].sum(axis=1)).mean()
        if (n * loss + 1) / (n + 1) <= 1 - least:
            return k
    return None


@pytest.mark.parametrize("least", [0.2, 0.5, 0.8, 0.999])
@pytest.mark.parametrize("n_samples", [5, 60])
def test_the_point_is_that_of_the_definition(n_samples, least):
    random = np.random.default_rng(n_samples)
    Y = random.random((n_samples, 3)) < 0.4
    scores = Y + random.normal(size=Y.shape)
    units = shuffled_units(check_problem(scores, Y, None), np.random.RandomState(0))
    assert first_controlled_point(units, PATH, least) == definition(scores, Y, least)
