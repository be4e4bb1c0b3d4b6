"""What a column is for is seen from its values, and never guessed in silence from one of them."""

import pyarrow as pa
import pytest

from labelwise._tables import Kind, kinds_of

SENTENCES = [f"the {i}th ship sailed to harbour {i % 7}" for i in range(30)]


def kind(values, name="column", text=None):
    return kinds_of(pa.table({name: values}), text)[name]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (SENTENCES, Kind.TEXT),
        (["red", "blue", "red", "green"], Kind.CATEGORY),
        (["new york city"] * 3 + ["los angeles by night"] * 3, Kind.CATEGORY),  # few values
        ([f"p{i}" for i in range(5)], Kind.ID),  # no value twice
        ([f"p{i}" for i in range(29)] + ["p0"], Kind.ID),  # almost as many values as rows
        ([f"p{i % 15}" for i in range(30)], Kind.CATEGORY),
        ([None, "?", ""], Kind.CATEGORY),  # no value at all
        ([1.5, 2.0, 2.5], Kind.NUMBER),
        ([True, False], Kind.NUMBER),
        (list(range(30)), Kind.ID),  # numbers the rows
        (list(range(19)), Kind.NUMBER),  # may increase by chance
        ([0, *range(29)], Kind.NUMBER),
        ([float("nan"), *range(29)], Kind.NUMBER),
    ],
)
def test_a_column_is_what_its_values_look_like(values, expected):
    assert kind(values) is expected


def test_numbers_without_repetition_called_id_are_identifiers():
    assert kind([7, 3, 5], "ID") is Kind.ID
    assert kind([7, 3, 3], "id") is Kind.NUMBER


def test_named_texts_are_texts_and_no_others_are():
    assert kind(["red", "blue"], text=["column"]) is Kind.TEXT
    assert kind(SENTENCES, text=[]) is Kind.UNUSED
    assert kind(SENTENCES[:15] * 2, text=[]) is Kind.CATEGORY
