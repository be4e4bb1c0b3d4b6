"""The value of a learner's own decisions on rows that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise import measures
from labelwise.data import Dataset
from labelwise.splitting import splits_of

# On fewer rows, a value says nothing, and learners that tune themselves lack rows for folds.
FEWEST_ROWS = 10
_N_FOLDS = 5


def held_out_value(
    fit: Callable[[Dataset, np.ndarray | None], Any],
    samples_of: Callable[[Dataset], Any],
    rows: Dataset,
    measure: str,
    beta: float,
    groups: np.ndarray | None = None,
) -> float:
    """Return a measure of decisions on held-out rows, each fold decided by a model of the others.

    `fit` returns a model of the rows, and of their groups, that it is given. Rows of the same group
    are in the same fold.
    """
    tests, decided = [], []
    for train, test in splits_of(_N_FOLDS, rows.Y, rows.Y, groups):
        tests.append(test)
        model = fit(rows.take(train), None if groups is None else groups[train])
        decided.append(sparse.csr_array(model.predict(samples_of(rows.take(test)))))
    truth = rows.Y[np.concatenate(tests)]
    return float(measures.evaluate(truth, decided=sparse.vstack(decided), beta=beta)[measure])
