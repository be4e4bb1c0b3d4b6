import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from sklearn.pipeline import make_pipeline

from labelwise.decisions import TunedThresholds
from labelwise.features import OkapiWeights, TermSelector
from labelwise.learners import OkapiNeighbors
from tests.oracles import term_selection as oracle


def fitted(X, Y, k, **settings):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has one class only")
        return OkapiNeighbors(k, **settings).fit(X, Y)


def counts(n_documents, n_terms):
    return arrays.arrays(np.float64, (n_documents, n_terms), elements=st.integers(0, 3))


@st.composite
def collections(draw, elements=None):
    """Training counts and labels, test counts, k; small numbers, so that products tie."""
    n_train, n_test = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    n_terms, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    labels = arrays.arrays(np.int64, (n_train, n_labels), elements=st.integers(0, 1))
    some = counts if elements is None else elements
    train, test = draw(some(n_train, n_terms)), draw(some(n_test, n_terms))
    return train, draw(labels), test, draw(st.integers(1, 14))


def signed(n_documents, n_terms):
    """Weights whose sums are exact in any order."""
    elements = st.sampled_from([-2.0, -0.5, 0.0, 0.0, 0.25, 1.0, 4.0])
    return arrays.arrays(np.float64, (n_documents, n_terms), elements=elements)


def whole_idf(model):
    """Make the products exact: then ties are ties, whatever the order of terms."""
    model.idf_ = np.round(model.idf_ * 4) / 4
    return model


@given(collections())
def test_scores_are_sums_over_the_nearest_that_carry_the_label(collection):
    train, Y, test, k = collection
    weights = [oracle.okapi_weights(some, train) for some in (test, train)]
    # Products that are equal but for rounding may change places: their labels, too.
    products = np.sort(weights[0] * oracle.idf(train) @ weights[1].T, axis=1)[:, ::-1]
    if 0 < k < len(train) and (np.abs(products[:, k - 1] - products[:, k]) < 1e-9).any():
        return
    expected = oracle.neighbor_sums(*weights, oracle.idf(train), Y, k)
    found = fitted(train, Y, k).decision_function(test)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(collections(signed))
def test_equal_products_are_taken_by_row_order(collection):
    train, Y, test, k = collection
    model = whole_idf(fitted(train, Y, k, weighted=True))
    expected = oracle.neighbor_sums(test, train, model.idf_, Y, k)
    assert np.array_equal(model.decision_function(test), expected)


@given(collections(signed), st.data())
def test_a_curve_equals_separate_runs_on_the_columns(collection, data):
    train, Y, test, k = collection
    order = data.draw(st.permutations(range(train.shape[1])))
    order = order[: data.draw(st.integers(1, len(order)))]
    sizes = data.draw(st.lists(st.integers(1, len(order)), min_size=1, max_size=6))
    model = whole_idf(fitted(train, Y, k, weighted=True))
    curve = model.score_curve(test, order, sizes)
    for size, scores in zip(sizes, curve, strict=True):
        columns = order[:size]
        alone = whole_idf(fitted(train[:, columns], Y, k, weighted=True))
        assert np.array_equal(scores, alone.decision_function(test[:, columns]))


@pytest.fixture(scope="module")
def corpus():
    random = np.random.default_rng(0)
    share = np.minimum(0.7, 3 / np.arange(1, 121))
    X = sparse.csr_array(random.poisson(share, (500, 120)).astype(float))
    Y = sparse.csc_array((X.toarray()[:, 5:15] + random.poisson(0.05, (500, 10))) > 0)
    return X[:300], Y[:300], X[300:]


def test_a_curve_equals_separate_runs_on_a_corpus_weighted_once(corpus):
    train, Y, test = corpus
    ranking = TermSelector(cut=1).fit(train, Y).ranking_
    sizes = [100, 2, 10, 30, ranking.size]
    curve = OkapiNeighbors(20).fit(train, Y).score_curve(test, ranking, sizes)
    weights = OkapiWeights().fit(train)
    for size, scores in zip(sizes, curve, strict=True):
        columns = ranking[:size]
        alone = OkapiNeighbors(20, weighted=True).fit(weights.transform(train)[:, columns], Y)
        # The order of terms differs, and with it the rounding.
        np.testing.assert_allclose(
            scores, alone.decision_function(weights.transform(test)[:, columns]), rtol=1e-9
        )


@given(collections(), st.data())
def test_a_curve_of_selected_lengths_equals_learners_fitted_to_the_columns(collection, data):
    train, Y, test, k = collection
    order = data.draw(st.permutations(range(train.shape[1])))
    order = order[: data.draw(st.integers(1, len(order)))]
    sizes = data.draw(st.lists(st.integers(1, len(order)), min_size=1, max_size=6))
    curve = fitted(train, Y, k, lengths="selected").score_curve(test, order, sizes)
    for size, scores in zip(sizes, curve, strict=True):
        # Terms in the order of the columns, so that sums are rounded in the same way.
        columns = sorted(order[:size])
        alone = fitted(train[:, columns], Y, k).decision_function(test[:, columns])
        assert np.array_equal(scores, alone)


def test_selected_lengths_differ_from_whole_ones_except_with_all_terms(corpus):
    train, Y, test = corpus
    ranking = TermSelector().fit(train, Y).ranking_
    whole, selected = (
        OkapiNeighbors(20, lengths=lengths).fit(train, Y).score_curve(test, ranking, [30, 120])
        for lengths in ("document", "selected")
    )
    assert not np.allclose(whole[0], selected[0])
    np.testing.assert_allclose(whole[1], selected[1], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:Y has one class only")
def test_lengths_must_be_known_and_possible():
    X, Y = [[1, 0], [0, 1]], [[1], [0]]
    with pytest.raises(ValueError, match=r"lengths must be one of \('document', 'selected'\)"):
        OkapiNeighbors(lengths="some").fit(X, Y)
    with pytest.raises(ValueError, match='lengths="selected" needs counts'):
        OkapiNeighbors(lengths="selected", weighted=True).fit(X, Y)
    late = OkapiNeighbors(1).fit(X, Y).set_params(lengths="selected")
    with pytest.raises(ValueError, match="must be set before fit"):
        late.score_curve(X, [0], [1])
    again = late.fit(X, Y).set_params(lengths="document").fit(X, Y)
    assert again.score_curve(X, [0], [1]).shape == (1, 2, 1)


def test_all_terms_at_once_are_the_end_of_the_curve(corpus):
    train, Y, test = corpus
    model = OkapiNeighbors(20).fit(train, Y)
    curve = model.score_curve(test, np.arange(120), [120])
    assert np.array_equal(curve[0], model.decision_function(test))


def test_dense_and_sparse_documents_score_the_same(corpus):
    train, Y, test = corpus
    dense = OkapiNeighbors(20).fit(train.toarray(), Y.toarray())
    sparse_too = OkapiNeighbors(20).fit(train, Y)
    assert np.array_equal(
        dense.decision_function(test.toarray()), sparse_too.decision_function(test)
    )


def test_rows_score_the_same_alone_and_together(corpus):
    train, Y, test = corpus
    model = OkapiNeighbors(20).fit(train, Y)
    together = model.decision_function(test)
    assert np.array_equal(together[7:8], model.decision_function(test[[7]]))


def test_weighting_before_is_weighting_inside(corpus):
    train, Y, test = corpus
    before = make_pipeline(OkapiWeights(), OkapiNeighbors(20, weighted=True)).fit(train, Y)
    inside = OkapiNeighbors(20).fit(train, Y)
    assert np.array_equal(before.decision_function(test), inside.decision_function(test))


def test_thresholds_are_tuned_around_a_pipeline_with_selection(corpus):
    train, Y, test = corpus
    chain = make_pipeline(
        OkapiWeights(), TermSelector(40, cut=1), OkapiNeighbors(20, weighted=True)
    )
    model = TunedThresholds(chain, cv=3, random_state=0).fit(train, Y)
    decided = model.predict(test)
    assert decided.shape == (200, 10)
    assert set(np.unique(decided)) == {0, 1}


@given(collections())
def test_a_label_is_predicted_with_half_of_the_weight(collection):
    train, Y, test, k = collection
    model = fitted(train, Y, k)
    weight = fitted(train, np.ones((len(Y), 1), int), k).decision_function(test)
    scores = model.decision_function(test)
    # The second is a sum in the same order, so that it is equal to the bit.
    expected = (scores > 0) & (scores >= weight / 2)
    constant = model.constants_
    expected[:, ~np.isnan(constant)] = constant[~np.isnan(constant)] == 1
    assert np.array_equal(model.predict(test), expected)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda _: OkapiNeighbors(0).fit([[1]], [[1]]),
            ValueError,
            "n_neighbors must be at least 1",
        ),
        (lambda _: OkapiNeighbors().fit([[-1]], [[1]]), ValueError, "Negative values"),
        (
            lambda _: OkapiNeighbors(weighted=True).fit([[1e200]], [[1]]),
            ValueError,
            r"X must contain numbers of at most 1e\+100",
        ),
        (lambda m: m.score_curve([[1, 0]], [0, 2], [1]), ValueError, "from 0 to 1, got 2"),
        (lambda m: m.score_curve([[1, 0]], [0, 0], [1]), ValueError, "each column once"),
        (lambda m: m.score_curve([[1, 0]], [0.5], [1]), TypeError, "column numbers"),
        (lambda m: m.score_curve([[1, 0]], [0], [2]), ValueError, "at most the 1 of term_order"),
        (lambda m: m.score_curve([[1, 0]], [0], []), ValueError, "got none"),
    ],
)
@pytest.mark.filterwarnings("ignore:Y has one class only")
def test_wrong_input_is_named_in_one_sentence(call, error, words):
    model = OkapiNeighbors(1).fit([[1, 0], [0, 1]], [[1], [0]])
    with pytest.raises(error, match=words):
        call(model)


@pytest.mark.filterwarnings("ignore:Y has one class only")
def test_those_who_stayed_behind_come_first_when_new_terms_push_the_best_down():
    train = np.zeros((12, 2))
    train[:3] = [[1.625, -4.0], [1.3125, -4.0], [0.25, 0.0]]
    model = OkapiNeighbors(1, weighted=True).fit(train, np.eye(12, dtype=int))
    model.idf_ = np.ones(2)
    curve = model.score_curve([[1.0, 1.0]], [0, 1], [1, 2])
    assert curve[0, 0].argmax() == 0
    assert curve[1, 0, 2] == 0.25
    assert curve[1].sum() == 0.25
