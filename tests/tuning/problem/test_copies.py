"""Copies of a row are rows that share all scores with each other and with no other row."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise._curves import RowCurves
from labelwise._tuning.problem._problem import copy_groups
from tests.decisions.problems import problems


def copies_by_definition(scores, Y):
    """Pairs of rows that are alike while no third row shares a score with them; with two labels."""
    n_samples = len(Y)
    alike = [
        {k for k in range(n_samples) if (scores[i] == scores[k]).all() and (Y[i] == Y[k]).all()}
        for i in range(n_samples)
    ]
    if Y.shape[1] == 1 or len(alike[0]) == n_samples:
        return [{i} for i in range(n_samples)]
    sharing = [set(np.flatnonzero((scores[i] == scores).any(axis=1))) for i in range(n_samples)]
    return [alike[i] if sharing[i] == alike[i] else {i} for i in range(n_samples)]


@given(problem=problems(most_samples=10, most_labels=3), data=st.data())
def test_copies_are_rows_that_alone_have_their_scores(problem, data):
    numbers = st.lists(st.integers(0, len(problem[1]) - 1), min_size=1, max_size=10)
    rows = data.draw(numbers)
    scores, Y = problem[0][rows] + 5.0, problem[1][rows]
    expected = copies_by_definition(scores, Y)
    for form in (scores, sparse.csr_array(scores)):
        found = copy_groups(RowCurves(form, sparse.csc_array(Y), None))
        found = np.arange(len(Y)) if found is None else found
        assert [set(np.flatnonzero(found == number)) for number in found] == expected


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_label_without_a_stored_score_changes_no_copies(place):
    scores = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 4.0], [5.0, 6.0], [5.0, 2.0]])
    Y = np.array([[1, 0], [0, 1], [0, 1], [1, 1], [1, 1]], dtype=bool)
    expected = copy_groups(RowCurves(sparse.csr_array(scores), sparse.csc_array(Y), None))
    assert expected[1] == expected[2]
    wider, labels = np.insert(scores, place, 0.0, axis=1), np.insert(Y, place, False, axis=1)
    found = copy_groups(RowCurves(sparse.csr_array(wider), sparse.csc_array(labels), None))
    np.testing.assert_array_equal(found, expected)


def test_rows_without_a_stored_score_are_no_copies():
    scores = sparse.csr_array([[1.0, 2.0], [0, 0], [0, 0], [3.0, 0], [3.0, 0]])
    Y = sparse.csc_array(np.array([[1, 0], [0, 0], [0, 0], [1, 0], [1, 0]], dtype=bool))
    found = copy_groups(RowCurves(scores, Y, None))
    assert found[3] == found[4]
    assert np.unique(found).size == 4
