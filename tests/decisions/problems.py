"""Small problems with many ties, drawn by chance or by hypothesis."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def random_problems(n_problems, seed, *, most_samples=6, most_labels=3, with_positives=True):
    """Scores with few distinct values and labels of every frequency."""
    random = np.random.default_rng(seed)
    found = 0
    while found < n_problems:
        shape = random.integers(1, most_samples + 1), random.integers(1, most_labels + 1)
        scores = random.integers(0, random.integers(1, 7), size=shape) / 4
        Y = random.random(shape) < random.random(shape[1])
        if Y.any() or not with_positives:
            found += 1
            yield scores.astype(random.choice([np.float32, np.float64])), Y


@st.composite
def problems(draw, most_samples=7, most_labels=3):
    """(scores, Y) with ties, constant scores and labels without positives."""
    shape = (draw(st.integers(1, most_samples)), draw(st.integers(1, most_labels)))
    ties = st.sampled_from([-1.5, 0.0, 0.25, 1.0])
    scores = draw(hnp.arrays(np.float64, shape, elements=ties | st.floats(-2, 2, width=32)))
    Y = draw(hnp.arrays(bool, shape))
    return scores, Y
