"""Whatever is wrong with a file, a reader raises DataError with its name, in one line."""

import gzip
import random

import numpy as np
import pytest

from labelwise._io import reading
from labelwise.data import DataError, load, read_scores, read_table
from tests.readers import file_name, refusals
from tests.writers.seeds import SEEDS

pytestmark = pytest.mark.filterwarnings("ignore::labelwise.data.DataWarning")

WORDS = [
    b"-1",
    b"9" * 20,
    b"1e400",
    b"nan",
    b"1_000",
    b"\xff",
    b"\x00",
    b"'",
    b'"',
    b"\\",
    b"(3, 0)",
]
WORDS += [b",", b";", b":", b"\n", b"\r", b"?", b"{", b"}", b"\t", b"<", b">", b"|O", b"<U0"]
N_DAMAGED = 60


@pytest.mark.parametrize("ending", SEEDS)
def test_a_packed_file_is_read_as_the_plain_one(tmp_path, ending):
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    for number, content in enumerate(one for one in SEEDS[ending] if one[:2] != b"\x1f\x8b"):
        found = []
        for folder, file in ((plain, file_name(ending)), (packed, f"{file_name(ending)}.gz")):
            path = folder / str(number) / file
            path.parent.mkdir(parents=True)
            path.write_bytes(content if folder is plain else gzip.compress(content))
            said = refusals(path, ending)
            found.append([text.partition(": ")[2] for text in said])
        assert found[0] == found[1]


def test_label_names_beside_a_file_may_be_packed(tmp_path):
    (tmp_path / "a.arff").write_bytes(b"@relation x\n@attribute y {0,1}\n@data\n1\n")
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(b'<labels><label name="y"/></labels>'))
    assert load(tmp_path).label_names == ("y",)


def damaged(content, pool, rng):
    """Return a file with some bytes changed, inserted, repeated or left out."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.randrange(20))
        kind = rng.randrange(5)
        if kind == 0:
            content[start : start + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            content[start:start] = rng.choice(WORDS)
        elif kind == 2:
            content[start:end] = b""
        elif kind == 3:
            content[start:start] = content[start:end] * 3
        else:
            content[start:] = rng.choice(pool)[start:]
            content[start : start + rng.randrange(3)] = rng.choice(WORDS)
    return bytes(content)


@pytest.mark.parametrize("ending", SEEDS)
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path, ending):
    path = tmp_path / file_name(ending)
    rng = random.Random(0)
    for _ in range(N_DAMAGED):
        content = damaged(rng.choice(SEEDS[ending]), SEEDS[ending], rng)
        path.write_bytes(content)
        for refusal in filter(None, refusals(path)):
            assert str(tmp_path) in refusal, content
            assert "\n" not in refusal, content


@pytest.mark.parametrize("ending", SEEDS)
def test_the_seeds_of_damaged_files_are_whole(tmp_path, ending):
    path = tmp_path / file_name(ending)
    for content in SEEDS[ending]:
        path.write_bytes(content)
        assert "" in refusals(path), content


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad byte"), "cannot be read .*bad byte"),
        (OverflowError("too large"), r"cannot be read \(too large\)"),
        (RecursionError("too deep"), r"cannot be read \(too deep\)"),
        (EOFError(), r"cannot be read \(EOFError\)"),
        (PermissionError(13, "Permission denied"), r"cannot be read \(Permission denied\)"),
        (IsADirectoryError(21, "Is a directory"), r"cannot be read \(Is a directory\)"),
        (FileNotFoundError(2, "No such file"), "does not exist"),
        (MemoryError("Unable to allocate"), "takes more memory than there is"),
        (ValueError("first line\nsecond line"), r"cannot be read \(first line\)"),
    ],
)
def test_the_errors_of_other_libraries_become_data_errors(error, reason):
    def fail():
        with reading("x.csv"):
            raise error

    with pytest.raises(DataError, match=f"^x.csv: {reason}") as refusal:
        fail()
    assert refusal.value.__cause__ is error


def test_mistakes_of_the_program_are_no_faults_of_the_file():
    def fail():
        with reading("x.csv"):
            raise AttributeError("no such attribute")

    with pytest.raises(AttributeError):
        fail()


@pytest.mark.parametrize("cell", ["1_000", "1e", "\u0661", "0x1f", " ", "1,5"])
def test_a_cell_that_is_no_number_is_named_with_its_line(tmp_path, cell):
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1;2\n3;4\n5;" + cell + "\n7;words\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"line 4: has (no value|'.*') in column 'b'"):
        read_scores(path)


def test_an_npy_header_that_does_not_end_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.eye(2))
    path.write_bytes(path.read_bytes().replace(b"(2, 2)", b"(2, 2 "))
    with pytest.raises(DataError, match=r"x\.npy: is not an array in npy format"):
        read_scores(path)


def test_a_long_column_name_does_not_lift_the_limit_of_columns(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a" * 140_000 + ",x" * 70_000 + "\n" + "1" + ",1" * 70_000 + "\n")
    with pytest.raises(DataError, match="has a column name of more than 131,072 characters"):
        read_table(path, labels="x")
