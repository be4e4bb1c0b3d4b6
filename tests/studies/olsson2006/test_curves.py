"""Curves of olsson2006: what is measured at each size is what separate runs would give."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import ShuffleSplit

import studies
from labelwise.data import Dataset
from labelwise.measures import measure_scores
from studies.olsson2006 import curves as study
from studies.olsson2006.rank_cuts import rank_cut_f
from tests.oracles import term_selection as oracle

SIZES = (2, 5, 9, 40)
METHOD = study.METHODS["chi2-max/chi2-avg lowest-rank"]


def some_documents(n_docs=60, n_terms=14, n_labels=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.poisson(0.7, (n_docs, n_terms)).astype(float)
    Y = (random.random((n_docs, n_labels)) < 0.3) | (X[:, :n_labels] > 1)
    Y[:, 0] |= ~Y.any(axis=1)
    return X, Y.astype(np.int64)


class Outcome:
    """As much of an outcome as the measure looks at."""

    def __init__(self, X, Y, train, test, lengths):
        model = study.TermCurve(**METHOD, cut=1, sizes=SIZES, k=7, lengths=lengths)
        self.model = model.fit(X[train], Y[train])
        self.data, self.test_indices = Dataset(sparse.csr_array(X), Y), test
        self.truth = Y[test]


@pytest.mark.parametrize("lengths", ["selected", "document"])
def test_each_point_of_a_curve_is_the_run_with_its_terms(lengths):
    X, Y = some_documents()
    train, test = np.arange(30), np.arange(30, 60)
    found = study.curve_values(Outcome(X, Y, train, test, lengths))
    lists = [oracle.term_scores(X[train], Y[train], by, 1) for by in METHOD["by"]]
    scores = oracle.combine(lists, METHOD["combine"])
    kept = [t for t in np.argsort(-scores, kind="stable") if scores[t] > -np.inf]
    assert found["terms"] == len(kept) == 14
    for name, size in (("2", 2), ("5", 5), ("9", 9), ("all", 14)):
        own = kept[:size]
        # Weights of the columns that stay, or columns of the weights of whole documents.
        counts = X[:, own] if lengths == "selected" else X
        weights = [oracle.okapi_weights(counts[rows], counts[train]) for rows in (test, train)]
        if lengths == "document":
            weights = [some[:, own] for some in weights]
        sums = oracle.neighbor_sums(*weights, oracle.idf(X[train])[own], Y[train], 7)
        assert found[f"{name}/R-precision"] == pytest.approx(
            measure_scores(Y[test], sums, "r-precision")
        )
        assert found[f"{name}/MAP"] == pytest.approx(
            measure_scores(Y[test], sums, "sample-average-precision")
        )
        assert found[f"{name}/F1"] == pytest.approx(rank_cut_f(Y[test], sums).max())
    # 40 terms are more than there are.
    assert len(found) == 1 + 4 * 3


@pytest.fixture
def small_study(monkeypatch, tmp_path):
    X, Y = some_documents(120)
    monkeypatch.setattr(study, "documents", lambda name, **_: Dataset(sparse.csr_array(X), Y, name))
    monkeypatch.setattr(study, "STORE", tmp_path / "made" / "store.sqlite")
    return X, Y


def test_a_grid_is_gathered_by_method_cut_size_and_split(small_study):
    X, Y = small_study
    splits = ShuffleSplit(2, train_size=0.5, random_state=0)
    asked = {("df", 0): 0, ("chi2-max/chi2-avg lowest-rank", 1): 0}
    curves = study._measured("small", asked, splits, SIZES)
    assert curves.sizes == ("2", "5", "9", "40", "all")
    assert curves.n_terms[1].tolist() == [14, 14]
    for place, (train, test) in enumerate(splits.split(X)):
        model = study.TermCurve(**METHOD, cut=1, sizes=SIZES).fit(X[train], Y[train])
        for size, scores in model.curve(X[test]):
            at = curves.sizes.index(size)
            value = measure_scores(Y[test], scores, "r-precision")
            assert curves.of("chi2-max/chi2-avg lowest-rank", 1)[at, place] == value
    assert np.isnan(curves.of("df", 0)[3]).all()


def test_what_is_finished_is_not_measured_again(small_study, monkeypatch):
    splits = ShuffleSplit(2, train_size=0.5, random_state=0)
    once = study._measured("small", {("df", 0): 0}, splits, SIZES)
    monkeypatch.setattr(studies, "RESUME", "any-code")
    monkeypatch.setattr(study.TermCurve, "fit", None)
    again = study._measured("small", {("df", 0): 0}, splits, SIZES)
    np.testing.assert_array_equal(once.of("df", 0), again.of("df", 0))


def test_quick_runs_measure_few_methods(small_study, monkeypatch):
    monkeypatch.setattr(study, "N_QUICK_TESTED", 6)
    study.grid.cache_clear()
    study.validation.cache_clear()
    curves, halves = study.grid("small", quick=True), study.validation(quick=True)
    study.grid.cache_clear()
    study.validation.cache_clear()
    assert len(curves.values) == 10
    assert curves.of("df", 1).shape == (13, 2)
    assert list(halves.values) == list(study.VALIDATED.values())


def test_the_grid_is_that_of_the_paper():
    assert len(study.METHODS) * (len(study.SIZES) + 1) * len(study.CUTS) * study.N_GRID == 11_505
    # 18,519 test documents each, as in the paper: 197 million classifications have fewer.
    assert round(197e6 / 11_505 / 1000) == 17


def test_peaks_leave_out_all_terms_and_what_was_not_measured():
    values = np.array([0.2, 0.5, np.nan, 0.9])[:, None, None] * np.ones((1, 2, 3))
    curves = study.Curves(("1", "2", "3", "all"), {("df", 0): values}, {})
    assert curves.peaks("df", 0).tolist() == [0.5, 0.5]
    assert curves.all_terms(0).tolist() == [0.9, 0.9]
