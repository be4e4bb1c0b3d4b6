"""``-`` as an input file is csv from the standard input."""

import subprocess
import sys

from tests.cli.conftest import TABLE
from tests.cli.shell import run_program


def test_a_dash_as_input_is_csv_from_the_standard_input(small_folder):
    words = ("evaluate", "labels.csv", "--scores")
    scores = (small_folder / "scores.csv").read_bytes()
    assert run_program(small_folder, *words, "-", stdin=scores) == run_program(
        small_folder, *words, "scores.csv"
    )
    done = run_program(small_folder, "describe", "-", "--labels", "sea,sky", stdin=TABLE.encode())
    assert "Dataset 'stdin': 12 samples" in done.stdout
    wrong = run_program(small_folder, *words, "-", stdin=b"sea,sky\n1,x\n")
    assert wrong.code == 1
    assert wrong.stderr.startswith("labelwise: stdin.csv, line 2: has 'x' in column 'sky'")


def test_the_standard_input_is_bounded_and_one_file(small_folder):
    words = ("describe", "-", "--labels", "sea,sky", "--max-bytes", 100)
    done = run_program(small_folder, *words, stdin=TABLE.encode())
    assert done.code == 1
    assert "more than max_bytes=100 bytes" in done.stderr
    done = run_program(small_folder, "tune", "-", "-")
    said = "- is the standard input, which can be one input file, got scores and labels."
    assert done == (2, "", f"labelwise: {said}\n")


def test_a_file_that_the_shell_opens_as_input_is_not_overwritten(tmp_path):
    data, other = tmp_path / "data.csv", tmp_path / "other.csv"
    data.write_text(TABLE)
    other.write_text(TABLE)
    words = [sys.executable, "-m", "labelwise", "split", "-", "--labels", "sea,sky", "--force"]
    words += ["--folds", "2", "-o"]
    with data.open("rb") as stream:
        done = subprocess.run(
            [*words, data], stdin=stream, capture_output=True, text=True, check=False
        )
    said = f"labelwise: {data} cannot be written: this command reads it.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert data.read_text() == TABLE
    with data.open("rb") as stream:
        subprocess.run([*words, other], stdin=stream, capture_output=True, check=True)
    assert other.read_text().startswith("row,subset\n")
