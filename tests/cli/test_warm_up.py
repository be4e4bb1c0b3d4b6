"""`labelwise warm-up` runs what it promises to compile."""

from tests.cli.shell import run


def test_every_command_of_the_warm_up_runs():
    assert "commands have run" in run("warm-up")
