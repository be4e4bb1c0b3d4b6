"""JSON lines are read as the same table in csv is, and nothing but what a line says is assumed."""

import csv
import gzip
import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from labelwise._tables import Tables, _json_lines, read_frame
from labelwise.data import (
    DataError,
    DataWarning,
    load,
    read_labels,
    read_table,
    split_sentences,
)

ROWS = [
    {"id": "a", "text": "a ship at sea", "size": 1.5, "new": True, "labels": ["sea", "sky"]},
    {"id": "b", "text": "no cloud anywhere today", "size": None, "new": False, "labels": []},
    {"id": "c", "text": "waves below many clouds", "size": 4, "new": True, "labels": ["sky"]},
]


def write(path, rows):
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def table(folder, *rows):
    return read_frame(write(folder / "x.jsonl", rows), ())


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz"])
def test_a_file_is_read_by_load_with_texts_numbers_and_label_lists(tmp_path, name):
    data = load(write(tmp_path / name, ROWS), labels="labels")
    assert (data.name, data.feature_names) == ("news", ("size", "new"))
    assert np.array_equal(data.X, [[1.5, 1], [np.nan, 0], [4, 1]], equal_nan=True)
    assert data.texts == ("text",)
    assert data.ids["id"].tolist() == ["a", "b", "c"]
    assert data.label_names == ("sea", "sky")
    assert data.Y.toarray().tolist() == [[True, True], [False, False], [False, True]]


def test_a_training_and_a_test_file_are_one_data_set(tmp_path):
    write(tmp_path / "news-train.jsonl", ROWS)
    write(tmp_path / "news-test.jsonl.gz", ROWS[:2])
    data = load("news", data_home=tmp_path, labels="labels")
    assert (data.train.tolist(), data.test.tolist()) == ([0, 1, 2], [3, 4])


CELLS = {
    "number": st.none() | st.floats(-9, 9).map(lambda x: round(x, 3)) | st.integers(-99, 99),
    "flag": st.booleans(),
    "word": st.sampled_from(["u", "v", "w", ""]),
    "y": st.lists(st.sampled_from(["sea", "sky", "sand"]), unique=True).map(";".join),
}


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=12), batch=st.integers(1, 99)
)
def test_single_values_are_read_as_from_csv(tmp_path_factory, rows, batch):
    folder = tmp_path_factory.mktemp("both")
    with (folder / "x.csv").open("w", newline="") as stream:
        cells = csv.DictWriter(stream, list(CELLS), quoting=csv.QUOTE_MINIMAL)
        cells.writeheader()
        cells.writerows(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_json_lines, "_BATCH", batch)
        rows = [{name: row[name] for name in CELLS} for row in rows]
        found = read_table(write(folder / "x.jsonl", rows), labels="y", text=())
    expected = read_table(folder / "x.csv", labels="y", text=())
    assert found.feature_names == expected.feature_names
    assert found.label_names == expected.label_names
    assert np.array_equal(found.X, expected.X, equal_nan=True)
    assert (found.Y is None) == (expected.Y is None)
    assert found.Y is None or (found.Y != expected.Y).nnz == 0


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(
        st.none()
        | st.booleans()
        | st.integers(-(2**70), 2**70)
        | st.floats(allow_nan=False)
        | st.text(max_size=2)
        | st.lists(
            st.text(max_size=2) | st.integers(0, 9) | st.lists(st.text(max_size=1)), max_size=3
        )
        | st.dictionaries(st.text(max_size=1), st.integers(0, 9), max_size=1),
        min_size=1,
        max_size=6,
    )
)
def test_the_size_of_batches_does_not_change_the_table(tmp_path_factory, values):
    path = write(tmp_path_factory.mktemp("batches") / "x.jsonl", [{"n": 1, "x": x} for x in values])
    found = []
    for size in (1, 2**20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_json_lines, "_BATCH", size)
            tables = Tables([path], (), None)
            found.append((tables.table.to_pydict(), tables.table.schema))
    assert found[0] == found[1]


def test_lists_of_texts_and_lists_of_lists_are_columns(tmp_path):
    rows = [
        {"id": "a", "sentences": ["One.", "Two."], "found": [["sea"], []]},
        {"id": "b", "sentences": [], "found": []},
        {"id": "c", "sentences": None, "found": [["sky", "sea"]]},
    ]
    found = table(tmp_path, *rows)
    assert found.column("sentences").to_pylist() == [["One.", "Two."], [], None]
    assert found.column("found").to_pylist() == [[["sea"], []], [], [["sky", "sea"]]]
    assert found.schema.field("sentences").type == pa.list_(pa.string())


def test_lists_and_objects_are_no_features_and_are_named(tmp_path):
    rows = [{"x": i, "tags": ["a"], "meta": {"by": i}, "y": ["sea"][: i % 2]} for i in range(4)]
    with pytest.warns(DataWarning, match="'tags', 'meta' left out: lists and objects are not f"):
        data = load(write(tmp_path / "x.jsonl", rows), labels="y")
    assert data.feature_names == ("x",)
    # Lists of texts may be sentences, which are texts if they are named.
    with pytest.warns(DataWarning, match=r"'tags' left .* \(--text\) may name lists"):
        load(write(tmp_path / "x.jsonl", [{**row, "meta": 1} for row in rows]), labels="y")
    with pytest.warns(DataWarning, match=r"'meta' left .* not features\.$"):
        load(write(tmp_path / "x.jsonl", [{**row, "tags": 1} for row in rows]), labels="y")


@pytest.mark.parametrize("labels", ["tags", "meta"])
def test_a_label_column_with_objects_is_refused(tmp_path, labels):
    rows = [{"x": 1, "tags": [{"name": "sea"}], "meta": {}}]
    with pytest.raises(DataError, match=f"has objects, or lists in .*, in column '{labels}'"):
        load(write(tmp_path / "x.jsonl", rows), labels=labels)


def test_an_absent_key_is_a_missing_text_and_no_number(tmp_path):
    found = table(tmp_path, {"a": "u"}, {"b": ["v"]})
    assert found.to_pydict() == {"a": ["u", None], "b": [None, ["v"]]}
    with pytest.raises(DataError, match="line 3: has no value for 'n': write null if it is"):
        table(tmp_path, {"n": 1}, {"n": None}, {"m": "u"})
    with pytest.raises(DataError, match="line 1: has no value for 'flag'"):
        table(tmp_path, {"n": 1}, {"n": 2, "flag": False})


def test_half_of_a_pair_of_surrogates_is_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": "\\ud83d\\ude00"}\n{"a": "\\ud83d"}\n')
    with pytest.raises(DataError, match="line 2: is not JSON"):
        read_frame(path, ())


@pytest.mark.parametrize("read", [lambda path: load(path, labels="y"), read_labels])
@pytest.mark.parametrize(
    ("repeated", "key"),
    [
        ('"sea": 0, "sky": 1, "sea": 1', "'sea'"),
        ('"sea": 0, "\\u0073ea": 0', "'sea'"),
        ('"x": {"\\ud83d": 1, "\\ud83d": 1}', r"'\ud83d'"),
        ('"sea": [{"a": 1, "b": 2, "b": 3}]', "'b'"),
    ],
)
def test_a_key_twice_in_an_object_is_refused(tmp_path, read, repeated, key):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"id": "a", "sea": 1}}\n\n{{"id": "b", {repeated}}}\n')
    with pytest.raises(DataError) as refused:
        read(path)
    assert str(refused.value) == f"{path}, line 3: has the key {key} twice in an object."


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"x": [' + b"[]," * 300_000 + b"[]]}", "the values of a line would take"),
        (b"".join(b'{"k%d":"a"}\n' % i for i in range(20_000)), "its cells would take"),
    ],
)
def test_values_cannot_fill_the_memory(tmp_path, content, problem):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(DataError, match=problem):
        read_frame(path, (), max_bytes=2_000_000)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_too_many_keys_are_refused(tmp_path):
    with pytest.raises(DataError, match="has 70000 columns, more than 65536"):
        table(tmp_path, {f"k{i}": "" for i in range(70_000)})


def test_lists_of_texts_are_joined_and_labels_of_their_parts_are_labels(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [
        {"id": "a", "sentences": ["One ship.", None, "two"], "tags": [["sea"], [], ["sea", "sky"]]},
        {"id": "b", "sentences": None, "tags": [["sky"]]},
        {"id": "c", "sentences": [], "tags": []},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_table(path, labels="tags", text="sentences", ids="id")
    assert found.texts == ("sentences",)
    assert found.frame["sentences"].to_pylist() == ["One ship.\u2029two", None, ""]
    assert found.label_names == ("sea", "sky")
    assert found.Y.toarray().astype(int).tolist() == [[1, 1], [0, 1], [0, 0]]
    assert split_sentences(["One ship.\u2029two"]) == [["One ship.", "two"]]


def test_a_column_of_numbers_in_lists_is_no_text(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"x": [["a"]], "y": 1}\n{"x": [["b"]], "y": 0}\n')
    with pytest.raises(DataError, match="has lists or objects in column 'x', not text"):
        read_table(path, labels=["y"], text="x")
