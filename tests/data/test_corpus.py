"""A generated corpus obeys Zipf's law, and its topics show in the terms."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.stats import chisquare
from sklearn.feature_selection import chi2
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import MultinomialNB

from labelwise.data import _corpora, make_corpus
from labelwise.data._corpora import (
    TermIntervals,
    Topics,
    Vocabulary,
    _count_tokens,
    _draw_terms,
)
from tests.oracles import corpus as oracle

TOKENS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=30)


def own_topic(dataset):
    """The topic of each term as its name tells it, -1 if common."""
    words = [name.split() for name in dataset.feature_names]
    return np.array([int(word[1]) if word[0] == "topic" else -1 for word in words])


@given(TOKENS)
def test_counts_are_those_of_the_tokens(tokens):
    documents, terms = np.array(tokens, dtype=np.int64).reshape(-1, 2).T
    counts = _count_tokens(documents, terms, (4, 5))
    assert counts.has_canonical_format
    np.testing.assert_array_equal(counts.toarray(), oracle.count_terms(documents, terms, (4, 5)))


def test_terms_are_as_frequent_as_zipf_says():
    dataset = make_corpus(40_000, 2000, random_state=0)
    counts = dataset.X.sum(axis=0)
    expected = 1 / (np.arange(1, 2001) + 2.7)
    # Twenty groups of terms with equal expected mass.
    group = (20 * (np.cumsum(expected) - expected / 2) / expected.sum()).astype(int)
    observed = np.bincount(group, weights=counts) / counts.sum()
    by_law = np.bincount(group, weights=expected) / expected.sum()
    # 4 million tokens, in documents that clump: a percent is some five standard deviations.
    np.testing.assert_allclose(observed, by_law, rtol=0.01)


def test_frequency_falls_with_rank_at_slope_minus_one():
    dataset = make_corpus(random_state=0)
    counts = np.sort(dataset.X.sum(axis=0))[::-1][:1000]
    slope, _ = np.polyfit(np.log(np.arange(1, 1001) + 2.7), np.log(counts), 1)
    assert slope == pytest.approx(-1, abs=0.05)


@pytest.mark.parametrize("focus", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("drawn", [[1], [0, 2], [2, 2, 1]])
def test_terms_of_a_document_follow_its_topics(drawn, focus):
    rng = np.random.RandomState(0)
    frequency = rng.dirichlet(np.ones(12))
    topic = np.array([-1, -1, 0, 2, 1, 0, 1, 2, 2, 0, 1, 0])
    intervals = TermIntervals(Vocabulary(frequency, topic))
    # The document comes second, so that a topic of another one would be noticed.
    topics = Topics(np.array([0, *drawn]), np.array([0, 1, 1 + len(drawn)]))
    terms = _draw_terms(intervals, topics, np.ones(100_000, dtype=int), focus, rng)
    expected = oracle.term_probabilities(frequency, topic, drawn, focus)
    possible = expected > 0
    counts = np.bincount(terms, minlength=12)
    assert not counts[~possible].any()
    assert chisquare(counts[possible], 100_000 * expected[possible]).pvalue > 1e-4


def test_topics_are_drawn_as_often_as_their_terms():
    dataset = make_corpus(40_000, 1000, 8, mean_topics=2.5, random_state=0)
    mass = 1 / (np.arange(1000) + 3.7)
    topic = own_topic(dataset)
    share = np.bincount(topic[topic >= 0], weights=mass[topic >= 0])
    share /= share.sum()
    # One topic, then a Poisson number of mean 1.5: none of them is the one in question.
    expected = 1 - (1 - share) * np.exp(-1.5 * share)
    assert np.abs(dataset.Y.mean(axis=0) - expected).max() < 5 * np.sqrt(0.25 / 40_000)


@given(
    st.integers(1, 30), st.integers(1, 40), st.integers(1, 10), st.floats(0, 1), st.integers(0, 9)
)
def test_every_document_has_a_topic_and_a_term(n_documents, n_terms, n_topics, focus, seed):
    n_topics = min(n_topics, n_terms)
    dataset = make_corpus(
        n_documents, n_terms, n_topics, mean_length=2, focus=focus, random_state=seed
    )
    assert dataset.X.shape == (n_documents, n_terms)
    assert dataset.Y.shape == (n_documents, n_topics)
    assert dataset.Y.sum(axis=1).min() >= 1
    assert dataset.X.sum(axis=1).min() >= 1
    assert (dataset.X.data == np.rint(dataset.X.data)).all()


@given(st.integers(1, 50), st.integers(1, 50), st.floats(0, 1), st.integers(0, 9))
def test_every_topic_has_a_term(n_topics, n_more, common, seed):
    n_terms = n_topics + n_more
    if n_terms - int(common * n_terms) < n_topics:
        with pytest.raises(ValueError, match="n_topics must be at most"):
            make_corpus(1, n_terms, n_topics, common=common, random_state=seed)
        return
    topic = own_topic(make_corpus(1, n_terms, n_topics, common=common, random_state=seed))
    assert set(range(n_topics)) <= set(topic)
    # The most frequent terms, and only they, are common.
    n_common = int(common * n_terms)
    assert (topic[:n_common] == -1).all()
    assert (topic[n_common:] >= 0).all()


def test_lengths_have_the_mean_asked_for_and_a_long_tail():
    lengths = make_corpus(20_000, 50, 2, mean_length=200, random_state=0).X.sum(axis=1)
    # The logarithm has standard deviation 0.6, so the length 0.66 of its mean.
    assert lengths.mean() == pytest.approx(200, rel=5 * 0.66 / np.sqrt(20_000))
    assert np.log(lengths).std() == pytest.approx(0.6, rel=0.05)


def test_blocks_of_tokens_change_neither_lengths_nor_topics(monkeypatch):
    whole = make_corpus(50, 100, 3, random_state=0)
    monkeypatch.setattr(_corpora, "_TOKENS_AT_ONCE", 130)
    in_blocks = make_corpus(50, 100, 3, random_state=0)
    np.testing.assert_array_equal(in_blocks.X.sum(axis=1), whole.X.sum(axis=1))
    np.testing.assert_array_equal(in_blocks.Y.toarray(), whole.Y.toarray())
    assert in_blocks.X.has_canonical_format


def test_documents_on_a_topic_use_its_terms_as_often_as_focus_says():
    dataset = make_corpus(20_000, 1000, 5, mean_topics=1, focus=0.5, random_state=0)
    topic = own_topic(dataset)
    topical = dataset.X[:, topic >= 0].sum(axis=1)
    mass = 1 / (np.arange(1000) + 3.7)
    for t in range(5):
        own = dataset.X[:, topic == t].sum(axis=1)
        on = dataset.Y[:, [t]].toarray().ravel()
        share = mass[topic == t].sum() / mass[topic >= 0].sum()
        assert own[on].sum() / topical[on].sum() == pytest.approx(0.5 + 0.5 * share, rel=0.03)
        assert own[~on].sum() / topical[~on].sum() == pytest.approx(0.5 * share, rel=0.03)


def test_the_terms_with_the_highest_chi2_are_those_of_the_topic():
    dataset = make_corpus(random_state=0)
    topic = own_topic(dataset)
    for t in range(5):
        statistic, _ = chi2(dataset.X, dataset.Y[:, [t]].toarray().ravel())
        assert set(topic[np.argsort(-statistic)[:10]]) == {t}


def test_topics_can_be_learned_by_default():
    dataset = make_corpus(random_state=0)
    Y = dataset.Y.toarray()
    models = [MultinomialNB().fit(dataset.X[:1000], y[:1000]) for y in Y.T]
    proba = np.column_stack([model.predict_proba(dataset.X[1000:])[:, 1] for model in models])
    assert 0.8 < roc_auc_score(Y[1000:], proba) < 0.999


def test_corpus_stays_sparse_all_the_way(monkeypatch):
    monkeypatch.setattr(_corpora, "_TOKENS_AT_ONCE", 2**18)
    tracemalloc.start()
    try:
        dataset = make_corpus(20_000, 50_000, 50, random_state=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    X = dataset.X
    assert sparse.issparse(X)
    assert X.indices.dtype == X.indptr.dtype == np.int32
    result = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    # The blocks and their union, one block of tokens, and the names.
    assert peak < 2 * result + 64 * 2**18 + 200 * 50_000


def test_labels_are_the_topics_drawn_and_leave_them_as_they_are():
    topics = Topics(np.array([2, 0, 2, 1]), np.array([0, 3, 4]))
    assert topics.labels(4).toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0]]
    assert topics.drawn.tolist() == [2, 0, 2, 1]
    assert topics.starts.tolist() == [0, 3, 4]


def test_same_seed_gives_the_same_corpus():
    first, again = (make_corpus(30, 200, 4, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.X.toarray(), again.X.toarray())
    np.testing.assert_array_equal(first.Y.toarray(), again.Y.toarray())
    assert first.feature_names == again.feature_names
    other = make_corpus(30, 200, 4, random_state=6)
    assert not np.array_equal(first.X.toarray(), other.X.toarray())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_documents": 0}, ValueError, "n_documents must be at least 1, got 0."),
        ({"n_terms": -1}, ValueError, "n_terms must be at least 1, got -1."),
        ({"n_topics": True}, TypeError, "n_topics must be a whole number, got True."),
        (
            {"n_terms": 100, "n_topics": 99},
            ValueError,
            "n_topics must be at most the 98 terms not common, got 99.",
        ),
        ({"mean_length": 0}, ValueError, "mean_length must be from 1 to 1e+06, got 0."),
        ({"mean_topics": 0.5}, ValueError, "mean_topics must be from 1 to 1000, got 0.5."),
        ({"focus": 2}, ValueError, "focus must be from 0 to 1, got 2."),
        ({"common": None}, TypeError, "common must be a number, got None."),
    ],
)
def test_bad_argument_is_named(arguments, error, message):
    with pytest.raises(error) as caught:
        make_corpus(**arguments)
    assert str(caught.value) == message
