"""Whatever is given as cv becomes row numbers that exist, or one sentence says why not."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.model_selection import KFold

from labelwise._estimators import splits_of
from labelwise.splitting import MultilabelStratifiedKFold

Y = np.tile([[1, 0], [0, 1]], (5, 1))
ROWS = np.arange(10)


def same(found, expected):
    return all(
        np.array_equal(a, b)
        for pair, other in zip(found, expected, strict=True)
        for a, b in zip(pair, other, strict=True)
    )


@given(st.lists(st.lists(st.booleans(), min_size=10, max_size=10), min_size=1, max_size=3))
def test_masks_mean_the_rows_where_they_are_true(tests):
    masks = [np.array(test) for test in tests if any(test) and not all(test)]
    if masks:
        numbers = [(np.flatnonzero(~mask), np.flatnonzero(mask)) for mask in masks]
        assert same(splits_of([(~mask, mask) for mask in masks], Y, Y), numbers)
        assert same(splits_of([((~m).tolist(), m.tolist()) for m in masks], Y, Y), numbers)


@pytest.mark.parametrize("cv", [3, MultilabelStratifiedKFold(3), KFold(3)])
def test_numbers_and_splitters_give_what_they_say(cv):
    splitter = MultilabelStratifiedKFold(3) if cv == 3 else cv
    assert same(splits_of(cv, Y, Y), splitter.split(Y, Y))


def test_an_iterator_of_pairs_serves_once():
    pairs = [(ROWS[:6], ROWS[6:]), (ROWS[4:], ROWS[:4])]
    assert same(splits_of(iter(pairs), Y, Y), pairs)


def test_rows_that_are_on_both_sides_are_counted_in_a_warning():
    with pytest.warns(
        UserWarning, match="puts 2 of the 4 test samples of split 1 into the training"
    ):
        splits_of([(ROWS[4:], ROWS[:4]), (ROWS[:8], ROWS[6:])], Y, Y)


@pytest.mark.parametrize(
    ("cv", "kind", "message"),
    [
        ([], ValueError, "cv must give a split, got none."),
        ("all", TypeError, "cv must be a number of folds, a splitter or pairs of rows, got 'all'."),
        (None, TypeError, "cv must be a number of folds"),
        ([(ROWS, ROWS, ROWS)], ValueError, r"cv must give pairs \(train, test\)"),
        ([3], ValueError, r"cv must give pairs \(train, test\), got 3 as split 0."),
        (
            [(ROWS[:5] > 2, ROWS > 7)],
            ValueError,
            r"masks of all 10 rows, got shape \(5,\) as the training part of split 0.",
        ),
        ([(ROWS[:9], ROWS[:0])], ValueError, "a row, got none in the test part of split 0."),
        ([(ROWS > 10, ROWS)], ValueError, "a row, got none in the training part of split 0."),
        ([(ROWS[:5], [9, 10])], ValueError, "rows from 0 to 9, got 10 in the test part of split 0"),
        ([(ROWS[:5], [9, -1])], ValueError, "rows from 0 to 9, got -1 in the test part of split 0"),
        ([(ROWS[:5], [0.5, 1])], TypeError, "row numbers or boolean masks, got float64 of shape"),
        ([(ROWS[:, None], ROWS)], TypeError, r"got int64 of shape \(10, 1\) as the training part"),
    ],
)
def test_rows_that_do_not_exist_are_refused(cv, kind, message):
    with pytest.raises(kind, match=message):
        splits_of(cv, Y, Y)
