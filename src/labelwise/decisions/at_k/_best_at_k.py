"""The public function `best_at_k`: at most k labels a sample for the highest expected value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import Measure
from labelwise._tuning.problem._decisions import as_given, columns_of_labels, decided_by_label
from labelwise._validation import check_scores, check_whole
from labelwise.decisions.at_k._ascent import (
    Expected,
    ascend,
    check_goal,
    gain_lines,
    linear_terms,
    ratios_of,
    rounded_outward,
    top_entries,
)
from labelwise.decisions.at_k._at_k_kernels import CandidateCells, Ratios
from labelwise.decisions.expected_f._probabilities import check_cells
from labelwise.measures import Counts

# Gaps of at most this size are said to be 0: they are those of sums that are rounded outward.
_ROUNDING = 1e-9
# Prices of the rule are lower by this share, so that cells with nearly no gain are decided.
_EVEN = 1e-12
# A probability of 1 leaves no chance of a miss, whose logarithm is infinite.
_MOST = 1 - 2.0**-53


@dataclass(frozen=True, eq=False, repr=False)
class BestAtK:
    """Decisions of at most k labels a sample, and a rule for other samples.

    `best_at_k` returns such objects.

    Attributes
    ----------
    decided : ndarray of int8 of shape (n_samples, n_labels), csr_array of bool, or frame
        1 where a label is decided, in the form of the probabilities.
    value : float
        Expected value of the decisions, see the notes of `best_at_k`.
    bound : float
        Upper bound of the expected value of any decisions of at most k labels a sample.
    k : int
        Largest number of labels of a sample.
    maximize : str
        Name of what was maximised.
    slopes, prices : ndarray of shape (n_labels,)
        The rule of `decide`: a decision with probability p gains ``slope · p - price``.
    rule_value : float
        Expected value of the decisions that the rule makes for the same samples.
    label_names : tuple of str or None
        Names of the labels, those of the columns of a frame.
    gap : float
        ``bound - value``. The bound is rounded outward: if the decisions are proven to be the
        best, the gap is below 1e-9, unless a label has nearly no positives or negatives.
    rule_gap : float
        ``bound - rule_value``.

    See Also
    --------
    best_at_k : Decide at most k labels a sample.
    """

    decided: Any
    value: float
    bound: float
    k: int
    maximize: str
    slopes: np.ndarray
    prices: np.ndarray
    rule_value: float
    label_names: tuple[str, ...] | None = None

    @property
    def gap(self) -> float:
        """Upper bound of how much higher the value of other decisions can be."""
        return max(0.0, self.bound - self.value)

    @property
    def rule_gap(self) -> float:
        """Upper bound of what the rule loses to any other decisions."""
        return max(0.0, self.bound - self.rule_value)

    def __len__(self) -> int:
        return int(self.slopes.size)

    def decide(self, proba: Any) -> Any:
        """Decide other samples, each by itself: the k highest gains above 0.

        Parameters
        ----------
        proba : array, sparse matrix or frame of shape (n_samples, n_labels)
            Probabilities from 0 to 1; absent entries of a sparse matrix are 0. The columns of a
            frame are matched by name if those of the given probabilities had names.

        Returns
        -------
        ndarray of int8 of shape (n_samples, n_labels), csr_array of bool, or frame
            1 where a label is decided, in the form of the probabilities.

        Raises
        ------
        ValueError
            If a probability is not within [0, 1], or if the labels are not those of the rule.

        Examples
        --------
        >>> from labelwise.decisions import best_at_k
        >>> rule = best_at_k([[0.9, 0.4], [0.8, 0.3], [0.7, 0.1]], 1, maximize="macro-f")
        >>> rule.decide([[0.8, 0.5], [0.7, 0.2]])
        array([[0, 1],
               [1, 0]], dtype=int8)
        """
        matrix, names = check_scores(proba, input_name="proba")
        check_cells(matrix, names, "proba")
        n_columns = matrix.shape[1]
        if (self.label_names is None or names is None) and n_columns != len(self):
            raise ValueError(f"proba has {n_columns} labels, but the rule has {len(self)}.")
        columns = columns_of_labels(self, names, n_columns, "proba")
        return as_given(decided_by_label(self._decide, matrix, columns), proba)

    def _decide(self, matrix: Any) -> Any:
        """Decide checked probabilities whose columns have the order of the labels."""
        expected, stored = _expected(matrix, is_coverage=False)
        chosen = top_entries(expected, linear_terms(self.slopes, -self.prices), self.k)
        return _decided(stored, chosen, matrix)

    def __repr__(self) -> str:
        is_highest = self.gap <= _ROUNDING
        proof = "the highest of all" if is_highest else f"at most {self.gap:.2g} below it"
        n_samples, n_labels = self.decided.shape
        return (
            f"At most {self.k} of {n_labels:,} labels for each of {n_samples:,} samples: "
            f"expected {self.maximize} {self.value:.4f}, {proof}; "
            f"{self.rule_value:.4f} if each sample is decided by itself"
        )


def best_at_k(proba: Any, k: int, *, maximize: str = "macro-f", beta: float = 1.0) -> BestAtK:
    """Decide at most k labels a sample for the highest expected measure.

    The k most probable labels of each sample maximise precision and recall of the samples. Measures
    that are averaged over labels, such as macro F, need other labels: rare ones as well.

    Parameters
    ----------
    proba : array, sparse matrix or frame of shape (n_samples, n_labels)
        Probabilities from 0 to 1; absent entries of a sparse matrix are 0. All samples are decided
        together.
    k : int
        Largest number of labels of a sample, at least 1.
    maximize : str, default="macro-f"
        The measure to maximise: one of

        - "micro-" and one of "f", "jaccard", "precision", "recall", "accuracy",
          "balanced-accuracy", "g-mean", "matthews";
        - "macro-" and one of "f", "jaccard", "precision", "recall", "accuracy",
          "balanced-accuracy";
        - "coverage", the share of labels that are decided for at least one sample that has them.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.

    Returns
    -------
    BestAtK
        The decisions, their expected value, an upper bound of the value of any decisions, and a
        rule for samples that arrive one by one (`BestAtK.decide`).

    Raises
    ------
    TypeError
        If `k` is not a whole number or `maximize` is not a string.
    ValueError
        If a probability is not within [0, 1], if `k` is below 1, or if `maximize` is unknown.
        `CalibratedLabels` turns scores into probabilities.

    See Also
    --------
    rank_cut : Decide the k labels with the highest scores.
    maximize_expected_f_independent : Maximise the expected F-measure of each sample.
    best_thresholds : Find the thresholds with the highest value of a measure.

    Notes
    -----
    With decisions d and probabilities p, label j has the expected counts ::

        TP_j = Σ_i p_ij d_ij,   FP_j = Σ_i d_ij - TP_j,   FN_j = Σ_i p_ij - TP_j,

    and TN_j, the rest of the samples. The expected value is the measure of these counts, which
    differs little from the expectation of the measure if labels have many samples; accuracy, and
    recall with known positives, are linear and have no difference. A label for which the measure
    is not defined counts as 0; F and Jaccard of a label without positives and decisions are 1. The
    coverage is an exact expectation if the cells are independent: the mean over labels of
    ``1 - Π_i (1 - p_ij d_ij)``.

    Micro averages are exact: the best s decisions are the s highest probabilities among the k
    highest of each sample, and every s is tried. Macro recall, accuracy and balanced accuracy are
    sums over cells and exact, too. Other macro averages and the coverage are maximised by block
    coordinate ascent: each sample in turn gets the labels that raise the value most while all
    other samples stay, in O(number of stored probabilities) for each pass. The bound is the lower
    one of two: each label with its best samples, without a limit for samples; and, for F, precision
    and coverage, a Lagrangian bound with a price for each sample. There are three starts; if the
    first comes within a thousandth of the bound, the others are left out.

    The rule of `BestAtK.decide` is linear in the probability: the gain of one decision more, with
    the counts of the labels as they are after these decisions. It is nearly as good for new samples
    if these samples are many. Macro precision and the coverage depend on the number of samples
    (macro precision is highest if each label is decided for its single most probable sample):
    they are better decided together, and `BestAtK.rule_gap` says what the rule loses.

    References
    ----------
    E. Schultheis, M. Wydmuch, W. Kotłowski, R. Babbar, K. Dembczyński, "Generalized Test Utilities
    for Long-tail Performance in Extreme Multi-label Classification", NeurIPS 2023.

    Examples
    --------
    >>> from labelwise.decisions import best_at_k
    >>> proba = [[0.9, 0.4], [0.8, 0.3], [0.7, 0.1]]
    >>> best = best_at_k(proba, 1, maximize="macro-f")
    >>> best.decided
    array([[0, 1],
           [1, 0],
           [1, 0]], dtype=int8)
    >>> round(best.value, 3)
    0.563
    """
    matrix, names = check_scores(proba, input_name="proba")
    k = check_whole(k, "k")
    average, measure = check_goal(maximize, beta)
    check_cells(matrix, names, "proba")
    expected, stored = _expected(matrix, is_coverage=measure is None)
    ratios = ratios_of(measure, expected) if average == "macro" else None
    if ratios is None:
        chosen, value, bound = _best_micro(expected, measure, k)
        lines = np.ones(expected.n_labels), _lowest_decided(expected, chosen, k)
    else:
        if measure is not None and not ratios.factors[:, 4:].any():
            chosen, value, bound = _best_linear(expected, measure, ratios, k)
        else:
            chosen, value, bound = ascend(expected, ratios, k)
        lines = gain_lines(ratios, expected, chosen)
    slopes, prices = lines[0], lines[1] - _EVEN * np.abs(lines[1])
    ruled = top_entries(expected, linear_terms(slopes, -prices), k)
    rule_value = _value(expected, average, measure, ruled)
    decided = as_given(_decided(stored, chosen, matrix), proba)
    return BestAtK(decided, value, bound, k, maximize, slopes, prices, rule_value, names)


def _lowest_decided(expected: Expected, chosen: np.ndarray, k: int) -> np.ndarray:
    """Return the probability from which the k most probable labels of a sample are decided.

    It is above 1 if nothing is decided.
    """
    possible = top_entries(expected, linear_terms(np.ones(expected.n_labels)), k)
    others = expected.cells.proba[np.setdiff1d(possible, chosen)]
    lowest = expected.cells.proba[chosen].min(initial=4.0)
    return np.full(expected.n_labels, (lowest + others.max(initial=0.0)) / 2)


def _value(expected: Expected, average: str, measure: Measure | None, chosen: np.ndarray) -> float:
    """Return the expected value of decided cells."""
    if measure is None:
        labels, amounts = expected.cells.labels[chosen], expected.cells.amounts[chosen]
        return float(-np.expm1(-np.bincount(labels, amounts, minlength=expected.n_labels)).mean())
    counts = expected.counts(chosen)
    if average == "micro":
        counts = Counts(*(part.sum(keepdims=True) for part in counts))
    return float(np.nan_to_num(measure(counts)).mean())


def _expected(matrix: Any, *, is_coverage: bool) -> tuple[Expected, sparse.csr_array]:
    """Return the probabilities above 0 as cells, and as CSR."""
    stored = sparse.csr_array(matrix, dtype=np.float64)
    if np.count_nonzero(stored.data) < stored.nnz:
        stored = stored.copy()
        stored.eliminate_zeros()
    amounts = stored.data
    if is_coverage:
        amounts = -np.log1p(-np.minimum(amounts, _MOST))
    # Labels of 32 bits: passes over all cells take as long as reading them from memory.
    labels = stored.indices.astype(np.int32, copy=False)
    cells = CandidateCells(stored.indptr.astype(np.int64), labels, stored.data, amounts)
    positives = stored.T @ np.ones(stored.shape[0])
    n_absent = stored.shape[0] - np.bincount(labels, minlength=stored.shape[1])
    negatives = n_absent + np.bincount(labels, 1 - stored.data, minlength=stored.shape[1])
    return Expected(cells, positives, negatives, stored.shape[0]), stored


def _best_micro(expected: Expected, measure: Measure, k: int) -> tuple[np.ndarray, float, float]:
    """Return the decisions of the highest micro average, its value, and the value rounded outward.

    With s decisions, the s highest of the k highest probabilities of each sample have the most
    expected hits, and every measure gains from hits.
    """
    proba = expected.cells.proba
    possible = top_entries(expected, linear_terms(np.ones(expected.n_labels)), k)
    order = possible[np.argsort(-proba[possible], kind="stable")]
    never = expected.counts(possible)
    # As in `Expected.counts`, each count is a sum, and no difference of sums.
    hit, miss = proba[order], 1 - proba[order]
    counts = Counts(
        _sums_before(hit),
        _sums_before(miss),
        never.fn.sum() + _sums_before(hit[::-1])[::-1],
        never.tn.sum() + _sums_before(miss[::-1])[::-1],
    )
    values = np.nan_to_num(measure(counts))
    n_best = int(np.argmax(values))
    value = float(values[n_best])
    return np.sort(order[:n_best]), value, rounded_outward(value, 1, proba.size)


def _sums_before(terms: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, ... terms."""
    return np.concatenate(([0.0], np.cumsum(terms)))


def _best_linear(
    expected: Expected, measure: Measure, ratios: Ratios, k: int
) -> tuple[np.ndarray, float, float]:
    """Return the decisions of the highest sum over cells, the mean over labels, and its bound."""
    below = ratios.factors[:, 3]
    below = np.where(below > 0, below, np.inf)
    rise, change = ratios.factors[:, 1] / below, ratios.factors[:, 2] / below
    chosen = top_entries(expected, linear_terms(rise, change), k)
    value = float(np.nan_to_num(measure(expected.counts(chosen))).mean())
    # Terms of labels with nearly no positives or negatives are large, and so are their errors.
    n_cells = np.bincount(expected.cells.labels, minlength=expected.n_labels)
    return chosen, value, rounded_outward(value, 1, n_cells, np.abs(rise) + np.abs(change))


def _decided(stored: sparse.csr_array, chosen: np.ndarray, matrix: Any) -> Any:
    """Return the chosen cells, dense or sparse as the probabilities are."""
    starts = np.searchsorted(chosen, stored.indptr).astype(stored.indptr.dtype)
    ones = np.ones(chosen.size, dtype=bool)
    decided = sparse.csr_array((ones, stored.indices[chosen], starts), shape=stored.shape)
    return decided if sparse.issparse(matrix) else decided.toarray().astype(np.int8)
