"""Rows of a group, scores of one row and copies of a row are in the same fold."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold

from labelwise._tuning import solve
from labelwise._tuning.shrinkage._shrinkage import AMOUNTS
from labelwise.decisions import TunedThresholds, best_thresholds
from labelwise.measures import count, f_measure, micro
from labelwise.splitting import assign
from tests.decisions.columns import Columns, numbered
from tests.decisions.intervals import tuned_with_interval

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


def make_problem(seed=0, shape=(150, 12)):
    """Comparable scores, and labels from frequent to rare."""
    random = np.random.default_rng(seed)
    share = 0.4 / np.arange(1, shape[1] + 1)
    Y = random.random(shape) < share
    return random.standard_normal(shape) + np.log(share) + 1.5 * Y, Y


def held_out_f(scores, Y, fold, options):
    """Mean micro F over folds of thresholds tuned on the others."""
    values = []
    for k in range(5):
        tuned = best_thresholds(scores[fold != k], Y[fold != k], **options)
        values.append(micro(f_measure, count(Y[fold == k], tuned.decide(scores[fold == k]))))
    return np.mean(values)


def test_automatic_amounts_are_the_best_on_unseen_groups():
    scores, Y = make_problem()
    groups = np.random.default_rng(1).integers(0, 30, len(Y))
    fold = assign(Y, 5, groups=groups, random_state=7)
    tuned = best_thresholds(scores, Y, shrink="auto", groups=groups, random_state=7)
    # At amount 1 the candidates are the common thresholds of the pool, not all of them.
    means = {amount: held_out_f(scores, Y, fold, {"shrink": amount}) for amount in AMOUNTS[:-1]}
    assert tuned.evidence.shrink in (1.0, max(means, key=means.get))
    tuned = best_thresholds(scores, Y, fbr="auto", groups=groups, random_state=7)
    means = {amount: held_out_f(scores, Y, fold, {"fbr": amount}) for amount in np.arange(10) / 10}
    assert tuned.evidence.fbr == max(means, key=means.get)


@pytest.mark.parametrize("named", [True, False])
def test_copies_of_the_rows_do_not_make_labels_trust_themselves(named):
    # With a copy of each row among the seen ones, no shrinking would look best.
    amounts = {"once": [], "five times": []}
    for seed in range(4):
        scores, Y = make_problem(seed)
        amounts["once"].append(best_thresholds(scores, Y, shrink="auto").evidence.shrink)
        scores, Y = np.repeat(scores, 5, axis=0), np.repeat(Y, 5, axis=0)
        groups = np.repeat(np.arange(150), 5) if named else None
        amounts["five times"].append(
            best_thresholds(scores, Y, shrink="auto", groups=groups).evidence.shrink
        )
    assert np.mean(amounts["once"]) > 0.3
    assert np.mean(amounts["five times"]) > 0.3


def test_groups_are_drawn_as_wholes():
    scores, Y = make_problem(shape=(60, 3))
    groups = np.repeat(np.arange(20), 3)
    tuned = tuned_with_interval(scores, Y, groups=groups, n_bootstrap=21, random_state=5)
    draws = np.random.RandomState(5)
    found = []
    for _ in range(21):
        rows = np.concatenate([np.flatnonzero(groups == g) for g in draws.randint(20, size=20)])
        found.append(best_thresholds(scores[rows], Y[rows]).values)
    np.testing.assert_allclose(tuned.evidence.intervals, np.sort(found, axis=0)[[0, 20]])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], "groups must name a group for each of 3 samples"),
        ([1, None, 2], "groups must name a group for every sample, got none at sample 1"),
        ([1, 1, 1], 'shrink="auto" needs at least 2 groups for cross-validation, got 1'),
    ],
)
def test_bad_groups_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        best_thresholds(np.eye(3), np.eye(3, dtype=int), shrink="auto", groups=groups)


def seen_groups(monkeypatch, fit):
    """Groups of the problems that are solved, call by call."""
    given_groups = []

    def remember(problem, request, random_state, calibration=None):
        given_groups.append(problem.groups)
        return solve(problem, request, random_state, calibration)

    monkeypatch.setattr("labelwise._tuning._cross_fitting.solve", remember)
    fit()
    return given_groups


def test_scores_of_one_row_in_several_folds_stay_together(monkeypatch):
    X, Y = numbered()
    cv = RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    rows = np.concatenate([test for _, test in cv.split(X)])
    model = TunedThresholds(Columns(), cv=cv, shrink=0)
    of_all, *of_parts = seen_groups(monkeypatch, lambda: model.fit(X, Y))
    np.testing.assert_array_equal(of_all, rows)
    assert all(np.bincount(part).max() == 3 for part in of_parts)


def test_groups_of_an_estimator_reach_the_choice_of_amounts_and_the_corrected_value(monkeypatch):
    X, Y = numbered()
    groups = np.arange(40) // 4
    model = TunedThresholds(Columns(), cv=list(KFold(8).split(X)), shrink=0)
    of_all, *of_parts = seen_groups(monkeypatch, lambda: model.fit(X, Y, groups=groups))
    np.testing.assert_array_equal(of_all, groups)
    for k, part in enumerate(of_parts):
        # A fold of five rows cuts into two groups, and no row of them is tuned on.
        test = np.arange(5 * k, 5 * k + 5)
        others = groups[~np.isin(groups, groups[test])]
        np.testing.assert_array_equal(part, np.unique(others, return_inverse=True)[1])
