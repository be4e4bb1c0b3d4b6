"""Counts are those of the definition, in every form of input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from scipy import sparse

from labelwise.measures import (
    Counts,
    count,
)
from tests.measures.outcomes import decided_outcomes
from tests.oracles import measures as oracle

BY = pytest.mark.parametrize("by", ["label", "sample"])


def columns(Y, decided, by):
    return zip(Y.T, decided.T, strict=True) if by == "label" else zip(Y, decided, strict=True)


@BY
@given(outcome=decided_outcomes())
def test_counts_are_those_of_the_definition(outcome, by):
    expected = [oracle.counts(*column) for column in columns(*outcome, by)]
    np.testing.assert_array_equal(np.transpose(count(*outcome, by)), expected)


@given(decided_outcomes())
def test_counts_are_the_same_in_every_form_of_input(outcome):
    Y, decided = outcome
    names = [f"label {j}" for j in range(Y.shape[1])]
    expected = count(Y, decided)
    sets = [[{names[j] for j in np.flatnonzero(row)} for row in matrix] for matrix in outcome]
    forms = [
        (Y.astype(bool), decided.tolist()),
        (sparse.csr_matrix(Y), sparse.coo_array(decided)),
        (pd.DataFrame(Y, columns=names), pl.DataFrame(decided, schema=names)[:, ::-1]),
        (sparse.csc_array(Y), np.asfortranarray(decided)),
    ]
    for form in forms:
        np.testing.assert_array_equal(count(*form), expected)
    np.testing.assert_array_equal(count(*sets, label_names=names), expected)


def test_sets_have_the_union_of_their_labels_as_columns():
    tp, fp, fn, tn = count([{"b"}, {"c"}], [{"b", "a"}, {"b"}])
    np.testing.assert_array_equal(tp, [0, 1, 0])
    np.testing.assert_array_equal(fp, [1, 1, 0])
    np.testing.assert_array_equal(fn, [0, 0, 1])
    np.testing.assert_array_equal(tn, [1, 0, 1])


def test_a_matrix_too_large_to_be_dense_is_counted():
    shape = (200_000, 300_000)
    Y = sparse.coo_array(([1, 1], ([5, 199_999], [7, 299_999])), shape=shape)
    decided = sparse.csr_array(([1], ([5], [7])), shape=shape)
    pooled = Counts(*(cells.sum() for cells in count(Y, decided)))
    assert pooled == (1, 0, 1, shape[0] * shape[1] - 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1]], [[1]], "row"), 'by must be "label" or "sample", got \'row\''),
        (([[1, 2]], [[1, 1]]), "Y must contain only 0 and 1, got 2 at row 0, label 1"),
        (([[1, 0]], [[1, -1]]), "decided must contain only 0 and 1, got -1 at row 0, label 1"),
        (([[1], [0]], [[1]]), "decided has 1 rows but Y has 2"),
        (([[1, 0]], [[1]]), "decided has 1 labels but Y has 2"),
        (([[1, 0]], [{"a"}]), "decided is a list of sets, but the labels of Y have no names"),
        ((pd.DataFrame({"a": [1]}), [{"b"}]), "decided has an unknown label 'b' in row 0"),
        ((np.empty((0, 2)), np.empty((0, 2))), "Y must have a row and a label, got 0 rows"),
        (([[], []], [[], []]), "Y must have a row and a label, got 2 rows and 0 labels"),
    ],
)
def test_bad_outcomes_are_refused_with_the_argument_and_the_rule(arguments, message):
    with pytest.raises(ValueError, match=message):
        count(*arguments)


def test_decisions_are_not_optional():
    with pytest.raises(TypeError, match="decided must be"):
        count([[1]], None)
