"""ARFF files are read as they were written, and as others read them."""

import gzip
import math

import arff as liac
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.data import DataError, load, read_arff
from labelwise.data.arff._kernels import plain_number
from tests.writers.arff import arff, bag_arff, label_xml

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufeff"), min_size=1
)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("arff")


def write(folder, text, name="data.arff"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@st.composite
def tables(draw):
    """Attribute names, numbers with many zeros, labels and how they are stored."""
    n_rows = draw(st.integers(1, 6))
    names = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    n_labels = draw(st.integers(1, len(names) - 1))
    cells = st.one_of(st.just(0.0), st.just(None), FLOATS)
    X = [[draw(cells) for _ in names[n_labels:]] for _ in range(n_rows)]
    Y = [[draw(st.integers(0, 1)) for _ in range(n_labels)] for _ in range(n_rows)]
    return names, n_labels, X, Y, draw(st.booleans()), draw(st.sampled_from(["\n", "\r\n"]))


@given(table=tables())
def test_what_was_written_is_read(folder, table):
    names, n_labels, X, Y, is_sparse, newline = table
    kinds = [["0", "1"]] * n_labels + ["numeric"] * (len(names) - n_labels)
    rows = [[str(label) for label in y] + x for x, y in zip(X, Y, strict=True)]
    text = arff(list(zip(names, kinds, strict=True)), rows, f"x: -C {n_labels}", is_sparse, newline)
    data = read_arff(write(folder, text))
    assert data.label_names == tuple(names[:n_labels])
    assert data.feature_names == tuple(names[n_labels:])
    np.testing.assert_array_equal(dense(data.X), np.array(X, dtype=float))
    np.testing.assert_array_equal(data.Y.toarray(), np.array(Y, dtype=bool))
    assert sparse.issparse(data.X) == is_sparse


@given(
    texts=st.lists(
        st.one_of(
            FLOATS.map(repr),
            st.from_regex(r"[+-]?[0-9]{0,25}\.[0-9]{1,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
            st.from_regex(r"[+-]?[0-9]{1,25}\.?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
            st.decimals(-1e3, 1e3, places=18).map(str),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_every_number_is_the_one_python_reads(folder, texts):
    texts = [text for text in texts if math.isfinite(float(text))] or ["0"]
    head = "@relation x\n@attribute y {0,1}\n@attribute a numeric\n@data\n"
    data = read_arff(write(folder, head + "".join(f"0,{text}\n" for text in texts)), labels=["y"])
    assert data.X[:, 0].tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("text", ["9007199254740993", "0.30000000000000004", "8.5e-22", "-0.0"])
def test_numbers_at_the_edge_of_the_fast_way_are_exact(folder, text):
    head = "@relation x\n@attribute y {0,1}\n@attribute a numeric\n@data\n"
    data = read_arff(write(folder, f"{head}0,{text}\n"), labels=["y"])
    assert repr(data.X[0, 0]) == repr(np.float64(text))


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("0.000123456789012345678", True),
        ("1234567890123456789", False),
        ("9007199254740993", False),
    ],
)
def test_python_reads_what_has_many_digits_or_lies_halfway(text, is_plain):
    letters = np.frombuffer(bytearray(f"{text}\n".encode()), dtype=np.uint8)
    number, after, certain = plain_number(letters, 0)
    assert certain == is_plain
    assert after == len(text)
    assert not certain or number == float(text)


def test_labels_stand_anywhere_and_keep_the_order_of_the_file(folder):
    attributes = [("b", ["0", "1"]), ("x", "numeric"), ("a", ["0", "1"]), ("z", "numeric")]
    path = write(folder, arff(attributes, [["1", 2.0, "0", 3.0]]), "mixed-train.arff")
    write(folder, label_xml(["a", "b"]), "mixed.xml")
    data = read_arff(path)
    assert data.label_names == ("b", "a")
    assert data.feature_names == ("x", "z")
    assert data.Y.toarray().tolist() == [[True, False]]


def test_the_xml_file_beside_outweighs_the_option_in_the_relation(folder):
    attributes = [("first", ["0", "1"]), ("last", ["0", "1"])]
    path = write(folder, arff(attributes, [["0", "1"], ["0", "1"]], "x: -C 1"), "both.arff")
    assert read_arff(path).label_names == ("first",)
    write(folder, label_xml(["last"]), "both.xml")
    assert read_arff(path).label_names == ("last",)


def test_a_negative_option_takes_the_last_attributes(folder):
    attributes = [("x", "numeric"), ("p", ["0", "1"]), ("q", ["0", "1"])]
    path = write(folder, arff(attributes, [[1.5, "1", "0"]], "x: -C -2"))
    assert read_arff(path).label_names == ("p", "q")


@pytest.mark.parametrize("is_sparse", [False, True])
def test_nominal_attributes_become_columns_that_say_what_they_are(folder, is_sparse):
    attributes = [
        ("y", ["0", "1"]),
        ("grade", ["1", "2", "5"]),
        ("wet", ["YES", "NO"]),
        ("side", ["left", "right"]),
        ("colour", ["red", "green", "blue"]),
    ]
    rows = [
        ["0", "1", "YES", "left", "red"],
        ["1", "5", "NO", "right", "blue"],
        ["1", None, None, None, None],
        ["0", "2", "YES", "left", "red"],
    ]
    data = read_arff(write(folder, arff(attributes, rows, sparse=is_sparse)), labels=["y"])
    assert data.feature_names == (
        "grade",
        "wet",
        "side",
        "colour=red",
        "colour=green",
        "colour=blue",
    )
    nan = np.nan
    expected = [
        [1, 1, 0, 1, 0, 0],
        [5, 0, 1, 0, 0, 1],
        [nan, nan, nan, nan, nan, nan],
        [2, 1, 0, 1, 0, 0],
    ]
    np.testing.assert_array_equal(dense(data.X), np.array(expected, dtype=float))
    assert sparse.issparse(data.X) == is_sparse


def test_a_sparse_row_leaves_out_the_first_declared_value_even_of_a_label(folder):
    text = "@relation x\n@attribute y {1,0}\n@attribute z {0,1}\n@data\n{}\n{0 0}\n{1 1}\n"
    data = read_arff(write(folder, text), labels=["y", "z"])
    assert data.Y.toarray().tolist() == [[True, False], [False, False], [True, True]]


def test_many_values_make_a_dense_file_sparse(folder):
    values = [f"v{number}" for number in range(40)]
    rows = [["0", value] for value in values[:30]] + [["1", values[0]]]
    data = read_arff(write(folder, arff([("y", ["0", "1"]), ("v", values)], rows)), labels=["y"])
    assert sparse.issparse(data.X)
    assert data.X.shape == (31, 40)
    assert data.X.toarray()[np.arange(30), np.arange(30)].all()


@pytest.mark.parametrize("is_sparse", [False, True])
def test_identifiers_are_kept_beside_and_not_among_the_features(folder, is_sparse):
    attributes = [
        ("name", "string"),
        ("code", ["k1", "k2", "k3"]),
        ("y", ["0", "1"]),
        ("x", "numeric"),
    ]
    rows = [["it's", "k3", "0", 1.0], ["a\tb", "k2", "1", 2.0]]
    data = read_arff(write(folder, arff(attributes, rows, sparse=is_sparse)), labels=["y"])
    assert data.feature_names == ("x",)
    assert {key: list(values) for key, values in data.ids.items()} == {
        "name": ["it's", "a\tb"],
        "code": ["k3", "k2"],
    }


def test_the_first_label_that_is_left_out_and_neither_0_nor_1_is_named(folder):
    head = "@relation x\n@attribute a {2,1}\n@attribute b {3,1}\n@attribute c {0,1}\n@data\n"
    path = write(folder, head + "{0 1,1 1}\n{0 1}\n{1 1}\n")
    with pytest.raises(DataError, match=r", line 7: label 'b' must be 0 or 1, .*, got 3\.$"):
        read_arff(path, labels=["a", "b", "c"])


def test_a_question_mark_is_a_missing_text_unless_it_is_quoted(folder):
    head = "@relation x\n@attribute name string\n@attribute y {0,1}\n@data\n"
    data = read_arff(write(folder, head + "?,1\n'?',0\na,1\n"), labels=["y"])
    assert data.ids["name"].tolist() == ["", "?", "a"]


def test_an_attribute_with_a_value_twice_is_no_identifier_unless_asked(folder):
    attributes = [("code", ["k1", "k2", "k3"]), ("y", ["0", "1"])]
    path = write(folder, arff(attributes, [["k1", "0"], ["k1", "1"]]))
    assert read_arff(path, labels=["y"]).ids == {}
    assert list(read_arff(path, labels=["y"], ids=["code"]).ids["code"]) == ["k1", "k1"]


@given(
    bags=st.lists(
        st.tuples(
            NAMES,
            st.lists(st.lists(FLOATS, min_size=2, max_size=2), min_size=1, max_size=4),
            st.lists(st.integers(0, 1), min_size=3, max_size=3),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_bags_are_read_as_they_were_written(folder, bags):
    path = write(folder, bag_arff(["f", "g"], ["p", "q", "r"], bags))
    data = read_arff(path, labels=-3)
    assert read_arff(path, labels=np.int64(-3)).label_names == data.label_names
    with pytest.raises(TypeError, match=r"^labels must be a file, a number, .*, got True\.$"):
        read_arff(path, labels=True)
    assert data.n_samples == len(bags)
    assert list(data.ids["id"]) == [name for name, _, _ in bags]
    for number, (_, instances, labels) in enumerate(bags):
        own = data.X[data.bags[number] : data.bags[number + 1]]
        assert own.tolist() == instances
        assert data.Y.toarray()[number].tolist() == list(map(bool, labels))


def test_a_file_without_any_label_value_is_for_prediction(folder):
    attributes = [("y", ["0", "1"]), ("x", "numeric")]
    data = read_arff(write(folder, arff(attributes, [[None, 1.0], [None, 2.0]])), labels=1)
    assert data.Y is None
    assert data.label_names == ("y",)
    assert data.X.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("is_sparse", [False, True])
def test_some_labels_may_be_missing(folder, is_sparse):
    attributes = [("y", ["0", "1"]), ("z", ["0", "1"]), ("x", "numeric")]
    rows = [["0", "1", 1.0], [None, "1", 2.0], ["1", None, 3.0]]
    text = arff(attributes, rows)
    if is_sparse:
        head = text[: text.lower().index("@data")]
        text = head + "@data\n{1 1, 2 1}\n{0 ?, 1 1, 2 2}\n{0 1, 1 ?, 2 3}\n"
    data = read_arff(write(folder, text), labels=2)
    np.testing.assert_array_equal(data.Y.toarray(), [[0, 1], [np.nan, 1], [1, np.nan]])
    assert data.missing.nnz == 2


def test_labels_of_a_test_file_without_truth_are_missing_beside_a_training_file(tmp_path):
    attributes = [("y", ["0", "1"]), ("x", "numeric")]
    write(tmp_path, arff(attributes, [["0", 1.0], ["1", 2.0]]), "a-train.arff")
    write(tmp_path, arff(attributes, [[None, 3.0]]), "a-test.arff")
    data = load(tmp_path, labels=1)
    np.testing.assert_array_equal(data.Y.toarray(), [[0], [1], [np.nan]])
    assert data.take(data.train).missing is None
    assert data.take(data.test).Y is None


def test_a_byte_that_is_not_utf8_makes_the_whole_file_latin1(folder):
    text = "@relation x\n@attribute é {0,1}\n@attribute s string\n@data\n1,'ü'\n".encode()
    assert read_arff(write(folder, text), labels=1).label_names == ("é",)
    data = read_arff(write(folder, text + "0,'ü'\n".encode("latin-1")), labels=1)
    assert data.label_names == ("Ã©",)
    assert list(data.ids["s"]) == ["Ã¼", "ü"]


def test_gzip_is_recognised_by_its_content(folder):
    text = arff([("y", ["0", "1"]), ("x", "numeric")], [["1", 2.5]])
    path = write(folder, gzip.compress(text.encode()), "packed.arff")
    assert read_arff(path, labels=1).X.tolist() == [[2.5]]


@pytest.mark.parametrize(
    "data",
    ["1,2.5,'a b'", "1\t2.5\ta b", "1 , 2.5,\ta b ", '  1,2.50, "a b"\r', "'1','2.5','a\\ b'"],
)
def test_rows_may_be_spaced_and_quoted_in_every_usual_way(folder, data):
    head = "@relation x\n@attribute y {0,1}\n@ATTRIBUTE x REAL\n@attribute s string\n@Data\n\n% c\n"
    read = read_arff(write(folder, head + data), labels=1)
    assert read.X.tolist() == [[2.5]]
    assert list(read.ids["s"]) == ["a b"]
    assert read.Y.toarray().tolist() == [[True]]


def test_two_files_become_one_with_the_identifiers_of_the_first(tmp_path):
    attributes = [("code", ["k1", "k2", "k3"]), ("y", ["0", "1"]), ("x", "numeric")]
    write(tmp_path, arff(attributes, [["k1", "0", 1.0], ["k2", "1", 2.0]]), "p-train.arff")
    write(tmp_path, arff(attributes, [["k3", "1", 3.0], ["k3", "0", 4.0]]), "p-test.arff")
    data = load(tmp_path, labels=["y"])
    assert data.X.ravel().tolist() == [1, 2, 3, 4]
    assert data.train.tolist() == [0, 1]
    assert data.test.tolist() == [2, 3]
    assert list(data.ids["code"]) == ["k1", "k2", "k3", "k3"]
    write(tmp_path, arff(attributes[1:], [["1", 3.0]]), "p-test.arff")
    with pytest.raises(DataError, match=r"p-test\.arff: has other attributes than p-train\.arff"):
        load(tmp_path, labels=["y"])


@pytest.mark.parametrize(
    "name", ["emotions/emotions-test", "medical/medical-test", "birds/birds-test"]
)
def test_liac_arff_reads_the_same_from_real_files(benchmark_home, name):
    path = benchmark_home / f"{name}.arff.gz"
    data = read_arff(path)
    with gzip.open(path, "rt") as file:
        text = file.read()
    table = liac.loads(text, return_type=liac.LOD if "{0 1," in text else liac.DENSE)
    # It leaves escapes inside quoted names as they are.
    columns = [attribute.replace("\\", "") for attribute, _ in table["attributes"]]
    rows = table["data"]
    values = np.zeros((len(rows), len(columns)))
    for i, row in enumerate(rows):
        cells = row.items() if isinstance(row, dict) else enumerate(row)
        for c, value in cells:
            values[i, c] = float(value)
    place = {column: c for c, column in enumerate(columns)}
    np.testing.assert_array_equal(dense(data.X), values[:, [place[n] for n in data.feature_names]])
    np.testing.assert_array_equal(data.Y.toarray(), values[:, [place[n] for n in data.label_names]])


def test_an_attribute_with_as_many_values_as_rows_is_an_identifier(folder):
    rows = [["k1", "1"], ["k2", "0"]]
    for values, ids in ((["k1", "k2"], ["code"]), (["k1", "k2", "k3"], ["code"])):
        path = write(folder, arff([("code", values), ("y", ["0", "1"])], rows))
        assert list(read_arff(path, labels=["y"]).ids) == ids
