"""The package runs as a program."""

import subprocess
import sys

import labelwise


def test_the_package_runs_as_a_program():
    program = [sys.executable, "-m", "labelwise", "--version"]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    assert done.stdout == f"labelwise {labelwise.__version__}\n"
