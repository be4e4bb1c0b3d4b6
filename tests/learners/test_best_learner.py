"""`BestLearner` chooses the best candidate by held-out value, and decides as it did."""

import re
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import labelwise
from labelwise.data import make_corpus, make_multilabel
from labelwise.decisions import TunedThresholds, best_thresholds, maximize_expected_f_independent
from labelwise.features import TableFeatures, text_representations
from labelwise.learners import BestLearner, BinaryRelevance, ExactFPlugin, Leaderboard
from labelwise.learners.selection._costs import judging
from labelwise.learners.selection._race import run_race
from labelwise.learners.selection._rules import decide_of_label_sets, label_sets_of
from labelwise.measures import evaluate
from labelwise.splitting import MultilabelStratifiedKFold
from tests.kernels import COMPILED_ONLY

MEASURES = ["micro-f", "macro-f", "sample-f", "micro-accuracy", "macro-jaccard"]
LINEAR = BinaryRelevance(LogisticRegression())
TREE = BinaryRelevance(DecisionTreeClassifier(max_depth=3, random_state=0))


def some_data(n_samples=120, n_labels=4, seed=0):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "micro-accuracy"])
def test_one_candidate_is_judged_as_tuned_thresholds_are(maximize):
    X, Y = some_data()
    best = BestLearner([LINEAR], maximize=maximize, random_state=0).fit(X, Y)
    tuned = TunedThresholds(LINEAR, maximize=maximize, random_state=0).fit(X, Y)
    assert best.value_ == tuned.value_
    assert best.corrected_value_ == tuned.corrected_value_
    assert best.leaderboard_.corrected_value == (best.corrected_value_,)
    np.testing.assert_array_equal(best.decision_function(X), tuned.decision_function(X))


def of_columns(columns):
    """A linear model of some features."""
    return make_pipeline(ColumnTransformer([("some", "passthrough", columns)]), clone(LINEAR))


def test_a_candidate_that_knows_the_labels_beats_one_that_guesses():
    X, Y = some_data()
    candidates = {"guess": of_columns(slice(0, 5)), "knows": of_columns(slice(5, 9))}
    model = BestLearner(candidates, random_state=0).fit(np.hstack([X, Y]), Y)
    assert model.best_names_ == ("knows",)
    assert model.leaderboard_.chosen == "knows"
    assert model.leaderboard_.candidate == ("knows", "guess")


def folds_of_repeated(splits, times):
    """Folds of samples that are repeated, with the copies of a sample together."""
    copies = np.split(np.arange(times.sum()), np.cumsum(times)[:-1])
    return [tuple(np.concatenate([copies[i] for i in part]) for part in pair) for pair in splits]


def test_weights_count_as_repetitions():
    X, Y = some_data()
    times = np.arange(len(X)) % 3
    splits = list(MultilabelStratifiedKFold(3).split(X, Y))
    # The choice of thresholds draws samples at random, that of label sets draws none.
    options = {"maximize": "sample-f", "blend": True}
    candidates = {"linear": LINEAR, "tree": TREE}
    weighted = BestLearner(candidates, cv=splits, **options).fit(X, Y, sample_weight=times)
    repeated = BestLearner(candidates, cv=folds_of_repeated(splits, times), **options)
    repeated.fit(
        *(np.repeat(part, times, axis=0) for part in (X, Y)), groups=np.arange(120).repeat(times)
    )
    assert weighted.best_names_ == repeated.best_names_
    assert weighted.value_ == pytest.approx(repeated.value_)
    for column in ("corrected_value", "standard_error"):
        values = (getattr(model.leaderboard_, column) for model in (weighted, repeated))
        np.testing.assert_allclose(*values)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


class GivenScores(ClassifierMixin, BaseEstimator):
    """The features as scores."""

    def fit(self, X, y):  # noqa: ARG002
        return self

    def decision_function(self, X):
        return X


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "micro-accuracy", "macro-jaccard"])
def test_thresholds_are_tuned_under_weights(maximize):
    _, Y = some_data()
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=Y.shape) + Y, rng.integers(0, 3, len(Y)) / 2
    splits = list(MultilabelStratifiedKFold(3).split(scores, Y))
    model = BestLearner([GivenScores()], maximize=maximize, cv=splits, random_state=0)
    model.fit(scores, Y, sample_weight=weights)
    rows = np.concatenate([test for _, test in splits])
    expected = best_thresholds(
        scores[rows],
        Y[rows],
        maximize=maximize,
        shrink="auto",
        sample_weight=weights[rows],
        random_state=0,
    )
    assert model.value_ == expected.value
    np.testing.assert_array_equal(model.thresholds_.values, expected.values)
    np.testing.assert_array_equal(model.thresholds_.evidence.support, expected.evidence.support)
    assert model.thresholds_.evidence.n_samples == expected.evidence.n_samples


def test_candidates_that_take_no_weights_are_fitted_without():
    X, Y = some_data()
    neighbors = make_pipeline(BinaryRelevance(KNeighborsClassifier()))
    model = BestLearner({"knn": neighbors}, random_state=0)
    weights = np.linspace(0.1, 2, len(X))
    model.fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(model.decision_function(X), neighbors.fit(X, Y).predict_proba(X))
    assert model.thresholds_.evidence.weighted
    np.testing.assert_allclose(model.thresholds_.evidence.support, weights @ Y)


def test_weights_reach_the_last_step_of_a_pipeline():
    X, Y = some_data()
    weights = np.linspace(0.1, 2, len(X))
    model = BestLearner({"linear": make_pipeline(StandardScaler(), LINEAR)}, random_state=0)
    model.fit(X, Y, sample_weight=weights)
    alone = clone(LINEAR).fit(StandardScaler().fit_transform(X), Y, sample_weight=weights)
    expected = alone.decision_function(StandardScaler().fit_transform(X))
    np.testing.assert_allclose(model.decision_function(X), expected)


def test_a_label_that_only_samples_of_weight_0_have_is_constant():
    X, Y = some_data()
    Y[:, 1] = np.arange(len(X)) < 5
    with pytest.warns(UserWarning, match="one class only"):
        model = BestLearner([LINEAR], random_state=0).fit(X, Y, sample_weight=np.arange(len(X)) > 4)
    np.testing.assert_array_equal(model.constants_, [np.nan, 0, np.nan, np.nan])
    assert not model.predict(X)[:, 1].any()


def test_negative_weights_are_refused():
    X, Y = some_data()
    with pytest.raises(ValueError, match="sample_weight must be finite, not negative"):
        BestLearner([LINEAR]).fit(X, Y, sample_weight=np.full(len(X), -1.0))


@pytest.mark.parametrize("maximize", MEASURES)
def test_every_measure_is_decided_for(maximize):
    X, Y = some_data()
    model = BestLearner([LINEAR, ExactFPlugin(penalty=0.1)], maximize=maximize, random_state=0)
    decided = model.fit(X, Y).predict(X)
    assert decided.shape == Y.shape
    assert set(np.unique(decided)) <= {0, 1}
    assert (model.thresholds_ is None) == (maximize == "sample-f")
    assert model.rule_ == ("thresholds" if maximize != "sample-f" else model.rule_)


@COMPILED_ONLY  # which balance folds longer, and the rule depends on the folds
def test_sample_f_is_decided_by_expected_f_of_calibrated_probabilities():
    X, Y = some_data()
    model = BestLearner([LINEAR], maximize="sample-f", beta=2.0, random_state=0).fit(X, Y)
    assert model.rule_ == "expected-f"
    expected, _ = maximize_expected_f_independent(model.predict_proba(X), beta=2.0)
    np.testing.assert_array_equal(model.predict(X), expected)


def exclusive_data(n_samples=150, n_labels=4):
    """Samples that have exactly one label, which features do not tell surely."""
    rng = np.random.default_rng(0)
    Y = np.eye(n_labels, dtype=np.int64)[rng.integers(n_labels, size=n_samples)]
    return Y + rng.normal(size=Y.shape), Y


def test_labels_that_exclude_each_other_are_decided_by_the_label_sets_of_training(tmp_path):
    X, Y = exclusive_data()
    model = BestLearner([LINEAR], maximize="sample-f", random_state=0).fit(X, Y)
    assert model.rule_ == "label-sets"
    np.testing.assert_array_equal(model.label_sets_.toarray().sum(axis=1), np.ones(4))
    decided = model.predict(X)
    seen = label_sets_of(Y.astype(np.float64), np.ones(len(Y)))
    log_odds = logit(model.predict_proba(X))
    np.testing.assert_array_equal(decided, decide_of_label_sets(log_odds, seen, 1.0))
    assert (decided.sum(axis=1) >= 1).all()
    independent, _ = maximize_expected_f_independent(model.predict_proba(X))
    mean_f = evaluate(Y, decided=decided)["sample-f"]
    assert mean_f > evaluate(Y, decided=np.asarray(independent))["sample-f"]
    labelwise.save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(labelwise.load(tmp_path / "model.skops").predict(X), decided)


def test_a_loaded_model_whose_label_sets_are_not_those_of_its_rule_is_refused():
    X, Y = exclusive_data()
    model = BestLearner([LINEAR], maximize="sample-f", random_state=0).fit(X, Y)
    model._check_loaded()
    model.set_log_weights_ = model.set_log_weights_[:2]
    with pytest.raises(ValueError, match="a finite number for each label set"):
        model._check_loaded()
    model.rule_ = "expected-f"
    with pytest.raises(ValueError, match="label_sets_ must be those of the rule"):
        model._check_loaded()


def test_a_plug_in_decides_sample_f_by_itself():
    X, Y = some_data()
    plugin = ExactFPlugin(penalty=0.1)
    model = BestLearner([plugin], maximize="sample-f", beta=0.5, random_state=0).fit(X, Y)
    alone = clone(plugin).set_params(beta=0.5).fit(X, Y)
    assert model.rule_ == "own"
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))


def test_a_blend_is_the_mean_of_the_log_odds_of_its_members():
    _, Y = some_data()
    # Noise of their own, so that two are better than one.
    rng = np.random.default_rng(0)
    X = np.hstack([Y + rng.normal(size=Y.shape), Y + rng.normal(size=Y.shape)])
    halves = {"first": of_columns(slice(0, 4)), "second": of_columns(slice(4, 8))}
    model = BestLearner(halves, blend=True, random_state=0).fit(X, Y)
    assert sorted(model.best_names_) == ["first", "second"]
    parts = zip(model.slopes_, model.intercepts_, model.estimators_, strict=True)
    log_odds = [slope * one.decision_function(X) + b for slope, b, one in parts]
    np.testing.assert_allclose(model.decision_function(X), (log_odds[0] + log_odds[1]) / 2)
    np.testing.assert_allclose(model.predict_proba(X), expit(model.decision_function(X)))


@pytest.mark.parametrize("seed", range(3))
def test_a_blend_is_used_only_if_its_corrected_value_is_the_highest(seed):
    X, Y = some_data(seed=seed)
    model = BestLearner({"linear": LINEAR, "tree": TREE}, blend=True, random_state=0).fit(X, Y)
    rows = model.leaderboard_.rows()
    blend = next(row for row in rows if "+" in row["candidate"])
    others = [row["corrected_value"] for row in rows if row is not blend]
    assert blend["chosen"] == (blend["corrected_value"] > max(others))
    assert blend["chosen"] == (len(model.estimators_) == 2)


class Recorder(ClassifierMixin, BaseEstimator):
    """A model that remembers the rows it was fitted to."""

    seen: list = []  # noqa: RUF012

    def __init__(self, name="a"):
        self.name = name

    def fit(self, X, y):
        Recorder.seen.append((self.name, tuple(X[:, 0])))
        self.n_labels_ = y.shape[1]
        return self

    def decision_function(self, X):
        return np.repeat(X[:, :1], self.n_labels_, axis=1)


def test_all_candidates_are_fitted_to_the_same_folds():
    X, Y = some_data(60)
    Recorder.seen.clear()
    BestLearner({"a": Recorder("a"), "b": Recorder("b")}, cv=3, random_state=0).fit(X, Y)
    of = {name: [rows for who, rows in Recorder.seen if who == name] for name in "ab"}
    assert of["a"][:3] == of["b"][:3]
    expected = [tuple(X[train, 0]) for train, _ in MultilabelStratifiedKFold(3).split(X, Y)]
    assert of["a"][:3] == expected
    # Equally good: the first is the cheapest, and only it is fitted to all samples.
    assert of["a"][3:] == [tuple(X[:, 0])]
    assert of["b"][3:] == []


def test_the_choice_does_not_depend_on_the_number_of_jobs():
    X, Y = some_data()
    boards = []
    for n_jobs in (None, 2):
        model = BestLearner(["br", "knn", "br-svm"], n_jobs=n_jobs, random_state=0).fit(X, Y)
        rows = [{**row, "seconds": 0} for row in model.leaderboard_.rows()]
        boards.append((model.best_names_, rows, model.predict_proba(X).tolist()))
    assert boards[0] == boards[1]


def test_default_candidates_are_tried_and_the_others_are_explained():
    X, Y = some_data(60, 3)
    model = BestLearner(random_state=0, cv=2).fit(X, Y)
    board = model.leaderboard_
    assert set(board.candidate) == {"br", "br-svm", "knn", "br-kernel-svm"}
    reasons = dict(board.left_out)
    assert reasons["okapi"] == "it is for counts of terms"
    assert reasons["forest"] == "it is for at least 100 rows"
    assert "forest was not tried: it is for at least 100 rows" in str(board)
    assert model.n_features_in_ == 5
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])


def test_three_rows_give_a_model_or_the_error_of_the_folds():
    X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[0, 1], [1, 0], [1, 1]])
    model = BestLearner([LINEAR], cv=3, random_state=0).fit(X, Y)
    assert model.predict(X).shape == (3, 2)
    with pytest.raises(ValueError, match="3"):
        BestLearner([LINEAR], random_state=0).fit(X, Y)


def test_labels_of_one_class_are_decided_as_in_training():
    X, Y = some_data()
    Y[:, 1], Y[:, 2] = 0, 1
    for blend in (False, True):
        model = BestLearner({"linear": LINEAR, "tree": TREE}, blend=blend, random_state=0)
        with pytest.warns(UserWarning, match="one class only for label 1, 2"):
            model.fit(X, Y)
        assert (model.predict(X)[:, 1:3] == [0, 1]).all()
        assert (model.predict_proba(X)[:, 1:3] == [0, 1]).all()
        assert model.decision_function(X).shape == Y.shape


def test_labels_that_all_have_one_class_need_no_candidate():
    X, _ = some_data()
    with pytest.warns(UserWarning, match="one class only"):
        model = BestLearner([LINEAR]).fit(X, np.ones((len(X), 2), dtype=int))
    assert (model.predict(X) == 1).all()
    assert (model.predict_proba(X) == 1).all()
    assert (model.decision_function(X) == 1).all()
    assert len(model.leaderboard_) == 0


def test_candidates_that_need_all_labels_are_left_out_if_labels_are_missing():
    X, Y = some_data()
    gaps = Y.astype(float)
    gaps[::7, 0] = np.nan
    candidates = {"plug-in": ExactFPlugin(penalty=0.1), "linear": LINEAR}
    model = BestLearner(candidates, random_state=0).fit(X, gaps)
    assert model.best_names_ == ("linear",)
    assert dict(model.leaderboard_.left_out).keys() == {"plug-in"}
    alone = TunedThresholds(LINEAR, maximize="micro-f", random_state=0).fit(X, gaps)
    assert model.value_ == alone.value_


def test_groups_stay_together():
    X, Y = some_data(60)
    groups = np.repeat(np.arange(20), 3)
    Recorder.seen.clear()
    BestLearner([Recorder()], cv=2, random_state=0).fit(X, Y, groups=groups)
    for _, values in Recorder.seen[:2]:
        here = np.isin(X[:, 0], values)
        assert all(len(set(here[groups == group])) == 1 for group in range(20))


@pytest.mark.parametrize(
    ("candidates", "error", "words"),
    [
        ([], ValueError, "candidates must contain an estimator, got none."),
        ("br", TypeError, "candidates must be a list or a mapping of estimators, got 'br'."),
        (["b"], ValueError, "candidates must be estimators or one of"),
        ([LINEAR, LINEAR], ValueError, "different names, got 'BinaryRelevance' twice."),
        ([("a", 3)], TypeError, "candidates must be estimators or names, got 3 as 'a'."),
        (["lightgbm"], ValueError, "candidates names 'lightgbm', which is not installed."),
    ],
)
def test_wrong_candidates_are_refused(candidates, error, words, monkeypatch):
    X, Y = some_data(30)
    monkeypatch.setattr("labelwise.learners._register.find_spec", {}.get)
    with pytest.raises(error, match=re.escape(words)):
        BestLearner(candidates).fit(X, Y)


def test_wrong_options_are_refused_before_any_fit():
    X, Y = some_data(30)
    with pytest.raises(ValueError, match="budget must be from 0"):
        BestLearner([LINEAR], budget=-1).fit(X, Y)
    with pytest.raises(ValueError, match="maximize must be micro-, macro- or sample-"):
        BestLearner([LINEAR], maximize="loss").fit(X, Y)


def test_the_leaderboard_prints_as_a_table_and_as_html():
    board = Leaderboard(
        "micro-f", "b", ("b", "a"), (0.5, 0.4), (0.4, 0.3), (0.01,) * 2, (1.0,) * 2, (9, 9)
    )
    assert str(board).splitlines()[1].split() == [
        "b",
        "(chosen)",
        *["0.5000", "0.4000", "0.0100", "1.0", "9"],
    ]
    assert str(board).splitlines()[3].startswith("value: on held-out samples, on which")
    assert board._repr_html_().startswith("<table>")
    assert [row["chosen"] for row in board.rows()] == [True, False]
    assert "was chosen" not in str(board)
    cheaper = replace(board, chosen="a")
    assert str(cheaper).splitlines()[-1] == (
        "a was chosen: it is cheaper than b, and behind by at most a standard error of their "
        "difference"
    )


def test_progress_names_the_candidates(capsys):
    X, Y = some_data(40)
    BestLearner({"linear": LINEAR}, cv=2, random_state=0, verbose=1).fit(X, Y)
    assert "BestLearner: 1 of 1, linear on 40 rows" in capsys.readouterr().err


def test_a_budget_of_nothing_returns_the_cheapest_default_candidate():
    X, Y = some_data(450, 3)
    rare = np.zeros((450, 1), dtype=np.int64)
    rare[7] = 1
    model = BestLearner(budget=0, random_state=0).fit(X, np.hstack([Y, rare]))
    board = model.leaderboard_
    assert board.candidate == ("knn",)
    assert board.n_samples[0] < 450
    assert dict(board.left_out)["br"] == "the time was over"
    # The row with the rare label may not be among those that were tried.
    decided = model.predict(X)
    assert decided.shape == (450, 4)
    assert model.estimators_[0].predict(X).shape[1] == np.isnan(model.constants_).sum()
    assert model.predict_proba(X).shape == (450, 4)


def test_candidates_have_their_public_names_though_they_are_imported_late():
    """Model files name public modules, which a class gets when its package returns it."""
    program = """
from labelwise.learners import LEARNERS, BestLearner
for one in LEARNERS:
    if one.name not in ("br", "okapi", "efp", "chains", "sfp", "forest", "clr"):
        continue
    kind = type(one.build(True, 0))
    assert kind.__module__ == "labelwise.learners", kind
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_texts_of_many_labels_are_learned_by_a_linear_model_however_short_the_time(monkeypatch):
    monkeypatch.setattr("labelwise.learners.selection._race._LAST_FIT", 600.0)
    # However fast the machine is, there is time for one candidate only.
    monkeypatch.setattr("labelwise.learners.selection._race.Clock.left", time_for_one())
    corpus = make_corpus(600, 4000, 300, mean_length=40.0, random_state=0)
    Y = corpus.Y.toarray().astype(int)
    X = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.X)
    with warnings.catch_warnings():
        # Some of the many labels have no positives.
        warnings.simplefilter("ignore")
        model = BestLearner(budget=0.3, random_state=0).fit(X, Y)
    tried, left_out = model.leaderboard_.candidate, dict(model.leaderboard_.left_out)
    assert {"br", "br-svm"} & set(tried)
    for why in left_out.values():
        found = re.fullmatch(
            r"it would take about ([\d.,]+) s, and ([\d.]+) of the 0.3 s are left", why
        )
        assert found is None or float(found[1].replace(",", "")) >= float(found[2])
    told = model.leaderboard_.notes[0]
    n_tried = int(re.match(r"candidates were tried on (\d+) of 600 rows: on all rows, br", told)[1])
    assert 200 <= n_tried < 600
    # The best of them is tried and fitted on all rows, and its thresholds are tuned there.
    assert max(model.leaderboard_.n_samples) == 600
    assert model.thresholds_.evidence.support.sum() == Y.sum()
    assert "of 600 rows" in repr(model.leaderboard_)
    assert model.predict(X).shape == Y.shape


def time_for_one():
    """Return the seconds that are left: those of the budget for the plan, none after that."""
    is_planned = False

    def left(clock):
        nonlocal is_planned
        if clock.budget is None or not is_planned:
            is_planned = True
            return float("inf") if clock.budget is None else clock.budget
        return 0.0

    return left


def test_a_last_fit_that_would_take_too_long_is_one_to_a_part_of_the_rows(monkeypatch):
    corpus = make_corpus(600, 500, 5, mean_length=40.0, random_state=0)
    monkeypatch.setattr("labelwise.learners.selection._race._LAST_FIT", 0.0)
    Y = corpus.Y.toarray().astype(int)
    # However fast the machine is, there is time for one candidate only.
    monkeypatch.setattr("labelwise.learners.selection._race.Clock.left", time_for_one())
    model = BestLearner(budget=0.03, random_state=0).fit(corpus.X, Y)
    (name,) = model.best_names_
    assert name in ("br", "br-svm")
    said = rf"{name} was fitted to \d+ of 600 rows: .* would take about .* s"
    assert any(re.fullmatch(said, note) for note in model.leaderboard_.notes)
    assert model.predict_proba(corpus.X).shape == Y.shape


def some_texts(n_rows=240, n_labels=4):
    """Texts whose labels are in their words, and a column of numbers that says nothing."""
    random = np.random.default_rng(0)
    Y = (random.random((n_rows, n_labels)) < 0.3).astype(np.int64)
    words = np.array(["harbours", "mountain", "theatre", "engines"])[:n_labels]
    fill = np.array(["the", "one", "of", "many", "few", "and", "some"])
    texts = [" ".join(random.permutation([*words[row == 1], *random.choice(fill, 4)])) for row in Y]
    return pa.table({"text": texts, "number": random.normal(size=n_rows)}), Y


def test_learners_are_compared_on_representations_of_texts(tmp_path):
    table, Y = some_texts()
    model = BestLearner(representations=text_representations("text"), blend=True, budget=3)
    model.set_params(random_state=0).fit(table, Y)
    tried = model.leaderboard_.candidate
    assert "br/words" in tried
    named = {*tried, *dict(model.leaderboard_.left_out)}
    assert {"br/words", "br/pairs", "br/characters", "br/stems", "knn/words"} <= named
    assert (model.predict(table) == Y).mean() > 0.95
    labelwise.save(model, tmp_path / "model.skops")
    loaded = labelwise.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    np.testing.assert_array_equal(loaded.decision_function(table), model.decision_function(table))


def test_a_candidate_on_a_representation_is_the_pipeline_of_both():
    table, Y = some_texts()
    encoder = text_representations("text")["words"]
    model = BestLearner(representations={"words": encoder}, budget=0, cv=3, random_state=0)
    model.fit(table, Y)
    assert model.best_names_ == ("br/words",)
    rows = clone(encoder).fit_transform(table)
    alone = BestLearner(["br"], cv=3, random_state=0).fit(rows, Y)
    np.testing.assert_array_equal(model.decision_function(table), alone.decision_function(rows))
    np.testing.assert_array_equal(model.predict(table), alone.predict(rows))
    assert model.corrected_value_ == alone.corrected_value_


def test_a_representation_is_computed_once_and_only_if_it_is_needed():
    fitted = []

    class Noted(TableFeatures):
        def fit_transform(self, X, y=None):
            fitted.append(len(X))
            return super().fit_transform(X, y)

    table, Y = some_texts(1400)
    both = {"one": Noted(text="text"), "two": Noted(text="text")}
    BestLearner(representations=both, budget=0, cv=2, random_state=0).fit(table, Y)
    # Of each, a sample predicts the costs, after a first call; there is time for the first only.
    assert sorted(fitted) == [50, 50, 400, 400, 1400]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"representations": ["words"]}, TypeError, "representations must be a mapping of names"),
        ({"representations": {}}, TypeError, "representations must be a mapping of names"),
        ({"representations": {"a": 3}}, TypeError, "must be transformers, got 3 as 'a'"),
        (
            {"representations": {"a": TableFeatures()}, "candidates": ["br"]},
            ValueError,
            "representations must be None with given candidates",
        ),
    ],
)
def test_representations_are_transformers_by_name(params, error, message):
    with pytest.raises(error, match=message):
        BestLearner(**params).fit(*some_texts(20))


def test_time_is_kept_for_blends_only_if_they_are_asked_for(monkeypatch):
    kept = []

    def spy(candidates, arena, clock, report):
        kept.append(clock.for_blends)
        return run_race(candidates, arena, clock, report)

    monkeypatch.setattr("labelwise.learners._best_learner.run_race", spy)
    X, Y = some_data(60)
    for blend in (True, False):
        BestLearner(["br", "knn"], cv=2, budget=1.0, blend=blend, random_state=0).fit(X, Y)
    assert kept == [0.1, 0.0]
    BestLearner(["br", "knn"], cv=2, budget=60.0, blend=True, random_state=0).fit(X, Y)
    assert kept[-1] == 3 * judging(*Y.shape)


def test_thresholds_of_many_labels_of_texts_are_tuned_on_the_highest_scores(monkeypatch):
    kept = []

    def spy(candidates, arena, clock, report):
        kept.append(arena.most_scores)
        return run_race(candidates, arena, clock, report)

    monkeypatch.setattr("labelwise.learners._best_learner.run_race", spy)
    monkeypatch.setattr("labelwise.learners._best_learner._MANY_LABELS", 1)
    texts, Y = some_texts(40)
    words = {"words": text_representations("text")["words"]}
    for maximize in ("micro-f", "macro-f"):
        BestLearner(representations=words, cv=2, budget=1.0, maximize=maximize).fit(texts, Y)
    BestLearner(["br"], cv=2).fit(*some_data(60))
    assert kept == [50, None, None]
