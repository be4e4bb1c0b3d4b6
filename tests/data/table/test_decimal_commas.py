"""Columns with decimal commas are numbers."""

import numpy as np
from hypothesis import given, strategies as st

from tests.data.table.dialects import read, write


@given(
    cells=st.lists(st.none() | st.floats(allow_nan=False, width=64), min_size=1, max_size=6),
    separator=st.sampled_from([";", "\t"]),
)
def test_decimal_commas_give_the_doubles_that_points_give(tmp_path_factory, cells, separator):
    rows = [["x", "sea"], *(["NA" if cell is None else repr(cell), "1"] for cell in cells)]
    text = "\n".join(separator.join(row) for row in rows)
    folder = tmp_path_factory.mktemp("commas")
    with_points, _ = read(write(folder, text))
    with_commas, _ = read(write(folder, text.replace(".", ",")))
    assert np.array_equal(with_points.X, with_commas.X, equal_nan=True)


def test_only_a_column_whose_cells_all_have_commas_as_points_is_numbers(tmp_path):
    text = "a;b;c;d;e;sea\n1,5;1.5;1,5;1,5;1,2,3;1\n2;2.5;1.5;red;1,2;0\n2;2.5;1.5;red;1,2;0\n"
    data, notes = read(write(tmp_path, text))
    assert data.feature_names == ("a", "b", "c", "d", "e")
    assert data.X[:, 0].tolist() == [1.5, 2, 2]
    assert data.X[:, 1].tolist() == [1.5, 2.5, 2.5]
    assert data.X[:, 2].tolist() == [0, 1, 1]
    assert notes == ["read with separator ';', decimal comma in 'a'."]
    data, notes = read(write(tmp_path, 'x,sea\n"1,5",0\n"1,5",1\n"2,5",1\n'))
    assert data.X.ravel().tolist() == [0, 0, 1]
    assert notes == []


def test_decimal_commas_may_begin_after_many_rows(tmp_path):
    text = "x;sea\n" + "12345;1\n" * 200_000 + "2,5;0\n"
    assert read(write(tmp_path, text))[0].X[-2:].ravel().tolist() == [12345, 2.5]


def test_numbers_with_thousands_separators_stay_text(tmp_path):
    text = "x;sea\n1.234,5;1\nred;0\n1.234,5;1\nred;1\n192.168.100.100;1\n"
    assert "x=1.234,5" in read(write(tmp_path, text))[0].feature_names
