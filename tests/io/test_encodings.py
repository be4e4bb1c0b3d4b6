"""Text of any encoding with a mark becomes UTF-8, and wrong encodings are named."""

import pytest
from hypothesis import given, strategies as st

from labelwise._io import Bound, as_utf8
from labelwise.data import DataError, read_table


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("x,sea\n1,0\n".encode("utf-16-le"), "is text in UTF-16 without a byte order mark: save"),
        ("x,sea\n1,0\n".encode("utf-16-be"), "is text in UTF-16 without a byte order mark: save"),
        (
            "x,sea\n1,0\n".encode("utf-16") + b"\x00\xd8\n",
            "begins with the mark of UTF-16, but is not UTF-16 after line 1: save it as UTF-8.",
        ),
        (b"\xff\xfe\x00", "begins with the mark of UTF-16, but is not UTF-16 after line 1: save"),
        (
            b"\xff\xfe\x00\x00\xff\xff\xff\xff",
            "begins with the mark of UTF-32, but is not UTF-32 after line 1: save",
        ),
        (
            b"\xef\xbb\xbfx,sea\n1,0\n\xe9,1\n",
            ", line 3: is not UTF-8, although the file begins with the mark of UTF-8: save it as",
        ),
        (b"\xff\xfe", "has no rows"),
        (b"\xef\xbb\xbf", "has no rows"),
    ],
)
def test_a_wrong_encoding_is_named_with_what_to_do(tmp_path, content, complaint):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_table(path, labels=["sea"])
    assert complaint in str(caught.value)


@given(
    text=st.text(max_size=20),
    encoding=st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]),
    n_repeats=st.sampled_from([1, 2**18]),
)
def test_text_with_a_byte_order_mark_comes_back(text, encoding, n_repeats):
    written = text.lstrip("\ufeff") * n_repeats
    utf8, name = as_utf8(Bound("data.csv", 2**30), bytearray(written.encode(encoding)))
    assert utf8.decode("utf-8-sig") == written
    assert name == {"utf-8-sig": None, "utf-16": "UTF-16", "utf-32": "UTF-32"}[encoding]


def test_a_byte_that_is_not_utf8_makes_the_whole_latin1():
    for fault in (2, 2**20 - 1, 2**20, 2**20 + 1):
        content = bytearray("é".encode() * 2**20)
        content[fault] = 0xE9
        utf8, name = as_utf8(Bound("data.csv", 2**30), content)
        assert (utf8.decode(), name) == (content.decode("latin-1"), "Latin-1")


def test_converted_text_may_not_exceed_the_bound():
    content = bytearray(("€" * 1000).encode("utf-16"))
    with pytest.raises(DataError, match="its text as UTF-8 would take"):
        as_utf8(Bound("data.csv", len(content)), content)
