"""Blends: weights of models, chosen by the measure asked for, with an honest value."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.model_selection import KFold

import labelwise
from labelwise._sigmoids import platt_targets
from labelwise.learners import blend
from labelwise.learners._blend_weights import BlendWeights, common_weights, weights_by_label
from labelwise.measures import evaluate
from tests.oracles.blends import common_loss, label_loss, smallest


def two_models(n_samples=400, noise=(1.0, 1.5), seed=0):
    """Scores of two models with independent errors, on scales of their own, and the labels."""
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, 3)) < [0.4, 0.2, 0.1]
    errors = random.normal(size=(2, *Y.shape))
    return {"first": 2 * Y + noise[0] * errors[0], "second": 20 * Y + 10 * noise[1] * errors[1]}, Y


@st.composite
def log_odds_and_labels(draw):
    """Log-odds of one to three models with ties and constants, labels with gaps, weights."""
    n_models = draw(st.integers(1, 3))
    n_samples, n_labels = draw(st.integers(2, 12)), draw(st.integers(1, 2))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    log_odds = random.integers(-3, 4, (n_models, n_samples, n_labels)).astype(float)
    if draw(st.booleans()):
        log_odds[0] = 1.0
    Y = (random.random((n_samples, n_labels)) < 0.4).astype(float)
    if draw(st.booleans()):
        Y[random.random(Y.shape) < 0.2] = np.nan
        Y[0] = 1.0
    weights = random.integers(1, 4, n_samples).astype(float)
    return log_odds, *platt_targets(Y, weights)


@settings(max_examples=25)
@given(log_odds_and_labels(), st.sampled_from([0.5, 3.0, 300.0]))
def test_no_weights_of_a_label_have_a_lower_penalised_loss(cells, penalty):
    log_odds, targets, weights = cells
    common = np.full(len(log_odds), 1 / len(log_odds))
    start = BlendWeights(
        np.repeat(common[:, None], targets.shape[1], 1), np.zeros(targets.shape[1])
    )
    found = weights_by_label(log_odds, targets, weights, common, penalty, start)
    for j in range(targets.shape[1]):
        of_label = log_odds[:, :, j], targets[:, j], weights[:, j], common, penalty
        reached = label_loss(np.append(found.weights[:, j], found.intercepts[j]), *of_label)
        assert reached <= smallest(label_loss, np.append(common, 0.0), *of_label) + 1e-6


@settings(max_examples=15)
@given(log_odds_and_labels())
def test_no_common_weights_have_a_lower_loss(cells):
    log_odds, targets, weights = cells
    found = common_weights(log_odds, targets, weights)
    assert (found >= 0).all()
    fixed = [(one, one) for one in found]
    bounds = [(0, 50)] * len(log_odds) + [(-50, 50)]
    start = np.append(np.full(len(log_odds), 0.5), 0.0)
    arguments = log_odds, targets, weights
    lowest = smallest(common_loss, start, *arguments, bounds=bounds)
    reached = smallest(common_loss, np.append(found, 0.0), *arguments, bounds=[*fixed, (-50, 50)])
    assert reached <= lowest + 1e-5


def test_a_blend_of_two_models_decides_new_samples_better_than_each():
    scores, Y = two_models()
    new, truth = two_models(4000, seed=1)
    found = blend(scores, Y, random_state=0)
    value = evaluate(truth, decided=found.decide(new))["micro-f"]
    for name, one in scores.items():
        alone = blend({name: one}, Y, random_state=0)
        assert evaluate(truth, decided=alone.decide({name: new[name]}))["micro-f"] < value - 0.05
        assert alone.value < found.value


def test_the_weights_of_models_do_not_depend_on_the_scale_of_their_scores():
    scores, Y = two_models()
    moved = {"first": 5 + scores["first"], "second": scores["second"] / 64}
    some, other = (blend(one, Y, random_state=0) for one in (scores, moved))
    np.testing.assert_allclose(some.weights, other.weights, atol=1e-6)
    np.testing.assert_allclose(some.scores(scores), other.scores(moved), atol=1e-5)


def test_a_single_model_keeps_the_order_of_its_scores():
    scores, Y = two_models(200)
    found = blend([scores["first"]], Y, random_state=0)
    assert found.models == ("model 1",)
    assert found.leaderboard.candidate == ("model 1",)
    order = np.argsort(scores["first"], axis=0)
    assert (
        np.diff(np.take_along_axis(found.scores([scores["first"]]), order, 0), axis=0) > 0
    ).all()


def test_the_value_of_useless_models_is_not_above_that_on_new_samples():
    gaps = []
    for seed in range(5):
        random = np.random.default_rng(seed)
        Y, truth = (random.random((120, 2)) < 0.3 for _ in range(2))
        noise, new = random.normal(size=(2, 3, 120, 2))
        found = blend(list(noise), Y, cv=3, random_state=0)
        gaps.append(found.value - evaluate(truth, decided=found.decide(list(new)))["micro-f"])
    assert np.mean(gaps) < 0.02


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_rows_and_labels_of_frames_are_matched_by_id_and_name(frame):
    scores, Y = two_models(120)
    names, ids = ["a", "b", "c"], np.arange(120)
    labels = frame({"id": ids} | dict(zip(names, Y.T.astype(int), strict=True)))
    some = {
        model: frame({"id": ids} | dict(zip(names, one.T, strict=True)))
        for model, one in scores.items()
    }
    back, order = np.arange(120)[::-1], ["c", "id", "a", "b"]
    columns = {"id": ids} | dict(zip(names, scores["second"].T, strict=True))
    turned = {**some, "second": frame({name: columns[name][back] for name in order})}
    found = blend(some, labels, cv=2, ids="id", random_state=0)
    again = blend(turned, labels, cv=2, ids="id", random_state=0)
    assert again.label_names == tuple(names)
    assert (again.coefficients == found.coefficients).all()
    assert (again.decide(turned, ids="id") == found.decide(some, ids="id")).all()
    array = blend(scores, Y, cv=2, random_state=0)
    assert (found.decide(some, ids="id") == array.decide(scores)).all()


def test_a_weight_of_two_counts_as_two_samples():
    scores, Y = two_models(90)
    weights = np.where(np.arange(90) < 30, 2, 1)
    twice = np.repeat(np.arange(90), weights)
    splits = list(KFold(3).split(Y))
    again = [tuple(np.flatnonzero(np.isin(twice, part)) for part in pair) for pair in splits]
    found = blend(scores, Y, sample_weight=weights, cv=splits, random_state=0)
    repeated = {name: one[twice] for name, one in scores.items()}
    other = blend(repeated, Y[twice], cv=again, random_state=0)
    assert found.leaderboard.chosen == other.leaderboard.chosen
    np.testing.assert_allclose(found.weights, other.weights, atol=1e-6)


def test_missing_labels_and_samples_of_weight_0_count_nowhere():
    scores, Y = two_models(150)
    truth = Y.astype(float)
    truth[:20, 0], truth[140:] = np.nan, np.nan
    weights = np.where(np.arange(150) < 130, 1.0, 0.0)
    found = blend(scores, truth, sample_weight=weights, cv=3, random_state=0)
    changed = {name: one.copy() for name, one in scores.items()}
    changed["first"][:20, 0], changed["second"][130:] = 9.0, -9.0
    other = blend(changed, truth, sample_weight=weights, cv=3, random_state=0)
    np.testing.assert_array_equal(found.coefficients, other.coefficients)


def test_a_label_may_have_no_truth_in_a_training_part():
    scores, Y = two_models(90)
    truth = Y.astype(float)
    truth[30:, 2] = np.nan
    found = blend(scores, truth, cv=KFold(3), random_state=0)
    assert np.isfinite(found.coefficients).all()


def test_labels_with_one_class_are_decided_as_they_were():
    scores, Y = two_models(100)
    Y[:, 0], Y[:, 1] = True, False
    with pytest.warns(UserWarning, match="one class"):
        found = blend(scores, Y, random_state=0)
    assert found.decide(scores)[:, :2].tolist() == [[1, 0]] * 100
    Y[:, 2] = False
    with pytest.warns(UserWarning, match="one class"):
        found = blend(scores, Y)
    assert np.isnan(found.value)
    assert found.decide(scores).tolist() == [[1, 0, 0]] * 100


def test_a_loaded_blend_decides_the_same(tmp_path):
    scores, Y = two_models(150)
    found = blend(scores, Y, label_names=["a", "b", "c"], maximize="macro-f", random_state=0)
    labelwise.save(found, tmp_path / "blend.skops")
    again = labelwise.load(tmp_path / "blend.skops")
    assert (again.decide(scores) == found.decide(scores)).all()
    assert again.leaderboard == found.leaderboard


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda scores: scores["first"], TypeError, "a mapping or a sequence of scores, got nd"),
        (lambda _: {}, ValueError, "must have the scores of a model, got none"),
        (lambda scores: {**scores, "second": scores["second"][:-1]}, ValueError, "second has 119"),
        (lambda scores: {**scores, "second": scores["second"][:, 1:]}, ValueError, "second has 2"),
        (lambda scores: {**scores, "second": sparse.csr_array(scores["second"])}, TypeError, "den"),
    ],
)
def test_scores_that_do_not_match_are_refused(change, error, message):
    scores, Y = two_models(120)
    with pytest.raises(error, match=message):
        blend(change(scores), Y)


def test_new_scores_must_be_those_of_the_same_models():
    scores, Y = two_models(120)
    found = blend(scores, Y, cv=2, random_state=0)
    with pytest.raises(ValueError, match="must be those of 'first', 'second', got 'first'"):
        found.decide({"first": scores["first"]})
    with pytest.raises(ValueError, match="second has 119 rows"):
        found.decide({**scores, "second": scores["second"][:-1]})
