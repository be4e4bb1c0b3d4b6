"""``-`` as an input file is csv from the standard input."""

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
