"""Calibrated label ranking is a count of votes, whoever casts them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import load
from labelwise.learners import BinaryRelevance, CalibratedLabelRanking
from labelwise.learners._calibrated_ranking import pair_samples
from labelwise.measures import measure_scores, scorer
from labelwise.splitting import MultilabelStratifiedKFold
from tests.learners.trees.problems import small_problems, some_data
from tests.oracles.label_ranking import votes_of

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
HARD = VotingClassifier([("only", Perceptron())])
FEW = RandomForestClassifier(4, max_depth=3, random_state=0)


def scores_of(votes):
    return votes[:, :-1] - votes[:, -1:]


@pytest.mark.filterwarnings("ignore:Y has one class only")
@settings(max_examples=40)
@given(problem=small_problems(), base=st.sampled_from([TREE, BernoulliNB()]))
def test_scores_are_votes_less_those_of_the_virtual_label(problem, base):
    X, Y = problem
    model = CalibratedLabelRanking(base).fit(X, Y)
    expected = scores_of(votes_of(base, X, Y, X))
    np.testing.assert_array_equal(model.decision_function(X), expected)
    decided = model.predict(X)
    assert decided.dtype == np.int64
    np.testing.assert_array_equal(decided, expected > 0)


@pytest.mark.filterwarnings("ignore:Y has one class only")
@settings(max_examples=30)
@given(problem=small_problems())
def test_scores_may_be_shares_of_votes_and_ties_may_be_decided(problem):
    X, Y = problem
    model = CalibratedLabelRanking(TREE, score_by="votes", decide_ties=True).fit(X, Y)
    votes = votes_of(TREE, X, Y, X)
    np.testing.assert_array_equal(model.decision_function(X), votes[:, :-1] / Y.shape[1])
    np.testing.assert_array_equal(model.predict(X), votes[:, :-1] >= votes[:, -1:])


def test_votes_of_undecided_models_may_be_those_of_the_first_label():
    X, Y = np.repeat([[0.0], [1.0]], 4, axis=0), np.array([[1, 0], [0, 1]] * 4)
    # Every model has seen both classes as often at each value, and is undecided.
    split, first = (
        CalibratedLabelRanking(DecisionTreeClassifier(), score_by="votes", split_votes=value)
        for value in (True, False)
    )
    for model, is_split in ((split, True), (first, False)):
        found = model.fit(X, Y).decision_function(X) * 2
        expected = votes_of(DecisionTreeClassifier(), X, Y, X, is_split)[:, :-1]
        np.testing.assert_array_equal(found, expected)
    assert first.decision_function(X)[0].tolist() == [1.0, 0.5]
    assert split.decision_function(X)[0].tolist() == [0.5, 0.5]


def test_an_unknown_score_is_refused():
    X, Y = some_data()
    with pytest.raises(ValueError, match=r"score_by must be one of \('margin', 'votes'\), got 'x'"):
        CalibratedLabelRanking(TREE, score_by="x").fit(X, Y)


@pytest.mark.parametrize(
    "base",
    [
        FEW,
        RandomForestClassifier(3, max_leaf_nodes=4, random_state=1),
        ExtraTreesClassifier(5, class_weight="balanced", random_state=2),
        DecisionTreeClassifier(random_state=3),
        LogisticRegression(),
        KNeighborsClassifier(2),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
    ids=lambda base: type(base).__name__,
)
def test_votes_are_those_of_scikit_learns_models(base):
    X, Y = some_data()
    new = some_data(seed=1)[0]
    model = CalibratedLabelRanking(base).fit(X, Y)
    np.testing.assert_array_equal(
        model.decision_function(new), scores_of(votes_of(base, X, Y, new))
    )


def test_missing_values_go_where_the_trees_send_them():
    X, Y = some_data(n_samples=80)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
    model = CalibratedLabelRanking(FEW).fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), scores_of(votes_of(FEW, X, Y, X)))


@pytest.mark.parametrize("base", [Perceptron(), HARD], ids=["score", "class"])
def test_models_without_probabilities_vote_by_their_scores_or_classes(base):
    X, Y = some_data()
    model = CalibratedLabelRanking(base).fit(X, Y)
    votes = np.zeros((len(X), 5))
    for j, k in model.pairs_:
        rows, target = pair_samples(sparse.csc_array(Y.astype(bool)), j, k)
        rows = slice(None) if rows is None else rows
        won = clone(base).fit(X[rows], target).predict(X)
        votes[:, j] += won
        votes[:, k] += 1 - won
    np.testing.assert_array_equal(model.decision_function(X), scores_of(votes))


def test_an_undecided_model_gives_half_to_each():
    # Both classes are as frequent in each pair, so each chance is one half.
    X, Y = np.zeros((4, 1)), np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    model = CalibratedLabelRanking(DummyClassifier(strategy="prior")).fit(X, Y)
    assert model.decision_function(X[:1]).tolist() == [[0, 0]]
    assert model.predict(X[:1]).tolist() == [[0, 0]]


def test_the_virtual_labels_models_are_binary_relevance():
    X, Y = some_data(n_labels=1)
    ranking = CalibratedLabelRanking(TREE).fit(X, Y)
    relevance = BinaryRelevance(TREE).fit(X, Y)
    np.testing.assert_array_equal(ranking.predict(X), relevance.predict(X))


@pytest.mark.parametrize("base", [FEW, LogisticRegression()], ids=["packed", "kept"])
def test_neither_jobs_nor_blocks_change_anything(base, monkeypatch):
    X, Y = some_data()
    expected = CalibratedLabelRanking(base, random_state=7).fit(X, Y).decision_function(X)
    monkeypatch.setattr("labelwise.learners._calibrated_ranking._TOGETHER", 3)
    monkeypatch.setattr("labelwise.learners.trees._packed_trees._MOST_SPREAD", 70)
    with parallel_config("threading"):
        again = CalibratedLabelRanking(base, n_jobs=2, random_state=7).fit(X, Y)
        np.testing.assert_array_equal(again.decision_function(X), expected)
    thin = sparse.csr_array(X)
    from_thin = CalibratedLabelRanking(base, random_state=7).fit(thin, sparse.csr_array(Y))
    np.testing.assert_array_equal(from_thin.decision_function(thin), expected)


def test_processes_give_the_same_as_one():
    X, Y = some_data(n_samples=40)
    one, two = (CalibratedLabelRanking(n_jobs=k, random_state=0).fit(X, Y) for k in (1, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_a_seed_repeats_the_models_and_each_has_its_own():
    # All three pairs see the same samples, so only their seeds can make a difference.
    X = np.random.default_rng(0).normal(size=(60, 6))
    Y = np.repeat(np.eye(3, dtype=int), 20, axis=0)
    Y[:, 1:] = Y[:, :1] ^ 1
    base = make_pipeline(StandardScaler(), RandomForestClassifier(2))
    model, again = (CalibratedLabelRanking(base, random_state=3).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    seeds = {fitted[-1].random_state for fitted in model.models_}
    assert len(seeds) == len(model.models_) == 5
    own = CalibratedLabelRanking(base.set_params(randomforestclassifier__random_state=5))
    assert {fitted[-1].random_state for fitted in own.fit(X, Y).models_} == {5}


def test_labels_keep_their_names_and_constant_labels_give_a_warning():
    X, Y = some_data()
    frame = pd.DataFrame(Y, columns=["a", "b", "c", "d"])
    frame["b"], frame["d"] = 0, 1
    model = CalibratedLabelRanking(TREE)
    with pytest.warns(UserWarning, match="one class only for label 'b', 'd'") as caught:
        model.fit(pd.DataFrame(X).add_prefix("x"), frame)
    assert len(caught) == 1
    assert model.label_names_ == ("a", "b", "c", "d")
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    assert model.predict(pd.DataFrame(X).add_prefix("x"))[:, [1, 3]].tolist() == [[0, 1]] * 60


def test_a_grid_search_sets_the_parameters_of_the_classifier():
    X, Y = some_data(n_samples=120)
    search = GridSearchCV(
        CalibratedLabelRanking(TREE),
        {"estimator__max_depth": [1, 3]},
        scoring=scorer("micro-f"),
        cv=MultilabelStratifiedKFold(3),
    )
    assert search.fit(X, Y).best_params_["estimator__max_depth"] in (1, 3)


def test_progress_is_written_on_request(capsys):
    X, Y = some_data()
    CalibratedLabelRanking(TREE, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines()[-1] == "CalibratedLabelRanking: pair 10 of 10"


@pytest.mark.parametrize(
    ("base", "Y", "error", "message"),
    [
        (LinearRegression(), [[0], [1]], TypeError, "estimator must be a classifier, got Linear"),
        (TREE, [[0], [2]], ValueError, "Y must contain only 0 and 1, got 2 at row 1, label 0"),
        (TREE, [[0]], ValueError, "inconsistent numbers of samples"),
        (TREE, np.zeros((2, 0)), ValueError, "Y must have a row and a label"),
    ],
)
def test_bad_input_is_refused_by_name(base, Y, error, message):
    with pytest.raises(error, match=message):
        CalibratedLabelRanking(base).fit(np.zeros((2, 3)), Y)


def test_medicals_labels_are_ranked_better_than_by_their_frequency(benchmark_home):
    data = load("medical", data_home=benchmark_home)
    train, test = data.take(data.train), data.take(data.test[:100])
    base = DecisionTreeClassifier(max_depth=6, max_features=0.1)
    with pytest.warns(UserWarning, match="one class only"):
        model = CalibratedLabelRanking(base, random_state=0).fit(train.X, train.Y)
    frequency = np.tile(np.asarray(train.Y.mean(axis=0)).ravel(), (len(test), 1))
    assert model.pairs_.shape == (45 * 46 // 2, 2)
    found = measure_scores(test.Y, model.decision_function(test.X), "ranking-loss")
    assert found < measure_scores(test.Y, frequency, "ranking-loss") / 2
