"""A column of ids is found by one rule, and a label is never taken for one."""

import pyarrow as pa
import pytest

from labelwise._tables import ID_NAMES, ROW_NAMES, find_ids

LABEL = [0, 1, 1, 0]
SCORES = [0.25, 1.0, 0.0, 3.5]
NUMBERS = [3, 4, 0, 1]
WORDS = ["r3", "r4", "r0", "r1"]


def found(columns, **options):
    table = pa.table(columns)
    return find_ids(table.column_names, lambda name: table.column(name).chunks, **options)


@pytest.mark.parametrize("name", ID_NAMES)
@pytest.mark.parametrize(
    "values",
    [
        LABEL,
        SCORES,
        [0, 0, 0, 0],
        [1.0, None, 0.0, 0.0],
        [True, False, True, True],
        ["0", "1", "1", ""],
        ["yes", "no", "no", "yes"],
        ["0.25", "1", "0", "-0.5"],
    ],
    ids=str,
)
def test_labels_and_scores_in_a_column_called_id_are_no_ids(name, values):
    assert found({name: values, "sky": LABEL}) is None


@pytest.mark.parametrize("name", ID_NAMES)
@pytest.mark.parametrize("values", [NUMBERS, WORDS, [0, 1, 2, 1], [3.0, 4.0, 5.0, 6.0]], ids=str)
def test_a_first_column_called_id_has_ids(name, values):
    assert found({name: values, "sky": LABEL}) == name


@pytest.mark.parametrize("values", [["007", "012"], ["2101.00001", "2101.10"], [0, 1], [1, 0], [1]])
def test_numbers_as_text_and_the_first_two_numbers_may_be_ids(values):
    assert found({"id": values, "sky": [1] * len(values)}) == "id"


@pytest.mark.parametrize("name", ID_NAMES)
@pytest.mark.parametrize("values", [LABEL, SCORES, NUMBERS], ids=str)
def test_a_column_that_is_not_the_first_is_no_id_whatever_its_name(name, values):
    assert found({"CA": LABEL, name: values, "NY": LABEL}, is_parquet=True) is None
    assert found({"doc": WORDS, name: values, "NY": LABEL}) == "doc"


def test_a_first_column_of_text_has_ids_and_one_of_numbers_needs_the_name():
    assert found({"doc": WORDS, "sky": LABEL}) == "doc"
    assert found({"doc": NUMBERS, "sky": LABEL}) is None
    assert found({"rain": ["yes", "no", "no", "no"], "sky": LABEL}) is None


@pytest.mark.parametrize("name", ROW_NAMES)
def test_row_names_are_ids_if_there_are_no_others(name):
    assert found({name: NUMBERS, "sky": LABEL}) == name
    assert found({name: NUMBERS, "doc": WORDS, "sky": LABEL}) == "doc"
    assert found({name: NUMBERS, "ID": LABEL, "sky": LABEL}) == name


def test_an_index_of_text_that_pandas_wrote_is_the_last_column_of_a_parquet_file():
    columns = {"sky": LABEL, "doc": WORDS}
    assert found(columns, is_parquet=True) == "doc"
    assert found(columns) is None


def test_only_as_many_values_are_read_as_are_needed():
    def parts(name):
        yield pa.array([5, 6] if name == "id" else WORDS)
        raise AssertionError("the first values show it")

    assert find_ids(["id", "sky"], parts) == "id"
    assert find_ids(["doc", "sky"], parts) == "doc"
