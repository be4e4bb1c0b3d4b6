"""--max-bytes: what commands may build from the files that they read."""

import numpy as np
import pytest

from labelwise.cli import main
from tests.cli.shell import refusal, run

COMMANDS = {
    "describe": "describe data.csv --labels y*",
    "split": "split data.csv --labels y* --folds 2",
    "select": "select data.csv --labels y* -n 1",
    "fit": "fit data.csv --labels y* --learner br -o model.skops",
    "predict": "predict model.skops data.csv --labels y* -o decided.csv",
    "tune": "tune scores.npy labels.npy",
    "tune on a data set": "tune scores.npy data.csv --labels y* --by-position",
    "decide": "decide thresholds.json scores.npy -o decided.csv",
    "evaluate": "evaluate labels.npy --scores scores.npy",
    "evaluate decisions": "evaluate labels.npy --decided labels.npy",
    "compare": "compare study.toml --anew",
}
STUDY = """
measures = ["micro-f"]
datasets.mine = { load = "data.csv", labels = "y*" }
models.knn.class = "sklearn.neighbors.KNeighborsClassifier"
splits.cv = { class = "sklearn.model_selection.KFold", params = { n_splits = 2 } }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("max_bytes")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (40, 2))
    np.save(folder / "labels.npy", labels)
    np.save(folder / "scores.npy", labels + rng.random((40, 2)))
    rows = np.hstack([rng.random((40, 3)), labels])
    lines = ["a,b,c,y1,y2", *(",".join(map(str, row)) for row in rows)]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    (folder / "study.toml").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run("fit", "data.csv", "--labels", "y*", "--learner", "br", "-o", "model.skops")
        run("tune", "scores.npy", "labels.npy", "-o", "thresholds.json")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_refuses_files_beyond_its_bound(folder, monkeypatch, capsys, command):
    monkeypatch.chdir(folder)
    words = COMMANDS[command].split()
    words += ["--force"] if "-o" in words else []
    shown = refusal(monkeypatch, capsys, *words, "--max-bytes", "100")
    assert "more than max_bytes=100 bytes" in shown
    run(*words, "--max-bytes", "1000000")


def test_a_lack_of_memory_ends_with_one_sentence(monkeypatch, capsys):
    def lacking():
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("labelwise.cli._program.app", lacking)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    expected = "labelwise: this takes more memory than there is (Unable to allocate 9 TiB).\n"
    assert capsys.readouterr().err == expected
