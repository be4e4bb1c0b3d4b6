"""A term curve is the mean R-precision of rows that were not learned from."""

import statistics

import numpy as np
import pytest
from scipy import sparse

from labelwise.features import TermSelector
from labelwise.learners import OkapiNeighbors, term_curve
from labelwise.measures import measure_scores


def documents(n_samples=90):
    random = np.random.default_rng(0)
    X = random.poisson(np.minimum(0.6, 4 / np.arange(1, 81)), (n_samples, 80)).astype(float)
    Y = (X[:, 3:8] + random.poisson(0.1, (n_samples, 5))) > 0
    return sparse.csr_array(X), sparse.csc_array(Y)


@pytest.mark.parametrize("block", [1, 200], ids=["single rows", "13 rows together"])
def test_each_size_has_the_r_precision_of_a_separate_run(monkeypatch, block):
    X, Y = documents()
    monkeypatch.setattr("labelwise.learners._term_curve.SIZES", (5, 20, 5000))
    monkeypatch.setattr("labelwise.learners._term_curve._BLOCK", block)
    train, test = np.arange(60), np.arange(60, 90)
    curve = term_curve(X, Y, TermSelector(), cv=[(train, test)], n_neighbors=15)
    ranking = TermSelector().fit(X[train], Y[train]).ranking_
    model = OkapiNeighbors(15).fit(X[train], Y[train])
    assert curve.sizes == [5, 20, ranking.size]
    scores = model.score_curve(X[test], ranking, curve.sizes)
    expected = [measure_scores(Y[test], one, "r-precision", undefined="skip") for one in scores]
    np.testing.assert_allclose(curve.values, expected)


def test_test_rows_without_any_label_are_refused():
    X, Y = documents()
    nothing = sparse.csc_array(Y.toarray() & (np.arange(90)[:, None] < 60))
    with pytest.raises(ValueError, match="Y must have a label in a test sample, got none"):
        term_curve(X, nothing, TermSelector(), cv=[(np.arange(60), np.arange(60, 90))])


def test_a_cut_that_leaves_no_term_is_refused():
    X, Y = documents()
    with pytest.raises(ValueError, match="cut must leave a term, got 1000"):
        term_curve(X, Y, TermSelector(cut=1000), cv=[(np.arange(60), np.arange(60, 90))])


@pytest.mark.parametrize("n_tested", [1, 2, 30])
def test_errors_are_the_standard_errors_of_the_mean_over_rows(n_tested):
    X, Y = documents()
    train, test = np.arange(60), 60 + np.flatnonzero(np.diff(sparse.csr_array(Y).indptr)[60:])
    test = test[:n_tested]
    curve = term_curve(X, Y, TermSelector(), cv=[(train, test)], n_neighbors=15)
    ranking = TermSelector().fit(X[train], Y[train]).ranking_
    model = OkapiNeighbors(15).fit(X[train], Y[train])
    for scores, error in zip(
        model.score_curve(X[test], ranking, curve.sizes), curve.errors, strict=True
    ):
        rows = [measure_scores(Y[[row]], scores[[i]], "r-precision") for i, row in enumerate(test)]
        expected = statistics.stdev(rows) / len(rows) ** 0.5 if len(rows) > 1 else 0.0
        assert error == pytest.approx(expected)
