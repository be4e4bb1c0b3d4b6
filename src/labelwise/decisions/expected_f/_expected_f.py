"""The label set with the highest expected F, for any distribution of the labels (GFM)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise._validation import check_readable
from labelwise.decisions.expected_f._probabilities import (
    check_p_empty,
    f_weights,
    place_in,
    refuse_outside,
)


def maximize_expected_f(joint: Any, p_empty: Any, *, beta: float = 1.0) -> tuple[Any, np.ndarray]:
    """Return for each sample the label set with the highest expected F, and that value.

    Known as the general F-measure maximizer (GFM). With s_y the number of labels of y, a set h of
    k > 0 labels has

        E F(y, h) = Σ_{i in h} Σ_s P(y_i = 1, s_y = s) (1 + β²) / (β² s + k),

    so the best set of k labels holds the k largest inner sums, and the best set is the best of
    these and the empty one, whose value is `p_empty`: two empty sets score 1.

    Parameters
    ----------
    joint : array of shape (n_samples, n_labels, n_sizes), or sparse
        P(y_label = 1, s_y = s) at [sample, label, s - 1]. Sparse matrices have the shape
        (n_samples · n_labels, n_sizes), row ``sample * n_labels + label``; for instance
        ``scipy.sparse.vstack`` of one matrix for each sample. Sizes beyond the last have
        probability 0.
    p_empty : array of shape (n_samples,)
        P(no label).
    beta : float
        Weight of recall, any positive number.

    Returns
    -------
    decided : int8 array of shape (n_samples, n_labels), or boolean CSR if `joint` is sparse
        1 for the labels of the best set; of the fewest labels among sets of equal value, which
        is to say within rounding, and of the first labels among equal ones.
    value : array of shape (n_samples,)
        The expected F of that set.

    Raises
    ------
    ValueError
        If an entry is not within [0, 1]. Whether the entries agree with each other is not asked;
        `make_consistent` gives the nearest ones that do.

    Notes
    -----
    O(K · n_labels · (n_sizes + log K)) time for a sample, K being the numbers of labels tried:
    they are tried upwards, until Σ_i Σ_s p_is (1 + β²) / (β² s + k), which no set of k or more
    labels can exceed, is not above the best value. Of a sparse matrix, only the labels and sizes
    that a sample has entries for count. Samples are shared among all cores; what comes out does
    not depend on that. Memory beside the input is the output.

    References
    ----------
    dembczynski2013, section 4, equations 5 to 8.

    Examples
    --------
    Nothing at all has probability 0.5, label 1 alone 0.2, both labels 0.3:

    >>> from labelwise.decisions import maximize_expected_f
    >>> decided, value = maximize_expected_f([[[0.0, 0.3], [0.2, 0.3]]], [0.5])
    >>> decided, value
    (array([[0, 0]], dtype=int8), array([0.5]))
    """
    weights = f_weights(beta)
    check_readable(joint, "joint")
    if sparse.issparse(joint):
        return _decide_sparse(joint, p_empty, weights)
    table = np.asarray(joint)
    if table.dtype.kind not in "biuf":
        raise TypeError(f"joint must hold numbers, got {table.dtype}.")
    if table.ndim != 3:
        raise ValueError(f"joint must be 3-D, samples by labels by sizes, got {table.ndim}-D.")
    return _decide_dense(table, check_p_empty(p_empty, len(table)), weights)


def _decide_dense(
    joint: np.ndarray, p_empty: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from labelwise.decisions.expected_f._expected_f_kernels import decide_dense

    n_samples, n_labels, n_sizes = joint.shape
    refuse_outside(p_empty, "p_empty", place_in(p_empty.shape, {"sample": 0}))
    decided = np.empty((n_samples, n_labels), dtype=np.int8)
    value = np.empty(n_samples)

    def decide(rows: slice) -> None:
        block = np.ascontiguousarray(joint[rows], dtype=np.float64)
        # Checked here, where the block is in the cache; nothing is returned if any is refused.
        axes = {"sample": rows.start, "label": 0, "size": 1}
        refuse_outside(block, "joint", place_in(block.shape, axes))
        decide_dense(block, p_empty[rows], weights, decided[rows], value[rows])

    for_row_blocks(decide, n_samples, n_labels * n_sizes)
    return decided, value


def _decide_sparse(
    joint: Any, p_empty: Any, weights: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray]:
    from labelwise.decisions.expected_f._expected_f_kernels import SparseJoint, decide_sparse

    p_empty = check_p_empty(p_empty)
    refuse_outside(p_empty, "p_empty", place_in(p_empty.shape, {"sample": 0}))
    rows_of_all = _check_sparse(joint, p_empty.size)
    n_samples, n_labels = p_empty.size, rows_of_all.shape[0] // p_empty.size
    decided = np.empty((n_samples, n_labels), dtype=np.int8)
    value = np.empty(n_samples)

    def decide(rows: slice) -> None:
        bounds = rows_of_all.indptr[rows.start * n_labels : rows.stop * n_labels + 1]
        values = np.asarray(rows_of_all.data[bounds[0] : bounds[-1]], dtype=np.float64)
        columns = rows_of_all.indices[bounds[0] : bounds[-1]]
        block = SparseJoint(bounds - bounds[0], columns, values)
        n_sizes = rows_of_all.shape[1]
        decide_sparse(block, n_sizes, p_empty[rows], weights, decided[rows], value[rows])

    for_row_blocks(decide, n_samples, rows_of_all.nnz // n_samples + n_labels)
    return sparse.csr_array(decided.astype(bool)), value


def _check_sparse(joint: Any, n_samples: int) -> sparse.csr_array:
    """Return probabilities as CSR whose rows can be shared out among the samples."""
    if joint.ndim != 2 or n_samples == 0 or joint.shape[0] % n_samples:
        raise ValueError(
            f"joint, being sparse, must have as many rows as {n_samples} samples have labels "
            f"together, got shape {joint.shape}."
        )
    if joint.dtype.kind not in "biuf":
        raise TypeError(f"joint must hold numbers, got {joint.dtype}.")
    rows = sparse.csr_array(joint)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    n_labels = rows.shape[0] // n_samples

    def place(number: int) -> str:
        row = int(np.searchsorted(rows.indptr, number, side="right")) - 1
        sample, label = divmod(row, n_labels)
        return f"sample {sample}, label {label}, size {rows.indices[number] + 1}"

    refuse_outside(rows.data, "joint", place)
    return rows
