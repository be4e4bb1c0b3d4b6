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


@pytest.mark.parametrize("n_empty", [0, 90])
def test_many_positives_are_assigned_as_few_ones(monkeypatch, tmp_path, n_empty):
    labels = np.vstack([Y, np.zeros((n_empty, 5), dtype=bool)])
    path = WRITERS["npy"](tmp_path, "Y", labels)
    monkeypatch.setattr("labelwise.engine._assign.BALANCED_UP_TO", 0)
    found = engine.assign(path, [0.7, 0.2, 0.1], random_state=4, block_rows=11)
    wanted = splitting.assign(labels, [0.7, 0.2, 0.1], method="iterative", random_state=4)
    np.testing.assert_array_equal(found, wanted)


def test_labels_without_positives_are_assigned():
    nothing = np.zeros((7, 2), dtype=bool)
    found = engine.assign(nothing, 2, method="iterative", random_state=0)
    np.testing.assert_array_equal(
        found, splitting.assign(nothing, 2, method="iterative", random_state=0)
    )
