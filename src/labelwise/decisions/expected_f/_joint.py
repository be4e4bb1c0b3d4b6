"""Joint probabilities of each label and the number of labels: from samples, and made to agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise._validation import check_readable
from labelwise.decisions.expected_f._probabilities import check_p_empty, place_in


def joint_from_samples(samples: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of draws with a label on among s labels, and with no label on.

    What `maximize_expected_f` needs, from any model that can draw label vectors.

    Parameters
    ----------
    samples : array of shape (n_draws, n_samples, n_labels)
        Label vectors, 0/1 or boolean, drawn for each sample.

    Returns
    -------
    joint : array of shape (n_samples, n_labels, n_sizes)
        The share of draws with y_label = 1 and s_y = s at [sample, label, s - 1], up to the
        largest size that was drawn.
    p_empty : array of shape (n_samples,)
        The share of draws without labels.

    Notes
    -----
    O(n_draws · n_samples · n_labels) time. The shares are those of a distribution, the one of the
    draws, so they agree with each other; their standard error is at most 0.5 / √n_draws.

    References
    ----------
    dembczynski2013, section 5.

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
        # A draw has each sample and label once: no cell is added to twice.
        joint[i, j, size[i] - 1] += 1
    joint /= n_draws
    return joint, (sizes == 0).mean(axis=0)


def make_consistent(joint: Any, p_empty: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest probabilities that some distribution of the labels has.

    Estimates of P(y_i = 1, s_y = s) from separate models contradict each other. With π_s the
    probability of s labels, those of a distribution are exactly the ones with

        Σ_i p_is = s π_s,    0 <= p_is <= π_s,    Σ_s π_s + p_empty = 1,    p_empty >= 0;

    this is the Euclidean projection onto them.

    Parameters
    ----------
    joint : array of shape (n_samples, n_labels, n_sizes)
        Estimates of P(y_label = 1, s_y = s) at [sample, label, s - 1], any finite numbers; sizes
        beyond the last have probability 0, before and after.
    p_empty : array of shape (n_samples,)
        Estimates of P(no label).

    Returns
    -------
    joint, p_empty : arrays of the same shapes
        Agreeing probabilities; float32 if `joint` is.

    Notes
    -----
    Exact but for rounding: for a given multiplier of the last constraint, each column is projected
    onto a cone in closed form, after one sort, and the multiplier is found by Newton's steps on a
    function of straight pieces. O(n_sizes · n_labels · log n_labels) for a sample. Samples are
    shared among all cores.

    References
    ----------
    dembczynski2013, section 5, leaves this open ("or calibrate the estimates afterwards").

    Examples
    --------
    Two labels that are each the only one with probability 0.8 cannot be:

    >>> from labelwise.decisions import make_consistent
    >>> joint, p_empty = make_consistent([[[0.8], [0.8]]], [0.1])
    >>> joint.round(2), p_empty.round(2)
    (array([[[0.5],
            [0.5]]]), array([0.]))
    """
    from labelwise.decisions.expected_f._joint_kernels import project_rows

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
    """Return finite numbers of shape (n_samples, n_labels, n_sizes) and (n_samples,)."""
    if sparse.issparse(joint):
        raise TypeError("joint must be dense, since what is nearest is not sparse.")
    check_readable(joint, "joint")
    estimates = np.asarray(joint)
    if estimates.ndim != 3 or estimates.dtype.kind not in "biuf" or 0 in estimates.shape[1:]:
        raise ValueError(
            "joint must be 3-D, samples by labels by sizes, with numbers, "
            f"got {estimates.dtype} {estimates.shape}."
        )
    if estimates.dtype not in (np.float32, np.float64):
        estimates = estimates.astype(np.float64)
    empty = check_p_empty(p_empty, len(estimates))
    _refuse_infinite(estimates, "joint", {"sample": 0, "label": 0, "size": 1})
    _refuse_infinite(empty, "p_empty", {"sample": 0})
    return estimates, empty


def _check_draws(samples: Any) -> np.ndarray:
    """Return label vectors as booleans."""
    check_readable(samples, "samples")
    draws = np.asarray(samples)
    if draws.ndim != 3 or draws.shape[0] == 0:
        raise ValueError(
            f"samples must be 3-D, draws by samples by labels, got shape {draws.shape}."
        )
    if draws.dtype == bool:
        return draws
    if draws.dtype.kind not in "iuf":
        raise TypeError(f"samples must hold 0 and 1, got {draws.dtype}.")
    is_other = (draws != 0) & (draws != 1)
    if is_other.any():
        first = int(np.argmax(is_other))
        place = place_in(draws.shape, {"draw": 0, "sample": 0, "label": 0})(first)
        raise ValueError(f"samples must hold only 0 and 1, got {draws.flat[first]} at {place}.")
    return draws.astype(bool)


def _refuse_infinite(values: np.ndarray, input_name: str, axes: dict[str, int]) -> None:
    # Finite extremes prove all finite, without an array of their own.
    if values.size == 0 or (np.isfinite(values.min()) and np.isfinite(values.max())):
        return
    first = int(np.argmax(~np.isfinite(values)))
    place = place_in(values.shape, axes)(first)
    raise ValueError(f"{input_name} must be finite, got {values.flat[first]} at {place}.")
