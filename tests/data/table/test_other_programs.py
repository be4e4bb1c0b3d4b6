"""csv files of pandas, polars, Excel and R are read as they were meant, and it is said how."""

import codecs
import io

import numpy as np
import pytest

from tests.data.table.dialects import read, write
from tests.writers.other_programs import excel_csv, excel_text, excel_unicode_text, r_csv, r_csv2

COLUMNS = {
    "größe": [1.5, -2.25, None, 1e-5],
    "count": [1, 2, 3, 4],
    "note": ["red; blue", 'a "b"\nc', "red; blue", 'a "b"\nc'],
    "sea": [1, 0, 1, 1],
}
X = np.array([[1.5, 1, 1], [-2.25, 2, 0], [np.nan, 3, 1], [1e-5, 4, 0]])


def pandas_csv(columns, **arguments):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns)
    encoding = arguments.pop("encoding", "utf-8")
    return frame.to_csv(index=False, **arguments).encode(encoding)


def polars_csv(columns, **arguments):
    polars = pytest.importorskip("polars")
    file = io.BytesIO()
    polars.DataFrame(columns).write_csv(file, **arguments)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: pandas_csv(COLUMNS), None),
        (lambda: pandas_csv(COLUMNS, encoding="utf-8-sig"), None),
        (lambda: pandas_csv(COLUMNS, lineterminator="\r\n"), None),
        (lambda: pandas_csv(COLUMNS, encoding="utf-16"), "encoding UTF-16"),
        (lambda: pandas_csv(COLUMNS, encoding="utf-32"), "encoding UTF-32"),
        (lambda: pandas_csv(COLUMNS, encoding="latin-1"), "encoding Latin-1"),
        (lambda: pandas_csv(COLUMNS, sep="\t"), "separator tab"),
        (
            lambda: pandas_csv(COLUMNS, sep=";", decimal=","),
            "separator ';', decimal comma in 'größe'",
        ),
        (lambda: polars_csv(COLUMNS), None),
        (lambda: polars_csv(COLUMNS, include_bom=True, line_terminator="\r\n"), None),
        (
            lambda: polars_csv(COLUMNS, separator=";", decimal_comma=True),
            "separator ';', decimal comma in 'größe'",
        ),
        (lambda: excel_csv(COLUMNS), "separator ';', decimal comma in 'größe'"),
        (
            lambda: excel_unicode_text(COLUMNS),
            "separator tab, encoding UTF-16, decimal comma in 'größe'",
        ),
        (
            lambda: codecs.BOM_UTF16_BE + excel_text(COLUMNS, "\t").encode("utf-16-be"),
            "separator tab, encoding UTF-16, decimal comma in 'größe'",
        ),
        (lambda: r_csv(COLUMNS), None),
        (lambda: r_csv2(COLUMNS), "separator ';', decimal comma in 'größe'"),
    ],
)
def test_a_file_of_another_program_is_read_as_meant(tmp_path, content, said):
    data, notes = read(write(tmp_path, content()))
    assert data.feature_names == ("größe", "count", "note")
    assert np.array_equal(data.X, X, equal_nan=True)
    assert data.Y.toarray().ravel().tolist() == [1, 0, 1, 1]
    assert notes == ([] if said is None else [f"read with {said}."])


def test_row_names_of_r_are_identifiers(tmp_path):
    data, _ = read(write(tmp_path, r_csv2(COLUMNS)))
    assert data.ids[""].tolist() == ["1", "2", "3", "4"]


def test_a_tab_is_the_usual_separator_of_a_tsv_file(tmp_path):
    assert read(write(tmp_path, "x\tsea\n1\t0\n", "data.tsv"))[1] == []
    assert read(write(tmp_path, "x,sea\n1,0\n", "data.tsv"))[1] == ["read with separator ','."]


def test_a_line_break_in_a_quoted_name_does_not_hide_the_separator(tmp_path):
    text = '"size, in\nmm, at noon";"a\r\n,b";sea\r\n1;2;0\r\n'
    data, notes = read(write(tmp_path, text))
    assert data.feature_names == ("size, in\nmm, at noon", "a\r\n,b")
    assert notes == ["read with separator ';'."]
