"""Lists of sets mean the same columns wherever they come in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from labelwise._validation import check_labels, names_in_sets
from labelwise.data import Dataset
from labelwise.decisions import (
    TunedThresholds,
    best_thresholds,
    micro_frontier,
    proportion_cut,
    scan_thresholds,
)
from labelwise.learners import BinaryRelevance
from labelwise.measures import count, evaluate, measure_scores
from labelwise.splitting import assign, split_quality

MATRICES = hnp.arrays(bool, st.tuples(st.integers(1, 6), st.integers(1, 14)))


def sets_of(Y):
    return [set(np.flatnonzero(row).tolist()) for row in Y]


def many_labels(n_labels=12):
    """A truth of more than ten labels, whose numbers sort otherwise as text, and its scores."""
    random = np.random.default_rng(0)
    Y = random.random((30, n_labels)) < 0.4
    Y[0], Y[1] = True, False
    return Y, Y + random.random(Y.shape) / 2


@given(Y=MATRICES)
def test_sets_of_numbers_beside_columns_without_names_are_column_numbers(Y):
    scores = Y + np.arange(Y.size).reshape(Y.shape) / (4 * Y.size)
    given_sets = evaluate(sets_of(Y), scores=scores, decided=sets_of(Y), undefined="skip")
    given_arrays = evaluate(Y, scores=scores, decided=Y, undefined="skip")
    assert given_sets.label_names == given_arrays.label_names
    np.testing.assert_equal(given_sets.to_dict(), given_arrays.to_dict())
    np.testing.assert_equal(given_sets.per_label, given_arrays.per_label)
    for left, right in ((Y, sets_of(Y)), (sets_of(Y), Y)):
        np.testing.assert_array_equal(count(left, right), count(Y, Y))


def test_every_function_of_scores_takes_numbers_as_columns():
    Y, scores = many_labels()
    sets = [set(np.flatnonzero(row)) for row in Y]  # of numpy's integers
    np.testing.assert_array_equal(
        best_thresholds(scores, sets).values, best_thresholds(scores, Y).values
    )
    assert scan_thresholds(scores, sets).thresholds.value == 1
    np.testing.assert_array_equal(micro_frontier(scores, sets).hits, micro_frontier(scores, Y).hits)
    np.testing.assert_array_equal(proportion_cut(scores, sets), proportion_cut(scores, Y))
    skip = {"undefined": "skip"}
    for labels in (sets, Y):
        assert measure_scores(labels, scores, "r-precision", **skip) == 1
    assert evaluate(sets, decided=Y)["hamming-loss"] == 0


def test_labels_that_do_not_occur_leave_the_columns_in_place():
    Y, scores = many_labels()
    Y[:, 11] = Y[:, 3] = False
    assert evaluate(sets_of(Y), scores=scores).per_label["positives"].size == 12
    nobody = [set() for _ in Y]
    assert evaluate(nobody, decided=Y)["hamming-loss"] == pytest.approx(Y.mean())
    assert evaluate(nobody, scores=scores, undefined="skip").per_label["positives"].sum() == 0


def test_sets_without_a_matrix_have_their_numbers_as_sorted_names():
    Y, _ = many_labels()
    numbers = tuple(map(str, range(12)))
    assert names_in_sets(Y=sets_of(Y)) == numbers
    assert names_in_sets(Y=[{10, -2}, {9}]) == ("-2", "9", "10")
    assert names_in_sets(Y=[{"10", "9"}]) == ("10", "9")
    np.testing.assert_array_equal(check_labels(sets_of(Y)).matrix.toarray(), Y)
    data = Dataset(np.zeros((30, 1)), sets_of(Y))
    assert data.label_names == numbers
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    tried = [[{1}, {11}], [{2}, {1}]]
    assert count(*tried, label_names=None).tp.tolist() == [0, 0, 0]
    assert evaluate(tried[0], decided=tried[1]).label_names == ("1", "2", "11")


def test_splits_of_sets_of_numbers_are_those_of_the_matrix():
    Y, _ = many_labels()
    subset = assign(Y, 3, random_state=0)
    np.testing.assert_array_equal(assign(sets_of(Y), 3, random_state=0), subset)
    assert split_quality(sets_of(Y), subset) == split_quality(Y, subset)


def test_models_of_sets_of_numbers_predict_in_the_order_of_numbers():
    Y, scores = many_labels()
    for model in (
        BinaryRelevance(penalty=1e-4),
        TunedThresholds(BinaryRelevance(penalty=1e-4), random_state=0),
    ):
        by_sets = model.fit(scores, sets_of(Y)).predict(scores)
        np.testing.assert_array_equal(by_sets, model.fit(scores, Y).predict(scores))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_sets_of_numbers_go_by_the_names_of_a_frame(frame):
    Y, scores = many_labels()
    backwards = frame({str(j): scores[:, j] for j in range(12)[::-1]})
    found = best_thresholds(backwards, sets_of(Y))
    assert found.value == 1
    assert found.label_names == tuple(map(str, range(12)[::-1]))
    # What has no names beside a frame has the frame's columns.
    columns = backwards.to_numpy() > 1
    both = evaluate(sets_of(Y), scores=backwards, decided=columns, undefined="skip")
    assert both["subset-accuracy"] == both["micro-auc"] == 1


def test_label_names_say_what_the_columns_are():
    Y, scores = many_labels()
    names = [f"label {j}" for j in range(12)]
    sets = [{names[j] for j in row} for row in sets_of(Y)]
    assert best_thresholds(scores, sets, label_names=names).value == 1
    assert best_thresholds(scores, sets_of(Y), label_names=range(12)).value == 1


SCORES = np.array([[0.1, 0.2], [0.3, 0.4]])


@pytest.mark.parametrize(
    ("sets", "error", "message"),
    [
        (
            [{"a"}, {"b"}],
            ValueError,
            "Y is a list of sets, but the labels of scores have no names: give label_names, or "
            "sets of column numbers from 0 to 1, got 'a' in row 0.",
        ),
        ([{0}, {"1"}], ValueError, "got 0 in row 0 and '1' in row 1."),
        ([{0}, {2}], ValueError, "column numbers from 0 to 1, got 2 in row 1."),
        ([{0}, {-1}], ValueError, "column numbers from 0 to 1, got -1 in row 1."),
        ([{0}, {1.0}], TypeError, "strings or whole numbers in its sets, got 1.0 in row 1."),
        ([{0}, {True}], TypeError, "strings or whole numbers in its sets, got True in row 1."),
        ([{None}, {0}], TypeError, "got None in row 0."),
    ],
)
def test_sets_that_are_no_columns_are_refused(sets, error, message):
    for call in (best_thresholds, micro_frontier, scan_thresholds):
        with pytest.raises(error) as refusal:
            call(SCORES, sets)
        assert message in str(refusal.value)


@pytest.mark.parametrize("sets", [[{1, "1"}], [{1}, {"1"}], [{1}, {"a"}]])
def test_numbers_and_strings_in_one_list_of_sets_are_refused(sets):
    fits = [
        lambda Y: Dataset(np.zeros((len(Y), 1)), Y),
        lambda Y: BinaryRelevance().fit(np.zeros((len(Y), 1)), Y),
        lambda Y: count(Y, Y),
        lambda Y: check_labels(Y, label_names=["1", "a"]),
    ]
    for fit in fits:
        with pytest.raises(ValueError, match="must have either strings or whole numbers in its"):
            fit(sets)
    with pytest.raises(ValueError, match="Y and decided must have the same kind of labels"):
        count([{1}, {2}], [{"1"}, {"2"}])


def test_scores_are_no_sets():
    with pytest.raises(TypeError, match=r"scores must be .* got a list of sets"):
        best_thresholds([{"a"}], [{"a"}])
