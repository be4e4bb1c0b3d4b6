"""How often two labels occur together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import as_text
from labelwise._validation import check_labels, check_whole

# Pairs in a printed table.
_MOST_SHOWN = 10


class LabelPair(NamedTuple):
    """Two labels, and how often they occur together."""

    first: str
    second: str
    together: int
    share_of_first: float
    share_of_second: float
    lift: float


@dataclass(frozen=True, eq=False, repr=False)
class CoOccurrence:
    """Number of samples with two labels, for all pairs; prints frequent pairs.

    `co_occurrence` creates it.

    Parameters
    ----------
    label_names : tuple of str
        Names of the labels, the most frequent one first.
    counts : array of int of shape (n_labels, n_labels)
        Samples with both labels; on the diagonal, samples with the label.
    n_samples : int
        Number of samples.
    n_left_out : int, default=0
        Number of rarer labels that are not counted.

    See Also
    --------
    co_occurrence : Count pairs of labels.

    Examples
    --------
    >>> from labelwise.data import co_occurrence
    >>> found = co_occurrence([{"sea"}, {"sea", "sky"}, {"sky", "sea"}])
    >>> found.label_names, found.counts.tolist()
    (('sea', 'sky'), [[3, 2], [2, 2]])
    """

    label_names: tuple[str, ...]
    counts: np.ndarray
    n_samples: int
    n_left_out: int = 0

    @property
    def shares(self) -> np.ndarray:
        """Share of the samples of label i with label j; NaN without samples."""
        sizes = np.diagonal(self.counts)[:, np.newaxis].astype(np.float64)
        shares = np.full(self.counts.shape, np.nan)
        np.divide(self.counts, sizes, out=shares, where=sizes > 0)
        return shares

    def pairs(self, most: int = 100) -> list[LabelPair]:
        """List the pairs of labels that occur together most often.

        Parameters
        ----------
        most : int, default=100
            Number of pairs; pairs that never occur together are not listed.

        Returns
        -------
        list of LabelPair
            Names of two labels, samples with both, the share of the samples of each label that
            have the other one, and the lift: samples with both, divided by those that two
            independent labels of these frequencies would have.
        """
        first, second = np.triu_indices(len(self.label_names), 1)
        together = self.counts[first, second]
        order = np.argsort(-together, kind="stable")[:most]
        sizes = np.diagonal(self.counts)
        return [
            LabelPair(
                self.label_names[i],
                self.label_names[j],
                both,
                both / int(sizes[i]),
                both / int(sizes[j]),
                both * self.n_samples / (int(sizes[i]) * int(sizes[j])),
            )
            for i, j, both in zip(
                first[order].tolist(), second[order].tolist(), together[order].tolist(), strict=True
            )
            if both
        ]

    def __repr__(self) -> str:
        rows = [
            [pair.first, pair.second, f"{pair.together:,}", f"{pair.lift:.3g}"]
            for pair in self.pairs(_MOST_SHOWN)
        ]
        return as_text([["label", "with", "samples", "lift"], *rows])


def co_occurrence(
    Y: Any, *, label_names: Sequence[str] | None = None, max_labels: int = 1000
) -> CoOccurrence:
    """Count the samples of each pair of labels.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels of the samples.
    label_names : sequence of str, default=None
        Names of the labels; None takes those of a frame or of sets, otherwise "0", "1", ...
    max_labels : int, default=1000
        Number of the most frequent labels whose pairs are counted; the memory is that of
        max_labels² numbers.

    Returns
    -------
    CoOccurrence
        Counts of pairs, the most frequent labels first.

    Raises
    ------
    TypeError
        If `Y` does not contain labels.
    ValueError
        If `max_labels` is below 1.

    See Also
    --------
    label_profile : Count samples of single labels and of label sets.

    Examples
    --------
    >>> from labelwise.data import co_occurrence
    >>> co_occurrence([{"sea"}, {"sea", "sky"}, {"sky", "sea"}, set()])
    label  with  samples  lift
    sea     sky        2  1.33
    """
    most = check_whole(max_labels, "max_labels", least=1)
    labels = check_labels(Y, label_names=label_names)
    n_samples, n_labels = labels.matrix.shape
    order = np.argsort(-np.diff(labels.matrix.indptr), kind="stable")[:most]
    chosen = sparse.csc_array(labels.matrix[:, order], dtype=np.int64)
    names = labels.names or tuple(map(str, range(n_labels)))
    counts = (chosen.T @ chosen).toarray()
    return CoOccurrence(tuple(names[j] for j in order), counts, n_samples, max(n_labels - most, 0))
