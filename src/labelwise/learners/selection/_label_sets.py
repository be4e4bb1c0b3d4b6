"""Joint probabilities of labels from scores of each label, by the label sets seen in training."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logit, softmax

from labelwise.decisions import maximize_expected_f

# Numbers in memory at a time, for a block of samples.
_TOGETHER = 2**22


class LabelSets(NamedTuple):
    """Different label sets of training samples, and how probable each is without any score."""

    members: sparse.csr_array  # bool of shape (n_sets, n_labels)
    log_weights: np.ndarray  # (n_sets,)


def label_sets_of(Y: np.ndarray, weights: np.ndarray) -> LabelSets:
    """Return the different label sets of samples whose labels are all known.

    The log-weight of a label set is the logarithm of its share of the samples minus the log-odds of
    its labels among the samples.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_labels)
        Labels, 0 or 1, or NaN where a label is missing.
    weights : ndarray of shape (n_samples,)
        Weight of each sample; those of weight 0 are left out.

    Returns
    -------
    LabelSets
        Without any set if each sample has a missing label or no weight.
    """
    counted = ~np.isnan(Y).any(axis=1) & (weights > 0)
    known, weights = Y[counted] == 1, weights[counted]
    _, first, numbers = np.unique(
        np.packbits(known, axis=1), axis=0, return_index=True, return_inverse=True
    )
    totals = np.bincount(numbers.ravel(), weights, first.size)
    members = sparse.csr_array(known[first])
    # Half a sample more of each class, because a label may have one class among these samples.
    log_odds = logit((weights @ known + 0.5) / (weights.sum() + 1))
    log_weights = np.log(totals / totals.sum()) - members.astype(np.float64) @ log_odds
    return LabelSets(members, log_weights)


def check_label_sets(members: Any, log_weights: Any, n_labels: int) -> None:
    """Refuse label sets of a model file that do not match each other or the labels."""
    if not isinstance(members, sparse.csr_array) or members.shape[1] != n_labels:
        raise ValueError(f"label_sets_ must be a csr_array with {n_labels} columns")
    shape = (members.shape[0],)
    is_array = isinstance(log_weights, np.ndarray) and log_weights.shape == shape
    if not is_array or not members.shape[0] or not np.isfinite(log_weights).all():
        raise ValueError("set_log_weights_ must have a finite number for each label set")


def decide_of_label_sets(log_odds: np.ndarray, seen: LabelSets, beta: float) -> np.ndarray:
    """Return the decisions of highest expected F if only seen label sets are possible.

    The probability of a label set is proportional to its share of the training samples, times the
    ratio of the odds of each of its labels for the sample to those in training::

        P(y | x) ∝ P(y) Π_{j in y} odds_j(x) / odds_j

    That is right if the likelihood ratio of a label set is the product of those of its labels.

    Parameters
    ----------
    log_odds : ndarray of shape (n_samples, n_labels)
        Log-odds of each label.
    seen : LabelSets
        At least one label set.
    beta : float
        Weight of recall in the F-measure.

    Returns
    -------
    ndarray of int8 of shape (n_samples, n_labels)
        1 for decided labels, 0 for others. The decided labels need not be a seen label set.
    """
    n_samples, n_labels = log_odds.shape
    sizes = np.diff(seen.members.indptr)
    n_sizes = max(1, int(sizes.max()))
    members = seen.members.astype(np.float64)
    of_size = [np.flatnonzero(sizes == size) for size in range(n_sizes + 1)]
    decided = np.empty((n_samples, n_labels), dtype=np.int8)
    n_together = max(1, _TOGETHER // max(sizes.size, n_labels * n_sizes))
    for start in range(0, n_samples, n_together):
        rows = slice(start, start + n_together)
        chance = softmax((members @ log_odds[rows].T).T + seen.log_weights, axis=1)
        joint = np.zeros((len(chance), n_labels, n_sizes))
        for size, sets in enumerate(of_size[1:]):
            joint[:, :, size] = chance[:, sets] @ members[sets]
        p_empty = chance[:, of_size[0]].sum(axis=1)
        # Sums of probabilities may exceed 1 by rounding.
        parts = np.minimum(joint, 1.0), np.minimum(p_empty, 1.0)
        decided[rows] = maximize_expected_f(*parts, beta=beta)[0]
    return decided
