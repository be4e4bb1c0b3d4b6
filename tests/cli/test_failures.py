"""Exit codes of commands that fail, and the traceback of --debug."""

import pytest

from tests.cli.shell import run_program


def test_debug_shows_a_traceback(small_folder):
    done = run_program(small_folder, "describe", "none.csv", "--debug")
    assert done.code == 1
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert done.stderr.endswith("DataError: none.csv: does not exist.\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("learners",), 0),
        (("describe", "none.csv"), 1),
        (("split", "data.csv", "--labels", "sea,sky", "-o", "none.csv/f.csv/"), 1),
        (("describe", "data.csv", "--unknown"), 2),
        (("unknown",), 2),
        (("split", "data.csv", "--labels", "sea,sky", "--folds", "1"), 2),
    ],
)
def test_exit_codes_tell_failures_from_wrong_usage(small_folder, words, code):
    (small_folder / "none.csv").touch() if "-o" in words else None
    assert run_program(small_folder, *words).code == code
