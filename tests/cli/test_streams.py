"""Commands whose standard output is full, closed or not read to its end: one sentence or none."""

import os
import stat
import subprocess
import sys

import pytest

from tests.cli.shell import refusal

PROGRAM = [sys.executable, "-c", "from labelwise.cli import main; main()"]


def run(*words, **options):
    return subprocess.run([*PROGRAM, *map(str, words)], stderr=subprocess.PIPE, **options)


def test_a_full_standard_output_is_one_sentence(tmp_path):
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        stream = device.open("wb", buffering=0)
    except PermissionError:
        pytest.skip("devices cannot be made or opened here")
    with stream:
        done = run("learners", stdout=stream)
    assert done.stderr == b"labelwise: the output cannot be written (No space left on device).\n"
    assert done.returncode == 1


def test_a_reader_that_has_seen_enough_is_no_fault():
    source, sink = os.pipe()
    os.close(source)
    try:
        done = run("learners", stdout=sink)
    finally:
        os.close(sink)
    assert (done.returncode, done.stderr) == (1, b"")


def test_without_a_standard_output_a_dash_is_refused(tmp_path):
    (tmp_path / "data.csv").write_text("x,y\n1,0\n2,1\n3,0\n4,1\n")
    words = ("split", tmp_path / "data.csv", "--labels", "y", "--folds", 2, "-o", "-")
    done = run(*words, preexec_fn=lambda: os.close(1))
    assert done.stderr == (b"labelwise: - cannot be written: the standard output takes no bytes.\n")
    assert done.returncode == 1


def test_too_little_memory_is_one_sentence(monkeypatch, capsys):
    def no_room():
        raise MemoryError("Unable to allocate 3.00 TiB")

    monkeypatch.setattr("labelwise.cli.commands._learners.Outputs", no_room)
    shown = refusal(monkeypatch, capsys, "learners")
    reason = "this takes more memory than there is (Unable to allocate 3.00 TiB)."
    assert shown == f"labelwise: {reason}\n"
