"""The positives of label files and dask arrays, read block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from labelwise._blocks import Blocks, MatchedBlocks
from labelwise._validation import Outcome


def stored_labels(blocks: Blocks) -> sparse.csc_array:
    """Return the labels of all rows, with their positives in memory."""
    return blocks.reduced(_labels_of_block, _joined)


def label_blocks(blocks: Blocks) -> Iterator[sparse.csc_array]:
    """Yield the labels of each block; those of dask arrays as one block."""
    if isinstance(blocks, MatchedBlocks):
        yield from (outcome.Y for outcome in blocks.outcomes())
    else:
        yield stored_labels(blocks)


def n_positives(blocks: Blocks) -> int:
    """Return the number of positives, by one pass."""
    return blocks.reduced(_n_positives, _sum)


def positive_cells(blocks: MatchedBlocks) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows and labels of the positives of each block."""
    start = 0
    for labels in label_blocks(blocks):
        rows = sparse.csr_array(labels)
        n_rows = rows.shape[0]
        numbers = np.arange(start, start + n_rows, dtype=np.int32)
        yield np.repeat(numbers, np.diff(rows.indptr)), rows.indices.astype(np.int32, copy=False)
        start += n_rows


def _sum(parts: Sequence[int]) -> int:
    return sum(parts)


def _n_positives(outcome: Outcome) -> int:
    return int(outcome.Y.nnz)


def _labels_of_block(outcome: Outcome) -> sparse.csc_array:
    return outcome.Y


def _joined(parts: Sequence[sparse.csc_array]) -> sparse.csc_array:
    joined = sparse.csc_array(sparse.vstack(parts, format="csr"))
    joined.sort_indices()
    return joined
