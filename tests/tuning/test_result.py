"""`Thresholds` as a frame, and thresholds that nothing changes by accident."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from labelwise.decisions import Thresholds, best_thresholds

SCORES, Y = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]], [[1, 0], [0, 1], [1, 0]]


@pytest.fixture
def tuned():
    return best_thresholds(SCORES, Y, label_names=["sea", "sky"])


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_for_each_label(tuned, backend):
    frame = tuned.to_frame(backend=backend)
    columns = frame.to_pydict() if backend == "pyarrow" else frame.to_dict()
    columns = {
        name: [*dict(column).values()] if backend == "pandas" else [*column]
        for name, column in columns.items()
    }
    assert columns["label"] == ["sea", "sky"]
    assert columns["threshold"] == tuned.values.tolist()
    assert columns["support"] == [2, 1]
    assert columns["decided"] == tuned.evidence.decided.tolist()
    np.testing.assert_allclose(columns["f"], tuned.evidence.f_of_labels)


def test_labels_without_names_are_numbers_in_a_frame():
    assert best_thresholds(SCORES, Y).to_frame(backend="pandas")["label"].tolist() == ["0", "1"]


def test_values_are_read_only_wherever_thresholds_come_from(tuned, tmp_path):
    tuned.save(tmp_path / "t.json")
    given = np.array([0.5, 0.5])
    made = replace(tuned, values=given)
    copies = (Thresholds.load(tmp_path / "t.json"), copy.deepcopy(tuned))
    for one in (tuned, made, *copies, pickle.loads(pickle.dumps(tuned))):
        with pytest.raises(ValueError, match="read-only"):
            one.values[0] = 0.1
    given[0] = 0.2  # the array that was given stays as it was
    assert given.flags.writeable
