"""Worker processes: one that dies, hangs or loses its runner harms no cell but its own."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from labelwise.experiments.running import _executors
from labelwise.experiments.running._executors import ProcessExecutor
from tests.experiments.small_studies import Deadly, Frequent, rows, study

ROOT = Path(__file__).parents[3]


def test_a_cell_that_kills_its_workers_fails_and_the_others_do_not(tmp_path):
    deadly = study(
        datasets=[rows()],
        models={"deadly": Deadly(spared=os.getpid()), "plain": Frequent()},
        seeds=(0,),
    )
    results = deadly.run(tmp_path / "s.sqlite", n_jobs=2)
    (failed,) = results.failed
    assert failed.model == "deadly"
    assert failed.error.startswith("The worker died twice with this cell")
    assert "Traceback" not in failed.error
    assert results.state() == "5 of 6 cells are done, 1 failed."
    # In the process that is spared the cell has nothing deadly.
    assert not deadly.run(tmp_path / "s.sqlite").failed


class Endless(Frequent):
    """Never ends on rows without a certain one, and does not let itself be interrupted."""

    def fit(self, X, Y):
        # Neither a parameter nor code, so that the cell stays the same.
        row = float(os.environ.get("ENDLESS_ROW", "0"))
        while row not in X[:, 0] and not self.shift:
            with suppress(BaseException):
                time.sleep(60)
        return super().fit(X, Y)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_cell_that_takes_too_long_fails_alone_and_is_tried_again(tmp_path, n_jobs):
    models = {"endless": Endless(), "plain": Endless(shift=0.1)}
    limited = study(datasets=[rows()], models=models, seeds=(0,), timeout=2.0)
    results = limited.run(tmp_path / "s.sqlite", n_jobs=n_jobs)
    (failed,) = results.failed
    assert failed.model == "endless"
    assert failed.error == "The cell exceeded its timeout; its worker was killed."
    assert results.state() == "5 of 6 cells are done, 1 failed."
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ENDLESS_ROW", "1")
        assert (
            study(datasets=[rows()], models=models, seeds=(0,)).run(tmp_path / "s.sqlite").failed
            == ()
        )


ORPHANS = """
import os, random, signal, subprocess, sys, time
program = (
    "import os, sys; from tests.experiments.small_studies import study\\n"
    "os.environ['SECONDS_TO_FIT'] = '0.01'\\n"
    "study(seeds=range(200)).run(sys.argv[1], n_jobs=2)"
)

def in_group(group):
    \"\"\"Processes of a group, by the files of the system.\"\"\"
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as stream:
                state, _, of_group = stream.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of_group) == group and state != "Z":
            found.append(int(entry))
    return found

left, most = [], 0
for attempt in range(int(sys.argv[2])):
    runner = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program, f"{sys.argv[1]}{attempt}"], process_group=0
    )
    # Workers are killed while they start, while they load, and while they work.
    n_wanted = attempt % 4 + 1
    end = time.monotonic() + 60
    while len(in_group(runner.pid)) < n_wanted and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(random.Random(attempt).uniform(0, 0.5 if attempt % 2 else 1.5))
    most = max(most, len(in_group(runner.pid)))
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    end = time.monotonic() + 60
    while in_group(runner.pid) and time.monotonic() < end:
        time.sleep(0.1)
    left += in_group(runner.pid)
    for one in in_group(runner.pid):
        os.kill(one, signal.SIGKILL)
print(left, most > 2)
"""


KILLED = """
import os, signal, sys, threading, time
from contextlib import suppress
from pathlib import Path
from tests.experiments.small_studies import study
os.environ["SECONDS_TO_FIT"] = "0.01"

def new_worker(known):
    \"\"\"Wait for a worker that this process has started, and return its number.\"\"\"
    while True:
        for task in Path("/proc/self/task").iterdir():
            with suppress(OSError):
                for one in map(int, (task / "children").read_text().split()):
                    words = Path(f"/proc/{one}/cmdline").read_bytes()
                    if one not in known and b"popen_loky" in words:
                        known.add(one)
                        return one
        time.sleep(0.001)

def signal_workers():
    \"\"\"Interrupt one worker while it starts, and kill another; a cell that loses two fails.\"\"\"
    known = set()
    interrupted = new_worker(known)
    time.sleep(0.03)
    with suppress(OSError):
        os.kill(interrupted, signal.SIGINT)
        os.kill(new_worker(known), signal.SIGKILL)

threading.Thread(target=signal_workers, daemon=True).start()
print(study(seeds=range(20)).run(sys.argv[1], n_jobs=2).state())
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="workers are found in /proc")
def test_workers_that_are_killed_print_no_traceback_and_lose_no_cell(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path / "s.sqlite")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "240 of 240 cells are done."
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no signal masks")
def test_a_process_that_starts_is_out_of_reach_of_interrupts_and_its_parent_is_not():
    asked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with _executors._without_interrupts():
        blocked = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert blocked.stdout.strip() == "True"
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_a_worker_that_dies_while_it_starts_is_replaced(monkeypatch):
    started = []

    class Dying:
        def __init__(self, inputs):
            started.append(inputs)
            if len(started) < 3:
                raise BrokenPipeError

        def submit(self, cells):
            return cells

    monkeypatch.setattr(_executors, "Worker", Dying)
    assert ProcessExecutor("inputs", 1).submit("cells") == "cells"
    assert len(started) == 3
    monkeypatch.setattr(_executors, "_MOST_STARTS", 1)
    started.clear()
    with pytest.raises(ChildProcessError, match="No worker lives long enough to start"):
        ProcessExecutor("inputs", 1).submit("cells")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")
def test_no_worker_outlives_a_runner_that_is_killed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS, str(tmp_path / "s.sqlite"), "4"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[] True"
