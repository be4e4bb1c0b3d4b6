"""Sizes and seconds of representations are predicted from a sample of the rows."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from labelwise.learners.selection import _representations
from labelwise.learners.selection._representations import Representation


class Slow(TransformerMixin, BaseEstimator):
    """Takes a second of a clock for every row, and has the same features for any rows."""

    clock = 0.0

    def fit(self, X, y=None):  # noqa: ARG002
        return self

    def transform(self, X):
        Slow.clock += len(X)
        return np.ones((len(X), 16))


@pytest.mark.parametrize(("n_rows", "n_features"), [(5, 16), (10, 16), (320, round(16 * 32**0.6))])
def test_seconds_grow_with_the_rows_and_terms_by_heaps_law(n_rows, n_features, monkeypatch):
    monkeypatch.setattr(_representations, "_SAMPLE", 10)
    monkeypatch.setattr(_representations, "perf_counter", lambda: Slow.clock)
    Y = np.eye(2, dtype=int)[np.arange(n_rows) % 2]
    one = Representation("slow", Slow(), np.zeros((n_rows, 1)), Y)
    assert one.seconds() == n_rows
    assert one.size[:3] == (n_rows, n_features, 2)
