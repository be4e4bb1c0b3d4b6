"""Blocks of rows over threads."""

import numpy as np
import pytest

from labelwise._parallel import for_row_blocks


@pytest.mark.parametrize("n_rows", [0, 1, 7, 100])
@pytest.mark.parametrize("together", [1, 30, 10_000])
def test_every_row_is_in_exactly_one_block(n_rows, together):
    seen = np.zeros(n_rows, dtype=int)

    def add(rows):
        seen[rows] += 1

    for_row_blocks(add, n_rows, row_size=3, together=together)
    assert (seen == 1).all()


@pytest.mark.parametrize("together", [1, 10_000])
def test_the_error_of_a_block_is_raised(together):
    def fail(rows):
        raise ValueError(f"rows from {rows.start}")

    with pytest.raises(ValueError, match="rows from 0"):
        for_row_blocks(fail, 5, row_size=3, together=together)
