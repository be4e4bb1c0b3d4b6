"""The certified point is the best one before the first failed test of a fixed sequence."""

import numpy as np
import pytest

from labelwise.decisions.guarantees import _certified_path
from labelwise.decisions.guarantees._betting import LARGEST_LOSS
from labelwise.decisions.guarantees._certified_path import certified_point
from labelwise.decisions.guarantees.paths._path_choice import choose_path
from labelwise.decisions.guarantees.paths._path_summary import PathSummary, summarise_path
from labelwise.decisions.guarantees.paths._row_counts import path_cells
from labelwise.decisions.guarantees.paths._threshold_path import path_of
from labelwise.decisions.guarantees.paths._units import shuffled_units
from labelwise.decisions.thresholds._request import check_request
from labelwise.decisions.thresholds.curves._problem import check_problem
from labelwise.measures import count, f_measure, macro, micro


def units(scores, Y, seed=0):
    return shuffled_units(check_problem(scores, Y, None), np.random.RandomState(seed))


def noisy(n_samples, n_labels, seed=0, shift=0.0):
    """Labels with normal scores; `shift` moves the scores of each label by another amount."""
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, n_labels)) < 0.25
    return 2 * Y + random.normal(size=Y.shape) + shift * np.arange(n_labels), Y


def request_of(n_labels, **options):
    return check_request({"guarantee": 0.9, "min_precision": 0.7, **options}, n_labels)


@pytest.mark.parametrize("average", ["micro", "sample"])
def test_values_and_moments_are_those_of_the_decisions_at_each_point(average):
    scores, Y = noisy(50, 4)
    both = units(scores, Y)
    request = request_of(4, average=average, min_recall=0.5)
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
    choice = choose_path(tuning, request, 200, 0.1)
    path, _, summary = choice
    sure = -_certified_path._SURE * np.log(0.1) / 200
    sequence = summary.sequence(sure)
    assert sequence.size > 5
    assert sequence[-1] == summary.best
    assert sequence[0] in (np.argmax(summary.growth), *np.flatnonzero(summary.growth >= sure))

    def fails_at(number):
        failing = np.searchsorted(np.sort(sequence), sequence[number])

        def passed(units, request, cells, squares, alpha):
            return np.arange(cells.n_points) != failing

        monkeypatch.setattr(_certified_path, "_passed", passed)
        return certified_point(choice, calibration, request, 0.1)

    assert fails_at(0) is None
    for number in (1, 5, sequence.size - 1):
        chosen = fails_at(number)
        allowed = sequence[:number]
        best = allowed[np.argmax(summary.values[allowed])]
        np.testing.assert_array_equal(chosen.thresholds, path[best])
        assert chosen.n_tested == sequence.size


def test_labels_with_scores_of_their_own_scale_need_a_threshold_each():
    path = choose_path(units(*noisy(400, 5, shift=3.0)), request_of(5), 400, 0.1).path
    assert not (path == path[:, :1]).all()


def test_many_labels_with_scores_of_one_scale_share_a_threshold():
    path = choose_path(units(*noisy(60, 30)), request_of(30), 60, 0.1).path
    assert (path == path[:, :1]).all()
    shifted = units(*noisy(400, 5, shift=3.0))
    only = choose_path(shifted, request_of(5, shared=True), 400, 0.1).path
    assert (only == only[:, :1]).all()


def test_decisions_are_limited_only_where_that_gives_power():
    both = units(*noisy(200, 40))
    few = choose_path(both, request_of(40), 50, 0.1).most_per_row
    many = choose_path(both, request_of(40), 100_000, 0.1).most_per_row
    assert few is not None
    assert many is None or many > few
    assert choose_path(both, request_of(40, average="sample"), 50, 0.1).most_per_row is None
    of_recall = request_of(40, min_precision=None, min_recall=0.5)
    assert choose_path(both, of_recall, 50, 0.1).most_per_row is None


def test_a_path_is_measured_on_rows_that_it_was_not_made_of():
    random = np.random.default_rng(3)
    scores, Y = random.normal(size=(200, 30)), random.random((200, 30)) < 0.1
    both = units(scores, Y)
    choice = choose_path(both, request_of(30, min_precision=0.3), 200, 0.1)
    own = summarise_path(
        both, request_of(30, min_precision=0.3), path_cells(both.problem, choice.path)
    )
    # Scores are noise: the precision of any decisions is 0.1, whatever the own rows show.
    assert (choice.summary.means[0] < 0).mean() > 0.8
    assert own.values.max() >= choice.summary.values.max()


def test_the_best_point_is_one_that_has_a_value():
    none = np.zeros((1, 4))
    summary = PathSummary(np.array([np.nan, 0.2, 0.7, np.nan]), none, none, np.array([-1.0]))
    assert summary.best == 2


def test_the_growth_of_a_point_is_that_of_the_best_bet_of_its_slowest_test():
    random = np.random.default_rng(0)
    means, squares = random.uniform(-0.2, 0.5, (2, 30)), random.uniform(0.3, 1.0, (2, 30))
    summary = PathSummary(np.zeros(30), means, squares, np.array([-0.7, -1.0]))
    # log(1 + bet·x) is about bet·x - (bet·x)²/2, and no bet may lose more than its share.
    bets = np.linspace(0, LARGEST_LOSS / -summary.lowest, 2001)[:, :, None]
    growth = (bets * means - bets**2 * squares / 2).max(axis=0)
    expected = np.where(means > 0, growth, means).min(axis=0)
    np.testing.assert_allclose(summary.growth, expected, atol=1e-6)
