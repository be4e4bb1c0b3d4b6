"""The rounds of a bag learner: what is drawn, tuned and kept, and for which measure."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier

from labelwise.data import make_digit_bags
from labelwise.decisions import best_thresholds
from labelwise.learners import BagPlugin, BinaryRelevance
from labelwise.learners.bags import _training_rounds
from labelwise.learners.bags._training_rounds import draw_hidden, highest
from labelwise.measures import count, f_measure, micro
from labelwise.splitting import MultilabelStratifiedKFold

FAST = BinaryRelevance(penalty=0.01)


def digits(n_bags=150, sizes=(1, 2, 3)):
    data = make_digit_bags(n_bags, sizes=sizes, random_state=0)
    return data.take(data.train), data.take(data.test)


def test_the_best_round_stays_and_rounds_end_when_nothing_improves():
    train, _ = digits()
    model = BagPlugin(FAST, n_iter=9, n_iter_no_change=1, cv=2, random_state=0).fit(train)
    *rising, last = model.history_
    assert (np.diff(rising) > 0).all()
    assert last <= rising[-1] or model.history_.size == 9
    assert model.thresholds_.value == model.history_[model.best_round_] == model.history_.max()
    refitted = BinaryRelevance(penalty=0.01).fit(train.X, model.hidden_labels_)
    np.testing.assert_allclose(
        refitted.predict_proba(train.X), model.predict_instances(train).scores, atol=1e-6
    )


def test_hidden_labels_are_in_bags_that_have_the_label_and_in_each_of_them():
    train, _ = digits()
    model = BagPlugin(FAST, n_iter=3, cv=2, random_state=0).fit(train)
    drawn = np.maximum.reduceat(model.hidden_labels_, train.bags[:-1], axis=0)
    np.testing.assert_array_equal(drawn, train.Y.toarray())


def test_thresholds_of_the_paper_are_tuned_on_the_training_bags():
    train, _ = digits()
    model = BagPlugin(FAST, maximize="micro-f", shared=True, cv=None, n_iter=2, random_state=0).fit(
        train
    )
    assert len(set(model.thresholds_.values)) == 1
    expected = best_thresholds(model.decision_function(train), train.Y, shared=True)
    assert model.thresholds_.value == pytest.approx(expected.value)
    decided = model.predict(train)
    assert micro(f_measure, count(train.Y, decided)) == pytest.approx(expected.value)


def test_scores_for_tuning_come_from_models_that_did_not_see_the_bag():
    train, _ = digits(120, [1])
    Y = train.Y.toarray().astype(np.int64)
    scores = np.empty(Y.shape)
    for seen, unseen in MultilabelStratifiedKFold(5).split(train.X, Y):
        scores[unseen] = FAST.fit(train.X[seen], Y[seen]).predict_proba(train.X[unseen])
    expected = best_thresholds(scores, Y, shrink="auto", random_state=0)
    # Nothing is hidden in bags of one; five folds are the default.
    model = BagPlugin(FAST, n_iter=1, random_state=0).fit(train)
    assert model.history_.tolist() == [pytest.approx(expected.value)]
    np.testing.assert_allclose(model.thresholds_.values, expected.values, atol=1e-6)


def test_labels_are_drawn_uniformly_at_first_then_by_the_scores_as_many_as_were_found(monkeypatch):
    draws = []

    def noted(bags, Y, sizes, scores, random):
        draws.append((np.broadcast_to(sizes, Y.shape), scores))
        return draw_hidden(bags, Y, sizes, scores, random)

    monkeypatch.setattr(_training_rounds, "draw_hidden", noted)
    train, _ = digits(80, [1, 8, 20])
    model = BagPlugin(FAST, n_iter=1, cv=None, random_state=0).fit(train)
    (sizes, scores), (found, by) = draws
    bag_sizes = np.diff(train.bags)
    np.testing.assert_array_equal(sizes[:, 0], np.choose(bag_sizes // 8, [1, 2, 4]))
    assert scores is None
    first = model.predict_instances(train)
    np.testing.assert_allclose(by, first.scores, atol=1e-12)
    n_decided = np.add.reduceat(first.decided, train.bags[:-1], axis=0, dtype=int)
    np.testing.assert_array_equal(found, np.maximum(1, n_decided))
    assert n_decided.max() > 1


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_thresholds_are_tuned_for_the_beta_that_was_asked_for(beta):
    train, _ = digits(80)
    model = BagPlugin(FAST, beta=beta, shrink=0, cv=None, n_iter=1).fit(train)
    scores = model.decision_function(train)
    values = [best_thresholds(scores, train.Y, beta=one).value for one in (beta, 1.0)]
    assert model.thresholds_.value == pytest.approx(values[0])
    assert values[0] != pytest.approx(values[1])


def test_the_same_seed_gives_the_same_model_whatever_the_number_of_jobs():
    train, test = digits(80)
    with parallel_config("threading"):
        scores = [
            BagPlugin(FAST, n_iter=2, cv=2, n_jobs=n_jobs, random_state=3)
            .fit(train)
            .decision_function(test)
            for n_jobs in (1, 2)
        ]
    np.testing.assert_array_equal(*scores)


def test_of_several_estimators_the_one_with_the_highest_tuned_value_stays(capsys):
    train, test = digits(120)
    settings = {"n_iter": 2, "cv": 2, "random_state": 0}
    several = [DummyClassifier(strategy="prior"), FAST, ExtraTreesClassifier(5, random_state=0)]
    alone = [BagPlugin(one, **settings).fit(train) for one in several]
    values = [model.thresholds_.value for model in alone]
    assert len(set(values)) == 3
    for order in ([0, 1, 2], [2, 0, 1]):
        model = BagPlugin([several[k] for k in order], **settings, verbose=1).fit(train)
        best = int(np.argmax(values))
        assert order[model.chosen_] == best
        np.testing.assert_array_equal(model.history_, alone[best].history_)
        np.testing.assert_array_equal(
            model.decision_function(test), alone[best].decision_function(test)
        )
    assert "BagPlugin: estimator 3, round 1, micro" in capsys.readouterr().err
    assert isinstance(clone(model).estimator[0], ExtraTreesClassifier)


def test_a_measure_that_is_nowhere_defined_leaves_the_first_round():
    train, _ = digits(60)
    same = DummyClassifier(strategy="prior")
    settings = {"maximize": "macro-matthews", "n_iter": 3, "cv": None, "random_state": 0}
    model = BagPlugin(same, **settings).fit(train)
    assert np.isnan(model.history_).all()
    assert model.best_round_ == 0
    assert BagPlugin([same, FAST], **settings).fit(train).chosen_ == 1
    assert highest([np.nan, 0.1, 0.3, 0.3, np.nan]) == 2
    assert highest([np.nan, -1.0]) == 1
