"""What commands write: never over what they read, only over files, and ``-`` is clean bytes."""

import gzip
import io
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import labelwise
from labelwise.cli import app
from labelwise.data import Dataset, input_files, load, read_scores, read_svmlight, write_svmlight
from labelwise.decisions import Thresholds
from labelwise.experiments import Study
from tests.cli.shell import refusal, run

LABELS = ("--labels", "sea,sky,sun")
PROGRAM = [sys.executable, "-c", "from labelwise.cli import main; main()"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a small file of each kind that commands read."""
    folder = tmp_path_factory.mktemp("made")
    random = np.random.default_rng(0)
    X = random.poisson(1.0, (60, 6))
    Y = (X[:, :3] + random.poisson(0.3, (60, 3)) > 1).astype(int)
    names = ["id", *"abcdef", "sea", "sky", "sun"]
    rows = [[f"r{i}", *X[i].tolist(), *Y[i].tolist()] for i in range(60)]
    write_csv(folder / "data.csv", names, rows)
    write_csv(folder / "truth.csv", ["id", *names[7:]], [[row[0], *row[7:]] for row in rows])
    scores = np.round(Y + random.normal(size=Y.shape), 3).tolist()
    write_csv(
        folder / "scores.csv", ["id", *names[7:]], [[f"r{i}", *s] for i, s in enumerate(scores)]
    )
    write_svmlight(Dataset(X.astype(float), Y), folder / "data.svm")
    write_svmlight(Dataset(X.astype(float), Y), folder / "few-columns.svm")
    run("tune", folder / "scores.csv", folder / "truth.csv", "-o", folder / "thresholds.json")
    run("fit", folder / "data.csv", *LABELS, "--learner", "br", "-o", folder / "model.skops")
    from sklearn.neighbors import KNeighborsClassifier

    from labelwise.splitting import MultilabelStratifiedKFold

    study = Study(
        {"tiny": Dataset(X.astype(float), Y)},
        {"near": KNeighborsClassifier()},
        {"cv": MultilabelStratifiedKFold(2)},
        ["micro-f"],
    )
    study.run(folder / "store.sqlite")
    return folder


def write_csv(path, names, rows):
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]) + "\n")


@pytest.fixture
def files(made, tmp_path):
    """A copy of the files, to be risked."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def arguments(files, command, output):
    """A command line that writes to an output."""
    words = {
        "split": ("split", files / "data.csv", *LABELS, "--folds", "3", "-o"),
        "select": ("select", files / "data.svm", "-n", "3", "-o"),
        "curve": ("select", files / "data.svm", "--curve", "-o"),
        "tune": ("tune", files / "scores.csv", files / "truth.csv", "-o"),
        "decide": ("decide", files / "thresholds.json", files / "scores.csv", "-o"),
        "fit": ("fit", files / "data.csv", *LABELS, "--learner", "br", "-o"),
        "predict": ("predict", files / "model.skops", files / "data.csv", *LABELS, "-o"),
        "scores": ("predict", files / "model.skops", files / "data.csv", *LABELS, "--scores"),
        "results": ("results", files / "store.sqlite", "--export"),
    }[command]
    return [*words, output]


ENDINGS = {
    "split": ".csv",
    "select": ".svm",
    "curve": ".svg",
    "tune": ".json",
    "decide": ".csv",
    "fit": ".skops",
    "predict": ".csv",
    "scores": ".npz",
    "results": ".csv",
}
COMMANDS = sorted(ENDINGS)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("link", ["itself", "symbolic", "hard"])
def test_no_command_writes_over_what_it_reads(files, command, link, monkeypatch, capsys):
    for path in [words for words in arguments(files, command, "") if hasattr(words, "exists")]:
        # Where the ending of an output matters, the file has a second name that has it.
        output = path
        if link != "itself":
            output = files / f"link-{path.stem}{ENDINGS[command]}"
            (os.symlink if link == "symbolic" else os.link)(path, output)
        elif path.suffix != ENDINGS[command]:
            continue
        before = contents(files)
        told = refusal(monkeypatch, capsys, *arguments(files, command, output))
        assert told == f"labelwise: {output} cannot be written: this command reads it.\n"
        assert contents(files) == before


def test_the_names_of_columns_do_not_go_over_what_is_read(files, monkeypatch, capsys):
    data = (files / "few-columns.svm").rename(files / "few-columns.csv")
    data.write_bytes((files / "data.csv").read_bytes())
    words = ("select", data, *LABELS, "-n", "3", "-o", files / "few.svm")
    assert "few-columns.csv cannot be written: this command reads it" in refusal(
        monkeypatch, capsys, *words
    )
    assert not (files / "few.svm").exists()


def test_every_file_behind_a_folder_or_a_name_is_an_input(tmp_path, monkeypatch, capsys):
    home = tmp_path / "home"
    folder = home / "news"
    folder.mkdir(parents=True)
    header = "@relation r\n@attribute x numeric\n@attribute sea {0,1}\n@data\n"
    for part in ("train", "test"):
        (folder / f"news-{part}.arff").write_text(header + "1,0\n2,1\n3,0\n4,1\n")
    (folder / "news.xml").write_text('<labels><label name="sea"/></labels>')
    other = tmp_path / "other.xml"
    other.write_text((folder / "news.xml").read_text())
    read = {folder / "news-train.arff", folder / "news-test.arff", folder / "news.xml"}
    assert set(input_files(folder)) == read
    assert set(input_files("news", data_home=home)) == read
    assert set(input_files("news", data_home=home, labels=str(other))) == {*read, other}
    assert input_files("digits") == []
    assert input_files("nothing", data_home=home) == [Path("nothing")]
    for path in (*read, other):
        before = path.read_bytes()
        words = ("split", "news", "--data-home", home, "--labels", other, "--folds", 2, "-o", path)
        assert "this command reads it" in refusal(monkeypatch, capsys, *words)
        assert path.read_bytes() == before
    run("split", folder, "--folds", 2, "--method", "random", "-o", folder / "news-folds.csv.txt")
    assert load(folder).n_samples == 8


@pytest.mark.parametrize("command", COMMANDS)
def test_a_dash_is_the_standard_output_and_nothing_else_is_said_there(made, command, tmp_path):
    words = [str(word) for word in arguments(made, command, "-")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    if command == "curve":
        assert done.stdout_bytes.startswith(b"\x89PNG")
    else:
        kind = ".csv" if command == "scores" else ENDINGS[command]
        path = tmp_path / f"output{kind}"
        path.write_bytes(done.stdout_bytes)
        check_readable(command, path)
    assert done.stderr or command == "scores"
    assert "written to" not in done.stderr


def check_readable(command, path):
    if command == "fit":
        assert labelwise.load(path).label_names_ == ("sea", "sky", "sun")
    elif command == "tune":
        assert len(Thresholds.load(path)) == 3
    elif command == "select":
        assert read_svmlight(path).n_features == 3
    elif command == "results":
        assert path.read_text().splitlines()[0].startswith('"study"')
    elif command == "split":
        assert path.read_text().startswith("row,subset,id\n0,")
    else:
        assert read_scores(path).values.shape == (60, 3)


def test_two_outputs_are_two_files(files, monkeypatch, capsys):
    words = arguments(files, "predict", files / "new.csv")
    (files / "other.csv").symlink_to(files / "new.csv")
    for first, second in (("new.csv", "other.csv"), ("-", "-")):
        both = [*words[:-1], files / first if first != "-" else "-", "--scores"]
        told = refusal(monkeypatch, capsys, *both, files / second if second != "-" else "-")
        assert "cannot be the file of two outputs" in told
    assert not (files / "new.csv").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_links_and_modes_outlive_every_command(files, command):
    target, link = files / "private", files / f"link{ENDINGS[command]}"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to(target)
    run(*arguments(files, command, link), "--force")
    assert link.is_symlink()
    assert target.read_bytes() != b"old"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert not list(files.glob(".*"))


@pytest.mark.parametrize("command", ["decide", "scores", "tune", "fit"])
def test_a_pipe_gets_what_a_file_would_get(files, command):
    pipe, found = files / f"pipe{ENDINGS[command]}", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(io.BytesIO(pipe.read_bytes())))
    reader.start()
    run(*arguments(files, command, pipe))
    reader.join()
    assert pipe.is_fifo()
    copy = files / f"copy{ENDINGS[command]}"
    copy.write_bytes(found[0].getvalue())
    check_readable(command, copy)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_is_refused_before_the_work(files, command, monkeypatch, capsys):
    folder = files / f"folder{ENDINGS[command]}"
    folder.mkdir()
    told = refusal(monkeypatch, capsys, *arguments(files, command, folder))
    assert told == f"labelwise: {folder} cannot be written: it is a folder.\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_while_it_writes_leaves_nothing(files, number):
    # A disk that is so slow that a flush never ends.
    slow = (
        "import os, time\n"
        "flush = os.fsync\n"
        "def wait(descriptor):\n"
        "    print('writing', flush=True)\n"
        "    time.sleep(60)\n"
        "os.fsync = wait\n"
    )
    before = contents(files)
    words = [str(word) for word in arguments(files, "decide", files / "new.csv")]
    program = [sys.executable, "-c", slow + PROGRAM[2], *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"writing\n"
        assert len(contents(files)) == len(before) + 1
        writer.send_signal(number)
        told = writer.communicate()[1]
    assert writer.returncode == (-number if number == signal.SIGTERM else 130)
    assert b"Traceback" not in told
    assert contents(files) == before


def test_bytes_on_a_redirected_standard_output_are_clean(files):
    with (files / "new.csv").open("wb") as out:
        words = [str(word) for word in arguments(files, "decide", "/dev/stdout")]
        done = subprocess.run([*PROGRAM, *words], stdout=out, stderr=subprocess.PIPE, check=True)
    check_readable("decide", files / "new.csv")
    assert b"decisions on 60 rows" in done.stderr


@pytest.mark.parametrize("command", ["split", "decide", "predict", "scores", "select", "tune"])
def test_text_is_written_packed_and_read_again(made, tmp_path, command):
    ending = ".csv" if command == "scores" else ENDINGS[command]
    plain, packed = tmp_path / f"plain{ending}", tmp_path / f"packed{ending}.gz"
    for path in (plain, packed):
        run(*arguments(made, command, path))
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    if command == "select":
        assert (tmp_path / "packed-columns.csv").exists()
    if command == "tune":
        run("decide", packed, made / "scores.csv", "-o", tmp_path / "decided.csv")
    if command == "scores":
        run("decide", made / "thresholds.json", packed, "-o", tmp_path / "decided.csv")


def test_other_files_are_not_written_packed(made, tmp_path, monkeypatch, capsys):
    for command, name in (("predict", "new.parquet.gz"), ("fit", "new.skops.gz")):
        words = arguments(made, command, tmp_path / name)
        assert "must end in" in refusal(monkeypatch, capsys, *words)
