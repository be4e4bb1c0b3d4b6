"""Outcomes and measures that several tests use; small outcomes with many ties for hypothesis."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from labelwise._counts import averaged_records
from labelwise.measures import macro, measure_scores, precision, recall

# Every measure of counts in the register.
MEASURES = {name: record.function for name, record in averaged_records().items()}
COUNT_MEASURES = list(MEASURES.values())


def f_of_means(counts, beta=1.0, undefined="nan"):
    """F of the mean precision and the mean recall, by the definition; 0 where both are 0."""
    p, r = (macro(rate, counts, undefined) for rate in (precision, recall))
    return 0.0 if p == r == 0 else (1 + beta**2) * p * r / (beta**2 * p + r)


def coverage(Y, scores, **options):
    return measure_scores(Y, scores, "coverage", **options)


def ranking_loss(Y, scores, **options):
    return measure_scores(Y, scores, "ranking-loss", **options)


def r_precision(Y, scores, **options):
    return measure_scores(Y, scores, "r-precision", **options)


def average_precision(Y, scores, average="macro", **options):
    return measure_scores(Y, scores, f"{average}-average-precision", **options)


def area_under_roc(Y, scores, average="micro", **options):
    return measure_scores(Y, scores, f"{average}-auc", **options)


def one_error(Y, scores, **options):
    return measure_scores(Y, scores, "one-error", **options)


def precision_at(Y, scores, k, **options):
    return measure_scores(Y, scores, f"precision-at-{k}", **options)


def recall_at(Y, scores, k, **options):
    return measure_scores(Y, scores, f"recall-at-{k}", **options)


def ndcg_at(Y, scores, k, **options):
    return measure_scores(Y, scores, f"ndcg-at-{k}", **options)


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


def random_outcome(n_samples=40):
    """An outcome of which every measure is defined: no row or column is constant."""
    random = np.random.default_rng(0)
    Y = random.integers(0, 2, (n_samples, 6))
    Y[:, 1] = 1 - Y[:, 0]
    scores = np.round(random.random(Y.shape) + 0.3 * Y, 1)
    scores[:, 2] = random.integers(0, 2, n_samples)
    scores[:, 3] = 1 - scores[:, 2]
    return Y, scores, (scores > 0.6).astype(int)
