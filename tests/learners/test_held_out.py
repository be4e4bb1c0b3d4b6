"""score_held_out: models of other samples score and decide the training samples of a model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import make_multilabel
from labelwise.decisions import Certify, TunedThresholds
from labelwise.learners import BestLearner, BinaryRelevance, IndependentFPlugin, score_held_out
from labelwise.splitting import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

DATA = make_multilabel(150, random_state=1)[0]
X, Y = DATA.X, DATA.Y.toarray().astype(int)


@pytest.mark.parametrize(
    "model",
    [
        TunedThresholds(BinaryRelevance()),
        make_pipeline(StandardScaler(with_mean=False), TunedThresholds(BinaryRelevance())),
        BestLearner(["br"], maximize="macro-f", random_state=0),
    ],
)
def test_scores_are_those_that_the_thresholds_were_tuned_on(model):
    model.fit(X, Y)
    found = score_held_out(model, X, Y)
    tuned = (model[-1] if hasattr(model, "steps") else model).thresholds_
    counts = np.asarray(tuned.decide(found.scores)).sum(axis=0)
    assert counts.tolist() == tuned.evidence.decided.tolist()
    assert found.rows.tolist() == list(range(150))
    assert found.decided is None


def test_a_sample_that_the_model_has_learnt_by_heart_is_scored_by_its_neighbours():
    noise = np.random.default_rng(0).integers(0, 2, Y.shape)
    model = TunedThresholds(KNeighborsClassifier(1)).fit(X, noise)
    held_out = score_held_out(model, X, noise).scores
    assert (model.predict_proba(X) == noise).mean() == 1
    assert (held_out == noise).mean() < 0.6


def test_a_model_with_a_rule_of_its_own_decides_each_fold_by_the_others():
    model = IndependentFPlugin().fit(X, Y)
    found = score_held_out(model, X, Y)
    for train, test in MultilabelStratifiedKFold(5).split(X, Y):
        of_others = IndependentFPlugin().fit(X[train], Y[train])
        assert (found.decided[test] == of_others.predict(X[test])).all()
        np.testing.assert_allclose(found.scores[test], of_others.predict_proba(X[test]))


def test_a_label_of_one_sample_is_no_positive_of_the_models_without_it():
    rare = np.column_stack([Y, np.arange(150) == 7])
    found = score_held_out(IndependentFPlugin().fit(X, rare), X, rare)
    assert found.decided[7, -1] == 0
    assert found.scores[7, -1] < 0.5


def test_groups_stay_together():
    twice, labels = (
        np.repeat(X.toarray() if hasattr(X, "toarray") else X, 2, axis=0),
        Y.repeat(2, 0),
    )
    groups = np.arange(150).repeat(2)
    model = TunedThresholds(KNeighborsClassifier(1)).fit(twice, labels, groups=groups)
    apart = score_held_out(model, twice, labels, groups=groups).scores
    mixed = score_held_out(model, twice, labels).scores
    assert (mixed == labels).mean() > (apart == labels).mean()


@pytest.mark.parametrize("tuned", [True, False])
def test_models_of_folds_are_fitted_with_the_weights(tuned):
    weights = np.arange(len(Y)) % 3 + 1
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = TunedThresholds(tree, cv=5) if tuned else tree
    model.fit(X, Y, sample_weight=weights)
    found = score_held_out(model, X, Y, sample_weight=weights).scores
    for train, test in MultilabelStratifiedKFold(5).split(X, Y):
        of_part = clone(tree).fit(X[train], Y[train], sample_weight=weights[train])
        wanted = np.column_stack([proba[:, 1] for proba in of_part.predict_proba(X[test])])
        np.testing.assert_allclose(found[test], wanted)
    assert not np.allclose(found, score_held_out(model, X, Y).scores)


def test_samples_of_weight_0_are_left_out_as_in_the_fit():
    weights = np.arange(len(Y)) % 3
    model = TunedThresholds(BinaryRelevance(penalty=1.0)).fit(X, Y, sample_weight=weights)
    found = score_held_out(model, X, Y, sample_weight=weights)
    assert found.rows.tolist() == np.flatnonzero(weights).tolist()
    decided = model.thresholds_.decide(found.scores)
    n_decided = weights[found.rows] @ decided
    assert n_decided.tolist() == model.thresholds_.evidence.decided.tolist()


def test_only_samples_behind_the_guarantee_are_held_out():
    once = MultilabelStratifiedShuffleSplit(1, test_size=0.4, random_state=0)
    model = TunedThresholds(
        BinaryRelevance(), min_precision=0.3, guarantee=Certify(0.8), cv=once, refit=False
    ).fit(X, Y)
    found = score_held_out(model, X, Y)
    (_, test) = next(once.split(X, Y))
    assert found.rows.tolist() == sorted(test.tolist())
    np.testing.assert_allclose(found.scores, model.decision_function(X[found.rows]))


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        score_held_out(TunedThresholds(BinaryRelevance()), X, Y)


def test_labels_of_frames_are_matched_with_the_model_by_name():
    names = [f"label {j}" for j in range(Y.shape[1])]
    frame = pd.DataFrame(Y, columns=names)
    model = TunedThresholds(BinaryRelevance(penalty=0.1)).fit(X, frame)
    turned = score_held_out(model, X, frame[names[::-1]])
    assert (turned.scores == score_held_out(model, X, frame).scores).all()
    with pytest.raises(ValueError, match="lacks label 'label 0'"):
        score_held_out(model, X, frame[names[1:]])
