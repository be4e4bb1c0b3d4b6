"""Reading of untrusted files: bounds of memory, and faults as DataError."""

import gzip

import pytest

from labelwise._io import Bound, bound_of, read_bytes, reading
from labelwise.data import DataError


def test_a_bound_allows_as_many_bytes_as_it_says():
    bound = Bound("a.csv", 10)
    bound.check(10, "its rows")
    with pytest.raises(DataError, match=r"a.csv: its rows would take 11 bytes, more than max_by"):
        bound.check(11, "its rows")


@pytest.mark.parametrize("wrong", [0, 1.5, True])
def test_a_wrong_bound_is_no_error_of_the_file(tmp_path, wrong):
    with pytest.raises((TypeError, ValueError), match="max_bytes must be") as refused:
        bound_of(tmp_path / "a.csv", wrong)
    assert not isinstance(refused.value, DataError)


def test_packed_and_plain_files_have_the_same_content(tmp_path):
    content = b"a,b\n1,0\n" * 100
    plain, packed = tmp_path / "a.csv", tmp_path / "a.csv.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    assert read_bytes(plain) == read_bytes(packed) == content
    for path in (plain, packed):
        with pytest.raises(DataError, match="more than max_bytes=799 bytes"):
            read_bytes(path, 799)


def test_errors_inside_reading_name_the_file(tmp_path):
    path = tmp_path / "a.csv"
    with pytest.raises(DataError, match=r"a\.csv"), reading(path):
        path.read_bytes()
