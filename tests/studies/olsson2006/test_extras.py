"""Combinations that olsson2006 leaves open, beside the 59 methods of its grid."""

import numpy as np
import pytest
from scipy import sparse

from labelwise.features import TermSelector, combine
from studies.olsson2006 import extras


def some_terms(seed=0):
    random = np.random.default_rng(seed)
    X = sparse.csr_array(random.poisson(0.4, (60, 30)).astype(float))
    return X, (random.random((60, 4)) < 0.3).astype(int)


def test_a_term_that_one_input_cuts_has_the_lowest_score_there():
    lists = np.array([[3.0, -np.inf, -np.inf], [1.0, 2.0, -np.inf]])
    found = extras.with_cut_terms_last(lists)
    np.testing.assert_array_equal(found, [[3, 0, -np.inf], [1, 2, -np.inf]])


@pytest.mark.parametrize("rule", ["max-and", "length-mean", "round-robin"])
def test_terms_of_equal_cuts_are_ranked_as_by_combine(rule):
    X, Y = some_terms()
    model = extras.CombinedCurve(rule).fit(X, Y)
    lists = [TermSelector(by=(name,), cut=1).fit(X, Y).scores_ for name in extras.INPUTS]
    combined = combine(lists, rule)
    order = np.argsort(-combined, kind="stable")
    np.testing.assert_array_equal(model.ranking_, order[np.isfinite(combined[order])])


def test_terms_that_all_inputs_cut_are_not_ranked():
    X, Y = some_terms()
    model = extras.CombinedCurve("lowest-rank", cuts=(25, 12)).fit(X, Y)
    n_documents = np.diff(sparse.csc_array(X).indptr)
    assert set(model.ranking_) == set(np.flatnonzero(n_documents > 12))


def test_methods_of_the_paper_with_a_higher_peak_are_counted(monkeypatch):
    others = {"a": 0.5, "chi2-max/chi2-avg lowest-rank": 0.7, "c": 0.6}
    monkeypatch.setattr(extras, "peaks_of_grid", lambda _: others)
    cells = {cell.where[1:]: cell.measured for cell in extras.extra_cells("set", {"new": 0.55})}
    assert cells["new", "of the 59 above"] == 2
    assert cells["best of the 59: chi2-max/chi2-avg lowest-rank", "mean peak"] == 0.7


def test_the_committed_grid_has_59_methods_at_the_cutting_level():
    for name in extras.GRID_SETS:
        assert len(extras.peaks_of_grid(name)) == 59
