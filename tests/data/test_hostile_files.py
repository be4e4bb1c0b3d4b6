"""A bad file is refused with its name, its line and what is wrong, in bounded memory."""

import gzip
import tracemalloc

import pytest

from labelwise.data import DataError, read_arff
from labelwise.data._arff import read_label_names

HEAD = "@relation x\n@attribute y {0,1}\n@attribute a numeric\n@attribute c {red,green,blue}\n"
GOOD = HEAD + "@data\n0,1.5,red\n"
SPARSE = HEAD + "@data\n{0 1, 1 2.5}\n"

BAD_FILES = {
    "empty": ("", 1, "the file is empty"),
    "only blank lines": ("\n \n\n", 4, "the file is empty"),
    "no @data": (HEAD, 5, "the file ends before @data"),
    "no rows": (HEAD + "@data\n% nothing\n", None, "has no rows after @data"),
    "junk before @data": (HEAD + "hello\n@data\n", 5, "got 'hello'"),
    "unknown directive": (HEAD + "@atribute x real\n", 5, "@atribute is not expected here"),
    "attribute without type": (HEAD + "@attribute b\n", 5, "'b' has an unknown type ''"),
    "unknown type": (HEAD + "@attribute b complex\n", 5, "'b' has an unknown type 'complex'"),
    "open list of values": (HEAD + "@attribute b {1,2\n", 5, "'b' has a list of values"),
    "open name": (HEAD + "@attribute 'b real\n", 5, "needs a name and a type"),
    "duplicate attribute": (HEAD + "@attribute a real\n", 5, "'a' is declared twice"),
    "open relation": (HEAD + "@attribute b relational\n@attribute i real\n@data\n", 7, "no @end"),
    "no attributes": ("@relation x\n@data\n1\n", 2, "no attribute is declared"),
    "too few values": (GOOD + "1,2\n", 7, "expected 3 values, got 2"),
    "too many values": (GOOD + "\n1,2,red,4\n", 8, "after value 3 comes ',4'"),
    "not a number": (GOOD + "1,two,red\n", 7, "'a' needs a finite number, got 'two'"),
    "empty cell": (GOOD + "1,,red\n", 7, "'a' needs a finite number, got ''"),
    "infinite": (GOOD + "1,1e999,red\n", 7, "'a' needs a finite number, got '1e999'"),
    "underscored": (GOOD + "1,1_0,red\n", 7, "'a' needs a finite number, got '1_0'"),
    "value not declared": (GOOD + "1,2,pink\n", 7, "'pink' is not declared for 'c'"),
    "escaped value not declared": (GOOD + "1,2,'re\\'d'\n", 7, '"re\'d" is not declared'),
    "open quote": (GOOD + "1,2,'red\n", 7, "a quote is opened for 'c' and never closed"),
    "label neither 0 nor 1": (
        GOOD.replace("{0,1}", "{0,2}") + "2,2,red\n",
        7,
        "'y' must be 0 or 1",
    ),
    "dense row in a sparse file": (SPARSE + "1,2,red\n", 7, "must be written as {index value"),
    "open brace": (SPARSE + "{0 1, 1 2\n", 7, "must be written as {index value"),
    "after the brace": (SPARSE + "{0 1} 5\n", 7, "must be written as {index value"),
    "index out of range": (SPARSE + "{3 1}\n", 7, "index 3 is past the 3 attributes"),
    "huge index": (SPARSE + "{999999999 1}\n", 7, "index 999999999 is past the 3 attributes"),
    "overflowing index": (SPARSE + "{99999999999999999999999 1}\n", 7, "is past the 3 attributes"),
    "no index": (SPARSE + "{a 1}\n", 7, "expected an index and a value, got 'a 1'"),
    "no value": (SPARSE + "{1}\n", 7, "expected an index and a value, got '1'"),
    "index twice": (SPARSE + "{1 5, 0 1, 1 6}\n", 7, "'a' is given twice in one row"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_its_line(tmp_path, case):
    text, line, problem = BAD_FILES[case]
    path = tmp_path / "bad.arff"
    path.write_text(text)
    with pytest.raises(DataError) as refusal:
        read_arff(path, labels=["y"])
    place = f"{path}: " if line is None else f"{path}, line {line}: "
    assert str(refusal.value).startswith(place)
    assert problem in str(refusal.value)


BAG_HEAD = (
    "@relation x\n@attribute b relational\n@attribute f real\n@end b\n@attribute y {0,1}\n@data\n"
)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("'1\\n2,3',1", "line 8: expected 1 values"),
        ("'1\\nx',1", "line 8: attribute 'f' needs a finite number, got 'x'"),
        ("'',1", "line 8: the bag has no instance"),
    ],
)
def test_a_slip_inside_a_bag_is_named_by_the_line_of_the_bag(tmp_path, row, problem):
    path = tmp_path / "bags.arff"
    path.write_text(f"{BAG_HEAD}'5',0\n{row}\n")
    with pytest.raises(DataError) as refusal:
        read_arff(path, labels=-1)
    assert problem in str(refusal.value)


def test_a_label_named_in_the_xml_must_be_in_the_file(tmp_path):
    path, xml = tmp_path / "x.arff", tmp_path / "x.xml"
    path.write_text(GOOD)
    xml.write_text("<labels><label name='y'/><label name='nobody'/></labels>")
    with pytest.raises(DataError, match=r"no attribute 'nobody', which x\.xml names as a label"):
        read_arff(path)


@pytest.mark.parametrize(("label", "what"), [("c", "3 values"), ("s", "text")])
def test_a_label_of_more_than_two_values_is_refused_even_if_two_occur(tmp_path, label, what):
    path = tmp_path / "x.arff"
    path.write_text(HEAD + "@attribute s string\n@data\n0,1,red,u\n1,2,green,v\n")
    with pytest.raises(DataError, match=f"label '{label}' must have two values, not {what}"):
        read_arff(path, labels=[label])


def test_a_truncated_gzip_file_is_refused(tmp_path):
    path = tmp_path / "x.arff.gz"
    path.write_bytes(gzip.compress(GOOD.encode() * 100)[:-20])
    with pytest.raises(DataError, match="is not a whole gzip file"):
        read_arff(path, labels=["y"])


def test_a_gzip_bomb_is_refused_while_it_unpacks(tmp_path):
    path = tmp_path / "x.arff.gz"
    path.write_bytes(gzip.compress(b"0" * 200_000_000))
    tracemalloc.start()
    with pytest.raises(DataError, match="more than max_bytes=1000000 bytes"):
        read_arff(path, labels=["y"], max_bytes=1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_values_left_out_by_sparse_rows_cannot_fill_the_memory(tmp_path):
    path = tmp_path / "x.arff"
    attributes = "".join(f"@attribute a{number} {{1,0}}\n" for number in range(1000))
    path.write_text(f"@relation x\n@attribute y {{0,1}}\n{attributes}@data\n" + "{}\n" * 10_000)
    with pytest.raises(DataError, match="more than max_bytes=100000000 bytes"):
        read_arff(path, labels=["y"], max_bytes=100_000_000)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>', "contains a DTD"),
        ('<!DOCTYPE l SYSTEM "file:///etc/passwd"><labels/>', "contains a DTD"),
        ("<labels><label name='a'>", "line 1: is not well-formed XML"),
        ("", "is not well-formed XML"),
        ("<names/>", "must contain <labels>, got <names>"),
        ("<labels/>", "names no label"),
        ("<labels><label/></labels>", "has a label without a name"),
        ("<labels><label name='a'/><label name='a'/></labels>", "names label 'a' twice"),
    ],
)
def test_a_bad_label_file_is_refused(tmp_path, text, problem):
    path = tmp_path / "labels.xml"
    path.write_text(text)
    with pytest.raises(DataError) as refusal:
        read_label_names(path)
    assert problem in str(refusal.value)


def test_nested_labels_are_found_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "labels.xml"
    path.write_text("<labels><label name='a'><label name='b'/></label><label name='c'/></labels>")
    assert read_label_names(path) == ["a", "b", "c"]


def test_an_unreadable_path_is_named(tmp_path):
    with pytest.raises(DataError, match=r"missing\.arff: does not exist"):
        read_arff(tmp_path / "missing.arff")
    with pytest.raises(DataError, match="cannot be read"):
        read_arff(tmp_path)
