"""The label set with the highest expected F for any joint distribution of the labels (GFM).

GFM needs the probability of each label together with each number of labels. `joint_from_samples`
estimates these from draws of label sets, and `make_consistent` projects estimates of several models
onto the probabilities of a distribution.
"""

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
    """Find the label set with the highest expected F-measure for each sample.

    This is the general F-measure maximizer (GFM) of Dembczyński et al. It makes no assumption
    about the distribution of the label vector y, and needs only the probabilities of each label
    together with the number of labels.

    Parameters
    ----------
    joint : array of shape (n_samples, n_labels, n_sizes), or sparse matrix
        P(y_label = 1, s_y = s) at [sample, label, s - 1], where s_y is the number of labels of y.
        A sparse matrix has the shape (n_samples · n_labels, n_sizes), with row
        ``sample * n_labels + label``, as ``scipy.sparse.vstack`` of one matrix per sample gives.
        Numbers of labels above n_sizes have probability 0.
    p_empty : array of shape (n_samples,)
        Probability that a sample has no label.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number.

    Returns
    -------
    decided : ndarray of int8 of shape (n_samples, n_labels), or csr_array of bool
        1 for the labels of the best set; sparse if `joint` is sparse. Among sets whose values are
        equal within rounding, the one with the fewest labels, and then with the first labels.
    value : ndarray of shape (n_samples,)
        Expected F-measure of the returned sets.

    Raises
    ------
    TypeError
        If `joint` does not contain numbers.
    ValueError
        If an entry is not within [0, 1], if shapes do not match, or if `beta` is not positive.
        Whether the entries are those of a distribution is not checked; `make_consistent` returns
        the nearest entries that are.

    See Also
    --------
    maximize_expected_f_independent : The same for independent labels.
    joint_from_samples : Estimate `joint` and `p_empty` from drawn label vectors.
    make_consistent : Project estimates onto the probabilities of a distribution.

    Notes
    -----
    A set h of k > 0 labels has the expected F-measure ::

        E F(y, h) = Σ_{i in h} Σ_s P(y_i = 1, s_y = s) (1 + β²) / (β² s + k),

    so that the best set of k labels has the k largest inner sums. The best set is the best of
    these sets and of the empty set, whose value is `p_empty`, since the F-measure of two empty
    sets is 1.

    A sample takes O(K · n_labels · (n_sizes + log K)), where K is the number of set sizes k that
    are tried. They are tried in rising order, until Σ_i Σ_s P(y_i = 1, s_y = s) (1 + β²) /
    (β² s + k), an upper bound for all sets of k or more labels, is not above the best value. For a
    sparse matrix, only labels and sizes with stored entries of the sample count. Samples are
    distributed over all cores; the result does not depend on their number. Only the output takes
    memory.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the
    F-Measure in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss
    Minimization", ICML 2013, section 4, equations 5 to 8 (dembczynski2013).

    Examples
    --------
    No label has probability 0.5, label 1 alone 0.2, and both labels together 0.3:

    >>> from labelwise.decisions import maximize_expected_f
    >>> decided, value = maximize_expected_f([[[0.0, 0.3], [0.2, 0.3]]], [0.5])
    >>> decided, value
    (array([[0, 0]], dtype=int8), array([0.5]))
    """
    weights = f_weights(beta)
    check_readable(joint, "joint")
    is_sparse = sparse.issparse(joint)
    table = joint if is_sparse else _check_table(joint, "joint", "samples by labels by sizes")
    empty = check_p_empty(p_empty, None if is_sparse else len(table))
    refuse_outside(empty, "p_empty", place_in(empty.shape, {"sample": 0}))
    return (_decide_sparse if is_sparse else _decide_dense)(table, empty, weights)


def _decide_dense(
    joint: np.ndarray, p_empty: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from labelwise.decisions.expected_f._expected_f_kernels import decide_dense

    n_samples, n_labels, n_sizes = joint.shape
    decided = np.empty((n_samples, n_labels), dtype=np.int8)
    value = np.empty(n_samples)

    def decide(rows: slice) -> None:
        block = np.ascontiguousarray(joint[rows], dtype=np.float64)
        # Checked here, while the block is in the cache. An error ends the call before it returns.
        axes = {"sample": rows.start, "label": 0, "size": 1}
        refuse_outside(block, "joint", place_in(block.shape, axes))
        decide_dense(block, p_empty[rows], weights, decided[rows], value[rows])

    for_row_blocks(decide, n_samples, n_labels * n_sizes)
    return decided, value


def _decide_sparse(
    joint: Any, p_empty: np.ndarray, weights: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray]:
    from labelwise.decisions.expected_f._expected_f_kernels import SparseJoint, decide_sparse

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
    """Return checked probabilities as CSR, with the same number of rows for each sample."""
    if joint.ndim != 2 or n_samples == 0 or joint.shape[0] % n_samples:
        raise ValueError(
            "sparse joint must have n_samples * n_labels rows, and p_empty gives "
            f"n_samples={n_samples}, got shape {joint.shape}."
        )
    if joint.dtype.kind not in "biuf":
        raise TypeError(f"joint must contain numbers, got {joint.dtype}.")
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


def joint_from_samples(samples: Any) -> tuple[np.ndarray, np.ndarray]:
    """Estimate joint probabilities from drawn label vectors.

    The probabilities are the arguments of `maximize_expected_f`. Use this function with any model
    that can draw label vectors of a sample.

    Parameters
    ----------
    samples : array of shape (n_draws, n_samples, n_labels)
        Label vectors drawn for each sample, 0/1 or boolean.

    Returns
    -------
    joint : ndarray of shape (n_samples, n_labels, n_sizes)
        Share of the draws with y_label = 1 and s labels in all, at [sample, label, s - 1], up to
        the largest number of labels in any draw.
    p_empty : ndarray of shape (n_samples,)
        Share of the draws without labels.

    Raises
    ------
    TypeError
        If `samples` does not contain numbers or booleans.
    ValueError
        If `samples` is not 3-D, has no draws, or has other values than 0 and 1.

    See Also
    --------
    maximize_expected_f : Find the label sets with the highest expected F-measure.

    Notes
    -----
    O(n_draws · n_samples · n_labels). The shares are the probabilities of a distribution, the one
    of the draws, so that `make_consistent` is not needed. Their standard error is at most
    0.5 / √n_draws.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the
    F-Measure in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss
    Minimization", ICML 2013, section 5 (dembczynski2013).

    Examples
    --------
    >>> from labelwise.decisions import joint_from_samples
    >>> joint, p_empty = joint_from_samples([[[1, 0]], [[1, 1]], [[1, 0]], [[0, 0]]])
    >>> joint
    array([[[0.5 , 0.25],
            [0.  , 0.25]]])
    >>> p_empty
    array([0.25])
    """
    draws = _check_draws(samples)
    sizes = draws.sum(axis=2)
    n_draws, n_samples, n_labels = draws.shape
    joint = np.zeros((n_samples, n_labels, max(1, int(sizes.max(initial=0)))))
    for draw, size in zip(draws, sizes, strict=True):
        i, j = np.nonzero(draw)
        # A draw has each sample and label once, so that no cell is counted twice.
        joint[i, j, size[i] - 1] += 1
    joint /= n_draws
    return joint, (sizes == 0).mean(axis=0)


def make_consistent(joint: Any, p_empty: Any) -> tuple[np.ndarray, np.ndarray]:
    """Project estimated probabilities onto those that a distribution can have.

    Estimates of P(y_i = 1, s_y = s) from separate models can contradict each other. The returned
    probabilities have the least Euclidean distance to the estimates among all probabilities that
    some distribution of the label vector has.

    Parameters
    ----------
    joint : array of shape (n_samples, n_labels, n_sizes)
        Estimates of P(y_label = 1, s_y = s) at [sample, label, s - 1], any finite numbers. Numbers
        of labels above n_sizes have probability 0, before and after.
    p_empty : array of shape (n_samples,)
        Estimated probabilities of no label.

    Returns
    -------
    joint : ndarray of shape (n_samples, n_labels, n_sizes)
        Consistent probabilities; float32 if the estimates are float32.
    p_empty : ndarray of shape (n_samples,)
        Consistent probabilities of no label.

    Raises
    ------
    TypeError
        If `joint` is sparse or does not contain numbers.
    ValueError
        If shapes do not match, or if an estimate is not a finite number.

    See Also
    --------
    maximize_expected_f : Find the label sets with the highest expected F-measure.

    Notes
    -----
    Let π_s be the probability of s labels, and p_is = P(y_i = 1, s_y = s). Some distribution has
    these probabilities if and only if ::

        Σ_i p_is = s π_s,    0 <= p_is <= π_s,    Σ_s π_s + p_empty = 1,    p_empty >= 0.

    The projection is exact up to rounding. For a given multiplier of the third constraint, the
    numbers p_is of each s are projected onto a cone in closed form after one sort; the multiplier
    is found by Newton steps on a piecewise linear function. A sample takes
    O(n_sizes · n_labels · log n_labels). Samples are distributed over all cores.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the
    F-Measure in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss
    Minimization", ICML 2013, section 5, names this step and leaves it open
    (dembczynski2013).

    Examples
    --------
    Two labels cannot both be the only label with probability 0.8:

    >>> from labelwise.decisions import make_consistent
    >>> joint, p_empty = make_consistent([[[0.8], [0.8]]], [0.1])
    >>> joint.round(2), p_empty.round(2)
    (array([[[0.5],
            [0.5]]]), array([0.]))
    """
    from labelwise.decisions.expected_f._expected_f_kernels import project_rows

    estimates, empty = _check_estimates(joint, p_empty)
    nearest, nearest_empty = np.empty_like(estimates, order="C"), np.empty_like(empty)

    def project(rows: slice) -> None:
        block = np.array(estimates[rows], dtype=np.float64, order="C")
        ranked = -np.sort(-block.transpose(0, 2, 1), axis=2)
        sums = np.concatenate([np.zeros((*ranked.shape[:2], 1)), ranked.cumsum(axis=2)], axis=2)
        project_rows(block, ranked, sums, empty[rows], nearest_empty[rows])
        nearest[rows] = block

    for_row_blocks(project, len(estimates), estimates.shape[1] * estimates.shape[2])
    return nearest, nearest_empty


def _check_estimates(joint: Any, p_empty: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return both estimates as float arrays, checked for shape and finite values."""
    if sparse.issparse(joint):
        raise TypeError("joint must be a dense array, got a sparse matrix.")
    estimates = _check_table(joint, "joint", "samples by labels by sizes")
    if 0 in estimates.shape[1:]:
        raise ValueError(f"joint must have a label and a size, got shape {estimates.shape}.")
    if estimates.dtype not in (np.float32, np.float64):
        estimates = estimates.astype(np.float64)
    empty = check_p_empty(p_empty, len(estimates))
    _refuse_infinite(estimates, "joint", {"sample": 0, "label": 0, "size": 1})
    _refuse_infinite(empty, "p_empty", {"sample": 0})
    return estimates, empty


def _check_draws(samples: Any) -> np.ndarray:
    """Return drawn label vectors as booleans, checked for shape and values."""
    draws = _check_table(samples, "samples", "draws by samples by labels")
    if draws.shape[0] == 0:
        raise ValueError(f"samples must have a draw, got shape {draws.shape}.")
    if draws.dtype == bool:
        return draws
    is_other = (draws != 0) & (draws != 1)
    if is_other.any():
        first = int(np.argmax(is_other))
        place = place_in(draws.shape, {"draw": 0, "sample": 0, "label": 0})(first)
        raise ValueError(f"samples must contain only 0 and 1, got {draws.flat[first]} at {place}.")
    return draws.astype(bool)


def _check_table(data: Any, input_name: str, axes: str) -> np.ndarray:
    """Return an array of numbers with three axes."""
    check_readable(data, input_name)
    table = np.asarray(data)
    if table.dtype.kind not in "biuf":
        raise TypeError(f"{input_name} must contain numbers, got {table.dtype}.")
    if table.ndim != 3:
        raise ValueError(f"{input_name} must be 3-D, {axes}, got shape {table.shape}.")
    return table


def _refuse_infinite(values: np.ndarray, input_name: str, axes: dict[str, int]) -> None:
    # If the extremes are finite, all values are; this needs no temporary array.
    if values.size == 0 or (np.isfinite(values.min()) and np.isfinite(values.max())):
        return
    first = int(np.argmax(~np.isfinite(values)))
    place = place_in(values.shape, axes)(first)
    raise ValueError(f"{input_name} must be finite, got {values.flat[first]} at {place}.")
