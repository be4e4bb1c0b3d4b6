"""Unfinished files: locked while they are written, removed if their writer is gone."""

import signal

import pytest

from labelwise._io._writing import PART, locked_part, remove_stale_parts, removed_if_killed

pytest.importorskip("fcntl")


def test_only_files_that_nobody_writes_are_stale(tmp_path):
    stale, used, other = (tmp_path / name for name in (PART.format(1), PART.format(2), "a.csv"))
    stale.touch()
    other.touch()
    with locked_part(used, 0o600) as stream:
        stream.write(b"text")
        remove_stale_parts(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([used, other])
    assert list(tmp_path.iterdir()) == [other]


def test_signals_are_handled_as_before_after_the_file_is_written(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    with removed_if_killed(tmp_path / "part"):
        assert before != signal.SIG_DFL or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == before
