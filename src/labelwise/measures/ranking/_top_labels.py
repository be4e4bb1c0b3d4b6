"""The top-ranked labels of each sample, and measures of them that are means over labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import Counts
from labelwise.measures import _count_measures as measures
from labelwise.measures._undefined import ratio

# Number of scores that are sorted at a time.
_BLOCK = 2**21


class TopLabels(NamedTuple):
    """The top-ranked labels of all samples, one entry each.

    Among equal scores, labels of lower column number come first; in sparse scores, absent labels
    are not ranked. `best` has the positives of each sample by falling inverse propensity.
    """

    rows: np.ndarray
    labels: np.ndarray
    ranks: np.ndarray  # from 0
    is_hit: np.ndarray
    positives: np.ndarray  # (weighted) number of positives of each label
    n_samples: int
    weights: np.ndarray | None  # of the samples
    inverse: np.ndarray  # inverse propensity of each label
    best: TopLabels | None = None

    def counts(self, k: int) -> Counts:
        """Return the counts of each label if the k top-ranked labels are decided."""
        is_top, size = self.ranks < k, self.positives.size
        tp, fp = (
            np.bincount(
                self.labels[chosen],
                None if self.weights is None else self.weights[self.rows[chosen]],
                minlength=size,
            )
            for chosen in (is_top & self.is_hit, is_top & ~self.is_hit)
        )
        fn = np.maximum(self.positives - tp, 0)
        n_samples = self.n_samples if self.weights is None else self.weights.sum()
        return Counts(tp, fp, fn, np.maximum(n_samples - tp - fp - fn, 0))

    def gains(self, k: int, discounts: np.ndarray) -> np.ndarray:
        """Return the sum of discounted inverse propensities of the hits of each sample."""
        chosen = (self.ranks < k) & self.is_hit
        each = self.inverse[self.labels[chosen]] * discounts[self.ranks[chosen]]
        return np.bincount(self.rows[chosen], each, minlength=self.n_samples)


def find_top(
    Y: sparse.csc_array,
    scores: Any,
    k: int,
    weights: np.ndarray | None = None,
    inverse: np.ndarray | None = None,
) -> TopLabels:
    """Rank the k best labels of each sample; without inverse propensities all are 1."""
    n_samples, n_labels = Y.shape
    inverse = np.ones(n_labels) if inverse is None else inverse
    rows, labels, ranks = _top(scores, k)
    truth = sparse.csr_array(Y)
    truth.sort_indices()
    owners = np.repeat(np.arange(n_samples), np.diff(truth.indptr))
    present, wanted = owners * n_labels + truth.indices, rows * n_labels + labels
    places = np.searchsorted(present, wanted)
    is_hit = np.append(present, -1)[places] == wanted
    counted = None if weights is None else weights[owners]
    positives = np.bincount(truth.indices, counted, minlength=n_labels)
    found = TopLabels(rows, labels, ranks, is_hit, positives, n_samples, weights, inverse)
    ideal = sparse.csr_array((inverse[truth.indices], truth.indices, truth.indptr), truth.shape)
    rows, labels, ranks = _top(ideal, k)
    every = np.ones(rows.size, dtype=bool)
    best = TopLabels(rows, labels, ranks, every, positives, n_samples, weights, inverse)
    return found._replace(best=best)


def _top(scores: Any, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row, label and rank (from 0) of the k highest scores of each row."""
    if not sparse.issparse(scores):
        together = max(1, _BLOCK // scores.shape[1])
        parts = [
            np.argsort(-scores[start : start + together], axis=1, kind="stable")[:, :k]
            for start in range(0, scores.shape[0], together)
        ]
        labels = np.concatenate(parts)
        rows = np.repeat(np.arange(labels.shape[0]), labels.shape[1])
        return rows, labels.ravel(), np.tile(np.arange(labels.shape[1]), labels.shape[0])
    sizes = np.diff(scores.indptr)
    powers = np.frexp(np.maximum(sizes - 1, 0))[1]
    # Rows of similar size are sorted together, as the rows of a table.
    found = [_top_of_alike(scores, np.flatnonzero(powers == p), k) for p in np.unique(powers)]
    rows, labels, ranks = (np.concatenate(part) for part in zip(*found, strict=True))
    return rows, labels, ranks


def _top_of_alike(
    scores: sparse.csr_array, rows: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the k highest scores of rows with about the same number of scores."""
    sizes, starts = np.diff(scores.indptr)[rows], scores.indptr[:-1][rows].astype(np.int64)
    width = int(sizes.max())
    is_there = np.arange(width) < sizes[:, None]
    table = np.full(is_there.shape, np.inf)
    table[is_there] = -scores.data[(starts[:, None] + np.arange(width))[is_there]]
    order = np.argsort(table, axis=1, kind="stable")[:, :k]
    is_there = np.arange(order.shape[1]) < sizes[:, None]
    entries = (starts[:, None] + order)[is_there]
    owners, ranks = np.nonzero(is_there)
    return rows[owners], scores.indices[entries].astype(np.int64), ranks


def _of_counts(measure: Callable[..., Any], top: TopLabels, k: int, **options: Any) -> np.ndarray:
    return np.asarray(measure(top.counts(k), **options))


macro_precision_of = partial(_of_counts, measures.precision)
macro_recall_of = partial(_of_counts, measures.recall)
macro_f_of = partial(_of_counts, measures.f_measure)


def label_coverage_of(top: TopLabels, k: int) -> np.ndarray:
    """Mark labels with a hit among the k top-ranked labels by 1; NaN without positives."""
    return np.where(top.positives > 0, top.counts(k).tp > 0, np.nan)


def ps_precision_of(top: TopLabels, k: int) -> np.ndarray:
    """Compute the gains of each sample and those of the best ranking, without discounts."""
    return _gains_and_best(top, k, np.ones(k))


def ps_ndcg_of(top: TopLabels, k: int) -> np.ndarray:
    """Compute the gains of each sample and those of the best ranking, discounted by rank."""
    return _gains_and_best(top, k, 1 / np.log2(np.arange(2, k + 2)))


def _gains_and_best(top: TopLabels, k: int, discounts: np.ndarray) -> np.ndarray:
    best = top if top.best is None else top.best
    return np.stack([one.gains(k, discounts) for one in (top, best)])


def share_of_best(means: Any) -> Any:
    """Divide the mean gain by that of the best ranking."""
    return ratio(means[0], means[1], np.nan)
