"""Data for tests of calibrated label ranking."""

import numpy as np
from hypothesis import strategies as st

from labelwise.data import make_multilabel


def some_data(n_samples=60, n_labels=4, seed=0):
    data, _ = make_multilabel(n_samples, n_features=4, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@st.composite
def small_problems(draw):
    """Few rows with few distinct features: ties, labels that never or always stand, empty rows."""
    n_rows, n_labels = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    bits = st.lists(st.integers(0, 1), min_size=n_rows * n_labels, max_size=n_rows * n_labels)
    Y = np.array(draw(bits)).reshape(n_rows, n_labels)
    X = np.array(draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    return X[:, None] * 1.0, Y
