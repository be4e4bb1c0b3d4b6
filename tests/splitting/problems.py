"""Label matrices, proportions and groups for tests, with ties, empty rows and rare labels."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st


@st.composite
def label_matrices(draw, min_rows=4, max_rows=14, max_labels=5):
    """A 0/1 matrix; a label may be carried by nobody or by everybody."""
    n_rows = draw(st.integers(min_rows, max_rows))
    n_labels = draw(st.integers(1, max_labels))
    density = draw(st.sampled_from([0.1, 0.3, 0.5, 0.9]))
    seed = draw(st.integers(0, 2**32 - 1))
    Y = (np.random.default_rng(seed).random((n_rows, n_labels)) < density).astype(int)
    if draw(st.booleans()):
        Y[:, 0] = draw(st.integers(0, 1))
    return Y


@st.composite
def shares(draw, max_subsets=4):
    """Exact proportions of at least two subsets."""
    parts = draw(st.lists(st.integers(1, 4), min_size=2, max_size=max_subsets))
    return [Fraction(part, sum(parts)) for part in parts]


def correlated(n_rows, n_labels, seed, cardinality=2.0):
    """Labels with a long tail that come together in themes, as real ones do."""
    random = np.random.default_rng(seed)
    theme = random.integers(5, size=n_rows)
    frequency = 1 / (1 + np.arange(n_labels))
    taste = frequency * random.uniform(0.2, 3, size=(5, n_labels))
    chance = np.minimum(0.9, taste * cardinality / frequency.sum())
    return (random.random((n_rows, n_labels)) < chance[theme]).astype(int)
