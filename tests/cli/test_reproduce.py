"""`labelwise reproduce` runs the studies of a checkout, and elsewhere says how to get one."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from labelwise.cli import _reproduce, app

RUNNER = CliRunner()
ROOT = Path(__file__).parents[2]


def test_a_checkout_is_found_from_within_and_beside(tmp_path, monkeypatch):
    assert _reproduce.checkout(ROOT / "studies") == ROOT
    for folder in ("studies", "src/labelwise/cli", "deep/er"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "studies" / "__main__.py").write_text("")
    assert _reproduce.checkout(tmp_path / "deep" / "er") == tmp_path


def test_elsewhere_one_sentence_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.setattr(_reproduce, "__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    with pytest.raises(ValueError, match="git clone its repository and run") as refused:
        _reproduce.checkout(tmp_path)
    assert str(refused.value).count(". ") == 0


def test_the_study_gets_its_arguments_and_its_end_is_passed_on(tmp_path, monkeypatch):
    for folder in ("studies", "src/labelwise"):
        (tmp_path / folder).mkdir(parents=True)
    program = "import sys\nopen('seen', 'w').write(' '.join(sys.argv[1:]))\nsys.exit(3)\n"
    (tmp_path / "studies" / "__main__.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    words = ["reproduce", "sechidis2011", "--table", "2", "--quick", "--repetitions", "1"]
    assert RUNNER.invoke(app, words).exit_code == 3
    assert (tmp_path / "seen").read_text() == "sechidis2011 --table 2 --quick --repetitions 1"
