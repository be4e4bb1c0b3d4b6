"""Which ARFF attributes are labels, and which columns of X the others fill."""

import pytest

from labelwise._io import Bound
from labelwise.data import DataError
from labelwise.data._arff import xml_beside
from labelwise.data.arff._arrays import lay_out
from labelwise.data.arff._header import Attribute, parse_type

TYPES = {b"size": b"numeric", b"colour": b"{red,green,blue}", b"label": b"{0,1}"}
ATTRIBUTES = [Attribute(name, parse_type(kind)) for name, kind in TYPES.items()]


def test_an_attribute_of_three_values_has_a_column_for_each_and_labels_have_none():
    layout = lay_out(ATTRIBUTES, [2], "utf-8", Bound("a.arff", 10_000))
    assert layout.feature_names == ["size", "colour=red", "colour=green", "colour=blue"]
    assert layout.base.tolist() == [0, 1, -1]
    assert layout.one_hot.tolist() == [False, True, False]


def test_columns_of_the_same_name_are_refused_and_names_are_bounded():
    twice = [*ATTRIBUTES, Attribute(b"colour=red", parse_type(b"real"))]
    with pytest.raises(DataError, match="two columns of the same name"):
        lay_out(twice, [2], "utf-8", Bound("a.arff", 10_000))
    with pytest.raises(DataError, match="the names of its features would take"):
        lay_out(ATTRIBUTES, [2], "utf-8", Bound("a.arff", 100))


def test_the_xml_file_with_the_longest_common_beginning_is_taken(tmp_path):
    for name in ("bird.xml", "birds.xml", "birds-test.xml"):
        (tmp_path / name).touch()
    assert xml_beside(tmp_path / "Birds-train.arff.gz") == tmp_path / "birds.xml"
    assert xml_beside(tmp_path / "fish.arff") is None
