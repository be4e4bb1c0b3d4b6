"""The same int gives the same decisions; None draws from numpy's generator, as in scikit-learn."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator

from labelwise.decisions import (
    TunedThresholds,
    best_thresholds,
    confidence_interval,
    corrected_value,
    review_bands,
)
from tests.decisions.columns import Columns

RANDOM = np.random.default_rng(0)
Y = (RANDOM.random((120, 3)) < 0.4).astype(np.int64)
SCORES = Y + RANDOM.normal(size=Y.shape)
TUNED = best_thresholds(SCORES, Y)
GUARANTEE = {"min_precision": 0.4, "guarantee": 0.8}
BANDS = review_bands(SCORES, Y, min_recall=0.3, guarantee=0.6, random_state=0)
DRAWN = {
    "shrink": lambda seed: (
        best_thresholds(SCORES[:40], Y[:40], shrink="auto", random_state=seed).evidence.shrink
    ),
    "calibration": lambda seed: best_thresholds(SCORES, Y, **GUARANTEE, random_state=seed).values,
    "bands": lambda seed: review_bands(SCORES, Y, **GUARANTEE, random_state=seed).upper,
    "corrected": lambda seed: corrected_value(TUNED, SCORES, Y, random_state=seed),
    "corrected bands": lambda seed: corrected_value(BANDS, SCORES, Y, random_state=seed).reviewed,
    "interval": lambda seed: (
        confidence_interval(TUNED, SCORES, Y, n_bootstrap=5, random_state=seed).value
    ),
    "estimator": lambda seed: (
        TunedThresholds(FrozenEstimator(Columns().fit(SCORES, Y)), random_state=seed)
        .fit(SCORES, Y)
        .corrected_value_
    ),
}


@pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)
def test_an_int_draws_the_same_and_none_draws_anew(drawn):
    def found(seeds):
        return {np.asarray(drawn(seed)).tobytes() for seed in seeds}

    assert len(found([3] * 3)) == 1
    assert len(found([None] * 8)) > 1
    np.random.seed(5)  # noqa: NPY002
    first = found([None])
    np.random.seed(5)  # noqa: NPY002
    assert found([None]) == first
