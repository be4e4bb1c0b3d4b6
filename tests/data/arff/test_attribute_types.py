"""Types of ARFF attributes, and the numbers of declared values."""

import math

import pytest

from labelwise.data.arff._header import number, parse_type, shown, unquoted


@pytest.mark.parametrize(
    ("written", "kind", "numbers", "width"),
    [
        (b"NUMERIC", "number", (), 1),
        (b"real % a comment", "number", (), 1),
        (b"date 'yyyy'", "text", (), 1),
        (b"{0, 1}", "nominal", (0, 1), 1),
        (b"{5,3}", "nominal", (5, 3), 1),
        (b"{yes,no}", "nominal", (1, 0), 1),
        (b"{left, right}", "nominal", (0, 1), 1),
        (b"{a,'b c',\"d\"}", "nominal", (0, 1, 2), 3),
    ],
)
def test_declared_values_have_numbers(written, kind, numbers, width):
    found = parse_type(written)
    assert (found.kind, found.numbers, found.width) == (kind, numbers, width)
    assert found.left_out == (numbers[0] if numbers else 0)


@pytest.mark.parametrize("written", [b"{a, b", b"{a,'b}", b"{a} b", b"complex", b""])
def test_malformed_types_are_described(written):
    assert isinstance(parse_type(written), str)


def test_only_finite_numbers_and_nan_are_numbers():
    assert [number(text) for text in (b" 1e3 ", b"-.5", b"1e999", b"inf", b"a")] == [
        1000,
        -0.5,
        None,
        None,
        None,
    ]
    assert math.isnan(number(b"NaN"))


def test_a_backslash_escapes_only_inside_quotes():
    assert unquoted(rb"'it\'s\ta \\n'") == b"it's\ta \\n"
    assert unquoted(rb"a\tb") == rb"a\tb"


def test_shown_text_is_short_and_printable():
    assert shown(b"a\x00b") == "a\ufffdb"
    assert shown(b"x" * 61) == "x" * 60 + "…"
