"""New frequencies of labels from probabilities without labels, and a test whether they moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._label_shift._label_priors_kernels import most_likely_prior
from labelwise._parallel import for_row_blocks

# Labels that are read together from row-major probabilities: two cache lines.
_TOGETHER = 16


def for_each_label(proba: Any, work: Callable[[int, np.ndarray], None]) -> None:
    """Call `work` with each label and its stored probabilities, in threads.

    `proba` is dense or CSC, where a probability that is not stored is 0. Only the columns of a few
    labels are copied at a time. The result does not depend on the number of threads if each call
    writes only what belongs to its label.
    """
    n_samples, n_labels = proba.shape

    def on_block(labels: slice) -> None:
        if sparse.issparse(proba):
            ends = proba.indptr[labels.start : labels.stop + 1]
            stored = proba.data[ends[0] : ends[-1]].astype(np.float64)
            columns = np.split(stored, ends[1:-1] - ends[0])
        else:
            columns = list(np.ascontiguousarray(proba[:, labels].T, dtype=np.float64))
        for j, column in zip(range(n_labels)[labels], columns, strict=True):
            work(j, column)

    for_row_blocks(on_block, n_labels, n_samples, _TOGETHER * n_samples)


class LabelShift(NamedTuple):
    """Frequencies of labels in the tuning data and in new data, and a test of their equality.

    Labels without positives or without negatives in the tuning data keep their frequency. P values
    of labels that are not tested are NaN.
    """

    old: np.ndarray
    new: np.ndarray
    p_values: np.ndarray  # adjusted for the number of labels
    moved: np.ndarray
    varies: np.ndarray  # labels with positives and negatives in the tuning data
    n_iterations: int


def estimate_shift(
    proba: Any, support: np.ndarray, n_tuned: Any, alpha: float, tested: np.ndarray
) -> LabelShift:
    """Estimate the new frequency of each label, and test whether it differs from the old one.

    `n_tuned` is the number of tuning samples, of all labels or of each; `tested` is a mask of the
    labels that may have moved.
    """
    n_samples, n_tuned = proba.shape[0], np.broadcast_to(n_tuned, support.shape)
    old = support / np.maximum(n_tuned, 1)
    found = np.zeros((4, old.size))
    varies = (old > 0) & (old < 1)

    def estimate(j: int, column: np.ndarray) -> None:
        if varies[j]:
            found[:, j] = most_likely_prior(column, n_samples - column.size, old[j])

    for_each_label(proba, estimate)
    new, total, squares, steps = found
    new = np.where(varies, new, old)
    p_values = np.full(old.size, np.nan)
    tested = tested & varies
    if tested.any():
        p_values[tested] = _p_values(
            total[tested], squares[tested], n_samples, support[tested], n_tuned[tested]
        )
    moved = tested & (p_values <= alpha)
    return LabelShift(old, new, p_values, moved, varies, int(steps.max(initial=0)))


def _p_values(
    total: np.ndarray, squares: np.ndarray, n: int, support: np.ndarray, n_tuned: np.ndarray
) -> np.ndarray:
    """Test for each label that new probabilities and tuning labels have the same expectation.

    `total` and `squares` are sums of the n new probabilities of each label and of their squares.
    One positive and one negative are added to both, as Agresti and Caffo do: without them, few
    samples of a rare label, none of them positive, would seem to have no variance.
    """
    from scipy.special import erfc
    from scipy.stats import false_discovery_control

    total, squares, n, n_tuned = total + 1, squares + 1, n + 2, n_tuned + 2
    mean, old = total / n, (support + 1) / n_tuned
    of_new = (squares - old * (2 * total - old * n)) / n**2
    # The variance of the old frequency is computed at the frequency where it is larger, since an
    # old frequency that is too low by chance would make it too small.
    of_tuned = np.maximum(mean * (1 - mean), old * (1 - old)) / n_tuned
    ratio = np.abs(mean - old) / np.sqrt(of_new + of_tuned)
    return np.asarray(false_discovery_control(erfc(ratio / np.sqrt(2))))
