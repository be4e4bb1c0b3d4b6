import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from labelwise.features import TermSelector, combine, term_scores
from labelwise.features._selector import RULES, best_first
from tests.oracles import term_selection as oracle

SCORES = ("df", "information-gain", "chi2-max", "chi2-avg")


@st.composite
def collections(draw):
    n_documents = draw(st.integers(1, 9))
    shape = st.tuples(st.just(n_documents), st.integers(1, 6))
    X = draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 2)))
    Y = draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 1)))
    return X, Y


score_lists = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 7)),
    elements=st.sampled_from([-np.inf, 0.0, 0.5, 1.0, 1.0, 3.0]),
)


@given(collections(), st.sampled_from(SCORES), st.integers(0, 3))
def test_scores_are_those_of_the_printed_formulas(collection, by, cut):
    X, Y = collection
    # Sums in another order; of information gain, of numbers as large as its entropy.
    np.testing.assert_allclose(
        TermSelector(by=by, cut=cut).fit(X, Y).scores_,
        oracle.term_scores(X, Y, by, cut),
        rtol=1e-9,
        atol=1e-12,
    )


@given(collections())
def test_dense_and_sparse_input_in_any_form_give_the_same_bits(collection):
    X, Y = collection
    expected = term_scores(X, Y, by=SCORES)
    n_docs, n_terms = X.shape
    # Every cell in three parts, zeros included, which the constructor leaves as they are.
    parts = np.hstack([X, -X, X]).astype(float)
    places = np.tile(np.arange(n_terms), 3 * n_docs)
    thrice = sparse.csr_array(
        (parts.ravel(), places, np.arange(n_docs + 1) * 3 * n_terms), shape=X.shape
    )
    for form in (sparse.csr_array(X), sparse.csc_array(X), sparse.csr_matrix(X), thrice, X * 0.5):
        assert np.array_equal(term_scores(form, sparse.csr_array(Y), by=SCORES), expected)


@given(collections())
def test_several_scores_at_once_are_each_by_itself(collection):
    X, Y = collection
    together = term_scores(X, Y, by=SCORES)
    for by, scores in zip(SCORES, together, strict=True):
        assert np.array_equal(term_scores(X, Y, by=by), scores)


def test_terms_with_equal_counts_have_equal_scores_whatever_the_documents():
    random = np.random.default_rng(0)
    Y = random.random((40, 30)) < 0.3
    X = random.random((40, 5)) < 0.4
    order = random.permutation(40)
    # The same counts of every label, met in another order.
    for a, b in zip(
        term_scores(X, Y, by=SCORES), term_scores(X[order], Y[order], by=SCORES), strict=True
    ):
        assert np.array_equal(a, b)


def test_scores_for_a_label_of_all_documents_are_zero():
    X = np.array([[1, 0], [1, 1], [0, 1]])
    scores = term_scores(X, np.ones((3, 1)), by=SCORES)
    # Of information gain, rounding remains.
    np.testing.assert_allclose(scores[1:], np.zeros((3, 2)), atol=1e-15)


@given(score_lists, st.sampled_from(list(RULES)))
def test_combinations_are_those_of_the_definitions(lists, rule):
    np.testing.assert_allclose(combine(lists, rule), oracle.combine(lists, rule), rtol=1e-12)


@given(score_lists, st.sampled_from(["average-rank", "max-mean", "length-mean"]), st.data())
def test_lists_may_have_weights_in_a_mean(lists, rule, data):
    weights = data.draw(st.lists(st.floats(0.1, 9), min_size=len(lists), max_size=len(lists)))
    expected = oracle.combine(lists, rule, weights)
    np.testing.assert_allclose(combine(lists, rule, weights=weights), expected, rtol=1e-12)


@given(score_lists)
def test_rank_rules_of_one_list_keep_its_order(lists):
    expected = best_first(lists[0])
    for rule in ("lowest-rank", "highest-rank", "average-rank"):
        assert np.array_equal(best_first(combine(lists[:1], rule)), expected)


@given(score_lists)
def test_the_best_come_first_equals_by_column_and_cut_terms_never(lists):
    found = best_first(lists[0]).tolist()
    kept = [t for t, score in enumerate(lists[0]) if score > -np.inf]
    assert found == sorted(kept, key=lambda t: (-lists[0][t], t))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: term_scores([[1]], [[1]], by="tf"), "by must name scores among df, .*got 'tf'"),
        (lambda: term_scores([[1]], [[1]], by=()), "by must name scores .*got none"),
        (lambda: term_scores([[1]], [[1]], by=("df", "df")), "each score once"),
        (lambda: TermSelector(cut=-1).fit([[1]], [[1]]), "cut must be at least 0, got -1"),
        (lambda: term_scores([[1], [1]], [[1]], "df"), "X has 2 rows but Y has 1"),
        (lambda: term_scores([[1]], np.empty((1, 0)), "df"), "Y must have a row and a label"),
        (lambda: term_scores([[1]], [[2]], "df"), "Y must contain only 0 and 1, got 2"),
        (lambda: combine([[1.0, 2.0]], "best"), "rule must be one of lowest-rank, .*'best'"),
        (lambda: combine([[-1.0, 2.0]], "max-or"), "must not be negative for the rule max-or"),
        (lambda: combine([[np.nan]]), "must contain numbers or -inf"),
        (lambda: combine([]), "must be lists of scores, got shape"),
        (lambda: combine([[1.0]], weights=[1.0]), "weights are for mean ranks .*'lowest-rank'"),
        (
            lambda: combine([[1.0]], "max-mean", weights=[1.0, 2.0]),
            "weights must have a number for each of 1 lists",
        ),
        (lambda: combine([[1.0]], "max-mean", weights=[-1.0]), "weights must be finite, not"),
    ],
)
def test_wrong_input_is_named_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_cut_that_is_not_a_whole_number_is_refused():
    with pytest.raises(TypeError, match=r"cut must be a whole number, got 1\.5"):
        TermSelector(cut=1.5).fit([[1]], [[1]])
