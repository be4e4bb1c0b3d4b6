"""Measures of scores: values of each ranking, from the ranks of positives or the top labels.

A ranking is the scores of a sample, of a label or of all cells. Most measures are functions of
`RankedPositives`, the ranks of the positives of each ranking; `evaluate` computes the ranks once
for all of them. Measures of the k top-ranked labels that are means over labels, and those that
weigh labels by their propensity, are functions of `TopLabels`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import Counts, f_measure, precision, ratio, recall, unchecked
from labelwise._measuring._ranks import RankedPositives, WeightedPositives
from labelwise._validation import Outcome, check_labels, check_readable

# Number of scores that are sorted at a time.
_BLOCK = 2**21


def average_precision_of(places: RankedPositives | WeightedPositives) -> np.ndarray:
    """Compute the average precision of each ranking."""
    purity = places.hits_at_least / places.at_least
    return np.asarray(ratio(places.total(purity), places.n_positives, np.nan))


def area_under_roc_of(places: RankedPositives | WeightedPositives) -> np.ndarray:
    """Compute the area under the ROC curve of each ranking."""
    return 1 - share_of_pairs(places, (places.misses_above + places.misses_at_least) / 2)


def share_of_pairs(places: RankedPositives | WeightedPositives, n_wrong: np.ndarray) -> np.ndarray:
    """Divide the wrong pairs of each ranking by its number of (positive, negative) pairs."""
    n_pairs = places.n_positives * places.n_negatives
    return np.asarray(ratio(places.total(n_wrong), n_pairs, np.nan))


def coverage_of(places: RankedPositives) -> np.ndarray:
    """Compute the coverage of each ranking, from 0."""
    depth = np.full(places.n_positives.size, np.nan)
    has_any = places.n_positives > 0
    depth[has_any] = places.at_least[np.cumsum(places.n_positives)[has_any] - 1] - 1
    return depth


def ranking_loss_of(places: RankedPositives) -> np.ndarray:
    """Compute the share of wrongly ordered pairs of each ranking."""
    return share_of_pairs(places, places.misses_at_least)


def one_error_of(places: RankedPositives) -> np.ndarray:
    """Mark rankings without a positive alone at the top by 1, others by 0."""
    is_wrong = places.total(places.position == 1) == 0
    return np.where(places.n_positives > 0, is_wrong, np.nan)


def r_precision_of(places: RankedPositives) -> np.ndarray:
    """Compute the precision of each ranking at its number of positives."""
    n_hits = places.total(places.position <= places.n_positives[places.ranking])
    return np.asarray(ratio(n_hits, places.n_positives, np.nan))


def precision_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Compute the precision of each ranking at k."""
    return np.where(places.n_positives > 0, places.total(places.position <= k) / k, np.nan)


def recall_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Compute the recall of each ranking at k."""
    return np.asarray(ratio(places.total(places.position <= k), places.n_positives, np.nan))


def ndcg_at_of(places: RankedPositives, k: int) -> np.ndarray:
    """Compute the NDCG of each ranking at k."""
    gain_to = np.concatenate(([0], np.cumsum(1 / np.log2(np.arange(2, k + 2)))))
    start, end = np.minimum(places.above, k), np.minimum(places.at_least, k)
    shared = (gain_to[end] - gain_to[start]) / (places.at_least - places.above)
    best = gain_to[np.minimum(places.n_positives, k)]
    return np.asarray(ratio(places.total(shared), best, np.nan))


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
    """Rank the k best labels of each sample, and the best ranking by inverse propensities."""
    n_samples, n_labels = Y.shape
    weighed = np.ones(n_labels) if inverse is None else inverse
    rows, labels, ranks = _top(scores, k)
    truth = sparse.csr_array(Y)
    truth.sort_indices()
    owners = np.repeat(np.arange(n_samples), np.diff(truth.indptr))
    present, wanted = owners * n_labels + truth.indices, rows * n_labels + labels
    places = np.searchsorted(present, wanted)
    is_hit = np.append(present, -1)[places] == wanted
    counted = None if weights is None else weights[owners]
    positives = np.bincount(truth.indices, counted, minlength=n_labels)
    found = TopLabels(rows, labels, ranks, is_hit, positives, n_samples, weights, weighed)
    if inverse is None:
        return found
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


macro_precision_of = partial(_of_counts, unchecked(precision))
macro_recall_of = partial(_of_counts, unchecked(recall))
macro_f_of = partial(_of_counts, unchecked(f_measure))


def label_coverage_of(top: TopLabels, k: int) -> np.ndarray:
    """Mark labels with true positives among the k top-ranked ones by 1; NaN without positives."""
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


def inverse_propensities(
    Y_train: Any,
    *,
    a: float = 0.55,
    b: float = 1.5,
    label_names: Sequence[str] | None = None,
) -> np.ndarray:
    """Compute how much a true positive counts in propensity-scored measures.

    Rare labels are often missing from the labels of a sample although they apply. A true
    positive of a rare label therefore counts more.

    Parameters
    ----------
    Y_train : array, sparse matrix, frame or list of sets of shape (n_train, n_labels)
        Labels of the training samples.
    a, b : float, default=0.55 and 1.5
        Parameters of the model of Jain et al.; 0.5 and 0.4 for Wikipedia data, 0.6 and 2.6 for
        Amazon data.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    ndarray of shape (n_labels,)
        One over the propensity of each label, at least 1.

    Raises
    ------
    ValueError
        If `Y_train` has values other than 0 and 1, has fewer than 3 samples, or if `a` or `b` is
        not a positive number.

    See Also
    --------
    evaluate : Measure scores with ``inverse_propensity=``.

    Notes
    -----
    With n training samples, of which n_j have label j, the inverse propensity is ::

        1 + C (n_j + b)^-a,   C = (log(n) - 1) (b + 1)^a.

    References
    ----------
    H. Jain, Y. Prabhu, M. Varma, "Extreme Multi-label Loss Functions for Recommendation, Tagging,
    Ranking and Other Missing Label Applications", KDD 2016.

    Examples
    --------
    >>> from labelwise.measures import inverse_propensities
    >>> inverse_propensities([[1, 0], [1, 0], [1, 1], [1, 0]]).round(3)
    array([1.25 , 1.386])
    """
    for name, number in (("a", a), ("b", b)):
        if not 0 < number < np.inf:
            raise ValueError(f"{name} must be a positive number, got {number!r}.")
    matrix = check_labels(Y_train, label_names=label_names, input_name="Y_train").matrix
    n_samples = matrix.shape[0]
    if n_samples < 3:
        raise ValueError(f"Y_train must have at least 3 samples, got {n_samples}.")
    constant = (np.log(n_samples) - 1) * (b + 1) ** a
    return np.asarray(1 + constant * (np.diff(matrix.indptr) + b) ** -a)


def check_inverse(inverse_propensity: Any, given: Outcome | None = None) -> np.ndarray | None:
    """Check one positive number for each label, and take those of labels with truth."""
    if inverse_propensity is None:
        return None
    check_readable(inverse_propensity, "inverse_propensity")
    found = np.asarray(inverse_propensity, dtype=np.float64)
    n_labels = None if given is None else given.Y.shape[1]
    if found.ndim != 1 or n_labels not in (None, found.size):
        wanted = "each label" if n_labels is None else f"each of {n_labels} labels"
        raise ValueError(
            f"inverse_propensity must be a number for {wanted}, got shape {found.shape}."
        )
    if not (np.isfinite(found) & (found > 0)).all():
        raise ValueError("inverse_propensity must be positive numbers.")
    return found if given is None else found[given.labels_with_truth()]
