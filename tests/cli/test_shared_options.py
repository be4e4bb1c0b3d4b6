"""Options and behaviour that all commands share: --quiet, --force, --debug, help, exit codes."""

import io
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.cli._outputs import working
from labelwise.cli.running import load_command
from tests.cli.shell import COMMANDS, run_program

PROGRAM = [sys.executable, "-c", "from labelwise.cli import main; main()"]


def test_an_existing_output_is_overwritten_only_with_force(small_folder):
    (small_folder / "t.json").write_text("old")
    words = ("tune", "scores.csv", "labels.csv", "-o", "t.json")
    done = run_program(small_folder, *words)
    assert done == (1, "", "labelwise: t.json exists: --force overwrites it.\n")
    assert (small_folder / "t.json").read_text() == "old"
    assert run_program(small_folder, *words, "--force").code == 0
    assert (small_folder / "t.json").read_text() != "old"


@pytest.mark.parametrize("option", ["--ids", "--by-position", "--groups", "--bags", "--seed"])
def test_an_option_of_several_commands_is_declared_once(option):
    found = [one for name in COMMANDS for one in load_command(name).params if option in one.opts]
    assert len(found) > 1
    assert len({one.help for one in found}) == 1


def test_quiet_leaves_results_and_errors(small_folder):
    words = ("split", "data.csv", "--labels", "sea,sky", "--folds", 2, "-o", "f.csv")
    loud = run_program(small_folder, *words)
    assert "taken as text" in loud.stderr
    assert "written to f.csv" in loud.stdout
    quiet = run_program(small_folder, *words, "--quiet", "--force")
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout.replace("written to f.csv\n", "")
    failed = run_program(small_folder, "describe", "none.csv", "-q")
    assert failed.stderr == "labelwise: none.csv: does not exist.\n"


def test_quiet_says_nothing_of_a_file_that_is_the_result(small_folder):
    assert run_program(small_folder, "tune", "scores.csv", "labels.csv", "-o", "t.json").code == 0
    words = ("decide", "t.json", "scores.csv", "--quiet", "-o")
    assert run_program(small_folder, *words, "d.csv") == (0, "", "")
    assert run_program(small_folder, *words, "-").stderr == ""
    words = (
        "fit",
        "data.csv",
        "--labels",
        "sea,sky",
        "--learner",
        "br",
        "-o",
        "m.skops",
        "--quiet",
    )
    assert run_program(small_folder, *words) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tune", "scores.csv", "labels.csv", "-o", "t.png"), "t.png must end in .json."),
        (("fit", "data.csv", "--labels", "sea,sky", "-o", "m.pkl"), "m.pkl must end in .skops."),
    ],
)
def test_another_ending_is_refused_before_the_work(small_folder, words, said):
    before = sorted(small_folder.iterdir())
    assert run_program(small_folder, *words) == (2, "", f"labelwise: {said}\n")
    assert sorted(small_folder.iterdir()) == before


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
        # Completion is that of the shell that started the program.
        program = ["bash", "-c", '"$@"; exit', "bash", sys.executable, "-c", code, *words]
        done = subprocess.run(program, capture_output=True, text=True)
        assert done.stderr == "[]\n", words


def test_the_shell_completes_commands(tmp_path):
    environment = {"_LABELWISE_COMPLETE": "complete_bash", "COMP_WORDS": "labelwise ev"}
    done = CliRunner().invoke(
        app, [], prog_name="labelwise", env={**environment, "COMP_CWORD": "1"}
    )
    assert done.stdout.split() == ["evaluate"]


def test_a_closed_pipe_ends_quietly(small_folder):
    words = ("describe", "data.csv", "--labels", "sea,sky", "--quiet")
    with subprocess.Popen(
        [*PROGRAM, *words], cwd=small_folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
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


def test_every_command_with_a_seed_starts_from_0():
    program = get_command(app)
    options = {
        name: option.default
        for name in COMMANDS
        for option in program.get_command(None, name).params
        if option.name == "seed"
    }
    assert {"evaluate", "fit", "report", "split", "tune"} <= options.keys()
    assert set(options.values()) == {0}
