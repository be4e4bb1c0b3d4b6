"""Statistics of single labels and label sets: frequency, imbalance, sizes, common label sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import as_text
from labelwise._validation import check_labels, check_whole, labelset_numbers

# Rows of a printed table.
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class LabelProfile:
    """How often labels and label sets occur; prints as a table of labels.

    `label_profile` creates it.

    Parameters
    ----------
    label_names : tuple of str
        Names of the labels.
    counts : array of int of shape (n_labels,)
        Number of samples of each label.
    imbalance : array of shape (n_labels,)
        Imbalance ratio of each label: samples of the most frequent label for each sample of this
        one. Infinite for labels without samples.
    mean_imbalance : float
        Mean imbalance ratio of the labels with samples; NaN if there are none.
    sizes : array of int
        ``sizes[s]`` is the number of samples with s labels.
    labelsets : tuple of tuple of int
        The most frequent label sets, each as the numbers of its labels.
    labelset_counts : array of int of shape (n_shown,)
        Number of samples of each of `labelsets`.
    n_labelsets : int
        Number of distinct label sets, including those that are not in `labelsets`.

    See Also
    --------
    label_profile : Compute a profile.
    Dataset.describe : Summary statistics of all labels together.

    Examples
    --------
    >>> from labelwise.data import label_profile
    >>> profile = label_profile([{"sea"}, {"sea", "sky"}, {"sea"}, set()])
    >>> profile.counts, profile.imbalance, profile.labelsets[0]
    (array([3, 1]), array([1., 3.]), (0,))
    """

    label_names: tuple[str, ...]
    counts: np.ndarray
    imbalance: np.ndarray
    mean_imbalance: float
    sizes: np.ndarray
    labelsets: tuple[tuple[int, ...], ...]
    labelset_counts: np.ndarray
    n_labelsets: int

    def __repr__(self) -> str:
        order = np.argsort(-self.counts, kind="stable")
        rows = [
            [self.label_names[j], f"{self.counts[j]:,}", f"{self.imbalance[j]:.4g}"]
            for j in order[:_MOST_SHOWN]
        ]
        more = [f"and {order.size - _MOST_SHOWN:,} more"] if order.size > _MOST_SHOWN else []
        return "\n".join([as_text([["label", "samples", "imbalance ratio"], *rows]), *more])


def label_profile(
    Y: Any, *, label_names: Sequence[str] | None = None, max_labelsets: int = 100
) -> LabelProfile:
    r"""Count samples of labels and label sets, and measure imbalance.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels of the samples.
    label_names : sequence of str, default=None
        Names of the labels; None takes those of a frame or of sets, otherwise "0", "1", ...
    max_labelsets : int, default=100
        Number of the most frequent label sets to list.

    Returns
    -------
    LabelProfile
        Counts by label, by label set and by number of labels.

    Raises
    ------
    TypeError
        If `Y` does not contain labels.
    ValueError
        If `max_labelsets` is negative.

    See Also
    --------
    co_occurrence : Count how often two labels occur together.

    Notes
    -----
    The imbalance ratio of label j is :math:`IR_j = \max_i n_i / n_j`, where :math:`n_j` is its
    number of samples (IRLbl in the reference); 1 for the most frequent label.

    References
    ----------
    F. Charte, A. J. Rivera, M. J. del Jesus, F. Herrera, "Addressing Imbalance in Multilabel
    Classification: Measures and Random Resampling Algorithms", Neurocomputing 163, 2015.

    Examples
    --------
    >>> from labelwise.data import label_profile
    >>> label_profile([[1, 0], [1, 1], [1, 0]], label_names=["sea", "sky"])
    label  samples  imbalance ratio
    sea          3                1
    sky          1                3
    """
    most = check_whole(max_labelsets, "max_labelsets", least=0)
    labels = check_labels(Y, label_names=label_names)
    matrix = labels.matrix
    counts = np.diff(matrix.indptr).astype(np.int64)
    highest = counts.max(initial=0)
    imbalance = np.divide(highest, counts, out=np.full(counts.size, np.inf), where=counts > 0)
    present = imbalance[counts > 0]
    found, set_counts, n_sets = _common_labelsets(matrix, most)
    return LabelProfile(
        label_names=labels.names or tuple(map(str, range(counts.size))),
        counts=counts,
        imbalance=imbalance,
        mean_imbalance=float(present.mean()) if present.size else float("nan"),
        sizes=np.bincount(np.bincount(matrix.indices, minlength=matrix.shape[0])),
        labelsets=found,
        labelset_counts=set_counts,
        n_labelsets=n_sets,
    )


def _common_labelsets(
    Y: sparse.csc_array, most: int
) -> tuple[tuple[tuple[int, ...], ...], np.ndarray, int]:
    """Return the most frequent label sets with their counts, and how many sets there are."""
    numbers = labelset_numbers(Y)
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))[:most]
    rows = sparse.csr_array(Y)[first[order]]
    rows.sort_indices()
    sets = np.split(rows.indices, rows.indptr[1:-1]) if order.size else []
    return tuple(tuple(one.tolist()) for one in sets), counts[order], counts.size
