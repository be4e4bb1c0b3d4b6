"""Tables come back as they were written, and bad ones say where they are bad."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.data import DataError, DataWarning, load, read_table
from tests.oracles.table_columns import expected_features
from tests.writers.table import csv_bytes, parquet_bytes

NUMBERS = st.none() | st.floats(allow_nan=False) | st.integers(-5, 5).map(float)
BOOLEANS = st.none() | st.booleans()
TEXTS = st.none() | st.sampled_from(
    ["red", "blue", "yes", "no", "Y", "Grün", 'a"b', '"', "x\ny", "a;b,c\td", "2020-01-01", "1 2"]
)
DATES = st.none() | st.sampled_from(["2020-01-01", "2021-05-05"])
NAMES = st.sampled_from(["size", "b c", "größe", 'q"q', "t\tt", "x,y", "s;s"])
LABEL_SETS = st.sets(st.sampled_from(["sea", "sky", "Öl", "1", "0"]))


@st.composite
def tables(draw):
    """Features, and the label sets of the rows."""
    n_rows = draw(st.integers(1, 7))

    def cells(kind):
        return draw(st.lists(kind, min_size=n_rows, max_size=n_rows))

    names = draw(st.lists(NAMES, unique=True, max_size=4))
    kinds = [draw(st.sampled_from([NUMBERS, BOOLEANS, TEXTS, DATES])) for _ in names]
    columns = {name: cells(kind) for name, kind in zip(names, kinds, strict=True)}
    return columns, cells(LABEL_SETS)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("table")


def write(home, content, name="data.csv"):
    path = home / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def label_sets(dataset):
    return [{dataset.label_names[j] for j in np.flatnonzero(row)} for row in dataset.Y.toarray()]


def check_features(dataset, columns):
    features, ids = expected_features(columns)
    X = dataset.X.toarray() if sparse.issparse(dataset.X) else dataset.X
    assert dataset.feature_names == tuple(features)
    expected = np.array(list(features.values()), dtype=float).T.reshape(X.shape)
    assert np.array_equal(X, expected, equal_nan=True)
    assert {name: list(values) for name, values in dataset.ids.items()} == ids


@pytest.mark.filterwarnings("ignore::labelwise.data.DataWarning")
@given(
    table=tables(),
    delimiter=st.sampled_from([",", ";", "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]),
    missing=st.sampled_from(["", "?"]),
    packed=st.booleans(),
)
def test_csv_is_read_as_written(home, table, delimiter, newline, encoding, missing, packed):
    columns, sets = table
    labels = {f"is {name}": [int(name in row) for row in sets] for name in ("sea", "sky")}
    content = csv_bytes(
        columns | labels, delimiter=delimiter, newline=newline, encoding=encoding, missing=missing
    )
    read = read_table(
        write(home, gzip.compress(content, mtime=0) if packed else content), labels=list(labels)
    )
    as_written = {
        name: [
            missing if cell is None and any(isinstance(c, str) for c in cells) else cell
            for cell in cells
        ]
        for name, cells in columns.items()
    }
    check_features(read, as_written)
    assert label_sets(read) == [{f"is {name}" for name in row & {"sea", "sky"}} for row in sets]


@given(table=tables(), packed=st.booleans())
def test_parquet_is_read_as_written(home, table, packed):
    columns, sets = table
    labels = {f"label:{name}": [name in row for row in sets] for name in ("sea", "sky")}
    content = parquet_bytes(columns | labels)
    read = read_table(
        write(home, gzip.compress(content, mtime=0) if packed else content), labels="label:*"
    )
    check_features(read, columns)
    assert label_sets(read) == [{f"label:{name}" for name in row & {"sea", "sky"}} for row in sets]


@given(
    table=tables(),
    separator=st.sampled_from([None, ";", "|", ", "]),
    form=st.sampled_from(["csv", "parquet", "lists"]),
)
def test_a_column_of_label_names_is_read_as_written(home, table, separator, form):
    columns, sets = table
    cells = [
        sorted(row) if form == "lists" else (separator or ";").join(sorted(row)) for row in sets
    ]
    columns = {"x": [1.0] * len(sets), "topics": cells}
    if form == "lists":
        columns["topics"] = pa.array(cells, pa.list_(pa.string()))
    content = csv_bytes(columns) if form == "csv" else parquet_bytes(columns)
    read = read_table(write(home, content), labels="topics", separator=separator or ";")
    assert read.feature_names == ("x",)
    if any(sets):
        assert label_sets(read) == sets
    else:
        assert read.Y is None


@given(table=tables())
def test_csv_and_parquet_say_the_same(home, table):
    columns, sets = table
    columns = columns | {"sea": [int("sea" in row) for row in sets]}
    from_csv = read_table(write(home, csv_bytes(columns)), labels=["sea"])
    from_parquet = read_table(write(home, parquet_bytes(columns), "data.parquet"), labels=["sea"])
    assert from_csv.feature_names == from_parquet.feature_names
    assert np.array_equal(from_csv.X, from_parquet.X, equal_nan=True)


def test_one_column_of_zeros_and_ones_is_one_label(home):
    path = write(home, "x,sea\n1,0\n2,true\n3,False\n4,1\n")
    read = read_table(path, labels="sea")
    assert read.label_names == ("sea",)
    assert read.Y.toarray().ravel().tolist() == [False, True, False, True]
    assert read_table(path, labels="sea", separator="|").label_names == ("0", "1", "False", "true")


@pytest.mark.parametrize("words", ["0 1", "0.0 1.0", "False True", "no YES", "N y", "f T", "0 t"])
@pytest.mark.parametrize("labels", ["sea", ["sea"]])
def test_words_for_no_and_yes_are_zero_and_one(home, words, labels):
    no, yes = words.split()
    for content in (
        csv_bytes({"x": [1, 2, 3], "sea": [no, yes, no]}),
        parquet_bytes({"x": [1, 2, 3], "sea": [no, yes, no]}),
    ):
        read = read_table(write(home, content), labels=labels)
        assert read.label_names == ("sea",)
        assert read.Y.toarray().ravel().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([7, 12]), ["7", "12"]),
        (pa.array([7.0, None]), ["7", ""]),
        (pa.array([18262, 18263], pa.date32()), ["2020-01-01", "2020-01-02"]),
        (
            pa.array([0, 1], pa.timestamp("ms")),
            ["1970-01-01 00:00:00.000", "1970-01-01 00:00:00.001"],
        ),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([b"a", b"b"]), ["a", "b"]),
    ],
)
def test_identifiers_of_any_type_are_text(home, values, texts):
    path = write(home, parquet_bytes({"who": values, "y": [0, 1]}), "data.parquet")
    assert read_table(path, labels=["y"], ids="who").ids["who"].tolist() == texts


@pytest.mark.parametrize("cells", ["7 12", "007 1e5", "1,5 2,5", "2020-01-01 NA", "1.234,5 null"])
@pytest.mark.filterwarnings("ignore::labelwise.data.DataWarning")
def test_identifiers_keep_their_text_in_a_file_with_semicolons(home, cells):
    content = csv_bytes({"who": cells.split(), "y": [0, 1]}, delimiter=";")
    read = read_table(write(home, content), labels=["y"], ids="who")
    assert read.ids["who"].tolist() == cells.split()


def test_a_csv_file_may_begin_like_a_parquet_file(home):
    assert read_table(write(home, "PAR1,y\n1,0\n"), labels=["y"]).feature_names == ("PAR1",)


def test_numbers_that_are_not_binary_are_label_names(home):
    read = read_table(write(home, "x,topic\n1,3\n2,17;3\n3,\n"), labels="topic")
    assert label_sets(read) == [{"3"}, {"3", "17"}, set()]


def test_blanks_around_label_names_do_not_count(home):
    read = read_table(write(home, "x,topics\n1,sea ; sky\n2, sky;;\n"), labels="topics")
    assert label_sets(read) == [{"sea", "sky"}, {"sky"}]


def test_a_delimiter_inside_quotes_does_not_count(home):
    with pytest.warns(DataWarning, match="read with separator ';'"):
        read = read_table(write(home, 'y;"a,b,c"\n1;5\n0;6\n'), labels=["y"])
    assert read.feature_names == ("a,b,c",)


@pytest.mark.parametrize(
    ("values", "one"),
    [("no yes", "yes"), ("Y n", "Y"), ("t u", "t"), ("t y", "y"), ("blue red", "red")],
)
def test_of_two_values_the_one_that_says_yes_is_one(home, values, one):
    cells = values.split() * 2
    content = csv_bytes({"kind": cells, "y": [0, 1, 1, 1]})
    read = read_table(write(home, content), labels=["y"])
    assert read.feature_names == ("kind",)
    assert read.X.ravel().tolist() == [float(cell == one) for cell in cells]


def test_text_without_any_value_is_one_missing_feature(home):
    read = read_table(write(home, parquet_bytes({"t": ["", "?"], "y": [0, 1]})), labels=["y"])
    assert read.feature_names == ("t",)
    assert np.isnan(read.X).all()


def test_labels_stand_in_the_order_asked_for(home):
    path = write(home, "b,x,a\n1,5,0\n0,6,1\n")
    assert read_table(path, labels=["a", "b"]).Y.toarray().tolist() == [[0, 1], [1, 0]]
    assert read_table(path, labels=["b", "a"]).Y.toarray().tolist() == [[1, 0], [0, 1]]


def test_asked_for_identifiers_keep_their_text(home):
    path = write(home, "id,x,y,\n007,1,1,3\n008,2,0,4\n007,3,1,3\n")
    read = read_table(path, labels=["y"], ids="id")
    assert read.ids["id"].tolist() == ["007", "008", "007"]
    assert read.feature_names == ("x",)
    assert read.ids[""].tolist() == ["3", "4", "3"]


def test_row_names_of_pandas_are_no_feature(home):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0], "y": [0, 1, 1]}, index=[7, 9, 2])
    file = io.BytesIO()
    frame.to_parquet(file)
    read = read_table(write(home, file.getvalue()), labels=["y"])
    assert read.feature_names == ("x",)
    assert read.ids["__index_level_0__"].tolist() == ["7", "9", "2"]


def test_missing_labels_everywhere_are_to_be_predicted(home):
    read = read_table(write(home, "x,a,b\n1,?,\n2,,NA\n"), labels=["a", "b"])
    assert read.Y is None
    assert read.label_names == ("a", "b")
    read = read_table(write(home, "x,topics\n1,?\n2,?\n"), labels="topics")
    assert (read.Y, read.label_names) == (None, ())


def test_later_rows_may_be_of_another_kind_than_the_first(home):
    n_rows = 120_000
    cells = ["1"] * n_rows
    late = {"x": "0.5", "kind": "red", "day": "2020-01-01"}
    columns = {name: [*cells, value, value] for name, value in late.items()}
    columns["y"] = [0] * (n_rows + 2)
    read = read_table(write(home, csv_bytes(columns)), labels=["y"])
    assert read.feature_names == ("x", "kind", "day")
    assert read.X[-1].tolist() == [0.5, 1.0, 1.0]
    assert read.X[0].tolist() == [1.0, 0.0, 0.0]


def test_a_row_may_be_longer_than_a_block(home):
    columns = {"x": [1.0, 2.0, 3.0], "text": ["a" * 2**21, "b", "b"], "y": [0, 1, 1]}
    read = read_table(write(home, csv_bytes(columns)), labels=["y"])
    assert read.X.tolist() == [[1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]
    assert read.feature_names == ("x", "text")


def test_many_text_values_make_features_sparse(home):
    n_values = 50
    cells = [f"v{i % n_values:02}" for i in range(2 * n_values)]
    columns = {"x": [0.0, 2.0] * n_values, "kind": cells, "y": [0, 1] * n_values}
    read = read_table(write(home, csv_bytes(columns)), labels=["y"])
    assert sparse.issparse(read.X)
    check_features(read, {"x": columns["x"], "kind": cells})
    gap = [*cells[:-1], ""]
    read = read_table(write(home, csv_bytes(columns | {"kind": gap})), labels=["y"])
    check_features(read, {"x": columns["x"], "kind": gap})


def test_train_and_test_files_share_their_columns(tmp_path):
    write(tmp_path, "kind,x,topics\nred,1,sea\nred,2,\nblue,3,sky\n", "both-train.csv")
    write(tmp_path, "topics,x,kind\nsky;oil,,green\n,0.5,green\n", "both-test.csv")
    both = load(tmp_path, labels="topics")
    assert both.feature_names == ("kind=blue", "kind=green", "kind=red", "x")
    assert label_sets(both) == [{"sea"}, set(), {"sky"}, {"oil", "sky"}, set()]
    assert (both.train.tolist(), both.test.tolist()) == ([0, 1, 2], [3, 4])
    assert both.X[3, :3].tolist() == [0.0, 1.0, 0.0]


def test_a_column_empty_in_one_file_is_what_the_other_says(tmp_path):
    write(tmp_path, "kind,y\nred,0\nred,1\nblue,1\n", "both-train.csv")
    write(tmp_path, "kind,y\n,0\n,1\n", "both-test.csv")
    both = load(tmp_path, labels=["y"])
    assert both.feature_names == ("kind",)
    assert np.isnan(both.X[3:]).all()


@given(
    bags=st.lists(st.sampled_from(["b", "a", "c"]), min_size=1, max_size=8),
    positive=st.sets(st.sampled_from(["b", "a", "c"])),
)
def test_rows_of_a_bag_are_its_instances_in_order(home, bags, positive):
    columns = {
        "bag": bags,
        "x": list(range(len(bags))),
        "site": [f"site {bag}" for bag in bags],
        "y": [int(bag in positive) for bag in bags],
    }
    read = read_table(write(home, csv_bytes(columns)), labels=["y"], bags="bag", ids="site")
    order = list(dict.fromkeys(bags))
    assert read.ids["bag"].tolist() == order
    assert read.ids["site"].tolist() == [f"site {bag}" for bag in order]
    assert read.Y.toarray().ravel().tolist() == [bag in positive for bag in order]
    for i, bag in enumerate(order):
        instances = read.X[read.bags[i] : read.bags[i + 1], 0]
        assert instances.tolist() == [x for x, of in enumerate(bags) if of == bag]


def test_bags_of_two_files_are_never_one(tmp_path):
    write(tmp_path, "bag,x,y\n1,1,0\n1,2,0\n2,3,1\n", "both-train.csv")
    write(tmp_path, "bag,x,y\n1,4,1\n3,5,0\n", "both-test.csv")
    both = load(tmp_path, labels=["y"], bags="bag")
    assert both.bags.tolist() == [0, 2, 3, 4, 5]
    assert (both.train.tolist(), both.test.tolist()) == ([0, 1], [2, 3])
    assert "x" not in both.ids


def test_an_identifier_of_instances_is_dropped_with_bags(home):
    path = write(home, "bag,who,x,y\n1,a,1,0\n1,b,2,0\n2,c,3,1\n")
    assert list(read_table(path, labels=["y"], bags="bag").ids) == ["bag"]


PARQUET = parquet_bytes({"x": [1.5, 2.5], "y": [0, 1], "s": ["a", "b"]})


@pytest.mark.parametrize(
    ("content", "labels", "Y"),
    [
        (b"x,y\n1,yes\n2,NA\n", ["y"], [[1], [np.nan]]),
        (b"x,y\n1,1\n2,\n3,\n", ["y"], [[1], [np.nan], [np.nan]]),
        (b"y,z\n1,1\n1,\n,0\n", ["z", "y"], [[1, 1], [np.nan, 1], [0, np.nan]]),
        (b"x,topics\n1,sea;sky\n2,?\n3,\n", "topics", [[1, 1], [np.nan, np.nan], [0, 0]]),
        (b"x,y\n1,0\n2,\n", "y", [[0], [np.nan]]),
        (parquet_bytes({"y": [0.0, np.nan]}), ["y"], [[0], [np.nan]]),
        (parquet_bytes({"y": [True, None], "z": [1, 0]}), ["y", "z"], [[1, 1], [np.nan, 0]]),
    ],
)
def test_a_label_cell_without_a_value_is_a_missing_label(home, content, labels, Y):
    path = write(home, content, "gaps.csv")
    with pytest.warns(DataWarning, match=r"read with .* missing label"):
        data = read_table(path, labels=labels)
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    np.testing.assert_array_equal(data.missing.toarray(), np.isnan(Y))
    assert f"({np.isnan(Y).sum()} cell" in repr(data)
    assert data.describe().n_missing == np.isnan(Y).sum()


def test_missing_labels_of_a_bag_agree_with_missing_labels(home):
    content = b"b,x,y,z\n1,1,,0\n2,1,1,1\n1,3,,0\n"
    with pytest.warns(DataWarning, match="2 missing labels"):
        data = read_table(write(home, content, "bags.csv"), labels=["y", "z"], bags="b")
    np.testing.assert_array_equal(data.Y.toarray(), [[np.nan, 0], [1, 1]])
    other = write(home, b"b,y\n1,\n1,0\n2,1\n", "other.csv")
    with (
        pytest.raises(DataError, match="has other labels than the first row"),
        pytest.warns(DataWarning, match="1 missing label"),
    ):
        read_table(other, labels=["y"], bags="b")


@pytest.mark.parametrize(
    ("content", "arguments", "complaint"),
    [
        (b"", {}, "is empty"),
        (b"\n\n", {}, "is empty"),
        (b"x,y", {}, "has no rows"),
        (b"x,y\n", {}, "has no rows"),
        (b"x,z\n1,2\n", {}, "has no column 'y'"),
        (b"x,y\n1,1\n", {"labels": "label:*"}, "has no column that begins with 'label:'"),
        (b"x,y\n1,1\n", {"labels": "topics"}, "has no column 'topics'"),
        (b"x,y\n1,1\n", {"ids": ["id"]}, "has no column 'id'"),
        (b"x,y\n1,1\n", {"bags": "bag"}, "has no column 'bag'"),
        (b"," * 70_000 + b"\n", {}, "has 70001 columns, more than 65536"),
        (b'"x\ny"' + b"," * 70_000, {}, "has 70001 columns, more than 65536"),
        (b"x,x,y\n1,2,1\n", {}, "has 2 columns named 'x'"),
        (b"x,y\n1,1\n2\n", {}, "line 3: has 1 values where the header has 2"),
        (b'x,y\n"1\n",1\n\n2,1,0\n', {}, "line 5: has 3 values where the header has 2"),
        (b'x,y,z\n1,1,2\n2,0,"3\n4,1,0\n', {}, "line 3: has a quote that is never closed"),
        (b"x,y\n1,1\n2,2\n", {}, "line 3: has 2.0 for label 'y', not 0 or 1"),
        (b"x,y\n1,1\n2,nope\n", {}, "line 3: has 'nope' for label 'y', not 0 or 1"),
        (b"b,y\n1,0\n2,1\n1,1\n", {"bags": "b"}, "line 4: has other labels than the first row"),
        (b"b,y\n1,0\n,1\n", {"bags": "b"}, "line 3: has no value for the bag 'b'"),
        (b"a,a=u,y\nu,1,0\nv,2,0\nw,2,1\nw,3,1\n", {}, "gives 2 features the name 'a=u'"),
        (b"x,y\n1,1\n" * 40, {"max_bytes": 100}, "more than max_bytes=100"),
        (gzip.compress(b"x,y\n1,1\n" * 99, mtime=0)[:-9], {}, "not a whole gzip file"),
        (b"x,y\n\x00,1\n\x00\x00", {}, "line 3: has 1 values"),
        (PARQUET[:-9], {}, "cannot be read"),
        (PARQUET[: len(PARQUET) // 2], {}, "cannot be read"),
        (b"PAR1" + bytes(100), {}, "cannot be read"),
        (
            parquet_bytes({"x": ["åå", "b"], "y": [0, 1]}).replace("åå".encode(), b"\xff" * 4),
            {},
            "cannot be read",
        ),
        (
            parquet_bytes({"åå": ["a", "b"], "y": [0, 1]}).replace("åå".encode(), b"\xff" * 4),
            {},
            "cannot be read",
        ),
        (b"PAR1", {}, "cannot be read"),
        (PARQUET, {"max_bytes": 20}, "more than max_bytes=20"),
        (PARQUET, {"labels": ["x"]}, "row 1 has 1.5 for label 'x', not 0 or 1"),
        (
            parquet_bytes({"x": [[1]], "y": [0]}),
            {"text": "x"},
            "has lists or objects in column 'x'",
        ),
        (parquet_bytes({"y": [[1], [2]]}), {}, "has lists in column 'y', not 0 and 1"),
        (parquet_bytes({"x": [{"a": 1}], "y": [0]}), {}, "in column 'x', which is neither"),
        (parquet_bytes({"x": [b"\xff"], "y": [0]}), {}, "in column 'x', which is neither"),
    ],
)
def test_a_bad_file_says_where_and_what(home, content, arguments, complaint):
    path = write(home, content, "bad.csv")
    with pytest.raises(DataError) as caught:
        read_table(path, **{"labels": ["y"]} | arguments)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_small_parquet_file_cannot_unpack_to_much(home):
    path = write(home, parquet_bytes({"x": np.zeros(10**6), "y": np.zeros(10**6)}))
    assert path.stat().st_size < 10**5
    with pytest.raises(DataError, match="more than max_bytes"):
        read_table(path, labels=["y"], max_bytes=10**6)


def test_many_gaps_in_many_text_values_are_refused(home):
    cells = [*(f"v{i % 200}" for i in range(400)), *[""] * 5000]
    content = csv_bytes({"x": range(5400), "kind": cells, "y": [1] * 5400})
    with pytest.raises(DataError, match="too many values and gaps in column 'kind'"):
        read_table(write(home, content), labels=["y"])


@pytest.mark.parametrize(
    ("second", "complaint"),
    [
        ("x\n1\n", "has no column 'y', which is in"),
        ("x,y,z\n1,0,1\n", "has a column 'z', which is not in"),
        ("x,y\nred,0\n", "has string in column 'x', but"),
        ("x,y\n1,0\n2,7\n", "line 3: has 7.0 for label 'y'"),
    ],
)
def test_a_fault_in_the_test_file_names_that_file(tmp_path, second, complaint):
    paths = [
        write(tmp_path, "x,y\n1,0\n", "both-train.csv"),
        write(tmp_path, second, "both-test.csv"),
    ]
    with pytest.raises(DataError) as caught:
        load(tmp_path, labels=["y"])
    assert str(caught.value).startswith(str(paths[1]))
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"labels": []}, "labels must name at least one column"),
        ({"labels": "y", "separator": ""}, "separator must not be empty"),
        ({"labels": ["y"], "separator": "|"}, "separator is for a single column"),
        ({"labels": "y*", "separator": "|"}, "separator is for a single column"),
        ({"labels": ["y"], "ids": ["y"]}, "labels must not name 'y' too"),
        ({"labels": ["y"], "bags": "y"}, "labels must not name 'y' too"),
        ({"labels": ["y", "y"]}, "label_names must be distinct"),
    ],
)
def test_wrong_arguments_are_refused(home, arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        read_table(write(home, "x,y\n1,0\n"), **arguments)
