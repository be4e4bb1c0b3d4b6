import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from labelwise.features import OkapiWeights, TermSelector, combine
from tests.oracles import term_selection as oracle


@pytest.fixture
def collection():
    random = np.random.default_rng(0)
    X = random.poisson(0.4, (60, 25))
    Y = (X[:, :4] + random.poisson(0.2, (60, 4))) > 0
    return X, Y


def test_the_methods_are_four_scores_and_five_rules_of_two_three_and_four():
    methods = TermSelector.methods()
    sizes = [len(method["by"]) for method in methods.values()]
    assert [sizes.count(n) for n in (1, 2, 3, 4)] == [4, 30, 20, 5]
    assert len({(frozenset(m["by"]), m.get("combine")) for m in methods.values()}) == 59


@pytest.mark.parametrize("name", TermSelector.methods())
def test_every_method_selects_by_its_scores_and_its_rule(name, collection):
    X, Y = collection
    method = TermSelector.methods()[name]
    selector = TermSelector(7, cut=5, **method).fit(X, Y)
    lists = [oracle.term_scores(X, Y, by, 5) for by in method["by"]]
    rule = method.get("combine", "highest-rank")
    expected = lists[0] if len(lists) == 1 else oracle.combine(np.round(lists, 9), rule)
    assert np.all((selector.scores_ == -np.inf) == (expected == -np.inf))
    kept = selector.get_support()
    assert kept.sum() == 7
    assert expected[kept].min() >= expected[~kept].max() - 1e-9


def test_the_number_of_terms_may_change_after_fitting(collection):
    X, Y = collection
    selector = TermSelector(3, cut=0).fit(X, Y)
    for n_terms in (1, 3, 10, 25, 1000, None):
        selector.n_terms = n_terms
        anew = TermSelector(n_terms, cut=0).fit(X, Y)
        assert np.array_equal(selector.get_support(), anew.get_support())
        assert set(np.flatnonzero(selector.get_support())) == set(selector.ranking_[:n_terms])


def test_cut_terms_are_never_kept(collection):
    X, Y = collection
    selector = TermSelector(None, cut=20).fit(X, Y)
    assert np.array_equal(selector.get_support(), (X != 0).sum(axis=0) > 20)
    assert np.isneginf(selector.scores_[~selector.get_support()]).all()


def test_sparse_comes_out_sparse_and_the_same(collection):
    X, Y = collection
    selector = TermSelector(5).fit(sparse.csr_array(X), sparse.csc_array(Y))
    reduced = selector.transform(sparse.csr_array(X))
    assert sparse.issparse(reduced)
    assert np.array_equal(reduced.toarray(), TermSelector(5).fit(X, Y).transform(X))


def test_columns_keep_their_names(collection):
    X, Y = collection
    frame = pd.DataFrame(X, columns=[f"term{t}" for t in range(X.shape[1])])
    selector = TermSelector(4, by="chi2-max").set_output(transform="pandas").fit(frame, Y)
    reduced = selector.transform(frame)
    assert list(reduced.columns) == [f"term{t}" for t in np.flatnonzero(selector.get_support())]
    assert list(selector.get_feature_names_out()) == list(reduced.columns)


def test_by_default_terms_are_ranked_by_their_worse_place_among_both_chi2(collection):
    X, Y = collection
    both = [TermSelector(by=by).fit(X, Y).scores_ for by in ("chi2-max", "chi2-avg")]
    assert np.array_equal(TermSelector(3).fit(X, Y).scores_, combine(both, "lowest-rank"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_terms": 0}, "n_terms must be at least 1, got 0"),
        ({"by": "tf"}, "by must name scores among"),
        ({"combine": "best"}, "combine must be one of lowest-rank"),
        ({"cut": -2}, "cut must be at least 0"),
    ],
)
def test_wrong_settings_are_named_before_any_work(settings, words):
    with pytest.raises(ValueError, match=words):
        TermSelector(**settings).fit([[1]], [[1]])


def test_weights_are_those_of_the_formula(collection):
    train, test = collection[0][:40], collection[0][40:]
    weights = OkapiWeights().fit(train)
    expected = oracle.okapi_weights(test, train)
    np.testing.assert_allclose(weights.transform(test), expected, rtol=1e-14)
    from_sparse = weights.transform(sparse.csr_array(test))
    np.testing.assert_allclose(from_sparse.toarray(), expected, rtol=1e-14)
    np.testing.assert_allclose(weights.idf_, oracle.idf(train), rtol=1e-14)
    # Zeros that are stored are no terms of the document.
    n_docs, n_terms = train.shape
    places = np.tile(np.arange(n_terms), n_docs), np.arange(n_docs + 1) * n_terms
    full = sparse.csr_array((train.ravel().astype(float), *places), shape=train.shape)
    np.testing.assert_allclose(OkapiWeights().fit(full).idf_, oracle.idf(train), rtol=1e-14)


def test_a_term_in_most_documents_has_a_negative_idf_that_is_not_in_the_weights():
    weights = OkapiWeights().fit([[1, 1], [1, 0], [1, 0]])
    assert weights.idf_[0] < 0
    assert (weights.transform([[1, 1]]) > 0).all()


def test_weights_of_terms_do_not_depend_on_what_is_selected_after(collection):
    X, Y = collection
    chain = make_pipeline(OkapiWeights(), TermSelector(6))
    kept = clone(TermSelector(6)).fit(X, Y).get_support()
    assert np.array_equal(chain.fit(X, Y).transform(X), OkapiWeights().fit_transform(X)[:, kept])


def test_documents_without_terms_weigh_nothing():
    weights = OkapiWeights().fit(np.zeros((2, 2)))
    assert np.array_equal(weights.transform([[0, 1.5]]), [[0, 0.75]])


def test_labels_are_accepted_by_the_keyword_of_scikit_learn():
    X, Y = [[2, 1, 0], [1, 0, 1], [0, 1, 1]], [[1, 0], [1, 1], [0, 1]]
    by_keyword = TermSelector(1, cut=0).fit(X=X, y=Y)
    assert np.array_equal(by_keyword.scores_, TermSelector(1, cut=0).fit(X, Y).scores_)
