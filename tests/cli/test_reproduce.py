"""`labelwise reproduce` runs the studies that it was installed with, and no others."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.cli.commands import _reproduce

RUNNER = CliRunner()
ROOT = Path(__file__).parents[2]
PROGRAM = "import sys\nopen('seen', 'w').write(' '.join(sys.argv[1:]))\nsys.exit(3)\n"


def checkout_at(folder):
    """A folder that looks like a checkout, with a study that leaves a trace."""
    for part in ("studies", "src/labelwise/cli", "deep/er"):
        (folder / part).mkdir(parents=True)
    (folder / "studies" / "__main__.py").write_text(PROGRAM)
    return folder


def installed_at(package, monkeypatch):
    monkeypatch.setattr(_reproduce, "__file__", str(package / "cli" / "commands" / "_reproduce.py"))


@pytest.mark.parametrize("inside", [".", "studies", "deep/er"])
def test_studies_of_the_folder_that_one_is_in_are_never_run(tmp_path, monkeypatch, inside):
    foreign = checkout_at(tmp_path / "foreign")
    installed_at(tmp_path / "lib" / "site-packages" / "labelwise", monkeypatch)
    monkeypatch.chdir(foreign / inside)
    done = RUNNER.invoke(app, ["reproduce", "pillai2012"])
    assert isinstance(done.exception, ValueError)
    assert not list(tmp_path.rglob("seen"))


def test_the_checkout_that_runs_is_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _reproduce.checkout() == ROOT


@pytest.mark.parametrize("package", ["lib/python3.11/site-packages/labelwise", "src/labelwise"])
def test_without_a_checkout_one_sentence_says_how_to_get_one(tmp_path, monkeypatch, package):
    installed_at(tmp_path / package, monkeypatch)
    with pytest.raises(ValueError, match="git clone its repository") as refused:
        _reproduce.checkout()
    assert str(refused.value).count(". ") == 0


def test_the_study_gets_its_arguments_and_its_end_is_passed_on(tmp_path, monkeypatch):
    checkout = checkout_at(tmp_path)
    installed_at(checkout / "src" / "labelwise", monkeypatch)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # as `main` does for all processes it starts
    words = ["reproduce", "sechidis2011", "--table", "2", "--quick", "--any-code"]
    assert RUNNER.invoke(app, [*words, "--repetitions", "1"]).exit_code == 3
    seen = "sechidis2011 --table 2 --quick --any-code --repetitions 1"
    assert (tmp_path / "seen").read_text() == seen
