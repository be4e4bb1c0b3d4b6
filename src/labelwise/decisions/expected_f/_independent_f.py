"""The label set with the highest expected F, when labels are independent of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise._validation import check_scores
from labelwise.decisions.expected_f._probabilities import f_weights, refuse_outside


def maximize_expected_f_independent(proba: Any, *, beta: float = 1.0) -> tuple[Any, np.ndarray]:
    """Return for each sample the label set with the highest expected F, and that value.

    The labels are taken as independent; the best set then consists of the most probable ones.
    With S the number of labels that are on, and S_{-i} the same without label i, the k most
    probable ones have

        E F = Σ_s Q_k(s) (1 + β²) / (β² s + k),    Q_k(s) = Σ_{i <= k} p_i P(S_{-i} = s - 1),

    and the empty set has P(S = 0): two empty sets score 1.

    Parameters
    ----------
    proba : array, frame or sparse matrix of shape (n_samples, n_labels)
        P(y_label = 1); what a sparse matrix does not store is 0.
    beta : float
        Weight of recall, any positive number.

    Returns
    -------
    decided : int8 array of shape (n_samples, n_labels), or boolean CSR if `proba` is sparse
        1 for the labels of the best set; of the fewest labels among sets of equal value, which
        is to say within rounding, and of the first labels among equal ones.
    value : array of shape (n_samples,)
        The expected F of that set, if the labels are independent.

    Raises
    ------
    ValueError
        If a probability is not within [0, 1]; `CalibratedLabels` makes probabilities of scores.

    Notes
    -----
    O(n_labels · S) time for a sample, where the count exceeds S with a probability below 1e-18:
    the distribution of the count takes one pass, and leaving a label out of it one step back, from
    the end where errors do not grow. k goes upwards until no larger one can win, by a bound that
    holds for all of them. Samples are shared among all cores; what comes out does not depend on
    that. Memory beside the input is the output.

    References
    ----------
    dembczynski2013, section 4, where β must be rational for O(n_labels²).

    Examples
    --------
    >>> from labelwise.decisions import maximize_expected_f_independent
    >>> decided, value = maximize_expected_f_independent([[0.9, 0.6, 0.1], [0.1, 0.2, 0.1]])
    >>> decided
    array([[1, 1, 0],
           [0, 0, 0]], dtype=int8)
    >>> value.round(3)
    array([0.802, 0.648])
    """
    from labelwise.decisions.expected_f._independent_f_kernels import decide_rows

    weights = f_weights(beta)
    matrix, names = check_scores(proba, input_name="proba")
    flat, bounds = _flat(matrix)
    refuse_outside(flat, "proba", lambda number: _place(number, matrix, bounds, names))
    decided = np.empty(flat.size, dtype=np.int8)
    value = np.empty(matrix.shape[0])

    def decide(rows: slice) -> None:
        own = bounds[rows.start : rows.stop + 1]
        block = np.asarray(flat[own[0] : own[-1]], dtype=np.float64)
        decide_rows(block, own - own[0], weights, decided[own[0] : own[-1]], value[rows])

    for_row_blocks(decide, matrix.shape[0], matrix.shape[1])
    return _like(matrix, decided), value


def _flat(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of all rows one after the other, and where each row begins and ends."""
    if sparse.issparse(matrix):
        return matrix.data, matrix.indptr.astype(np.int64)
    bounds = np.arange(matrix.shape[0] + 1, dtype=np.int64) * matrix.shape[1]
    return np.ascontiguousarray(matrix).ravel(), bounds


def _like(matrix: Any, decided: np.ndarray) -> Any:
    """Return flat decisions in the form of the probabilities."""
    if not sparse.issparse(matrix):
        return decided.reshape(matrix.shape)
    parts = decided.astype(bool), matrix.indices, matrix.indptr
    sets = sparse.csr_array(parts, shape=matrix.shape, copy=True)
    sets.eliminate_zeros()
    return sets


def _place(number: int, matrix: Any, bounds: np.ndarray, names: tuple[str, ...] | None) -> str:
    """Say where one of the values stands."""
    row = int(np.searchsorted(bounds, number, side="right")) - 1
    j = int(matrix.indices[number] if sparse.issparse(matrix) else number - bounds[row])
    return f"row {row}, label {j if names is None else repr(names[j])}"
