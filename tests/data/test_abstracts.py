"""Generated texts are about their subjects, and the same seed writes the same texts."""

import numpy as np
import pytest

from labelwise.data import load
from labelwise.data._corpora import SUBJECTS, make_abstracts


def test_texts_have_more_words_of_their_subjects_than_of_others():
    data = make_abstracts(200, random_state=1)
    counts = np.array(
        [
            [
                sum(word in subject.nouns.split() for word in text.split())
                for subject in SUBJECTS.values()
            ]
            for text in data.frame["abstract"].to_pylist()
        ]
    )
    Y = data.Y.toarray()
    assert counts[Y].mean() > 5 * counts[~Y].mean()
    assert Y.any(axis=1).all()


def test_the_bundled_set_is_always_the_same():
    first, second = load("abstracts"), make_abstracts(600, random_state=0)
    assert first.frame.equals(second.frame)
    assert (first.Y != second.Y).nnz == 0
    assert first.texts == ("title", "abstract")
    assert len(set(first.ids["id"])) == 600


def test_a_number_of_documents_must_be_positive():
    with pytest.raises(ValueError, match="n_documents must be at least 1, got 0"):
        make_abstracts(0)
