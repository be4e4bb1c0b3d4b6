"""The splitters do in scikit-learn what its own do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.ensemble import StackingClassifier
from sklearn.model_selection import GridSearchCV, check_cv, cross_val_predict, cross_validate
from sklearn.tree import DecisionTreeClassifier

from labelwise.splitting import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    assign,
)
from tests.splitting.problems import correlated

SPLITTERS = [
    MultilabelStratifiedKFold(4, shuffle=True, random_state=0),
    RepeatedMultilabelStratifiedKFold(n_splits=4, n_repeats=2, random_state=0),
    MultilabelStratifiedShuffleSplit(3, test_size=0.2, random_state=0),
]
Y = correlated(120, 4, seed=0)
X = np.random.default_rng(0).random((120, 3)) + Y[:, :3]
MODEL = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_train_and_test_do_not_meet_and_come_as_often_as_promised(splitter):
    pairs = list(splitter.split(X, Y))
    assert len(pairs) == splitter.get_n_splits()
    for train, test in pairs:
        assert np.intersect1d(train, test).size == 0
        assert train.size + test.size == 120


def test_folds_cover_each_row_once_and_repeats_as_often_as_repeated():
    tests = [test for _, test in SPLITTERS[0].split(X, Y)]
    assert np.array_equal(np.sort(np.concatenate(tests)), np.arange(120))
    tests = [test for _, test in SPLITTERS[1].split(X, Y)]
    assert np.bincount(np.concatenate(tests)).tolist() == [2] * 120
    assert not np.array_equal(tests[0], tests[4])


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_an_int_seed_gives_the_same_splits_every_time(splitter):
    for (train, test), (again, and_test) in zip(
        splitter.split(X, Y), splitter.split(X, Y), strict=True
    ):
        assert np.array_equal(train, again)
        assert np.array_equal(test, and_test)


def test_folds_without_shuffling_are_always_the_same():
    first, second = (list(MultilabelStratifiedKFold(3).split(X, Y)) for _ in range(2))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, second, strict=True))


def test_a_random_state_object_moves_on_between_holdouts():
    state = np.random.RandomState(0)
    splitter = MultilabelStratifiedShuffleSplit(1, test_size=0.3, random_state=state)
    (_, first), (_, second) = next(splitter.split(X, Y)), next(splitter.split(X, Y))
    assert not np.array_equal(first, second)


def test_test_folds_are_the_subsets_of_assign():
    subset = assign(Y, 4, random_state=0)
    folds = [test for _, test in SPLITTERS[0].split(X, Y)]
    assert all(np.array_equal(np.flatnonzero(subset == j), folds[j]) for j in range(4))


@pytest.mark.parametrize("form", [sparse.csr_array, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_sparse_labels_and_frames_are_split_like_arrays(splitter, form):
    expected = [test for _, test in splitter.split(X, Y)]
    found = [test for _, test in splitter.split(X, form(Y))]
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_splitters_serve_as_cv_in_scikit_learn(splitter):
    assert check_cv(splitter, Y, classifier=True) is splitter
    scores = cross_validate(MODEL, X, Y, cv=splitter)["test_score"]
    assert scores.shape == (splitter.get_n_splits(),)
    search = GridSearchCV(MODEL, {"max_depth": [1, 2]}, cv=splitter).fit(X, Y)
    assert search.n_splits_ == splitter.get_n_splits()


def test_folds_serve_to_predict_each_row_once():
    folds = MultilabelStratifiedKFold(3, shuffle=True, random_state=0)
    assert cross_val_predict(MODEL, X, Y, cv=folds).shape == Y.shape


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_groups_stay_on_one_side(splitter):
    groups = np.arange(120) // 3
    for train, test in splitter.split(X, Y, groups):
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_metadata_routing_brings_groups_to_the_splitter(splitter):
    groups = np.arange(120) // 3

    class Watch(type(splitter)):
        def split(self, X, y=None, groups=None):
            assert groups is not None
            return super().split(X, y, groups)

    watching = Watch(**vars(splitter))
    with sklearn.config_context(enable_metadata_routing=True):
        cross_validate(MODEL, X, Y, cv=watching, params={"groups": groups})
        cross_validate(MODEL, X, Y, cv=splitter)


def test_arguments_are_those_of_iterative_stratification():
    folds = MultilabelStratifiedKFold(n_splits=3, shuffle=True, random_state=1)
    assert repr(folds).startswith("MultilabelStratifiedKFold(")
    assert MultilabelStratifiedKFold().n_splits == 3
    repeated = RepeatedMultilabelStratifiedKFold()
    assert (repeated.n_splits, repeated.n_repeats) == (5, 10)
    holdouts = MultilabelStratifiedShuffleSplit()
    assert holdouts.n_splits == 10
    assert next(holdouts.split(X, Y))[1].size == 12


@pytest.mark.parametrize(
    ("splitter", "y", "message"),
    [
        (MultilabelStratifiedKFold(121), Y, "n_splits must be at most the 120 samples, got 121."),
        (MultilabelStratifiedKFold(3), None, "y must be the labels of the samples, got None."),
        (MultilabelStratifiedKFold(3), Y[:, 0], "Y must be 2-D"),
        (MultilabelStratifiedKFold(3), Y[:7], "inconsistent numbers of samples"),
        (MultilabelStratifiedShuffleSplit(test_size=1.5), Y, "test_size must be a share between"),
    ],
)
def test_rows_that_cannot_be_split_are_refused(splitter, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        next(splitter.split(X, y))


@pytest.mark.parametrize(
    ("splitter", "arguments", "message"),
    [
        (MultilabelStratifiedKFold, {"n_splits": 1}, "n_splits must be at least 2, got 1."),
        (MultilabelStratifiedKFold, {"n_splits": 2.5}, "n_splits must be a whole number, got 2.5."),
        (MultilabelStratifiedKFold, {"random_state": 1}, "None unless shuffle=True, got 1."),
        (RepeatedMultilabelStratifiedKFold, {"n_splits": 1}, "n_splits must be at least 2, got 1."),
        (RepeatedMultilabelStratifiedKFold, {"n_repeats": 0}, "n_repeats must be at least 1"),
        (MultilabelStratifiedShuffleSplit, {"n_splits": 0}, "n_splits must be at least 1, got 0."),
    ],
)
def test_wrong_arguments_are_refused_by_the_constructor_as_in_scikit_learn(
    splitter, arguments, message
):
    with pytest.raises((TypeError, ValueError), match=message):
        splitter(**arguments)


def test_stacking_sets_a_random_state_and_the_folds_stay_the_same():
    folds = MultilabelStratifiedKFold(3)
    before = [test for _, test in folds.split(X, Y)]
    stack = StackingClassifier([("tree", MODEL)], final_estimator=MODEL, cv=folds)
    decided = [stack.fit(X, Y).predict(X) for _ in range(2)]
    assert folds.random_state is not None
    assert np.array_equal(*decided)
    assert (decided[0] == Y).mean() > Y.mean()
    after = [test for _, test in folds.split(X, Y)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_stacking_fits_with_shuffled_folds_too():
    folds = MultilabelStratifiedKFold(3, shuffle=True)
    stack = StackingClassifier([("tree", MODEL)], final_estimator=MODEL, cv=folds)
    assert stack.fit(X, Y).predict(X).shape == Y.shape
