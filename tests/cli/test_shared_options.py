"""Options and behaviour that all commands share: --quiet, --force, --debug, help, exit codes."""

import io
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.cli._progress import working
from tests.cli.shell import run_program

PROGRAM = [sys.executable, "-c", "from labelwise.cli import main; main()"]
COMMANDS = [one.callback.__name__.replace("_", "-") for one in app.registered_commands]
TABLE = "text,x,sea,sky\n" + "".join(
    f"{('red wine', 'blue sky', 'old ship')[i % 3]} of port {i},{i},{i % 2},{i // 2 % 2}\n"
    for i in range(12)
)


@pytest.fixture
def folder(tmp_path):
    """A folder with a table, scores and labels."""
    (tmp_path / "data.csv").write_text(TABLE)
    rows = [(i, i % 2, i // 2 % 2) for i in range(12)]
    (tmp_path / "labels.csv").write_text(
        "id,sea,sky\n" + "".join(f"r{i},{sea},{sky}\n" for i, sea, sky in rows)
    )
    (tmp_path / "scores.csv").write_text(
        "id,sea,sky\n" + "".join(f"r{i},{sea - i / 40},{sky - i / 15}\n" for i, sea, sky in rows)
    )
    return tmp_path


def test_an_existing_output_is_overwritten_only_with_force(folder):
    (folder / "t.json").write_text("old")
    words = ("tune", "scores.csv", "labels.csv", "-o", "t.json")
    done = run_program(folder, *words)
    assert done == (1, "", "labelwise: t.json exists: --force overwrites it.\n")
    assert (folder / "t.json").read_text() == "old"
    assert run_program(folder, *words, "--force").code == 0
    assert (folder / "t.json").read_text() != "old"


def test_quiet_leaves_results_and_errors(folder):
    words = ("split", "data.csv", "--labels", "sea,sky", "--folds", 2, "-o", "f.csv")
    loud = run_program(folder, *words)
    assert "taken as text" in loud.stderr
    assert "written to f.csv" in loud.stdout
    quiet = run_program(folder, *words, "--quiet", "--force")
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout.replace("written to f.csv\n", "")
    failed = run_program(folder, "describe", "none.csv", "-q")
    assert failed.stderr == "labelwise: none.csv: does not exist.\n"


def test_quiet_says_nothing_of_a_file_that_is_the_result(folder):
    assert run_program(folder, "tune", "scores.csv", "labels.csv", "-o", "t.json").code == 0
    words = ("decide", "t.json", "scores.csv", "--quiet", "-o")
    assert run_program(folder, *words, "d.csv") == (0, "", "")
    assert run_program(folder, *words, "-").stderr == ""
    words = ("fit", "data.csv", "--labels", "sea,sky", "-o", "m.skops", "--quiet")
    assert run_program(folder, *words) == (0, "", "")


def test_debug_shows_a_traceback(folder):
    done = run_program(folder, "describe", "none.csv", "--debug")
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
def test_exit_codes_tell_failures_from_wrong_usage(folder, words, code):
    (folder / "none.csv").touch() if "-o" in words else None
    assert run_program(folder, *words).code == code


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_and_two_names(tmp_path, command):
    short, long = (run_program(tmp_path, command, name) for name in ("-h", "--help"))
    assert short == long
    assert short.code == 0
    assert f"Example:\n    labelwise {command}" in short.stdout


def test_the_program_alone_shows_an_example(tmp_path):
    done = run_program(tmp_path)
    assert "Example:\n    labelwise " in done.stdout + done.stderr


def test_help_and_completion_import_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "pyarrow", "numba", "rich")
    code = (
        "import sys\nfrom labelwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    for words in (["--help"], ["tune", "-h"], ["--show-completion", "bash"]):
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
        assert done.stderr == "[]\n", words


def test_the_shell_completes_commands(tmp_path):
    environment = {"_LABELWISE_COMPLETE": "complete_bash", "COMP_WORDS": "labelwise ev"}
    done = CliRunner().invoke(
        app, [], prog_name="labelwise", env={**environment, "COMP_CWORD": "1"}
    )
    assert done.stdout.split() == ["evaluate"]


def test_a_closed_pipe_ends_quietly(folder):
    words = ("describe", "data.csv", "--labels", "sea,sky", "--quiet")
    with subprocess.Popen(
        [*PROGRAM, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as writer:
        writer.stdout.close()
        assert writer.stderr.read() == b""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown_status(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    with working("reading"):
        pass
    return stream.getvalue()


def test_progress_has_colours_only_if_they_are_wanted(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32m" in shown_status(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in shown_status(monkeypatch)
