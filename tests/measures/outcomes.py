"""Small outcomes for hypothesis: many ties, empty rows and columns, single labels."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# Few values make ties; neighbours of 1 differ only in float64.
TIED = st.sampled_from([-1.0, 0.0, 0.25, 1.0, 1.0 + 1e-9])
FINITE = st.floats(-1e300, 1e300)


@st.composite
def matrices(draw, values, dtype, max_rows=6, max_labels=5):
    shape = draw(st.tuples(st.integers(1, max_rows), st.integers(1, max_labels)))
    return draw(hnp.arrays(dtype, shape, elements=values))


@st.composite
def decided_outcomes(draw):
    """A truth and decisions of the same shape."""
    Y = draw(matrices(st.integers(0, 1), np.int8))
    return Y, draw(hnp.arrays(np.int8, Y.shape, elements=st.integers(0, 1)))


@st.composite
def scored_outcomes(draw, max_rows=6, max_labels=5):
    """A truth and scores of the same shape, in single or double precision."""
    Y = draw(matrices(st.integers(0, 1), np.int8, max_rows, max_labels))
    scores = draw(hnp.arrays(np.float64, Y.shape, elements=draw(st.sampled_from([TIED, FINITE]))))
    if draw(st.booleans()):
        scores = np.clip(scores, -1e38, 1e38).astype(np.float32)
    return Y, scores
