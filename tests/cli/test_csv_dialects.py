"""Commands read csv files of other programs, and say in one line what they assumed."""

import pytest
from typer.testing import CliRunner

from labelwise.cli import app
from tests.writers.other_programs import excel_csv, excel_unicode_text

COLUMNS = {
    "id": [f"row {i}" for i in range(20)],
    "x": [0.5, 1.5, 0.25, 2.5] * 5,
    "sea": [1, 0, 1, 0] * 5,
    "sky": [0, 1, 1, 0] * 5,
}
SCORES = {"id": COLUMNS["id"], "sea": COLUMNS["x"], "sky": COLUMNS["x"]}
TRUTH = {name: COLUMNS[name] for name in ("id", "sea", "sky")}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data.csv").write_bytes(excel_csv(COLUMNS))
    (tmp_path / "truth.csv").write_bytes(excel_csv(TRUTH))
    (tmp_path / "scores.csv").write_bytes(excel_unicode_text(SCORES))
    return tmp_path


def notes(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (done.output, done.exception)
    return [line for line in done.stderr.splitlines() if ": read with " in line]


@pytest.mark.parametrize(
    "words",
    [
        ("describe",),
        ("split", "--folds", 2),
        ("fit", "--learner", "br", "-o", "model.skops"),
    ],
)
def test_a_command_says_how_it_read_a_data_set(files, monkeypatch, words):
    monkeypatch.chdir(files)
    command, *options = words
    assert notes(command, "data.csv", "--labels", "sea,sky", *options) == [
        "labelwise: note: data.csv: read with separator ';', decimal comma in 'x'."
    ]


def test_a_command_says_how_it_read_matrix_files(files, monkeypatch):
    monkeypatch.chdir(files)
    of_truth = "labelwise: note: truth.csv: read with separator ';'."
    of_scores = (
        "labelwise: note: scores.csv: read with separator tab, encoding UTF-16, "
        "decimal comma in 'sea', 'sky'."
    )
    assert notes("tune", "scores.csv", "truth.csv", "-o", "t.json") == [of_truth, of_scores]
    assert notes("decide", "t.json", "scores.csv", "-o", "decided.csv") == [of_scores]
    assert notes("evaluate", "truth.csv", "--scores", "scores.csv") == [of_truth, of_scores]
