"""Whatever happens to a running study, finished cells stay finished and numbers the same."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path

import pytest

from labelwise.data import DataError
from labelwise.experiments import read_results
from labelwise.experiments.running import _scheduler as scheduler_module, _store as store_module
from labelwise.experiments.running._cells import CellRecord
from labelwise.experiments.running._scheduler import Progress, Scheduler
from labelwise.experiments.running._store import Store
from tests.experiments.small_studies import essence, study

ROOT = Path(__file__).parents[3]
# Imports once, then forks a runner for every attempt.
HARNESS = """
import os, random, signal, sys, time
from tests.experiments.small_studies import study
study().run(sys.argv[1] + ".warm")
os.environ["SECONDS_TO_FIT"] = "0.004"
many = study(seeds=range(30))
heard, told = os.pipe()

def runner(store):
    child = os.fork()
    if child == 0:
        many.run(store, progress=lambda _: os.write(told, b"."))
        os._exit(0)
    return child
"""
KILLED = """
moments = random.Random(7)
n_killed = 0
for attempt in range(20):
    child = runner(sys.argv[1])
    if attempt % 4:  # every fourth may die before its first cell
        os.read(heard, 1000)
    time.sleep(moments.uniform(0.0, 0.15))
    os.kill(child, signal.SIGKILL)
    n_killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
print(n_killed)
"""
TOGETHER = """
children = [runner(sys.argv[1]) for _ in range(2)]
print([os.waitpid(child, 0)[1] for child in children])
"""


def run_harness(program, store):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HARNESS + program, str(store)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def cells(store):
    """Everything that is stored of cells but seconds and memory, whatever order they came in."""
    with sqlite3.connect(store) as connection:
        query = "SELECT key, status, error, warnings, v.text, m.text, found FROM cells"
        joined = " JOIN texts v ON v.id = versions JOIN texts m ON m.id = measures ORDER BY key"
        found = connection.execute(query + joined).fetchall()
        intact = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    assert intact == ("ok",)
    return found


def test_a_study_killed_twenty_times_ends_as_one_that_was_not(tmp_path):
    killed, whole = tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    assert run_harness(KILLED, killed) == "20"
    before = read_results(killed)
    assert 0 < len(before) < 360 * 3
    finished = {key: row for key, *row in cells(killed)}
    again = study(seeds=range(30)).run(killed)
    expected = study(seeds=range(30)).run(whole)
    assert essence(again) == essence(expected)
    assert cells(killed) == cells(whole)
    after = {key: row for key, *row in cells(killed)}
    assert all(after[key] == row for key, row in finished.items())


def test_two_runners_on_one_store_write_each_cell_once(tmp_path):
    shared, whole = tmp_path / "shared.sqlite", tmp_path / "whole.sqlite"
    assert run_harness(TOGETHER, shared) == "[0, 0]"
    study(seeds=range(30)).run(whole)
    assert essence(read_results(shared)) == essence(read_results(whole))
    assert cells(shared) == cells(whole)


class DyingExecutor:
    """Runs cells at once, but its worker dies with some of them, so many times."""

    max_batches = 3

    def __init__(self, deaths):
        self.deaths, self.shut_down = deaths, False

    def submit(self, cells):
        future = Future()
        if any(self.deaths.get(cell, 0) for cell in cells):
            self.deaths = {c: n - (c in cells) for c, n in self.deaths.items()}
            future.set_exception(BrokenExecutor("killed"))
        else:
            found = [CellRecord(c.key, {"m": 1.0}, None, 0.1, 0.1, 1, (), {}) for c in cells]
            future.set_result((0.01 * len(cells), found))
        return future

    def stop_overdue(self):
        return []

    def shutdown(self):
        self.shut_down = True


def run_dying(folder, deaths):
    plan = study().plan()
    executor = DyingExecutor({plan.cells[i]: n for i, n in deaths.items()})
    with Store(folder / "s.sqlite") as store:
        store.start_run("study", plan)
        before = Progress(0, 0, len(plan.cells), None)
        try:
            Scheduler(plan.cells, executor, store, lambda _: None, before).run()
        finally:
            assert executor.shut_down
    return read_results(folder / "s.sqlite")


def test_a_cell_whose_worker_dies_once_is_run_again(tmp_path):
    results = run_dying(tmp_path, {0: 1, 7: 1, 23: 1})
    assert not results.failed
    assert results.n_missing == 0


def test_a_cell_whose_worker_dies_twice_fails_alone(tmp_path):
    results = run_dying(tmp_path, {0: 2, 7: 5})
    assert len(results.failed) == 2
    assert results.n_missing == 0


def test_workers_that_never_live_end_the_study(tmp_path):
    with pytest.raises(ChildProcessError, match="No worker lives long enough"):
        run_dying(tmp_path, dict.fromkeys(range(24), 9))


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path, monkeypatch):
    store = tmp_path / "s.sqlite"
    # Where a cell takes a few milliseconds, the second batch would have all the others.
    monkeypatch.setattr(scheduler_module, "_MAX_BATCH_SIZE", 4)

    def stop(progress):
        if progress.done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        study().run(store, progress=stop)
    assert stopped.value.__notes__ == [
        f"Finished cells are stored in {store}; run the study again to continue."
    ]
    kept = read_results(store)
    assert 5 * 3 <= len(kept) < 24 * 3
    seen = []
    assert essence(study().run(store, progress=seen.append)) == essence(
        study().run(tmp_path / "whole.sqlite")
    )
    assert seen[0].done == len(kept) // 3


def test_a_full_disk_is_named_and_finished_cells_are_safe(tmp_path, monkeypatch):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    before = essence(read_results(store))
    real = store_module.connect

    def full(path, *, create):
        connection = real(path, create=create)
        n_pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {n_pages + 1}")
        return connection

    many = study(seeds=(0,), measures=[{f"m{i}": lambda _: 1 / 3 for i in range(200)}], name="many")
    with monkeypatch.context() as patched:
        patched.setattr(store_module, "connect", full)
        with pytest.raises(DataError, match="the disk is full; finished cells are safe"):
            many.run(store)
    assert essence(read_results(store, study="study")) == before
    assert not many.run(store).failed


def test_another_study_of_the_same_name_is_an_error(tmp_path):
    store = tmp_path / "s.sqlite"
    intruder = study(seeds=(9,))

    def intrude(progress):
        if progress.done == 1:
            intruder.run(store)

    with pytest.raises(DataError, match="another study named 'study' was started"):
        study().run(store, progress=intrude)
