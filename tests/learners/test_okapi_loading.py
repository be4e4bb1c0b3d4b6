"""A loaded learner of documents is refused if its parts do not match."""

import numpy as np
import pytest
from scipy import sparse

from labelwise.learners._okapi_neighbors import check_counts, check_documents, check_idf

POSTINGS, LABELS = sparse.csc_array(np.ones((3, 2))), sparse.csr_array(np.ones((3, 1), dtype=bool))


def test_parts_that_match_are_taken():
    check_documents(POSTINGS, LABELS, (2, 1))
    check_counts(None, (3, 2))
    check_counts(POSTINGS.tocsr(), (3, 2))
    check_idf(np.zeros(2), 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: check_documents(POSTINGS.tocsr(), LABELS, (2, 1)), "stored by term"),
        (lambda: check_documents(POSTINGS, LABELS.tocsc(), (2, 1)), "stored by term"),
        (lambda: check_documents(POSTINGS, LABELS, (3, 1)), "must match"),
        (lambda: check_documents(POSTINGS, LABELS, (2, 2)), "must match"),
        (lambda: check_documents(POSTINGS * np.nan, LABELS, (2, 1)), "at most 1e"),
        (lambda: check_documents(POSTINGS.astype("f4"), LABELS, (2, 1)), "at most 1e"),
        (lambda: check_counts(POSTINGS, (3, 2)), "those of the documents"),
        (lambda: check_counts(POSTINGS.tocsr(), (3, 3)), "those of the documents"),
        (lambda: check_counts(POSTINGS.tocsr() * np.inf, (3, 2)), "at most 1e"),
        (lambda: check_idf(np.zeros(3), 2), "one number for each of 2 terms"),
        (lambda: check_idf(np.full(2, np.nan), 2), "at most 50"),
    ],
)
def test_parts_that_do_not_match_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
