"""Bags with scores and labels, for tests of bag learners."""

import numpy as np
from hypothesis import strategies as st

FEW = st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0])


@st.composite
def scored_bags(draw, most_bags=5, most_labels=3):
    """Scores with many ties, where bags begin, and the labels of bags."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=most_bags))
    n_labels = draw(st.integers(1, most_labels))
    cells = draw(st.lists(FEW, min_size=sum(sizes) * n_labels, max_size=sum(sizes) * n_labels))
    n_truths = len(sizes) * n_labels
    truth = draw(st.lists(st.integers(0, 1), min_size=n_truths, max_size=n_truths))
    scores = np.array(cells).reshape(-1, n_labels)
    return scores, np.cumsum([0, *sizes]), np.array(truth).reshape(-1, n_labels)
