"""sechidis2011, section 4.3: binary relevance and label ranking on random forests of ten trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from labelwise.learners import BinaryRelevance, CalibratedLabelRanking


def as_columns(X: Any) -> Any:
    """Return features as forests read them, once for all labels."""
    return sparse.csc_array(X, dtype=np.float32) if sparse.issparse(X) else X.astype(np.float32)


def forests() -> Any:
    """Return binary relevance on random forests of ten trees."""
    trees = RandomForestClassifier(10, max_features="log2")
    return make_pipeline(
        FunctionTransformer(as_columns, accept_sparse=True), BinaryRelevance(trees)
    )


def ranking() -> Any:
    """Return calibrated label ranking on random forests of ten trees."""
    return CalibratedLabelRanking(RandomForestClassifier(10, max_features="log2"))
