"""Columns of label names are split as they were written, and it is said how."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from labelwise.data import DataError, DataWarning, read_table
from tests.data.table.dialects import read, write
from tests.writers.table import csv_bytes, parquet_bytes

NAMES = st.sets(
    st.sampled_from(["sea", "it's", 'a "b"', "Öl", "1", "a\\b", "x, y", "a\nb", "it's\x85b"])
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("names")


def label_sets(dataset):
    return [{dataset.label_names[j] for j in np.flatnonzero(row)} for row in dataset.Y.toarray()]


def topics(home, *cells, **arguments):
    content = csv_bytes({"x": [1] * len(cells), "topics": cells})
    data, said = read(write(home, content), labels="topics", **arguments)
    return label_sets(data), said


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["sea;war", "war", ""], []),
        (["sea|war", "war", ""], ["read with separator '|' between the names in 'topics'."]),
        (["sea, war", "war", ""], ["read with separator ',' between the names in 'topics'."]),
        (['["sea", "war"]', '["war"]', "[]"], ["read with lists of names in 'topics'."]),
        (["['sea', 'war']", " ['war']", ""], ["read with lists of names in 'topics'."]),
    ],
)
def test_the_separator_of_names_is_found_and_said(home, cells, said):
    assert topics(home, *cells) == ([{"sea", "war"}, {"war"}, set()], said)


def test_the_first_separator_that_occurs_in_any_cell_is_used(home):
    assert topics(home, "a,b", "c|d")[0] == [{"a,b"}, {"c", "d"}]
    assert topics(home, "a,b", "c|d", "e;f")[0] == [{"a,b"}, {"c|d"}, {"e", "f"}]
    assert topics(home, "[a", "b,c")[0] == [{"[a"}, {"b", "c"}]


def test_a_given_separator_is_used(home):
    assert topics(home, "a,b;c", "d", separator=",") == ([{"a", "b;c"}, {"d"}], [])
    assert topics(home, "['a'", "['b'", separator=";") == ([{"['a'"}, {"['b'"}], [])


@given(
    sets=st.lists(NAMES, min_size=1, max_size=5).filter(any),
    form=st.sampled_from([json.dumps, repr, ascii]),
)
def test_lists_of_json_and_python_come_back(home, sets, form):
    read_sets, _ = topics(home, *(form(sorted(names)) for names in sets))
    assert read_sets == [{name.strip() for name in names} - {""} for names in sets]


def test_numbers_in_a_list_keep_their_text(home):
    assert topics(home, "[1, 02.50]".replace("0", "", 1), "[7]")[0] == [{"1", "2.50"}, {"7"}]


def test_text_in_parquet_is_split_by_the_same_rule(home):
    content = parquet_bytes({"topics": ["a|b", "b"]})
    data, said = read(write(home, content, "data.parquet"), labels="topics")
    assert label_sets(data) == [{"a", "b"}, {"b"}]
    assert said == ["read with separator '|' between the names in 'topics'."]


def test_the_labels_of_a_missing_list_are_missing(home):
    path = home / "gaps.csv"
    path.write_text('x,topics\n1,"[""a""]"\n2,?\n')
    with pytest.warns(DataWarning) as said:
        data = read_table(path, labels="topics")
    assert "read with 1 missing label, for which a row has no value." in str(said[-1].message)
    np.testing.assert_array_equal(data.Y.toarray(), [[1], [np.nan]])


@pytest.mark.parametrize(
    "cell",
    [
        "[",
        "[a]",
        "['a' 'b']",
        '["a"',
        "['a",
        "[null]",
        "[true]",
        '[["a"]]',
        '[{"a": 1}]',
        '["a"] b',
        '["\\ud800"]',
        "['\\ud800']",
        "['\\q']",
        "[NaN]",
        "['\\",
        "[" * 100_000,
        '[{"":' * 20_000,
        "['" + "\\'" * 50_000,
        "['" + '\\"' * 50_000 + "\\",
    ],
)
def test_a_cell_that_is_no_list_of_names_is_refused(home, cell):
    with pytest.raises(DataError, match=r"line 3: has .* for the labels 'topics', not a list of n"):
        topics(home, '["a"]', cell)


def test_many_names_in_small_lists_are_refused_before_they_are_built(home):
    path = write(home, csv_bytes({"topics": ['["a"]', "[" + "1," * 10_000 + "1]"]}))
    with pytest.raises(DataError, match="the names of its labels would take"):
        read_table(path, labels="topics", max_bytes=200_000)


def test_lists_in_parquet_need_no_separator(home):
    column = pa.array([["a,b"], ["c"]], pa.list_(pa.string()))
    data, said = read(write(home, parquet_bytes({"topics": column})), labels="topics")
    assert (label_sets(data), said) == ([{"a,b"}, {"c"}], [])
