"""Long lists of names are cut, and the number of names left out is right."""

from hypothesis import given, strategies as st

from labelwise._text import listed


@given(st.integers(1, 40), st.integers(1, 10))
def test_names_written_and_names_counted_are_all_names(n_names, most):
    written, _, more = listed(range(n_names), most, show=str).partition(" and ")
    n_more = int(more.removesuffix(" more") or 0)
    assert written.split(", ") == [str(number) for number in range(min(most, n_names))]
    assert n_more == n_names - min(most, n_names)


def test_names_are_quoted_unless_asked_otherwise():
    assert listed(["a b", "c\n"]) == "'a b', 'c\\n'"
    assert listed(list("abcde")) == "'a', 'b', 'c' and 2 more"
