"""What a file would take is known before it is built, and refused beyond a bound."""

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from labelwise._io import _reading as files
from labelwise.data import (
    DataError,
    load,
    read_arff,
    read_labels,
    read_scores,
    read_svmlight,
)
from labelwise.data._arff import read_label_names
from labelwise.data._reuters import count_terms
from tests.writers import hostile
from tests.writers.reuters import sgm_bytes

ROOT = Path(__file__).parents[2]
BOUND = 10**7


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def parquet_of(**columns):
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, store_schema=False)
    return file.getvalue()


# Files of less than 1 MB, each of which would take 20 to 500 MB.
LARGE = {
    "repeated text": ("x.parquet", hostile.repeated_string_parquet(2000, 10**5), {"labels": "y"}),
    "repeated names": ("x.parquet", hostile.repeated_lists_parquet(2000, 10**5), {"labels": "y"}),
    "runs of numbers": ("x.parquet", hostile.constant_parquet(10**5, 30), {"labels": "y"}),
    "features of booleans": (
        "x.parquet",
        parquet_of(y=[0] * 10**5, **{f"x{j}": [True] * 10**5 for j in range(30)}),
        {"labels": "y"},
    ),
    "labels of booleans": (
        "x.parquet",
        parquet_of(x=[0] * 10**5, **{f"y{j}": [True] * 10**5 for j in range(30)}),
        {"labels": "y*"},
    ),
    "columns of nulls": (
        "x.parquet",
        parquet_of(y=[0] * 10**5, **{f"x{j}": pa.nulls(10**5, pa.bool_()) for j in range(30)}),
        {"labels": "y"},
    ),
    "many names in a cell": (
        "x.csv",
        b"x,y\n" + b"1," + b";" * 900_000 + b"\n2,\n",
        {"labels": "y"},
    ),
    "many empty cells": ("x.csv.gz", gzip.compress(b"x,y\n" + b"1,\n" * 10**6), {"labels": "y"}),
    "long names of columns": (
        "x.csv",
        b"x" * 10**4
        + b",y\n"
        + b"".join(b"v%d,0\nv%d,0\n" % (number, number) for number in range(2000)),
        {"labels": "y"},
    ),
    "missing values": ("x.arff", hostile.missing_values_arff(2000, 2000), {"labels": ["y"]}),
    "long names of attributes": ("x.arff", hostile.long_name_arff(10**4, 2000), {"labels": ["y"]}),
    "many rows": (
        "x.arff.gz",
        gzip.compress(b"@relation x\n@attribute y {0,1}\n@data\n" + b"0\n" * 10**6),
        {"labels": ["y"]},
    ),
    "identifiers left out": (
        "x.arff",
        b"@relation x\n@attribute y {0,1}\n"
        + b"".join(b"@attribute s%d string\n" % number for number in range(1000))
        + b"@data\n"
        + b"{}\n" * 1000,
        {"labels": ["y"]},
    ),
    "declared values": (
        "x.arff.gz",
        gzip.compress(b"@relation x\n@attribute y {" + b"0,1," * 10**5 + b"1}\n@data\n0\n"),
        {"labels": ["y"]},
    ),
    "empty columns": ("x.svm.gz", hostile.wide_svmlight_gz(10**6), {}),
    "labels of a row": ("x.svm.gz", gzip.compress(b"1,1," * 10**6 + b"1 1:1\n"), {}),
    "empty rows": ("x.svm.gz", gzip.compress(b"1000000 1 1" + b"\n" * 10**6), {}),
}


@pytest.mark.parametrize("case", LARGE)
def test_a_data_set_is_refused_before_it_takes_too_much(tmp_path, case):
    name, content, arguments = LARGE[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as refusal:
        load(path, **arguments, max_bytes=BOUND)
    assert str(path) in str(refusal.value)
    assert f"more than max_bytes={BOUND} bytes" in str(refusal.value)
    assert "raise max_bytes (--max-bytes)" in str(refusal.value)


LARGE_MATRICES = {
    "empty rows": ("x.npz", hostile.wide_coo_npz(2**20, 3)),
    "empty columns": ("x.npz", hostile.wide_coo_npz(3, 2**20)),
    "packed zeros": ("x.npz", npz(scores=np.zeros((1000, 2000)))),
    "short ids": ("x.npz", npz(scores=np.zeros((10**6, 1), np.int8), ids=np.full(10**6, "a"))),
    "runs": ("x.parquet", hostile.constant_parquet(10**5, 30)),
    "cells of a digit": ("x.csv.gz", gzip.compress(b"a,b\n" + b"0,1\n" * 10**6)),
}


@pytest.mark.parametrize("read", [read_scores, read_labels])
@pytest.mark.parametrize("case", LARGE_MATRICES)
def test_a_matrix_is_refused_before_it_takes_too_much(tmp_path, case, read):
    name, content = LARGE_MATRICES[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"more than max_bytes={BOUND} bytes"):
        read(path, max_bytes=BOUND)


LONG_LINES = {
    "head.csv": (1, b"a" * 2000 + b",y\n1,0\n"),
    "row.csv": (3, b"a,y\n1,0\n" + b"1" * 2000 + b",0\n"),
    "last.csv": (301, b"a,y\n" + b"1,0\n" * 299 + b"1" * 2000),
    "row.svm": (301, b"1 1:1\n" * 300 + b"1 1:" + b"0" * 2000 + b"\n"),
    "row.jsonl": (2, b'{"y": 1}\n{"y": ' + b"1" * 2000 + b"}\n"),
}


@pytest.mark.parametrize("name", LONG_LINES)
def test_a_line_of_which_parsers_would_make_large_copies_is_refused(tmp_path, monkeypatch, name):
    line, content = LONG_LINES[name]
    path = tmp_path / name
    path.write_bytes(content)
    monkeypatch.setattr(files, "_LONGEST_LINE", 1500)
    with pytest.raises(DataError) as refusal:
        load(path) if path.suffix == ".svm" else read_scores(path)
    assert f"{path}, line {line}: has more than 1,500 bytes in one line." in str(refusal.value)


def test_lines_of_any_kind_that_are_short_enough_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_LINE", 10)
    for end in (b"\n", b"\r\n", b"\r"):
        for n_rows in range(40):
            files.check_lines("x.csv", bytearray(end.join([b"1,0"] * n_rows)))


def test_the_elements_of_a_label_file_are_bounded(tmp_path):
    path = tmp_path / "x.xml"
    path.write_bytes(b"<labels><label name='a'/>" + b"<a/>" * 10**5 + b"</labels>")
    with pytest.raises(DataError, match="its elements would take 12,001,020 bytes, more than"):
        read_label_names(path, BOUND)
    assert read_label_names(path) == ["a"]


def test_the_words_of_news_are_bounded(tmp_path):
    news = {"newid": 1, "part": "TRAIN", "topics": ["oil"], "body": "ab " * 200_000}
    (tmp_path / "reut2-000.sgm").write_bytes(sgm_bytes([news, {**news, "part": "TEST"}]))
    with pytest.raises(DataError, match=f"its words would take .* more than max_bytes={BOUND}"):
        load(tmp_path, max_bytes=BOUND)
    assert load(tmp_path).X.sum() == 400_000


def test_an_archive_of_very_many_arrays_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(npz(**{f"a{number}": np.eye(1) for number in range(101)}))
    with pytest.raises(DataError, match="contains 101 arrays, more than 100"):
        read_scores(path)
    path.write_bytes(b"PK\x01\x02" * 20_000)
    with pytest.raises(DataError, match="contains more than 100 arrays"):
        read_scores(path)


def test_labels_that_are_all_positive_are_refused_before_they_get_places(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(npz(labels=np.ones((1000, 1000), dtype=np.int8)))
    with pytest.raises(DataError, match=r"its labels would take 24,000,000 bytes, more than"):
        read_labels(path, max_bytes=BOUND)
    assert read_labels(path).values.sum() == 10**6


def test_a_gzip_file_that_lies_about_its_size_is_still_counted(tmp_path):
    path = tmp_path / "x.svm.gz"
    path.write_bytes(hostile.lying_gzip(2 * BOUND))
    with pytest.raises(DataError, match="as far as it was read, would take"):
        read_svmlight(path, max_bytes=BOUND)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are for POSIX.")
def test_a_pipe_is_read_from_its_first_byte(tmp_path):
    path = tmp_path / "x.svm"
    os.mkfifo(path)
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(path)!r}, 'w').write('1 1:5\\n')"])
    assert read_svmlight(path).X.toarray().tolist() == [[5.0]]
    assert writer.wait() == 0


@pytest.mark.parametrize(
    ("size", "memory", "bound"),
    [
        (100, 2**40, 2**30),  # a small file: 1 GiB
        (2**31, 2**40, 2**37),  # a large one: 64 times its size
        (2**31, 2**33, 2**32),  # but no more than half of the memory
        (100, 2**30, 2**29),
    ],
)
def test_the_bound_follows_the_size_of_the_file_and_of_the_memory(
    tmp_path, monkeypatch, size, memory, bound
):
    path = tmp_path / "x"
    with path.open("wb") as file:
        file.truncate(size)
    monkeypatch.setattr(files, "memory_bytes", lambda: memory)
    assert files.bound_of(path).max_bytes == bound
    assert files.bound_of(path, 5).max_bytes == 5


def test_the_memory_is_no_more_than_a_process_may_use():
    limit = 8 * 2**30
    asked = (
        f"import resource as r; r.setrlimit(r.RLIMIT_AS, ({limit}, {limit}));"
        "from labelwise._io._reading import memory_bytes; print(memory_bytes())"
    )
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    assert 0 < int(done.stdout) <= limit


@pytest.mark.parametrize("max_bytes", [0, -1, 1.5, "10", True])
def test_a_bound_is_a_whole_number(tmp_path, max_bytes):
    path = tmp_path / "x.svm"
    path.write_text("1 1:1\n")
    with pytest.raises((TypeError, ValueError), match=r"^max_bytes must be"):
        load(path, max_bytes=max_bytes)


def test_small_hostile_files_take_little_memory_and_time(tmp_path):
    resource = pytest.importorskip("resource")
    limits = {resource.RLIMIT_AS: 5 * 2**30, resource.RLIMIT_CPU: 60}

    def limit():
        for what, most in limits.items():
            resource.setrlimit(what, (most, most))

    program = (
        "from tests.data.test_bounds import read_hostile_files as r; import sys; r(sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0", "OMP_NUM_THREADS": "1"},
        preexec_fn=limit,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def read_hostile_files(folder):
    """Read files of less than 2 MB, by default bounds; careless readers take 10 GB or minutes."""
    refused = {
        "t.parquet": hostile.repeated_string_parquet(14_000, 10**6),
        "l.parquet": hostile.repeated_lists_parquet(14_000, 10**6),
        "m.arff": hostile.missing_values_arff(20_000, 40_000),
        "n.arff": hostile.long_name_arff(100_000, 100_000),
        "c.npz": hostile.wide_coo_npz(2**26, 2**26),
        "w.svm.gz": hostile.wide_svmlight_gz(6 * 10**7),
    }
    labels = {".parquet": "y", ".arff": ["y"], ".gz": None}  # of svmlight, a line has its own
    for name, content in refused.items():
        path = Path(folder, name)
        path.write_bytes(content)
        with pytest.raises(DataError, match="more than max_bytes="):
            read_labels(path) if name == "c.npz" else load(path, labels=labels[path.suffix])
    accepted = {
        "e.arff": hostile.escaped_values_arff(50_000, 50_000),
        "s.arff": hostile.nominal_attributes_arff(20_000),
    }
    for name, content in accepted.items():
        path = Path(folder, name)
        path.write_bytes(content)
        assert read_arff(path, labels=["y"]).n_labels == 1
    xml = Path(folder, "x.xml")
    xml.write_bytes(hostile.long_namespace_xml(100_000, 50_000))
    assert read_label_names(xml) == ["y"]
    counts, terms = count_terms(["ing" * 200_000])
    assert terms == ("ing" * 200_000,)
    assert counts.sum() == 1
