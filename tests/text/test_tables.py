"""Tables and csv cells show their text and nothing else (_tables, _spreadsheets)."""

import pytest

from labelwise._text import as_html, as_text, safe_cell


def test_the_first_column_of_text_is_left_aligned_and_the_others_right_aligned():
    assert as_text([["", "value"], ["coverage", "1"]]) == "          value\ncoverage      1"


def test_html_escapes_every_cell_and_takes_the_first_row_as_heading():
    page = as_html([["<a>", "b"], ["c", "<script>"]])
    assert "<th>&lt;a&gt;</th><th>b</th>" in page
    assert "<td>&lt;script&gt;</td>" in page


@pytest.mark.parametrize("first", "=+-@\t\r\n＝＋－＠")
def test_a_cell_that_would_be_a_formula_begins_with_an_apostrophe(first):
    assert safe_cell(f"{first}1") == f"'{first}1"
    assert safe_cell(f"a{first}") == f"a{first}"
