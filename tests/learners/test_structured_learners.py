"""RML and SML choose their penalty, keep names and constants, and decide what they say."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from labelwise.data import make_multilabel
from labelwise.learners import ReverseMultilabel, SubmodularMultilabel
from labelwise.learners._submodular_multilabel import strongest_pairs
from labelwise.measures import count, f_measure, scorer
from labelwise.splitting import MultilabelStratifiedKFold
from tests.oracles import structured as oracle

LEARNERS = [
    ReverseMultilabel(penalty=0.1, random_state=0),
    SubmodularMultilabel(penalty=0.1, interaction=0.3, share_of_pairs=0.5, random_state=0),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)


def some_data(n_samples=120, n_labels=4, seed=0):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@each_learner
def test_a_label_is_decided_where_it_adds_to_the_value(learner):
    X, Y = some_data()
    model = clone(learner).fit(X, Y)
    scores, decided = model.decision_function(X), model.predict(X)
    assert scores.shape == decided.shape == Y.shape
    assert decided.dtype == np.int64
    np.testing.assert_array_equal(decided, scores > 0)
    assert 0 < decided.mean() < 1


def test_no_label_set_scores_higher_than_the_decided_one():
    X, Y = some_data(n_labels=6)
    model = SubmodularMultilabel(
        penalty=1.0, interaction=1.0, share_of_pairs=0.5, random_state=0
    ).fit(X, Y)
    gains = np.zeros((6, 6))
    gains[tuple(model.pairs_.T)] = model.gains_
    scores = X @ model.coef_.T + model.intercept_
    expected = [oracle.smallest_best_set(row, gains) for row in scores]
    np.testing.assert_array_equal(model.predict(X), expected)
    assert (model.predict(X) != (scores > 0)).any()


@each_learner
def test_the_gap_is_small_and_of_the_objective(learner):
    X, Y = some_data(40, 3)
    model = clone(learner).fit(X, Y)
    gains = np.zeros((3, 3))
    if isinstance(model, SubmodularMultilabel):
        gains[tuple(model.pairs_.T)] = model.gains_
    assert 0 <= model.gap_ <= 1e-3
    objective = oracle.objective(model.coef_.T, model.intercept_, X, Y.astype(bool), 0.1, gains)
    # Exact without pairs; with them, sets that were missed are not in it.
    assert objective == pytest.approx(model.objective_, rel=1e-9 if not gains.any() else 0.02)
    assert objective >= model.objective_ - 1e-9
    assert model.n_iter_ >= 2
    assert model.n_planes_ >= 40


@each_learner
def test_beta_is_that_of_the_objective_and_of_the_held_out_values(learner):
    X, Y = some_data(60, 3)
    model = clone(learner).set_params(beta=3.0, penalty=[0.03, 0.3]).fit(X, Y)
    gains = np.zeros((3, 3))
    if isinstance(model, SubmodularMultilabel):
        gains[tuple(model.pairs_.T)] = model.gains_
    given = X, Y.astype(bool), model.penalty_, gains
    objective = oracle.objective(model.coef_.T, model.intercept_, *given, beta=3.0)
    assert objective == pytest.approx(model.objective_, rel=1e-9 if not gains.any() else 0.02)
    of_fold = clone(learner).set_params(beta=3.0, penalty=0.3)
    values = []
    for train, test in MultilabelStratifiedKFold(5).split(X, Y):
        decided = of_fold.fit(X[train], Y[train]).predict(X[test])
        values.append(f_measure(count(Y[test], decided, by="sample"), 3.0))
    # Penalties are compared with a larger tolerance.
    assert model.cv_values_[0.3] == pytest.approx(np.concatenate(values).mean(), abs=0.02)
    plain = clone(learner).fit(X, Y).predict(X).sum()
    assert clone(learner).set_params(beta=3.0).fit(X, Y).predict(X).sum() > plain


def test_without_interaction_pairs_change_nothing():
    X, Y = some_data()
    alone = ReverseMultilabel(penalty=0.1, random_state=0).fit(X, Y)
    paired = SubmodularMultilabel(penalty=0.1, interaction=0, random_state=0).fit(X, Y)
    assert paired.pairs_.shape == (0, 2)
    np.testing.assert_array_equal(paired.coef_, alone.coef_)
    np.testing.assert_array_equal(paired.predict(X), alone.predict(X))
    np.testing.assert_array_equal(paired.decision_function(X), alone.decision_function(X))


def test_learned_gains_are_those_of_the_prediction_and_not_negative():
    X, Y = some_data(n_labels=4)
    options = {"penalty": 0.01, "interaction": 1.0, "share_of_pairs": 1.0, "random_state": 0}
    model = SubmodularMultilabel(learn_gains=True, **options).fit(X, Y)
    fixed = SubmodularMultilabel(**options).fit(X, Y)
    np.testing.assert_array_equal(model.pairs_, fixed.pairs_)
    assert (model.gains_ >= 0).all()
    assert not np.allclose(model.gains_, fixed.gains_)
    gains = np.zeros((4, 4))
    gains[tuple(model.pairs_.T)] = model.gains_
    scores = X @ model.coef_.T + model.intercept_
    expected = [oracle.smallest_best_set(row, gains) for row in scores]
    np.testing.assert_array_equal(model.predict(X), expected)


def test_learned_gains_are_used_while_penalties_are_compared():
    X, Y = some_data(60, 3)
    options = {"interaction": 1.0, "share_of_pairs": 1.0, "cv": 3, "random_state": 0}
    model = SubmodularMultilabel(penalty=[0.01, 1.0], learn_gains=True, **options).fit(X, Y)
    assert set(model.cv_values_) == {0.01, 1.0}
    one = SubmodularMultilabel(penalty=model.penalty_, learn_gains=True, **options).fit(X, Y)
    assert one.objective_ == pytest.approx(model.objective_, rel=5e-3)


def test_learn_gains_is_true_or_false():
    with pytest.raises(TypeError, match="learn_gains must be True or False, got 1"):
        SubmodularMultilabel(learn_gains=1).fit(*some_data())


def test_pairs_are_those_seen_together_most_often():
    labels = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 0]], dtype=bool)
    # Counts by pair: 01 three times, 12 twice, 02, 03 and 13 once, 23 never.
    places, gains = strongest_pairs(labels, 0.6, 0.5)
    np.testing.assert_array_equal(places, [[0, 1], [1, 2], [0, 2]])
    np.testing.assert_allclose(gains, [0.6, 0.4, 0.2])
    places, gains = strongest_pairs(labels, 1.0, 1.0)
    assert len(places) == 5
    places, gains = strongest_pairs(labels, 1.0, 0.01)
    np.testing.assert_array_equal(places, [[0, 1]])
    for nothing in (labels[:, :1], np.eye(4, dtype=bool)):
        places, gains = strongest_pairs(nothing, 1.0, 1.0)
        assert places.shape == (0, 2)
        assert gains.shape == (0,)


def test_the_penalty_has_the_highest_f_on_held_out_samples():
    X, Y = some_data(150)
    splits = list(MultilabelStratifiedKFold(3).split(X, Y))
    penalties = (10.0, 1.0, 0.3)
    model = ReverseMultilabel(penalty=penalties, cv=splits, tol=1e-4, random_state=0).fit(X, Y)
    assert tuple(model.cv_values_) == penalties
    expected = {
        penalty: np.concatenate(
            [
                f_measure(
                    count(
                        Y[test],
                        ReverseMultilabel(penalty=penalty, tol=1e-4, random_state=0)
                        .fit(X[train], Y[train])
                        .predict(X[test]),
                        by="sample",
                    )
                )
                for train, test in splits
            ]
        ).mean()
        for penalty in penalties
    }
    # Folds stop at ten times tol: a decision or two may differ.
    for penalty in penalties:
        assert model.cv_values_[penalty] == pytest.approx(expected[penalty], abs=0.01)
    assert model.penalty_ == max(model.cv_values_, key=model.cv_values_.get)
    assert (
        model.cv_values_
        == ReverseMultilabel(penalty=penalties, cv=3, tol=1e-4, random_state=0).fit(X, Y).cv_values_
    )


def test_of_equally_good_penalties_the_largest_is_taken():
    X = np.repeat([[-1.0], [1.0]], 20, axis=0)
    Y = np.repeat([[0, 1], [1, 0]], 20, axis=0)
    model = ReverseMultilabel(penalty=[0.01, 0.1], cv=2, random_state=0).fit(X, Y)
    assert set(model.cv_values_.values()) == {1.0}
    assert model.penalty_ == 0.1


@each_learner
def test_sparse_features_and_labels_give_the_same_model(learner):
    X, Y = some_data()
    X[np.abs(X) < 0.5] = 0
    dense = clone(learner).fit(X, Y)
    thin = clone(learner).fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_array_equal(thin.coef_, dense.coef_)
    np.testing.assert_array_equal(thin.predict(sparse.csc_array(X)), dense.predict(X))


@each_learner
def test_labels_with_one_class_stay_as_they_are(learner):
    X, Y = some_data(n_labels=5)
    frame = pd.DataFrame(Y, columns=list("abcde"))
    frame["b"], frame["d"] = 0, 1
    with pytest.warns(UserWarning, match="'b'"):
        model = clone(learner).fit(X, frame)
    assert model.label_names_ == tuple("abcde")
    np.testing.assert_array_equal(model.constants_, [np.nan, 0, np.nan, 1, np.nan])
    assert (model.predict(X)[:, [1, 3]] == [0, 1]).all()
    assert (model.decision_function(X)[:, [1, 3]] == [-1, 1]).all()
    without = clone(learner).fit(X, frame[["a", "c", "e"]])
    np.testing.assert_array_equal(model.predict(X)[:, [0, 2, 4]], without.predict(X))
    with pytest.warns(UserWarning, match="'b'"):
        model = clone(learner).fit(X, frame[["b", "d"]])
    assert (model.predict(X) == [0, 1]).all()
    assert model.gap_ == 0


@each_learner
def test_empty_rows_and_a_single_label_are_learned(learner):
    X, Y = some_data(n_labels=1)
    model = clone(learner).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.5
    assert model.predict(X).shape == (120, 1)


@each_learner
def test_the_model_does_not_depend_on_jobs(learner):
    X, Y = some_data()
    several = clone(learner).set_params(penalty=[1.0, 0.1], cv=3)
    one = several.fit(X, Y)
    two = clone(several).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.cv_values_ == two.cv_values_


def test_too_few_passes_are_warned_of():
    X, Y = some_data()
    with pytest.warns(ConvergenceWarning, match="After 2 passes the relative gap is"):
        ReverseMultilabel(penalty=1e-4, max_iter=2, random_state=0).fit(X, Y)


@each_learner
def test_progress_is_printed_on_request(learner, capsys):
    X, Y = some_data()
    clone(learner).fit(X, Y)
    assert capsys.readouterr().err == ""
    clone(learner).set_params(penalty=[1.0, 0.1], cv=2, verbose=1).fit(X, Y)
    message = capsys.readouterr().err
    assert f"{type(learner).__name__}: fold 2 of 2, penalty 0.1, gap" in message
    assert "pass 1, gap" in message


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"penalty": -1.0}, ValueError, "penalty must be positive numbers"),
        ({"tol": 0.0}, ValueError, "tol must be from 1e-12 to 1"),
        ({"max_iter": 1}, ValueError, "max_iter must be at least 2, got 1"),
        ({"interaction": -0.1}, ValueError, "interaction must be from 0 to inf"),
        ({"share_of_pairs": "all"}, TypeError, "share_of_pairs must be a number"),
    ],
    ids=lambda part: next(iter(part)) if isinstance(part, dict) else "",
)
def test_wrong_parameters_are_refused(wrong, error, words):
    X, Y = some_data()
    with pytest.raises(error, match=words):
        SubmodularMultilabel(**wrong, random_state=0).fit(X, Y)


def test_a_grid_search_takes_the_learners():
    X, Y = some_data()
    search = GridSearchCV(
        SubmodularMultilabel(penalty=0.1, share_of_pairs=0.5, random_state=0),
        {"interaction": [0.0, 0.2]},
        scoring=scorer("sample-f"),
        cv=MultilabelStratifiedKFold(3),
    ).fit(X, Y)
    assert search.best_score_ > 0.4
    assert repr(ReverseMultilabel(penalty=0.1)) == "ReverseMultilabel(penalty=0.1)"
