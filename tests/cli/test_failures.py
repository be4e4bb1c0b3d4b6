"""Exit codes of commands that fail, and the traceback of --debug."""

import pytest

from tests.cli.shell import run_program


def test_debug_shows_a_traceback(small_folder):
    done = run_program(small_folder, "describe", "none.csv", "--debug")
    assert done.code == 1
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert done.stderr.endswith("DataError: none.csv: does not exist.\n")


TUNE, FLAT = ("tune", "scores.csv", "labels.csv"), ("tune", "flat.csv", "labels.csv")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("learners",), 0),
        (("describe", "none.csv"), 1),
        (("split", "data.csv", "--labels", "sea,sky", "-o", "none.csv/f.csv/"), 1),
        (("describe", "data.csv", "--unknown"), 2),
        (("unknown",), 2),
        (("split", "data.csv", "--labels", "sea,sky", "--folds", "1"), 2),
        # Constraints that these data cannot meet, and a constraint that no data can meet.
        ((*TUNE, "--min-recall", "0.9", "--max-decisions", "3"), 1),
        ((*TUNE, "--min-recall", "0.9", "--max-decisions", "1", "--shared"), 1),
        ((*TUNE, "--min-precision", "0.99", "--guarantee", "0.95"), 1),
        ((*FLAT, "--min-precision", "0.99", "--min-recall", "0.99", "--review", "1"), 1),
        ((*TUNE, "--min-precision", "2"), 2),
    ],
)
def test_exit_codes_tell_failures_from_wrong_usage(small_folder, words, code):
    (small_folder / "none.csv").touch() if "-o" in words else None
    rows = [f"r{i},0.5,0.5" for i in range(12)]
    (small_folder / "flat.csv").write_text("\n".join(["id,sea,sky", *rows]))
    assert run_program(small_folder, *words).code == code
