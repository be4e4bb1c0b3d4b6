"""Matrices in files: every format, any order, and nothing hostile gets through."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

from labelwise._matrices import read_matrix, write_matrix
from labelwise._validation import NamedMatrix, matched
from labelwise.cli._outputs import Outputs
from labelwise.data import DataError, read_labels, read_scores
from tests.writers.arff import arff

SCORES = np.array([[0.5, -1.25], [0.125, 2.0], [3.0, 0.75]])
DECIDED = np.array([[1, 0], [0, 0], [1, 1]], dtype=np.int8)


def write(path, text):
    path.write_text(text)
    return path


def csv(path, ids, names, values, id_name="id"):
    rows = [",".join(map(str, [i, *row])) for i, row in zip(ids, values, strict=True)]
    return write(path, "\n".join([",".join([id_name, *names]), *rows]) + "\n")


def save_in_every_format(folder):
    """The same scores as csv, parquet, npy, dense and sparse npz."""
    csv(folder / "s.csv", "abc", ["sea", "sky"], SCORES)
    columns = {"id": list("abc"), "sea": SCORES[:, 0], "sky": SCORES[:, 1]}
    parquet.write_table(pa.table(columns), folder / "s.parquet")
    np.save(folder / "s.npy", np.asfortranarray(SCORES))
    np.savez(folder / "dense.npz", scores=SCORES)
    for form in ("csr", "csc", "coo"):
        sparse.save_npz(folder / f"{form}.npz", sparse.coo_array(SCORES).asformat(form))
    return sorted(folder.iterdir())


def test_every_format_gives_the_same_scores(tmp_path):
    paths = save_in_every_format(tmp_path)
    assert len(paths) == 7
    for path in paths:
        found = read_scores(path)
        values = found.values.toarray() if sparse.issparse(found.values) else found.values
        assert np.array_equal(values, SCORES), path
        if path.suffix in (".csv", ".parquet"):
            assert found.ids == ("a", "b", "c")
            assert found.label_names == ("sea", "sky")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "npy", "npz"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_what_is_written_is_read_again(tmp_path, ending, form):
    path = tmp_path / f"d.{ending}"
    write_matrix(
        path, NamedMatrix(form(DECIDED), ("a, b", 'say "c"'), ("007", "8"[:1], "x"), "key")
    )
    found = read_labels(path)
    assert np.array_equal(found.values.toarray(), DECIDED)
    if ending != "npy":
        assert found.label_names == ("a, b", 'say "c"')
        assert found.ids == ("007", "8", "x")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_rows_and_labels_are_matched_by_name_in_any_order(tmp_path):
    truth = read_labels(csv(tmp_path / "y.csv", "abc", ["sea", "sky"], DECIDED))
    shuffled = SCORES[[2, 0, 1]][:, [1, 0]]
    other = read_scores(csv(tmp_path / "s.csv", "cab", ["sky", "sea"], shuffled))
    (found,) = matched(truth, [other]).others
    assert np.array_equal(found.values, SCORES)
    assert found.label_names == ("sea", "sky")
    (again,) = matched(other, [truth]).others
    assert np.array_equal(again.values.toarray(), DECIDED[[2, 0, 1]][:, [1, 0]])


def test_long_numbers_are_ids_without_loss(tmp_path):
    ids = ["12345678901234567890", "12345678901234567891", "007"]
    found = read_scores(csv(tmp_path / "s.csv", ids, ["sea", "sky"], SCORES, id_name="row"))
    assert found.ids == tuple(ids)


def test_a_numeric_first_column_of_another_name_is_a_label(tmp_path):
    found = read_scores(write(tmp_path / "s.csv", "sea,row\n0.5,1\n0.25,2\n"))
    assert found.ids is None
    assert found.label_names == ("sea", "row")
    assert found.values.tolist() == [[0.5, 1.0], [0.25, 2.0]]


def test_numbered_labels_of_a_data_set_go_by_their_place(tmp_path):
    truth = read_labels(write(tmp_path / "y.svm", "0 1:0.5\n1 1:0.5\n0,1 1:1\n"))
    other = read_scores(csv(tmp_path / "s.csv", "abc", ["sea", "sky"], SCORES))
    same = matched(truth, [other], by_position=True)
    assert same.truth.label_names == same.others[0].label_names == ("sea", "sky")
    assert np.array_equal(same.others[0].values, SCORES)
    # Names that are the same numbers in another order are names.
    turned = read_scores(csv(tmp_path / "t.csv", "abc", ["1", "0"], SCORES))
    (found,) = matched(truth, [turned], by_position=True).others
    assert np.array_equal(found.values, SCORES[:, ::-1])


def test_the_labels_of_a_data_set_are_the_truth(tmp_path):
    attributes = [("x", "numeric"), ("sea", ["0", "1"]), ("sky", ["0", "1"])]
    rows = [[0.5, *map(str, row)] for row in DECIDED]
    path = write(tmp_path / "y.arff", arff(attributes, rows))
    found = read_labels(path, labels=["sea", "sky"])
    assert np.array_equal(found.values.toarray(), DECIDED)


@pytest.mark.parametrize(
    ("ids", "names", "message"),
    [
        ("abd", ["sea", "sky"], "s.csv: lacks row 'c', which y.csv has."),
        ("aba", ["sea", "sky"], "s.csv: has row 'a' twice, so rows do not match."),
        (
            "abc",
            ["sea", "sun"],
            "s.csv: lacks label 'sky', which y.csv has: give missing_labels=\"drop\" to use only "
            "the labels that all files have.",
        ),
    ],
)
def test_what_does_not_match_is_named(tmp_path, monkeypatch, ids, names, message):
    monkeypatch.chdir(tmp_path)
    truth = read_labels(
        csv(tmp_path / "y.csv", "abc", ["sea", "sky"], DECIDED).relative_to(tmp_path)
    )
    other = csv(tmp_path / "s.csv", ids, names, SCORES).relative_to(tmp_path)
    with pytest.raises(ValueError) as refused:
        matched(truth, [read_scores(other)])
    assert str(refused.value) == message


def test_rows_that_only_the_scores_have_are_named(tmp_path):
    truth = read_labels(csv(tmp_path / "y.csv", "ab", ["sea", "sky"], DECIDED[:2]))
    other = read_scores(csv(tmp_path / "s.csv", "abc", ["sea", "sky"], SCORES))
    with pytest.raises(DataError, match=r"y\.csv: lacks row 'c', which .*s\.csv has\.$"):
        matched(truth, [other])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,sea\na,0.5\nb,\n", r"line 3: has no value in column 'sea'"),
        ("id,sea\na,0.5\nb,high\n", r"line 3: has 'high' in column 'sea', not a number"),
        ("id,sea\na,0.5\n,1\n", r"line 3: has no value for 'id'"),
        ("id,sea,sea\na,0.5,1\n", r"has 2 columns named 'sea'"),
        ("id,sea\na,inf\n", r"scores must be finite, got inf at row 0, label 'sea'"),
        ("id\na\n", r"must have a row and a label"),
        ("", r"is empty"),
    ],
)
def test_bad_tables_are_refused_with_their_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_scores(write(tmp_path / "s.csv", text))


def test_labels_are_only_0_and_1(tmp_path):
    path = csv(tmp_path / "y.csv", "abc", ["sea", "sky"], SCORES)
    with pytest.raises(DataError, match=r"only 0 and 1, got 0\.5 at row 0, .*--groups, --weights"):
        read_labels(path)


def npy_bytes(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npy_of_a_huge_shape():
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (3 * 10**14, 2)}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + SCORES.tobytes()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        npy_bytes(SCORES)[:-1],
        npy_bytes(SCORES) + b"0",
        npy_bytes(np.array([[None, 1]], dtype=object), allow_pickle=True),
        npy_bytes(SCORES[0]),
        npy_bytes(np.array([["a", "b"]])),
        npy_bytes(np.array([[1j]])),
        npy_of_a_huge_shape(),
    ],
    ids=["empty", "magic", "short", "long", "pickle", "1-D", "text", "complex", "huge"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_hostile_arrays_are_refused(tmp_path, content, packed):
    path = tmp_path / ("s.npz" if packed else "s.npy")
    if packed:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("scores.npy", content)
    else:
        path.write_bytes(content)
    with pytest.raises(DataError):
        read_scores(path)


def test_a_packed_file_is_refused_before_it_unpacks_to_too_much(tmp_path):
    np.savez_compressed(tmp_path / "s.npz", scores=np.zeros((1000, 100)))
    with pytest.raises(DataError, match="more than max_bytes=100000 bytes"):
        read_matrix(tmp_path / "s.npz", max_bytes=100_000)


@pytest.mark.parametrize(
    "changed",
    [
        {"indices": np.array([0, 9, 0, 1, 0, 1])},
        {"indices": np.array([0, -1, 0, 1, 0, 1])},
        {"indices": np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])},
        {"indptr": np.array([0, 2, 4, 60])},
        {"shape": np.array([3, 10**15])},
        {"shape": np.array([3])},
        {"format": np.array(b"bsr")},
        {"format": np.array([b"a", b"b"])},
        {"data": np.array(1.0)},
        {"ids": np.array(["a"])},
        {"label_names": np.array([1.0, 2.0])},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_hostile_sparse_matrices_are_refused(tmp_path, changed):
    rows = sparse.csr_array(SCORES)
    parts = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr}
    whole = {**parts, "shape": np.array(rows.shape), "format": np.array(b"csr")}
    np.savez(tmp_path / "good.npz", **whole)
    assert np.array_equal(read_scores(tmp_path / "good.npz").values.toarray(), SCORES)
    np.savez(tmp_path / "s.npz", **{**whole, **changed})
    with pytest.raises(DataError):
        read_scores(tmp_path / "s.npz")


def test_an_unknown_ending_and_a_broken_package_are_refused(tmp_path):
    with pytest.raises(DataError, match="none of the endings"):
        read_scores(write(tmp_path / "s.txt", "1"))
    with pytest.raises(DataError, match="not an npz file"):
        read_scores(write(tmp_path / "s.npz", "PK\x03\x04"))
    np.savez(tmp_path / "two.npz", a=SCORES, b=SCORES)
    with pytest.raises(DataError, match="must contain one matrix, got a, b"):
        read_scores(tmp_path / "two.npz")


@pytest.mark.parametrize("name", [None, "doc"])
@pytest.mark.parametrize("index", [["c", "a", "b"], [7, 3, 5]])
def test_the_index_that_pandas_writes_to_parquet_is_the_ids(tmp_path, index, name):
    frame = pd.DataFrame(SCORES, columns=["sea", "sky"], index=pd.Index(index, name=name))
    frame.to_parquet(tmp_path / "s.parquet")
    found = read_scores(tmp_path / "s.parquet", ids=name)
    assert found.ids == tuple(map(str, index))
    assert np.array_equal(found.values, SCORES)
    if name is not None and isinstance(index[0], str):
        assert read_scores(tmp_path / "s.parquet").ids == found.ids


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_column_in_any_place_is_named_as_ids(tmp_path, ending):
    path = tmp_path / f"s.{ending}"
    if ending == "csv":
        write(path, "sea,doc,sky\n0.5,007,-1.25\n0.125,8,2\n3,9,0.75\n")
    else:
        rows = [{"sea": a, "doc": 7 + i, "sky": b} for i, (a, b) in enumerate(SCORES.tolist())]
        write(path, "\n".join(map(json.dumps, rows)))
    found = read_scores(path, ids="doc")
    assert found.ids == (("007" if ending == "csv" else "7"), "8", "9")
    assert found.label_names == ("sea", "sky")
    assert np.array_equal(found.values, SCORES)
    with pytest.raises(DataError, match="has no column 'key'"):
        read_scores(path, ids="key")


def test_scipy_reads_the_decisions_that_are_written(tmp_path):
    write_matrix(tmp_path / "d.npz", NamedMatrix(DECIDED, ("sea", "sky"), None))
    assert np.array_equal(sparse.load_npz(tmp_path / "d.npz").toarray(), DECIDED)


def test_places_that_cannot_be_written_are_refused(tmp_path):
    file = write(tmp_path / "file", "")
    with pytest.raises(OSError, match="it is a folder"):
        Outputs([tmp_path])
    with pytest.raises(OSError, match="not a folder that can be written"):
        Outputs([file / "deep" / "out.json"])
    with pytest.raises(OSError, match="this command reads it"):
        Outputs([file], inputs=[tmp_path / "." / "file"])
    with pytest.raises(OSError, match="cannot be the file of two outputs"):
        Outputs([tmp_path / "new", None, tmp_path / "." / "new"])
    with pytest.raises(OSError, match="cannot be the file of two outputs"):
        Outputs([Path("-"), Path("-")])
    Outputs([tmp_path / "new" / "out.json", Path("-")], inputs=[file])
