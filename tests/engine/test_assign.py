"""Subsets of a label file are those of its matrix in memory."""

import numpy as np
import pytest

from labelwise import engine, splitting
from tests.engine.row_files import WRITERS

Y = np.random.default_rng(2).random((90, 5)) < 0.2


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("method", ["iterative", "random", "balanced"])
def test_subsets_of_a_file_are_those_of_its_matrix(kind, method, tmp_path):
    path = WRITERS[kind](tmp_path, "Y", Y)
    found = engine.assign(path, 3, method=method, random_state=4, block_rows=11)
    np.testing.assert_array_equal(found, splitting.assign(Y, 3, method=method, random_state=4))
