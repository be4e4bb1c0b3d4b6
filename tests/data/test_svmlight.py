"""svmlight files come back as they were written, and bad ones say where they are bad."""

import gzip
import io
import json
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from labelwise._io import SIDE_BYTES
from labelwise.data import DataError, read_svmlight
from labelwise.data._svmlight import svmlight_files
from tests.writers.svmlight import svmlight_bytes

VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0, -0.5])
NUMBERS = st.sampled_from(["0", "1", "2", "7"])
TEXTS = st.sampled_from(["sea", "sky", "-1", "+1", "2.5", "Grün", "a=b"])


@st.composite
def sparse_rows(draw, labels=NUMBERS | TEXTS):
    n_rows, n_features = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    row = st.dictionaries(st.integers(0, n_features - 1), VALUES)
    rows = [draw(row) for _ in range(n_rows)]
    indptr = np.cumsum([0] + [len(row) for row in rows])
    indices = [f for row in rows for f in row]
    data = [value for row in rows for value in row.values()]
    X = sparse.csr_array((data, indices, indptr), shape=(n_rows, n_features), dtype=float)
    label_rows = draw(
        st.lists(st.lists(labels, unique=True), min_size=n_rows, max_size=n_rows),
    )
    return X, label_rows


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("svmlight")


def write(home, content, name="data.svm"):
    path = home / name
    path.write_bytes(content)
    return path


def label_sets(dataset):
    rows = dataset.Y.toarray() if dataset.Y is not None else np.zeros((dataset.n_samples, 0))
    return [{dataset.label_names[j] for j in np.flatnonzero(row)} for row in rows]


@given(
    rows=sparse_rows(),
    first_index=st.sampled_from([0, 1]),
    newline=st.sampled_from(["\n", "\r\n", " \n\n"]),
    comment=st.sampled_from(["", " # 5:x", "#"]),
    packed=st.booleans(),
)
def test_what_was_written_is_read(home, rows, first_index, newline, comment, packed):
    X, label_rows = rows
    content = svmlight_bytes(
        X, label_rows, first_index=first_index, newline=newline, comment=comment
    )
    path = write(home, gzip.compress(content, mtime=0) if packed else content)
    read = read_svmlight(path, n_features=X.shape[1], zero_based=first_index == 0)
    assert np.array_equal(read.X.toarray(), X.toarray())
    assert label_sets(read) == [set(labels) for labels in label_rows]


@given(rows=sparse_rows())
def test_a_header_fixes_the_columns_and_makes_every_line_a_row(home, rows):
    X, label_rows = rows
    X.eliminate_zeros()
    header = (X.shape[0], X.shape[1] + 2, 9)
    label_rows = [[label for label in labels if label.isdigit()] for labels in label_rows]
    content = svmlight_bytes(X, label_rows, first_index=0, header=header)
    read = read_svmlight(write(home, content.replace(b" 0:0\n", b"\n")))
    assert read.X.shape == header[:2]
    assert read.n_labels == 9
    assert np.array_equal(read.X.toarray()[:, :-2], X.toarray())


@given(rows=sparse_rows(labels=NUMBERS))
def test_scikit_learn_reads_the_same(home, rows):
    X, label_rows = rows
    content = svmlight_bytes(X, label_rows)
    read = read_svmlight(write(home, content), n_features=X.shape[1])
    other, labels = load_svmlight_file(io.BytesIO(content), multilabel=True, n_features=X.shape[1])
    assert np.array_equal(read.X.toarray(), other.toarray())
    assert label_sets(read) == [{f"{label:.0f}" for label in row} for row in labels]


def test_rows_and_lines_go_on_across_blocks(home):
    rows = [f"{i % 3} 1:{i} 2:0.5" for i in range(30_000)]
    rows[100] += " # " + "long" * 100_000
    read = read_svmlight(write(home, "\n".join(rows).encode()))
    assert np.array_equal(read.X[:, [0]].toarray().ravel(), np.arange(30_000))
    assert np.array_equal(read.Y.tocsr().indices, np.arange(30_000) % 3)
    with pytest.raises(DataError, match="line 30001: has 'x'"):
        read_svmlight(write(home, "\n".join([*rows, "1 x"]).encode()))


def test_whole_numbers_are_their_own_columns(home):
    read = read_svmlight(write(home, b"03,1 1:1\n3,3 2:1\n"))
    assert read.label_names == ("0", "1", "2", "3")
    assert label_sets(read) == [{"1", "3"}, {"3"}]
    assert read_svmlight(write(home, b"1 1:1\n"), n_labels=5).n_labels == 5


def test_text_labels_are_sorted_columns(home):
    read = read_svmlight(write(home, "sky,sea 1:1\nGrün 1:2\n".encode("latin-1")))
    assert read.label_names == ("Grün", "sea", "sky")
    assert label_sets(read) == [{"sea", "sky"}, {"Grün"}]


def test_a_byte_order_mark_belongs_to_no_label(home):
    assert read_svmlight(write(home, b"\xef\xbb\xbfsea 1:1\n")).label_names == ("sea",)


def test_a_file_without_labels_is_to_be_predicted(home):
    read = read_svmlight(write(home, b"1:1 2:3\n2:1\n"), n_labels=3)
    assert read.Y is None
    assert read.label_names == ("0", "1", "2")


def test_query_numbers_are_passed_over(home):
    read = read_svmlight(write(home, b"1 qid:7 2:5\n"))
    assert read.X.toarray().tolist() == [[0.0, 5.0]]


def test_indices_count_from_zero_only_if_zero_occurs(home):
    assert read_svmlight(write(home, b"1 1:5\n")).X.toarray().tolist() == [[5.0]]
    assert read_svmlight(write(home, b"1 0:5\n")).X.toarray().tolist() == [[5.0]]
    read = read_svmlight(write(home, b"1 1:5\n"), zero_based=True)
    assert read.X.toarray().tolist() == [[0.0, 5.0]]


def test_train_and_test_files_share_their_columns(home):
    train = write(home, b"0 1:1\n0 1:2\n", "train.svm")
    test = write(home, b"4 3:1\n", "test.svm")
    both = svmlight_files([train, test], name="both")
    assert both.X.shape == (3, 3)
    assert both.Y.shape == (3, 5)
    assert (both.train.tolist(), both.test.tolist()) == ([0, 1], [2])


@pytest.mark.parametrize(
    ("content", "arguments", "complaint"),
    [
        (b"", {}, "has no rows"),
        (b"# only words\n\n", {}, "has no rows"),
        (b"1 1:1\n2 1:1 3\n", {}, "line 2: has '3' where index:value should stand"),
        (b"1 1:1\n\n2 1:x\n", {}, "line 3: has '1:x'"),
        (b"1 1:1\n2 1:\n", {}, "line 2: has '1:'"),
        (b"1 :1\n", {}, "line 1: has ':1'"),
        (b"1 -1:1\n", {}, "line 1: has '-1:1'"),
        (b"1 1:1_0\n", {}, "line 1: has '1:1_0'"),
        (b"1 1\x00:1\n", {}, "line 1: has '1\\x00:1'"),
        (b"1 qid:3 2:x\n", {}, "line 1: has '2:x'"),
        (b"9" * 5000 + b" 1 1\n", {}, "line 1: has '1' where"),
        (b"1 2:1 1:1\n", {}, "line 1: has feature index 1 after 2"),
        (b"1 2:1 2:1\n", {}, "line 1: has feature index 2 after 2"),
        (b"1 1:1\n,2 1:1\n", {}, "line 2: has an empty label in ',2'"),
        (b"1 1:1\n0 999999999:1\n", {}, "line 2: has feature 999999998, counted from 0, beyond"),
        (b"1 99999999999999999999:1\n", {}, "line 1: has feature index '99999999999999999999'"),
        (b"1 " + b"9" * 5000 + b":1\n", {}, "line 1: has feature index '999"),
        (b"1 1:1\n999999999 1:1\n", {}, "line 2: has label 999999999, counted from 0, beyond"),
        (b"9" * 5000 + b" 1:1\n", {}, "line 1: has label"),
        (b"1 1:1\n1 4:1\n", {"n_features": 3}, "line 2: has feature 3, counted from 0, beyond n_f"),
        (b"1 1:1\n3 1:1\n", {"n_labels": 3}, "line 2: has label 3, counted from 0, beyond n_label"),
        (b"1 1:1\n1 0:1\n", {"zero_based": False}, "line 2: has feature index 0"),
        (b"sea 1:1\n", {"n_labels": 3}, "names 1 labels by text, so there are not 3"),
        (b"2 3 4\n1 0:1\n", {}, "line 1: declares 2 rows but has 1"),
        (b"1 3 4\n1 3:1\n", {}, "line 2: has feature 3, counted from 0, beyond the 3 of its head"),
        (b"1 3 99999999999\n1 3:1\n", {}, "line 1: declares 99999999999 columns"),
        (b"1 1:1\n" * 40, {"max_bytes": 100}, "more than max_bytes=100"),
        (gzip.compress(b"1 1:1\n" * 99, mtime=0)[:-9], {}, "not a whole gzip file"),
    ],
)
def test_a_bad_file_says_where_and_what(home, content, arguments, complaint):
    path = write(home, content, "bad.svm")
    with pytest.raises(DataError) as caught:
        read_svmlight(path, **arguments)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_fault_in_the_test_file_names_that_file(home):
    train = write(home, b"0 1:1\n0 1:2\n", "train.svm")
    test = write(home, b"0 1:1\n0 9:1\n", "test.svm")
    with pytest.raises(DataError, match=r"test\.svm, line 2: has feature 8"):
        svmlight_files([train, test], n_features=5)


def test_a_small_file_never_takes_much_memory(home):
    path = write(home, b"1 1048576:1\n")
    assert read_svmlight(path).n_features == 2**20
    with pytest.raises(DataError, match="n_features="):
        read_svmlight(write(home, b"1 1048577:1\n"))
    assert read_svmlight(path, n_features=2**20 + 5).n_features == 2**20 + 5


def peak_of_reading(path, **arguments):
    """Bytes that reading a file takes at most at once, after a first file was read.

    The lowest of three readings counts, because other threads of the process can add to one.
    """
    peaks = []
    for _ in range(3):
        tracemalloc.start()
        try:
            with suppress(DataError):
                read_svmlight(path, **arguments)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return min(peaks)


HUGE = [str(number).encode() for number in (2**20 + 1, 2**31 - 1, 2**31, 2**63, 10**30)]


@pytest.mark.parametrize("number", HUGE, ids=lambda number: number.decode())
@pytest.mark.parametrize(
    "line", [b"1 1:1 %s:1\n", b"%s 1:1\n", b"a,%s 1:1\n", b"1 %s 1\n1 1:1\n", b"1 1 %s\n1 1:1\n"]
)
def test_a_file_that_is_refused_takes_memory_by_its_bytes_not_by_its_numbers(home, line, number):
    read_svmlight(write(home, b"1 1:1\n"))
    small = peak_of_reading(write(home, line.replace(b"%s", b"3")))
    assert peak_of_reading(write(home, line.replace(b"%s", number))) < small + 50_000


@pytest.mark.parametrize("line", [b"1 %d:1\n", b"%d 1:1\n"])
def test_a_column_that_is_read_takes_no_more_memory_than_it_counts_for(home, line):
    read_svmlight(write(home, b"1 1:1\n"))
    small = peak_of_reading(write(home, line % 3))
    for n_columns in (10**3, 10**4, 2**16 - 1):
        peak = peak_of_reading(write(home, line % n_columns))
        assert peak <= small + SIDE_BYTES * n_columns


def test_reading_takes_no_more_than_the_file_and_three_times_the_arrays(home):
    rng = np.random.default_rng(0)
    X = sparse.random_array((1000, 500), density=0.2, rng=rng, format="csr")
    content = svmlight_bytes(X, [["1"]] * 1000)
    path = write(home, content)
    read_svmlight(path)
    tracemalloc.start()
    try:
        read = read_svmlight(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    arrays = [read.X.data, read.X.indices, read.X.indptr, read.Y.data, read.Y.indices]
    assert peak <= len(content) + 3 * sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_rcv1_subsets_agree_with_the_index(benchmark_home, number):
    name = f"rcv1subset{number}"
    sets = json.loads((benchmark_home / "index.json").read_text())["datasets"]
    facts = next(entry for entry in sets if entry["name"] == name)
    folder = benchmark_home / "rcv1-subsets"
    parts = [folder / f"{name}-{part}.svm.gz" for part in ("train", "test")]
    read = svmlight_files(parts, name=name, n_features=facts["features"])
    counts = read.Y.sum(axis=0)
    assert read.X.shape == (facts["examples"], facts["features"])
    assert read.n_labels == facts["labels"]
    assert (read.train.size, read.test.size) == (facts["train"], facts["test"])
    assert counts.sum() / read.n_samples == pytest.approx(facts["cardinality"], abs=5e-5)
    assert (counts.min(), counts.max()) == (facts["label_count_min"], facts["label_count_max"])
    assert len(set(map(frozenset, label_sets(read)))) == facts["distinct_labelsets"]
    lengths = np.sqrt((read.X**2).sum(axis=1))
    assert np.allclose(lengths, 1.0, atol=1e-4)


def test_the_number_of_labels_may_be_0(tmp_path):
    path = tmp_path / "none.svm"
    path.write_text(" 1:0.5\n 2:1\n")
    found = read_svmlight(path, n_labels=0)
    assert (found.X.shape, found.n_labels) == ((2, 2), 0)


def test_long_words_are_shortened_to_40_characters(tmp_path):
    path = tmp_path / "long.svm"
    for length, shown in ((40, "w" * 40), (41, "w" * 40 + "…")):
        path.write_text(f"0 {'w' * length}\n")
        with pytest.raises(DataError) as refused:
            read_svmlight(path)
        assert f"has '{shown}' where index:value should stand." in str(refused.value)
