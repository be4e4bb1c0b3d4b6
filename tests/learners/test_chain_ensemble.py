"""`ChainEnsemble` learns the joint distribution of labels, from any form of X and Y."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import make_multilabel
from labelwise.learners import BinaryRelevance, ChainEnsemble


def some_data(n_samples=120, n_labels=3, seed=0):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


def test_trees_on_distinct_samples_learn_the_joint_distribution():
    # Labels exclude each other in one group, and come together in the other.
    rng = np.random.default_rng(0)
    group, coin = rng.integers(0, 2, (2, 2000))
    Y = np.column_stack([coin, np.where(group == 1, coin, 1 - coin)])
    model = ChainEnsemble(DecisionTreeClassifier(), n_chains=4, random_state=0)
    drawn = model.fit(group[:, None], Y).sample([[0], [1]], 400, random_state=0)
    assert (drawn[:, 0, 0] != drawn[:, 0, 1]).all()
    assert (drawn[:, 1, 0] == drawn[:, 1, 1]).all()
    assert np.abs(drawn.mean(axis=0) - 0.5).max() < 0.1
    assert np.abs(model.predict_proba([[0], [1]]) - 0.5).max() < 0.1


def test_the_penalty_of_a_label_is_the_one_chosen_on_the_features():
    X, Y = some_data()
    penalties = [1.0, 1e-3]
    model = ChainEnsemble(n_chains=1, penalty=penalties, random_state=0).fit(X, Y)
    expected = BinaryRelevance(penalty=penalties, tol=1e-5).fit(X, Y).penalties_
    np.testing.assert_array_equal(model.penalties_, expected)


@pytest.mark.parametrize(("sampling", "expected"), [("ancestral", 0.0025), ("gibbs", 1.0)])
def test_the_penalty_of_labels_depends_on_the_kind_of_sampling(sampling, expected):
    X, Y = some_data()
    options = {"n_chains": 1, "sampling": sampling, "penalty": 0.1, "random_state": 0}
    default = ChainEnsemble(**options).fit(X, Y)
    same = ChainEnsemble(label_penalty=expected, **options).fit(X, Y)
    np.testing.assert_array_equal(default.label_coef_, same.label_coef_)


def test_labels_with_one_class_are_constant_in_draws_and_probabilities():
    X, Y = some_data(n_labels=4)
    frame = pd.DataFrame(Y, columns=list("abcd"))
    frame["b"], frame["d"] = 0, 1
    with pytest.warns(UserWarning, match="one class only for label 'b', 'd'"):
        model = ChainEnsemble(n_chains=2, penalty=0.1, random_state=0).fit(X, frame)
    drawn = model.sample(X, 3, random_state=0)
    assert drawn.shape == (3, 120, 4)
    assert not drawn[:, :, 1].any()
    assert drawn[:, :, 3].all()
    np.testing.assert_array_equal(model.predict_proba(X)[:, [1, 3]], [[0, 1]] * 120)


def test_constants_alone_need_no_chains():
    with pytest.warns(UserWarning, match="one class only"):
        model = ChainEnsemble(random_state=0).fit(np.zeros((5, 2)), [[0, 1]] * 5)
    assert model.sample(np.zeros((2, 2)), 3).tolist() == [[[False, True]] * 2] * 3
    assert model.predict(np.zeros((2, 2))).tolist() == [[0, 1]] * 2


@pytest.mark.parametrize("base", [None, LogisticRegression()])
def test_a_label_without_positives_in_a_bootstrap_sample_is_never_drawn_there(base):
    X, Y = some_data(40)
    Y[:, 0] = 0
    Y[7, 0] = 1
    model = ChainEnsemble(base, n_chains=12, penalty=0.1, random_state=0).fit(X, Y)
    chances = [model.sample(X, 12, random_state=s)[:, :, 0].any(axis=1) for s in range(5)]
    if base is None:
        never = model.intercept_[:, 0] == -30
        assert 0 < never.sum() < 12
        assert not np.array(chances)[:, never].any()
    assert 0 <= model.predict_proba(X)[:, 0].min() <= model.predict_proba(X)[:, 0].max() < 1


def test_same_seed_same_chains_for_any_number_of_jobs():
    X, Y = some_data()
    one, two = (
        ChainEnsemble(n_chains=3, penalty=0.1, n_jobs=k, random_state=0).fit(X, Y) for k in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.sample(X, 4, 1), two.sample(X, 4, 1))
    other = ChainEnsemble(n_chains=3, penalty=0.1, random_state=1).fit(X, Y)
    assert not np.array_equal(one.orders_, other.orders_)


def test_draws_of_a_sample_do_not_depend_on_the_others():
    X, Y = some_data()
    model = ChainEnsemble(n_chains=3, penalty=0.1, random_state=0).fit(X, Y)
    whole = model.sample(X, 5, random_state=2)
    np.testing.assert_array_equal(whole[:, 30:40], model.sample(X[30:40], 5, random_state=2))


def test_features_that_are_constant_or_sparse_change_nothing():
    X, Y = some_data()
    plain = ChainEnsemble(n_chains=2, penalty=0.1, random_state=0).fit(X, Y)
    wide = np.insert(X, 2, 3.0, axis=1)
    constant = ChainEnsemble(n_chains=2, penalty=0.1, random_state=0).fit(wide, Y)
    np.testing.assert_allclose(plain.predict_proba(X), constant.predict_proba(wide), atol=1e-3)
    thin = ChainEnsemble(n_chains=2, penalty=0.1, random_state=0).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(
        plain.predict_proba(X), thin.predict_proba(sparse.csr_array(X)), atol=1e-3
    )


def test_progress_is_written_on_request(capsys):
    X, Y = some_data()
    ChainEnsemble(n_chains=2, penalty=0.1, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines()[-1] == "ChainEnsemble: chain 2 of 2"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_chains": 0}, ValueError, "n_chains must be at least 1, got 0"),
        ({"sampling": "exact"}, ValueError, 'sampling must be "ancestral" or "gibbs"'),
        ({"n_draws": 1.5}, TypeError, "n_draws must be a whole number"),
        ({"estimator": Perceptron()}, TypeError, "must be a classifier with predict_proba"),
        ({"label_penalty": 0.0}, ValueError, "label_penalty must be from 1e-09 to 1e"),
        ({"penalty": -1}, ValueError, "penalty must be positive"),
    ],
)
def test_bad_parameters_are_refused_by_name(options, error, message):
    X, Y = some_data()
    with pytest.raises(error, match=message):
        ChainEnsemble(**options).fit(X, Y)
