"""A file of another kind than a command takes is named, with the command that takes it."""

import numpy as np
import pytest

from tests.cli.shell import run_program


@pytest.fixture
def folder(small_folder):
    """A folder with a model, thresholds, scores and a matrix without names."""
    fit = ("fit", "data.csv", "--labels", "sea,sky", "--text", "", "--learner", "br")
    assert run_program(small_folder, *fit, "-o", "m.skops").code == 0
    assert run_program(small_folder, "tune", "scores.csv", "labels.csv", "-o", "t.json").code == 0
    np.save(small_folder / "s.npy", np.eye(12)[:, :2])
    return small_folder


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("predict m.skops s.npy", ("s.npy: is a matrix, not a data set", "use labelwise decide")),
        ("predict t.json data.csv", ("t.json: is JSON, not a model", "use labelwise decide")),
        ("predict data.csv m.skops", ("data.csv: is a data set, not a model, which labelwise",)),
        ("decide m.skops scores.csv", ("m.skops: is a model, not", "use labelwise predict")),
        ("adapt m.skops scores.csv", ("m.skops: is a model, not", "use labelwise predict")),
        ("decide scores.csv t.json", ("scores.csv: is not a file of thresholds, which labelwise",)),
        ("decide none.json scores.csv", ("none.json: does not exist",)),
    ],
)
def test_the_error_says_what_the_command_takes(folder, words, told):
    command = words.split()[0]
    output = {"adapt": "new.json"}.get(command, "out.csv")
    done = run_program(folder, *words.split(), "-o", output)
    assert done.code == 1
    for part in told:
        assert part in done.stderr
