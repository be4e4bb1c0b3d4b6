"""The commands, run as a user runs them."""

import re

import pytest
from typer.testing import CliRunner

import labelwise
from labelwise.cli import app, main
from tests.cli.shell import COMMANDS, refusal
from tests.writers.arff import arff

RUNNER = CliRunner()


def test_the_version_is_that_of_the_package():
    done = RUNNER.invoke(app, ["--version"])
    assert done.exit_code == 0
    assert done.stdout == f"labelwise {labelwise.__version__}\n"


def test_the_help_of_the_program_shows_each_command_in_a_whole_line():
    listed = RUNNER.invoke(app, ["--help"], terminal_width=80).stdout.partition("Commands:")[2]
    lines = listed.partition("Example:")[0].strip().splitlines()
    assert [line.split()[0] for line in lines] == COMMANDS
    assert [line for line in lines if not line.endswith(".") or line.endswith("...")] == []


def test_describe_shows_a_file_and_advises_how_to_split(tmp_path):
    path = tmp_path / "tiny.arff"
    path.write_text(arff([("x", "numeric"), ("sea", ["0", "1"])], [[1.5, "1"], [2.5, "0"]]))
    done = RUNNER.invoke(app, ["describe", str(path), "--labels", "-1"])
    assert done.exit_code == 0
    assert "Dataset 'tiny': 2 samples, 1 feature, 1 label" in done.stdout
    assert "distinct label sets" in done.stdout
    assert done.stdout.splitlines()[-1] == (
        "1 distinct label sets per sample, above 0.1: to split such data, Sechidis et al. (2011) "
        "advise iterative stratification."
    )


def test_describe_says_so_where_labels_are_unknown(tmp_path):
    path = tmp_path / "tiny.arff"
    path.write_text(arff([("x", "numeric"), ("sea", ["0", "1"])], [[1.5, None]]))
    done = RUNNER.invoke(app, ["describe", str(path), "--labels", "sea"])
    assert "it can only be predicted" in done.stdout


@pytest.mark.parametrize("labels", ["label_*", "label_sea,label_sky"])
def test_label_columns_of_a_table_are_given_by_prefix_or_by_names(tmp_path, labels):
    path = tmp_path / "tiny.csv"
    path.write_text("x,label_sea,label_sky\n0.5,1,0\n0.25,1,1\n")
    done = RUNNER.invoke(app, ["describe", str(path), "--labels", labels])
    assert "2 samples, 1 feature, 2 labels" in done.stdout


@pytest.mark.parametrize("count", ["3", "-3"])
def test_a_count_of_labels_is_refused_for_a_table(tmp_path, monkeypatch, capsys, count):
    path = tmp_path / "tiny.csv"
    path.write_text("x,a,b,c\n0.5,1,0,1\n")
    assert refusal(monkeypatch, capsys, "describe", path, "--labels", count) == (
        f"labelwise: {path}: is a table, for which a count of labels ({count}) does not say "
        "which columns are meant: give their names, or a prefix with a star.\n"
    )


def test_wrong_input_ends_with_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["labelwise", "describe", "no/such.arff"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "labelwise: no/such.arff: does not exist.\n"


def test_the_demo_runs_what_it_prints_and_ends_with_a_report(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = RUNNER.invoke(app, ["demo"])
    assert done.exit_code == 0, done.output
    (page,) = tmp_path.glob("labelwise-demo-*/report.html")
    end = done.stdout.partition("8. reports")[2]
    assert str(page) in end
    assert "Digits in pictures" in page.read_text(encoding="utf-8")
    commands = [line.split()[1] for line in end.splitlines() if line.startswith("  labelwise ")]
    assert commands == ["report", "tune", "fit", "describe", "-h"]
    reasons = [line for line in done.stdout.replace("\n", " ").split("-> ")[1:] if ": by " in line]
    assert reasons
    assert not any("vaccin," in line or "vaccin;" in line for line in reasons)  # a stem
    for word in ("data", "splitting", "learners", "decisions", "measures", "micro-f", "balanced"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("--group", "--groups"), ("--maximise", "--maximize"), ("--metric", None), ("--rows", None)],
)
def test_only_options_that_are_nearly_the_same_are_suggested(typed, meant):
    shown = RUNNER.invoke(app, ["fit", "data.csv", typed, "x", "-o", "model.skops"]).stderr
    found = re.findall(r"--[a-z-]+", shown.partition("No such option:")[2])
    assert found == [typed, *([] if meant is None else [meant])]


def test_an_option_of_another_command_suggests_no_stranger():
    shown = RUNNER.invoke(app, ["decide", "t.json", "scores.csv", "--groups", "x"]).stderr
    assert shown.rstrip().endswith("No such option: --groups")
