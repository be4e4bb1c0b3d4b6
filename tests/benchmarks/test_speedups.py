"""Ratios of benchmarks are recorded by name, and slowdowns against the record are named."""

import pytest

from benchmarks import speedups
from benchmarks.speedups import changes, finish, read_speedups, record, write_speedups


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(speedups, "_speedups", {})
    monkeypatch.setattr(speedups, "RESULTS", tmp_path / "results.json")
    return tmp_path / "results.json"


def test_a_lower_ratio_is_slower_and_a_higher_one_faster():
    earlier = {"reading": 3.1, "splitting": 8.0, "tuning": 2.0}
    measured = {"reading": 2.4, "splitting": 12.0, "tuning": 1.9, "bags": 5.0}
    assert changes(measured, earlier) == [
        "not recorded: bags 5x",
        "faster: splitting 8x -> 12x",
        "slower: reading 3.1x -> 2.4x",
    ]


def test_differences_within_the_noise_are_not_named():
    assert changes({"reading": 2.5}, {"reading": 3.0}) == []
    assert changes({"reading": 3.6}, {"reading": 3.0}) == []


def test_what_was_not_measured_is_neither_named_nor_lost(results):
    write_speedups({"reading": 3.0, "tuning": 2.0}, results)
    assert changes({"tuning": 2.0}, read_speedups(results)) == []
    write_speedups({"tuning": 1.23456}, results)
    assert read_speedups(results) == {"reading": 3.0, "tuning": 1.23}


def test_a_run_is_compared_and_written_only_if_asked(results, capsys):
    record("reading", ours=0.5, peer=2.0)
    finish(write=False)
    assert not results.exists()
    finish(write=True)
    assert read_speedups(results) == {"reading": 4.0}
    printed = capsys.readouterr().out
    assert printed.count("not recorded: reading 4x") == 2
    record("tuning", ours=1.0, peer=3.0)
    speedups._speedups["reading"] = 2.0
    finish(write=False)
    assert capsys.readouterr().out.splitlines()[-1] == "slower: reading 4x -> 2x"


def test_a_name_is_recorded_once(results):
    record("reading", 1.0, 2.0)
    with pytest.raises(ValueError, match="name must be new, got 'reading' twice"):
        record("reading", 1.0, 2.0)
