"""olsson2006: micro F if every document gets the same number of labels, its highest-ranked ones.

The paper reports the peak over that number. It is tuned on the labels that it is measured on, so
that new documents have less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise.measures import Counts, f_measure


def rank_cut_f(Y: Any, scores: np.ndarray) -> np.ndarray:
    """Return micro F for k = 1, ..., n_labels labels of each document, in O(positives * labels).

    The value at ``[k - 1]`` is that of the decisions of `labelwise.decisions.rank_cut`.
    """
    from studies.olsson2006.rank_cuts_kernels import hits_at_rank

    truth = sparse.csr_array(Y)
    hits = hits_at_rank(
        np.ascontiguousarray(scores), truth.indptr.astype(np.int64), truth.indices.astype(np.int64)
    )
    tp = np.cumsum(hits)
    decided = truth.shape[0] * np.arange(1, truth.shape[1] + 1)
    counts = Counts(tp, decided - tp, truth.nnz - tp, np.zeros_like(tp))
    return np.asarray(f_measure(counts))
