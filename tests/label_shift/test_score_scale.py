"""Thresholds of any scores are adapted as those of their calibrated probabilities."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.special import expit, logit

from labelwise._label_shift import score_scale
from labelwise._sigmoids import fit_sigmoids
from labelwise.decisions import adapt_thresholds, best_thresholds
from labelwise.measures import count, macro, micro
from tests.label_shift.draws import TUNED_AT, draw, tuned_by_hand

SAME = [TUNED_AT] * 3
SHIFTED = [0.5, TUNED_AT, 0.6]


def margins(random, n_samples, frequencies):
    """Scores without bounds, of which the sigmoids are known."""
    proba, Y = draw(random, n_samples, frequencies)
    return 3 * logit(proba) + np.arange(len(frequencies)), Y


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "micro-accuracy"])
def test_decisions_are_those_of_the_probabilities(maximize):
    random = np.random.default_rng(0)
    scores, Y = margins(random, 2000, SAME)
    new, new_Y = margins(random, 2000, SHIFTED)
    tuned = best_thresholds(scores, Y, maximize=maximize)
    found = adapt_thresholds(tuned, new, calibrate=(scores, Y))
    sigmoids = fit_sigmoids(scores, Y.astype(float), np.ones(len(Y)), increasing=True)
    values = expit(sigmoids.log_odds(tuned.values))
    on_proba = tuned_by_hand(
        tuned.evidence.support,
        tuned.evidence.n_samples,
        values,
        measure=tuned.evidence.measure,
        average=tuned.evidence.average,
    )
    proba = expit(sigmoids.log_odds(new))
    wanted = adapt_thresholds(on_proba, proba)
    assert found.moved.tolist() == wanted.moved.tolist() == [True, False, True]
    decided = found.thresholds.decide(new)
    assert np.array_equal(decided, wanted.thresholds.decide(proba))
    value_of = micro if tuned.evidence.average == "micro" else macro
    name = maximize.partition("-")[2]
    old, new_value = (value_of(name, count(new_Y, one)) for one in (tuned.decide(new), decided))
    assert new_value > old
    assert found.old_thresholds is tuned


def test_thresholds_stay_if_nothing_moved():
    random = np.random.default_rng(1)
    scores, Y = margins(random, 2000, SAME)
    tuned = best_thresholds(scores, Y)
    assert adapt_thresholds(tuned, scores, calibrate=(scores, Y)).thresholds is tuned


def test_frames_are_matched_by_label():
    random = np.random.default_rng(2)
    scores, Y = margins(random, 1000, SAME)
    new, _ = margins(random, 1000, SHIFTED)
    names, mixed = ["a", "b", "c"], ["c", "a", "b"]
    tuned = best_thresholds(pd.DataFrame(scores, columns=names), Y)
    known = tuple(pd.DataFrame(one, columns=names)[mixed] for one in (scores, Y.astype(int)))
    found = adapt_thresholds(tuned, pd.DataFrame(new, columns=names)[mixed], calibrate=known)
    wanted = adapt_thresholds(tuned, new, calibrate=(scores, Y))
    assert np.array_equal(found.thresholds.values, wanted.thresholds.values)


@given(st.integers(0, 2**32 - 1))
def test_a_level_becomes_the_score_from_which_on_probabilities_reach_it(seed):
    random = np.random.default_rng(seed)
    # Few distinct scores, so that there are ties.
    scores, new = (random.integers(-3, 4, (40, 2)).astype(float) for _ in range(2))
    scores[:, 1] = 1.0
    Y = random.random((40, 2)) < 0.4
    tuned = tuned_by_hand(Y.sum(axis=0), 40, [0.5, np.inf])
    scale = score_scale(tuned, new, (scores, Y))
    proba = scale.probabilities()
    levels = random.choice([*np.unique(proba), 0.0, 0.3, 1.0, np.inf], 2)
    back = scale.on_scores(tuned_by_hand([8, 8], 40, levels))
    changed = levels != scale.on_probabilities().values
    decided = new >= back.values
    assert np.array_equal(decided[:, changed], (proba >= levels)[:, changed])
    assert np.array_equal(back.values[~changed], tuned.values[~changed])


def test_labels_whose_scores_do_not_rise_are_not_tested():
    random = np.random.default_rng(3)
    scores, Y = margins(random, 1000, SAME)
    scores[:, 1] = -scores[:, 1]
    tuned = best_thresholds(scores, Y)
    new, _ = margins(random, 1000, SHIFTED)
    found = adapt_thresholds(tuned, new, calibrate=(scores, Y))
    assert np.isnan(found.p_values).tolist() == [False, True, False]


def test_wrong_pairs_are_refused():
    random = np.random.default_rng(4)
    scores, Y = margins(random, 100, SAME)
    tuned = best_thresholds(scores, Y)
    with pytest.raises(TypeError, match="calibrate must be a pair of scores and labels, got 3"):
        adapt_thresholds(tuned, scores, calibrate=3)
    with pytest.raises(ValueError, match=r"calibrate\[0\] has 100 rows but calibrate\[1\] has 99"):
        adapt_thresholds(tuned, scores, calibrate=(scores, Y[:-1]))
    with pytest.raises(ValueError, match="scores has 2 labels, but there are 3 thresholds"):
        adapt_thresholds(tuned, scores, calibrate=(scores[:, :2], Y))
    with pytest.raises(TypeError, match="calibrate is for dense scores"):
        adapt_thresholds(tuned, sparse.csr_array(scores), calibrate=(scores, Y))
    shared = best_thresholds(scores, Y, shared=True)
    with pytest.raises(ValueError, match="calibrate is not for one threshold of all labels"):
        adapt_thresholds(shared, scores, calibrate=(scores, Y))
