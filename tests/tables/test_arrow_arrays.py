"""Columns are converted as pyarrow does, without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from labelwise._tables._values import arrow_numbers, arrow_texts, numpy_column

COLUMN = pa.chunked_array([[1.5, None, -2.0], [], [None, 0.25]], pa.float64())


@pytest.mark.parametrize(
    "column", [COLUMN, COLUMN.slice(1), COLUMN.slice(2, 2), COLUMN.slice(0, 0), COLUMN.chunk(0)]
)
def test_numbers_and_gaps_are_those_of_pyarrow(column):
    found = numpy_column(column, np.float64, missing=np.nan)
    expected = column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column
    np.testing.assert_array_equal(found, np.asarray(expected, dtype=float))


def test_gaps_of_whole_numbers_get_the_value_asked_for():
    column = pa.chunked_array([pa.array([5, None, 7], pa.int32()).slice(1)])
    assert numpy_column(column, np.int32, missing=-1).tolist() == [-1, 7]


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_arrays_become_columns_of_their_type(dtype):
    values = np.arange(6, dtype=dtype).reshape(3, 2)[:, 1]
    assert arrow_numbers(values).equals(pa.array(values))


@pytest.mark.parametrize("texts", [[], [""], ["a", "", "Äß😀"]])
def test_texts_become_a_column_of_strings(texts):
    assert arrow_texts(texts).equals(pa.array(texts, pa.string()))


def test_no_conversion_imports_pandas():
    program = (
        "import sys, numpy as np\n"
        "from labelwise._tables._values import arrow_numbers, arrow_texts, numpy_column\n"
        "numpy_column(arrow_numbers(np.ones(3)), np.float64, 0), arrow_texts(['a'])\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
