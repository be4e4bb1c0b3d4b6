"""Text of csv files: separators, types, and the lines of errors."""

import pytest

from labelwise._tables._csv_text import CsvText


def text(content):
    return CsvText(bytearray(content, "utf-8"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_separator_is_the_most_frequent_one_outside_quotes(delimiter):
    found = text(delimiter.join(['"a,;,;\t\t\t"', "x", "y"]) + "\n")
    assert found.delimiter == delimiter
    assert found.n_columns == 3


def test_numbers_are_floats_and_dates_and_named_columns_are_text():
    table = text("a,b,c,d\n1,2020-01-01,3,NA\n2,2020-01-02,4,1.5\n").table(as_text={"c"})
    assert [str(field.type) for field in table.schema] == ["double", "string", "string", "double"]
    assert table["d"].to_pylist() == [None, 1.5]


def test_lines_are_counted_with_line_breaks_in_quotes_and_empty_lines():
    found = text('a,b\n"x\ny",1\n\nz,2\n')
    assert [found.line_of(row) for row in (0, 1)] == [2, 5]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("a,b\n1,2\n", None),
        ("a,b\n1,2\n3\n", ("has 1 values where the header has 2.", 3)),
        ("a,b\n", ("has no rows.", 1)),
    ],
)
def test_faults_of_the_form_have_a_line(content, fault):
    assert text(content).fault() == fault


def test_quotes_that_never_close_are_found():
    assert text('a,b\n1,2\n"3,4\n5,6\n').open_quote() == 3
    assert text('a,b\n"1",2\n').open_quote() is None
