"""Errors name the option that the user typed, not the argument of a function behind it."""

import re

import pytest

from labelwise.cli.running import load_command, with_options
from labelwise.cli.running._command import Settings, settings_in_use
from labelwise.cli.running._errors import in_options, long_names_in_options, options_of
from tests.cli.shell import COMMANDS, run_program

TUNE, DATA = ("tune", "scores.csv", "labels.csv"), ("data.csv", "--labels", "sea,sky")
EVALUATE = ("evaluate", "labels.csv", "--decided", "labels.csv")
FIT = ("fit", *DATA, "--text", "text", "-o", "m.skops", "--learner", "br")


@pytest.mark.parametrize(
    "words",
    [
        (*TUNE, "--seed", "-1"),
        (*TUNE, "--beta", "-1"),
        (*TUNE, "--shrink", "2"),
        (*TUNE, "--fbr", "2"),
        (*TUNE, "--fbr", "0.1,3"),
        (*TUNE, "--min-precision", "2"),
        (*TUNE, "--min-recall", "-1"),
        (*TUNE, "--max-decisions", "-1"),
        (*TUNE, "--bootstrap", "1"),
        (*TUNE, "--guarantee", "0.9"),
        (*TUNE, "--across", "x"),
        (*TUNE, "--tuning-share", "2", "--guarantee", "0.9", "--min-recall", "0.5"),
        (*TUNE, "--review", "-1"),
        (*TUNE, "--review", "3", "--guarantee", "2"),
        ("split", *DATA, "--proportions", "0.5,0.2"),
        ("split", *DATA, "--method", "x"),
        ("split", *DATA, "--seed", "-1"),
        ("select", *DATA, "-n", "0"),
        ("select", *DATA, "-n", "1", "--by", "x"),
        ("select", *DATA, "-n", "1", "--combine", "x"),
        ("select", *DATA, "-n", "1", "--cut", "-1"),
        ("select", *DATA, "--curve", "--k", "0"),
        (*FIT, "--seed", "-1"),
        (*FIT, "--jobs", "0"),
        (*FIT, "--beta", "0"),
        (*FIT[:-2], "--time", "-1"),
        (*FIT[:-1], "efp", "--beta", "-2"),
        (*EVALUATE, "--beta", "-1"),
        (*EVALUATE, "--bootstrap", "1"),
        (*EVALUATE, "--undefined", "0.5"),
        ("compare", "--example", "--jobs", "0"),
    ],
    ids=" ".join,
)
def test_the_option_of_a_wrong_value_is_named(small_folder, words):
    done = run_program(small_folder, *words)
    assert done.code == 2, done.stderr
    options = [word for word in words if re.match("--?[a-z]", word) and word != "--labels"]
    told = done.stderr.splitlines()[-1]
    assert any(told.startswith(f"labelwise: {option} ") for option in options)
    assert "_" not in told


@pytest.mark.parametrize(
    ("command", "text", "wanted"),
    [
        ("tune", "shrink needs shared.", "--shrink needs --shared."),
        (
            "tune",
            "min_recall=0.9, beta=3 cannot be met",
            "--min-recall 0.9, --beta 3 cannot be met",
        ),
        ("tune", 'fbr needs average="macro".', "--fbr needs --maximize macro-NAME."),
        ("tune", 'shared=True needs guarantee="a".', "--shared needs --guarantee a."),
        ("tune", "label 'min_recall' is unknown.", "label 'min_recall' is unknown."),
        ("tune", "scores of each label must be finite.", "scores of each label must be finite."),
        ("split", "groups cannot stay under method x", "--groups cannot stay under --method x"),
        ("predict", "--instances needs bags of rows.", "--instances needs bags of rows."),
    ],
)
def test_arguments_in_a_sentence_become_options(command, text, wanted):
    assert in_options(text, options_of(load_command(command))) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("With guarantee=0.95 precision holds.", "With --guarantee 0.95 precision holds."),
        ("may break: min_recall 0.9: recall 0.8", "may break: --min-recall 0.9: recall 0.8"),
        # Words of a note are seldom options.
        ("2 rows without labels, text needs time", "2 rows without labels, text needs time"),
    ],
)
def test_notes_name_options_where_a_warning_names_arguments(text, wanted):
    assert long_names_in_options(text, options_of(load_command("fit"))) == wanted
    with settings_in_use(Settings(command="fit")):
        assert with_options(text) == wanted
    assert with_options(text) == text


def test_options_are_found_by_the_names_of_arguments():
    options = options_of(load_command("select"))
    assert (options["n_terms"], options["random_state"], options["safe_csv"]) == (
        "-n",
        "--seed",
        "--safe-csv",
    )
    assert "data" not in options


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_has_two_options_of_one_name(name):
    options = [word for one in load_command(name).params for word in one.opts]
    assert [word for word in options if options.count(word) > 1] == []
