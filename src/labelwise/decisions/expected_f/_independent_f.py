"""The label set with the highest expected F if labels are independent of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise._validation import check_scores
from labelwise.decisions.expected_f._probabilities import check_cells, f_weights


def maximize_expected_f_independent(
    proba: Any, *, beta: float = 1.0, allow_empty: bool = True
) -> tuple[Any, np.ndarray]:
    """Find the label sets of highest expected F-measure for independent labels.

    Labels of a sample are assumed to be independent given its features. The best set then consists
    of the k most probable labels, for some k.

    Parameters
    ----------
    proba : array, sparse matrix or frame of shape (n_samples, n_labels)
        Probabilities from 0 to 1; absent entries of a sparse matrix are 0.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number.
    allow_empty : bool, default=True
        Whether the empty set may be the best one. Without it, a sample gets a label wherever one
        has a probability above 0.

    Returns
    -------
    decided : ndarray of int8 of shape (n_samples, n_labels), or csr_array of bool
        1 for the labels of the best set; sparse if `proba` is sparse. Among sets whose values are
        equal within rounding, the one with the fewest labels, and then with the first labels.
    value : ndarray of shape (n_samples,)
        Expected F-measure of the returned sets if the labels are independent.

    Raises
    ------
    ValueError
        If a probability is not within [0, 1], or if `beta` is not positive. `CalibratedLabels`
        turns scores into probabilities.

    See Also
    --------
    maximize_expected_f : The same for any joint distribution of the labels.
    CalibratedLabels : Turn the scores of an estimator into probabilities.

    Notes
    -----
    Let S be the number of labels of a sample, and S_{-i} the number without label i. With labels
    numbered by falling probability, the k most probable ones have the expected F-measure ::

        E F = Σ_s Q_k(s) (1 + β²) / (β² s + k),    Q_k(s) = Σ_{i <= k} p_i P(S_{-i} = s - 1),

    and the empty set has P(S = 0), since the F-measure of two empty sets is 1.

    A sample takes O(n_labels · m), where S exceeds m with a probability below 1e-18. The
    distribution of S takes one pass over the labels; the distribution of S_{-i} follows from it in
    one pass over the counts, from the end where rounding errors do not grow. k rises until an upper
    bound for all larger k is not above the best value. Samples are distributed over all cores; the
    result does not depend on their number. Only the output takes memory.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the
    F-Measure in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss
    Minimization", ICML 2013, section 4, where β must be rational for a time of O(n_labels²)
    (dembczynski2013).

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
    check_cells(matrix, names, "proba")
    flat, bounds = _flat(matrix)
    decided = np.empty(flat.size, dtype=np.int8)
    value = np.empty(matrix.shape[0])

    def decide(rows: slice) -> None:
        own = bounds[rows.start : rows.stop + 1]
        block = np.asarray(flat[own[0] : own[-1]], dtype=np.float64)
        own_decided = decided[own[0] : own[-1]]
        decide_rows(block, own - own[0], weights, bool(allow_empty), own_decided, value[rows])

    for_row_blocks(decide, matrix.shape[0], matrix.shape[1])
    return _like(matrix, decided), value


def _flat(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the stored values of all rows in one array, and the bounds of each row in it."""
    if sparse.issparse(matrix):
        return matrix.data, matrix.indptr.astype(np.int64)
    bounds = np.arange(matrix.shape[0] + 1, dtype=np.int64) * matrix.shape[1]
    return np.ascontiguousarray(matrix).ravel(), bounds


def _like(matrix: Any, decided: np.ndarray) -> Any:
    """Return the decisions for `_flat` values, dense or sparse as the probabilities are."""
    if not sparse.issparse(matrix):
        return decided.reshape(matrix.shape)
    parts = decided.astype(bool), matrix.indices, matrix.indptr
    sets = sparse.csr_array(parts, shape=matrix.shape, copy=True)
    sets.eliminate_zeros()
    return sets
