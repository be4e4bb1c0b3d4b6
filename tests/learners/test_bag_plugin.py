"""Labels of bags and of their instances, learned from those of bags alone."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline

from labelwise._tuning import solve
from labelwise.data import Bags, Dataset, load, make_digit_bags
from labelwise.decisions import best_thresholds
from labelwise.learners import (
    BagPlugin,
    BagSummary,
    BinaryRelevance,
    IndependentFPlugin,
)
from labelwise.measures import count, f_measure, macro
from labelwise.splitting import MultilabelStratifiedShuffleSplit
from tests.oracles.bags import aggregate

FAST = BinaryRelevance(penalty=0.01)


def digits(n_bags=150, sizes=(1, 2, 3)):
    data = make_digit_bags(n_bags, sizes=sizes, random_state=0)
    return data.take(data.train), data.take(data.test)


def test_digits_are_recognised_from_the_labels_of_bags_alone():
    train, test = digits(600, range(1, 6))
    model = BagPlugin(random_state=0).fit(train)
    found = model.predict_instances(test)
    truth = np.array([int(digit) for text in test.ids["digits"] for digit in text.split()])
    assert (found.scores.argmax(axis=1) == truth).mean() > 0.9
    assert macro(f_measure, count(test.Y, model.predict(test))) > 0.85


def test_folds_behind_an_automatic_amount_are_drawn_anew_without_a_seed(monkeypatch):
    seeds = []

    def remember(problem, request, seed):
        seeds.append(seed)
        return solve(problem, request, seed)

    monkeypatch.setattr("labelwise.learners.bags._training_rounds.solve", remember)
    train, _ = digits(30)
    for _ in range(2):
        BagPlugin(FAST, n_iter=1, cv=2, shrink="auto").fit(train)
    assert len(set(seeds)) == 2


def test_the_top_instance_has_the_score_that_decided_the_label():
    train, test = digits()
    model = BagPlugin(FAST, n_iter=2, cv=2, random_state=0).fit(train)
    found = model.predict_instances(test)
    speaking = found.starts[:-1, None] + found.top_instance
    highest = np.take_along_axis(found.scores, speaking, axis=0)
    np.testing.assert_array_equal(highest, model.decision_function(test))
    decided = np.take_along_axis(found.decided, speaking, axis=0)
    np.testing.assert_array_equal(decided, model.predict(test))


def test_every_form_of_the_same_bags_learns_the_same():
    train, test = digits()
    known = BagPlugin(FAST, n_iter=2, cv=2, random_state=0).fit(train)
    assert known.label_names_ == tuple("0123456789") == known.thresholds_.label_names
    Y = train.Y.toarray().astype(int)
    thin = [sparse.csr_array(bag) for bag in train.samples]
    for X in (train.samples, list(train.samples), thin):
        model = BagPlugin(FAST, n_iter=2, cv=2, random_state=0).fit(X, Y)
        # Two optima of the same regression, from dense and from sparse rows, to its tolerance.
        np.testing.assert_allclose(
            model.decision_function(list(test.samples)), known.decision_function(test), atol=1e-5
        )
        assert model.label_names_ is None


def test_rows_are_bags_of_one():
    train, test = digits(120, [1])
    model = BagPlugin(FAST, n_iter=2, cv=2, random_state=0).fit(train)
    plain = BagPlugin(FAST, n_iter=2, cv=2, random_state=0).fit(train.X, train.Y)
    np.testing.assert_array_equal(plain.predict(test.X), model.predict(test))
    # Nothing is hidden in a bag of one: every round learns from the labels themselves.
    np.testing.assert_array_equal(model.hidden_labels_, train.Y.toarray())
    assert len(set(model.history_)) == 1


@pytest.mark.parametrize("aggregation", ["noisy-or", "mean"])
def test_other_scores_of_bags_are_tuned_too(aggregation):
    train, test = digits()
    model = BagPlugin(FAST, aggregation=aggregation, n_iter=2, cv=2, random_state=0).fit(train)
    found = model.predict_instances(test)
    expected = aggregate(found.scores, found.starts, aggregation)
    np.testing.assert_allclose(model.decision_function(test), expected, atol=1e-12)


def test_labels_with_one_class_become_constants_with_one_warning():
    train, test = digits(60)
    Y = train.Y.toarray().astype(int)
    Y[:, 3], Y[:, 5] = 0, 1
    model = BagPlugin(FAST, n_iter=1, cv=2, random_state=0)
    with pytest.warns(UserWarning, match="one class only for label 3, 5") as told:
        model.fit(train.samples, Y)
    assert len(told) == 1
    decided = model.predict(test)
    assert not decided[:, 3].any()
    assert decided[:, 5].all()
    with pytest.warns(UserWarning, match="one class only"):
        model.fit(train.samples, Y[:, [3, 5]])
    assert model.predict(test).tolist() == [[0, 1]] * len(test)
    assert model.history_.size == 0
    assert model.best_round_ == -1


def test_a_label_that_one_bag_has_is_learned_though_a_fold_lacks_it():
    train, _ = digits(40)
    Y = np.zeros((len(train), 2), dtype=int)
    Y[0, 0], Y[::2, 1] = 1, 1
    model = BagPlugin(FAST, n_iter=2, cv=3, random_state=0).fit(train.samples, Y)
    assert np.isfinite(model.history_).all()


def test_progress_is_written_on_request(capsys):
    train, _ = digits(40)
    BagPlugin(FAST, n_iter=2, cv=2, random_state=0, verbose=1).fit(train)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("BagPlugin: round 1, micro F 0.")
    assert len(lines) == 2


BAD = {
    "rate": ({"expression_rate": 1.5}, "expression_rate must be from 0 to 1, got 1.5"),
    "aggregation": ({"aggregation": "min"}, "aggregation must be one of max, mean, noisy-or"),
    "rounds": ({"n_iter": 0}, "n_iter must be at least 1"),
    "average": ({"average": "none"}, "average must be None"),
    "scores": ({"estimator": RidgeClassifier()}, "estimator must have predict_proba"),
    "one of several": ({"estimator": [FAST, RidgeClassifier()]}, "must have predict_proba"),
    "none": ({"estimator": []}, "estimator must be one or several, got an empty list"),
    "folds": (
        {"cv": MultilabelStratifiedShuffleSplit(1, random_state=0)},
        "cv must put each bag into one test part, but bag 0 is in 0",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_settings_are_refused_by_name(case):
    settings, message = BAD[case]
    train, _ = digits(40)
    with pytest.raises((ValueError, TypeError), match=message):
        BagPlugin(**settings).fit(train)


def test_bad_bags_are_refused_by_name():
    train, _ = digits(40)
    model = BagPlugin(FAST, n_iter=1, cv=2, random_state=0)
    with pytest.raises(ValueError, match="Y must be left out where X is a Dataset"):
        model.fit(train, train.Y)
    unknown = Dataset(train.samples, None, label_names=train.label_names)
    with pytest.raises(ValueError, match="those of 'data' are unknown"):
        model.fit(unknown)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(train.samples, train.Y[:5])
    model.fit(train)
    with pytest.raises(ValueError, match="bag 1 has none"):
        model.predict([np.zeros((1, 64)), np.zeros((0, 64))])
    with pytest.raises(ValueError, match="3 features"):
        model.predict([np.zeros((1, 3))])


def test_other_estimators_give_the_probabilities():
    train, test = digits(80)
    model = BagPlugin(DummyClassifier(strategy="prior"), n_iter=1, cv=2, random_state=0)
    scores = model.fit(train).decision_function(test)
    assert (scores == scores[0]).all()
    logistic = BinaryRelevance(LogisticRegression(max_iter=1000, tol=0.1))
    assert BagPlugin(logistic, n_iter=1, cv=None).fit(train).predict(test).shape == (27, 10)


def test_a_bag_of_100_000_instances_is_learned_and_decided():
    random = np.random.default_rng(0)
    sizes = [100_000, 1, 3, 3, 1, 2]
    Y = np.array([[1], [0], [1], [0], [1], [0]])
    rows = random.normal(size=(sum(sizes), 2))
    bags = Bags(rows, np.cumsum([0, *sizes]))
    model = BagPlugin(FAST, cv=2, n_iter=2, random_state=0).fit(bags, Y)
    found = model.predict_instances(bags)
    assert found.scores[found.top_instance[0, 0], 0] == found.scores[:100_000, 0].max()
    assert model.decision_function(bags)[0, 0] == found.scores[:100_000, 0].max()


def test_summaries_go_into_any_learner_and_keep_names():
    train, test = digits(80)
    model = make_pipeline(BagSummary("mean"), IndependentFPlugin(FAST))
    assert model.fit(train.samples, train.Y).predict(test.samples).shape == (27, 10)
    summary = BagSummary().fit(train)
    # Warnings are errors here: a data set's names are not columns that scikit-learn would miss.
    assert summary.transform(test).shape == (27, 128)
    names = summary.get_feature_names_out()
    assert names[0] == "mean of pixel 0,0"
    assert names[64] == "max of pixel 0,0"
    with pytest.raises(ValueError, match="parts must be some of mean, max, got 'sum'"):
        BagSummary(["sum"]).fit(train)
    with pytest.raises(ValueError, match="parts must contain at least one"):
        BagSummary([]).fit(train)


def test_benchmark_bags_are_learned(benchmark_home):
    data = load("miml-birds", data_home=benchmark_home)
    train, test = data.take(data.train), data.take(data.test)
    model = BagPlugin(n_iter=2, cv=2, random_state=0).fit(train)
    assert model.label_names_ == data.label_names
    plain = make_pipeline(BagSummary("mean"), BinaryRelevance(penalty=0.01))
    values = [
        macro(f_measure, count(test.Y, decided), "skip")
        for decided in (
            model.predict(test),
            plain.fit(train.samples, train.Y).predict(test.samples),
        )
    ]
    assert values[0] > values[1]


def test_auto_tries_the_candidates_that_give_probabilities():
    train, test = digits(30)
    model = BagPlugin("auto", n_iter=1, cv=2, random_state=0).fit(train)
    alone = BagPlugin(n_iter=1, cv=2, random_state=0).fit(train)
    assert len(model._candidates()) == 4
    assert model.thresholds_.value >= alone.thresholds_.value
    assert model.predict(test).shape == (len(test), 10)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_model_of_sums_is_tuned_on_the_highest_instances_of_other_bags(form):
    train, test = digits(90)
    bags, Y = train.samples, train.Y.toarray().astype(int)
    folds = np.arange(len(bags)) % 3
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    model = BagPlugin(FAST, training="sums", cv=splits, shrink=0.0, random_state=0)
    model.fit(Bags(form(bags.rows), bags.starts), Y)

    def highest(fitted, some):
        return np.array([fitted.predict_proba(bag).max(axis=0) for bag in some])

    def fitted_to(rows):
        return BinaryRelevance(penalty=0.01).fit(
            np.array([bags[int(i)].sum(axis=0) for i in rows]), Y[rows]
        )

    held_out = np.zeros(Y.shape)
    for rest, fold in splits:
        held_out[fold] = highest(fitted_to(rest), [bags[int(i)] for i in fold])
    tuned = best_thresholds(held_out, Y, shrink=0.0)
    np.testing.assert_allclose(model.thresholds_.values, tuned.values, atol=1e-4)
    assert model.history_.tolist() == pytest.approx([tuned.value])
    expected = highest(fitted_to(np.arange(len(bags))), list(test.samples))
    found = model.decision_function(Bags(form(test.samples.rows), test.samples.starts))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert model.hidden_labels_.shape == (0, 10)


def test_a_model_of_sums_may_be_tuned_on_its_own_bags():
    train, test = digits(60)
    model = BagPlugin(FAST, training="sums", cv=None, random_state=0).fit(train)
    assert model.predict(test).shape == test.Y.shape


def test_an_unknown_way_of_training_is_refused():
    train, _ = digits(30)
    with pytest.raises(ValueError, match="training must be one of rounds, sums, got 'means'"):
        BagPlugin(FAST, training="means").fit(train)
