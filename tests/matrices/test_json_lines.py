"""JSON lines: label lists are read, and malformed rows are refused with their line."""

import json

import pytest

from labelwise.data import DataError, read_labels, read_scores
from tests.matrices.test_matrices import write


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ('{"sea": 1}\n{"sea":\n', "line 2: is not JSON"),
        ('{"sea": 1}\n[1]\n', "line 2: must have an object, got list"),
        ('{"sea": 1}\n\n{"sky": 1}\n', "line 3: has no value for 'sea'"),
        ('{"sea": 1}\n{"sea": 1, "sky": 1}\n', "line 2: has the key 'sky', which the first"),
        ('{"sea": null}\n', "line 1: has None for 'sea', not a number"),
        ('{"sea": 1' + "0" * 400 + "}\n", "line 1: has 1000.* for 'sea', not a number"),
        ('{"sea": NaN}\n', "scores must be finite"),
        ('{"id": "", "sea": 1}\n', "line 1: must have text or a whole number for 'id'"),
        ('{"id": "a"}\n', "must have a row and a label"),
        ("[" * 100000, "line 1: is not JSON"),
        ('{"id": 1, "labels": ["sea"]}\n', "has label names, not scores"),
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


@pytest.mark.parametrize("second", ["1", '"sea"', "[1]", '["sea", ""]', "null"])
def test_other_values_among_lists_of_label_names_are_refused(tmp_path, second):
    text = '{"labels": ["sea"]}\n{"labels": ' + second + "}\n"
    with pytest.raises(DataError, match="line 2: must have a list of label names for 'labels'"):
        read_labels(write(tmp_path / "y.jsonl", text))


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
