"""The certified point is the best one before the first failed test of a fixed sequence."""

import numpy as np
import pytest

from labelwise.decisions.guarantees import _certified_path
from labelwise.decisions.guarantees._certified_path import (
    better_path,
    certified_point,
    limit_per_row,
)
from labelwise.decisions.guarantees.paths._path_summary import summarise_path
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


def test_tests_go_from_the_safest_point_to_the_best_and_end_with_the_first_failure(monkeypatch):
    scores, Y = noisy(400, 5)
    tuning, calibration = units(scores[:200], Y[:200]), units(scores[200:], Y[200:])
    request = request_of(5, min_precision=0.9)
    path = path_of(tuning.problem, "shared")
    summary = summarise_path(tuning, request, path_cells(tuning.problem, path))
    sequence = summary.sequence()
    assert sequence[0] == summary.safest
    assert sequence[-1] == summary.best

    def fails_at(number):
        def passed(units, request, cells, squares, alpha):
            return np.arange(cells.n_points) != number

        monkeypatch.setattr(_certified_path, "_passed", passed)
        monkeypatch.setattr(_certified_path, "limit_per_row", lambda *_: None)
        return certified_point(tuning, calibration, request, path, 0.1)

    assert fails_at(0) is None
    for number in (1, 5, sequence.size - 1):
        chosen = fails_at(number)
        allowed = sequence[:number]
        best = allowed[np.argmax(summary.values[allowed])]
        np.testing.assert_array_equal(chosen.thresholds, path[best])
        assert chosen.n_tested == sequence.size


def test_labels_with_scores_of_their_own_scale_need_a_threshold_each():
    scores, Y = noisy(400, 5, shift=3.0)
    both = units(scores, Y)
    path = better_path(both, request_of(5))
    assert not (path == path[:, :1]).all()


def test_many_labels_with_scores_of_one_scale_share_a_threshold():
    scores, Y = noisy(60, 30)
    both = units(scores, Y)
    path = better_path(both, request_of(30))
    assert (path == path[:, :1]).all()
    only = better_path(units(*noisy(400, 5, shift=3.0)), request_of(5, shared=True))
    assert (only == only[:, :1]).all()


def test_decisions_are_limited_only_where_that_gives_power():
    scores, Y = noisy(100, 40)
    both = units(scores, Y)
    path = path_of(both.problem, "shared")
    few = limit_per_row(both, 50, request_of(40), path, 0.1)
    many = limit_per_row(both, 100_000, request_of(40), path, 0.1)
    assert few is not None
    assert many is None or many > few
    assert limit_per_row(both, 50, request_of(40, average="sample"), path, 0.1) is None
    of_recall = request_of(40, min_precision=None, min_recall=0.5)
    assert limit_per_row(both, 50, of_recall, path, 0.1) is None
