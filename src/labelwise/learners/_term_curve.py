"""R-precision of Okapi neighbours by the number of selected terms, on rows that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._measuring import find_places, r_precision_of
from labelwise.features import TermSelector
from labelwise.learners._okapi_neighbors import OkapiNeighbors

# Sizes of Olsson and Oard (2006); the last point of a curve is all terms that are not cut.
SIZES = (50, 250, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 10_000)
# Scores in memory at a time.
_BLOCK = 2**24


class TermCurve(NamedTuple):
    """Mean R-precision and its standard error for each number of terms."""

    sizes: list[int]
    values: np.ndarray  # (n_sizes,)
    errors: np.ndarray  # (n_sizes,)


class _SplitModel(NamedTuple):
    """What was learned from the training rows of a split, and its test rows."""

    ranking: np.ndarray
    model: OkapiNeighbors
    test: np.ndarray


def term_curve(
    X: sparse.csr_array,
    Y: sparse.csc_array,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    selector: TermSelector,
    n_neighbors: int,
) -> TermCurve:
    """Measure R-precision on the test rows of splits for growing numbers of terms.

    Terms are ranked and neighbours are found on the training rows of each split. Rows without a
    label have no R-precision and are left out.

    Parameters
    ----------
    X : csr_array of shape (n_samples, n_features)
        Term counts.
    Y : csc_array of shape (n_samples, n_labels)
        Labels.
    splits : sequence of pairs of int arrays
        Training rows and test rows.
    selector : TermSelector
        Not fitted; gives the ranking of the terms.
    n_neighbors : int
        Neighbours of each test row.

    Returns
    -------
    TermCurve
        One point for each of `SIZES` below the number of ranked terms, and one for all of them.

    Raises
    ------
    ValueError
        If the selector's `cut` leaves no term, or no test row has a label.
    """
    parts = [
        _SplitModel(
            selector.fit(X[train], Y[train]).ranking_,
            OkapiNeighbors(n_neighbors).fit(X[train], Y[train]),
            test,
        )
        for train, test in splits
    ]
    least = min(part.ranking.size for part in parts)
    if least == 0:
        raise ValueError(f"cut must leave a term, got {selector.cut}.")
    sizes = [size for size in SIZES if size < least]
    values = np.hstack([_r_precisions(X, Y, part, sizes) for part in parts])
    values = values[:, ~np.isnan(values[0])]
    n_rows = values.shape[1]
    if n_rows == 0:
        raise ValueError("Y must have a label in a test row, got none.")
    errors = values.std(axis=1, ddof=min(1, n_rows - 1)) / np.sqrt(n_rows)
    return TermCurve([*sizes, least], values.mean(axis=1), errors)


def _r_precisions(X: Any, Y: Any, part: _SplitModel, sizes: list[int]) -> np.ndarray:
    """Return R-precision of each test row at each size and with all terms of the ranking."""
    every = [*sizes, part.ranking.size]
    n_together = max(1, _BLOCK // (len(every) * Y.shape[1]))
    found = []
    for start in range(0, part.test.size, n_together):
        rows = part.test[start : start + n_together]
        curve = part.model.score_curve(X[rows], part.ranking, every)
        truth = sparse.csc_array(Y[rows])
        found.append([r_precision_of(find_places(truth, scores, "sample")) for scores in curve])
    return np.hstack(found)
