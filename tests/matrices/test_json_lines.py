"""JSON lines: label lists are read, and malformed rows are refused with their line."""

import json

import numpy as np
import pytest

from labelwise.data import DataError, DataWarning, read_labels, read_scores
from tests.matrices.test_matrices import write


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ('{"sea": 1}\n{"sea":\n', "line 2: is not JSON"),
        ('{"sea": 1}\n[1]\n', "line 2: must have an object, got list"),
        ('{"sea": 1}\n\n{"sky": 1}\n', "line 3: has no value for 'sea'"),
        ('{"sea": 1}\n{"sea": 1, "sky": 1}\n', "line 1: has no value for 'sky': write null"),
        ('{"sea": null}\n', "line 1: has no value in column 'sea'"),
        ('{"sea": 1, "sky": 1' + "0" * 400 + "}\n", "scores must be finite, got inf at .* 'sky'"),
        ('{"sea": NaN}\n', "line 1: has no value in column 'sea'"),
        ('{"sea": Infinity}\n', "scores must be finite"),
        ('{"id": "", "sea": 1}\n', "line 1: has no value for 'id'"),
        ('{"id": "a"}\n', "must have a row and a label"),
        ("[" * 100000, "line 1: is not JSON"),
        ('{"id": 1, "labels": ["sea"]}\n', "has label names, not scores"),
        ('{"sea": 1, "sky": [1]}\n', "has lists in column 'sky', not numbers"),
        ('{"sea": 1, "sky": {}}\n', "has lists in column 'sky'"),
    ],
)
def test_bad_json_lines_are_refused_with_their_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_scores(write(tmp_path / "s.jsonl", text))


def test_lists_of_label_names_are_labels(tmp_path):
    text = '{"id": 7, "tags": ["sky", "sea"]}\n{"id": 8, "tags": []}\n{"id": 9, "tags": ["sea"]}\n'
    found = read_labels(write(tmp_path / "y.jsonl", text))
    assert (found.label_names, found.ids) == (("sea", "sky"), ("7", "8", "9"))
    assert found.values.toarray().tolist() == [[1, 1], [0, 0], [1, 0]]
    assert found.has_label_lists


@pytest.mark.parametrize("second", ["1", '"sea"', "{}", "[[[]]]"])
def test_other_values_among_lists_of_label_names_are_refused(tmp_path, second):
    text = '{"labels": ["sea"]}\n{"labels": ' + second + "}\n"
    with pytest.raises(DataError, match="has objects, or lists in lists or beside others"):
        read_labels(write(tmp_path / "y.jsonl", text))


def test_labels_of_a_row_with_null_are_missing(tmp_path):
    path = write(tmp_path / "y.jsonl", '{"labels": ["sea", 7]}\n{"labels": null}\n')
    with pytest.warns(DataWarning, match="read with 2 missing labels"):
        found = read_labels(path)
    assert found.label_names == ("7", "sea")
    assert np.array_equal(found.values.toarray(), [[1, 1], [np.nan] * 2], equal_nan=True)


@pytest.mark.parametrize("name", ["id", "Id", "ID", "row", "Row"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_label_called_id_is_a_label(tmp_path, name, place):
    keys = ["CA", "NY"]
    keys.insert(place, name)
    cells = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    rows = [json.dumps(dict(zip(keys, row, strict=True))) for row in cells]
    path = tmp_path / "y.jsonl"
    path.write_text("\n".join(rows))
    found = read_labels(path)
    assert found.label_names == tuple(keys)
    assert found.ids is None
    assert found.values.toarray().astype(int).tolist() == cells
