"""Documents of olsson2006: counts come back from weights, and no document is there twice."""

import numpy as np
from scipy import sparse

from studies.olsson2006 import documents as study


def counted_documents(n_docs=300, n_terms=600, seed=0):
    """Counts of common and rare terms, most of them 1."""
    random = np.random.default_rng(seed)
    share = 0.6 / np.arange(1, n_terms + 1) ** 0.4
    present = random.random((n_docs, n_terms)) < share
    counts = random.geometric(0.7, (n_docs, n_terms)) * present
    return counts[counts.any(axis=1)].astype(float)


def log_tf_idf(counts):
    """Weights as in RCV1-v2: factors of terms from other documents, and six digits."""
    X = sparse.csr_array(counts)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    others = np.random.default_rng(7).random(X.shape[0]) < 0.5
    df = np.bincount(X.indices[others[rows]], minlength=X.shape[1])
    idf = np.log((others.sum() + 1) / np.maximum(df, 0.5))
    weights = (1 + np.log(X.data)) * idf[X.indices]
    lengths = np.sqrt(np.bincount(rows, weights**2))
    return sparse.csr_array(((weights / lengths[rows]).round(6), X.indices, X.indptr), X.shape)


def right_share(X, counts):
    """Share of the present terms whose count came back."""
    rebuilt = study.rebuilt_counts(X)
    assert (rebuilt.data >= 1).all()
    return (rebuilt.data == sparse.csr_array(counts).data).mean()


def test_counts_come_back_from_weights_of_known_form():
    counts = counted_documents()
    assert right_share(log_tf_idf(counts), counts) > 0.99


def test_counts_do_not_depend_on_the_length_of_rows():
    counts = counted_documents()
    X = log_tf_idf(counts)
    factors = np.random.default_rng(1).uniform(0.5, 4, X.shape[0])
    X.data *= np.repeat(factors, np.diff(X.indptr))
    assert right_share(X, counts) > 0.99


def test_of_like_rows_the_first_is_kept():
    rows = [[1, 0, 2], [0, 0, 0], [1, 0, 2], [2, 0, 1], [0, 0, 0], [1, 2, 0]]
    assert study.first_rows(sparse.csr_array(np.array(rows, float))).tolist() == [0, 1, 3, 5]


def test_the_order_of_entries_does_not_make_rows_unlike():
    X = sparse.csr_array((np.array([1.0, 2, 2, 1]), np.array([0, 1, 1, 0]), np.array([0, 2, 4])))
    assert study.first_rows(X).tolist() == [0]


def test_no_document_is_twice_in_a_pool(benchmark_home, monkeypatch):
    assert (benchmark_home / "rcv1-subsets").is_dir()
    # What is dropped does not depend on the counts, whose rebuilding takes long.
    monkeypatch.setattr(study, "rebuilt_counts", lambda X: X)
    study.rcv1_documents.cache_clear()
    found = [study.documents(name) for name in study.POOLS]
    study.rcv1_documents.cache_clear()
    assert [data.n_samples for data in found] == [22_490, 11_692, 10_798]
    assert study.first_rows(sparse.csr_array(found[0].X)).size == 22_490
    assert all(data.Y.sum(axis=1).min() > 0 for data in found)


def test_reuters_keeps_its_counts_which_weights_would_give_back(benchmark_home):
    assert (benchmark_home / "reuters21578").is_dir()
    data = study.documents(study.REUTERS)
    assert (data.n_samples, data.n_labels, data.X.data.min()) == (10_580, 90, 1)
    X = sparse.csr_array(data.X)[::4]
    # Most counts are 1; a fourth of the documents leaves more rare terms than the whole.
    assert (X.data == 1).mean() < 0.72
    assert right_share(log_tf_idf(X), X) > 0.98
