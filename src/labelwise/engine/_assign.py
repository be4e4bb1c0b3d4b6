"""The public function `assign` of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import Outcome
from labelwise.engine._block_curves import open_blocks
from labelwise.splitting import assign as assign_in_memory


def assign(
    Y: Any,
    proportions: int | Sequence[float],
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    block_rows: int | None = None,
) -> np.ndarray:
    """Assign the rows of a label file to subsets, with every label spread evenly.

    The subsets are those of `labelwise.splitting.assign` on all rows. The file is read in blocks,
    and only its positives are kept.

    Parameters
    ----------
    Y : path, array, sparse matrix, frame, list of sets or dask array
        The labels, 0 or 1, of shape (n_samples, n_labels), as in `best_thresholds` of the engine.
    proportions : int or sequence of float
        Number of subsets of equal size, or the share of each subset.
    method : str, default="auto"
        The method, as in `labelwise.splitting.assign`.
    groups : array of shape (n_samples,), default=None
        Group of each row; the rows of a group are in the same subset.
    random_state : int, RandomState instance or None, default=None
        Seed of the choices.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of labels.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        Number of the subset of each row.

    Raises
    ------
    ValueError
        If a value is not 0 or 1, or if an option is out of its range.
    DataError
        If a file cannot be read.

    See Also
    --------
    labelwise.splitting.assign : The same for labels in memory.

    Notes
    -----
    The positives take 9 bytes each while they are joined.

    Examples
    --------
    >>> from labelwise.engine import assign
    >>> assign([[1, 0], [0, 1], [1, 0], [0, 1]], 2, random_state=0, block_rows=3).tolist()
    [0, 1, 1, 0]
    """
    blocks = open_blocks({"Y": Y}, None, block_rows)
    labels = blocks.reduced(_labels_of_block, _joined)
    return assign_in_memory(
        labels, proportions, method=method, groups=groups, random_state=random_state
    )


def _labels_of_block(outcome: Outcome) -> sparse.csr_array:
    return sparse.csr_array(outcome.Y)


def _joined(parts: Sequence[sparse.csr_array]) -> sparse.csr_array:
    return sparse.csr_array(sparse.vstack(parts, format="csr"))
