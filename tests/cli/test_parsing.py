"""Texts of options become arguments, or are refused with a sentence."""

import pytest

from labelwise.cli._inputs import check_part, parse_labels, part_of
from labelwise.data import Dataset


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("yeast.xml", "yeast.xml"),
        ("topic_*", "topic_*"),
        ("14", 14),
        ("-14", -14),
        ("sea", "sea"),
        ("sea,sky", ["sea", "sky"]),
    ],
)
def test_labels_are_a_file_a_prefix_a_count_or_names(text, expected):
    assert parse_labels(text) == expected


def test_a_part_gives_its_rows():
    data = Dataset([[1.0], [2.0], [3.0]], [[1], [0], [1]], train=[0, 2], test=[1])
    assert part_of(data, "train").X.ravel().tolist() == [1.0, 3.0]
    assert part_of(data, "test").X.ravel().tolist() == [2.0]
    assert part_of(data, "all") is data


def test_a_part_that_a_data_set_lacks_is_refused():
    check_part(None)
    with pytest.raises(ValueError, match="--part must be one of train, test, all, got 'half'"):
        check_part("half")
    with pytest.raises(ValueError, match="--part test is not in 'one', which has a single part"):
        part_of(Dataset([[1.0]], [[1]], "one"), "test")
