"""What is said while a study runs."""

from types import SimpleNamespace

import pytest

from labelwise.experiments.running import _scheduler
from labelwise.experiments.running._scheduler import Progress, progress_callback, progress_text
from tests.experiments.small_studies import rows, study


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (Progress(0, 0, 24, None), "0 of 24 cells done"),
        (Progress(1200, 0, 2400, 61.4), "1,200 of 2,400 cells done, 0:01:01 left"),
        (Progress(20, 3, 24, 0.2), "20 of 24 cells done, 3 failed, 0:00:00 left"),
    ],
)
def test_done_failed_and_time_left_are_said(now, words):
    assert progress_text(now) == words


def test_without_a_terminal_there_is_at_most_a_line_a_minute(capsys, monkeypatch):
    clock = iter([0.0, 59.0, 60.0, 60.0, 90.0, 121.0, 121.0])
    monkeypatch.setattr(_scheduler, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with progress_callback(True) as notify:
        for done in (4, 5, 6, 7):
            notify(Progress(done, 1, 24, 3.0))
    assert capsys.readouterr().err.splitlines() == [
        "5 of 24 cells done, 1 failed, 0:00:03 left",
        "7 of 24 cells done, 1 failed, 0:00:03 left",
    ]


def test_on_a_terminal_the_line_is_drawn_at_once(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_callback(None) as notify:
        notify(Progress(5, 1, 24, 3.0))
    assert "5 of 24 cells done, 1 failed, 0:00:03 left" in capsys.readouterr().err


def test_nothing_is_shown_where_nobody_asks(capsys):
    with progress_callback(None) as notify:
        notify(Progress(5, 1, 24, 3.0))
    assert capsys.readouterr().err == ""


def test_every_cell_is_counted_until_none_is_left(tmp_path):
    def odd(outcome):
        return 1 / (outcome.fold - 1)

    seen = []
    study(measures={"odd": odd}).run(tmp_path / "s.sqlite", progress=seen.append)
    counts = [now.done + now.failed for now in seen]
    assert counts == sorted(counts)
    assert seen[0] == (0, 0, 24, None)
    assert seen[-1] == (16, 8, 24, 0.0)


def test_data_that_changes_while_a_study_runs_fails_its_cells(tmp_path):
    seeds = iter(range(100))

    class Restless:
        def __call__(self):
            return rows(seed=next(seeds))

    results = study(datasets={"restless": Restless()}).run(tmp_path / "s.sqlite")
    assert "The data of 'restless' changed while the study ran" in results.failed[0].error
    assert results.n_done == 0
