"""Whatever a label is called, printing it does nothing but print it."""

import ast
from unicodedata import category

import pytest
from hypothesis import given, strategies as st

from labelwise._text import figure_text, printable, printable_lines, quoted, safe_cell

TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)
HOSTILE = [
    "\x1b[2J",
    "\x1b]0;t\x07",
    "\x9b1m",
    "a\rb",
    "a\nb",
    "\u202eabc",
    "\u2066x",
    "\ud800",
]


@given(TEXTS)
def test_a_printed_name_is_one_short_line_that_controls_nothing(name):
    shown = printable(name)
    kinds = {category(c) for c in shown if c not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert len(shown) <= 80 + len("… (200 characters)")
    shown.encode("utf-8")


@given(TEXTS)
def test_what_can_be_shown_stays_as_it_is(name):
    if name.isprintable() and len(name) <= 80:
        assert printable(name) == printable_lines(name) == name


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_shown_is_written_as_python_writes_it(name):
    assert ast.literal_eval(f"'{printable(name)}'") == name


def test_joined_letters_and_emoji_stay_whole():
    for name in ("می\u200cروم", "👩\u200d🚀"):
        assert printable(name) == name


def test_a_long_name_is_cut_and_both_ends_are_seen():
    shown = printable("a" * 100_000 + "the end")
    assert shown.startswith("aaa")
    assert shown.endswith("aaathe end (100,007 characters)")
    assert len(shown) < 110
    assert len(printable("\x1b" * 80)) < 110
    assert quoted("x" * 100_000) == repr("x" * 70) + "… (100,000 characters)"


@given(TEXTS)
def test_a_short_name_in_quotes_is_its_repr(name):
    assert quoted(name, most=200) == repr(name)


def test_lines_stay_lines():
    assert printable_lines("a\x1b\n\tb\r") == "a\\x1b\n\\tb\\r"


@pytest.mark.parametrize("first", "=+-@\t\r\n＝＋－＠")
def test_a_formula_is_no_formula_any_more(first):
    assert safe_cell(f"{first}cmd|' /C calc'!A0") == f"'{first}cmd|' /C calc'!A0"
    assert safe_cell(f"a{first}") == f"a{first}"
    assert safe_cell("") == ""


@pytest.mark.parametrize("name", ["$$", "$x^{", "$a$", r"\$", "_", "_$x", "a_b^c", "%#&~{}\\"])
def test_matplotlib_draws_every_name_as_it_is_written(name):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    text = figure.text(0, 0, figure_text(name))
    FigureCanvasAgg(figure).draw()
    # What is drawn: matplotlib takes the backslash away, and says that it is no formula.
    drawn, is_formula = text._preprocess_math(text.get_text())
    assert drawn.removeprefix("\u200b") == name
    assert is_formula is False
