"""Worker processes: one that dies, hangs or loses its runner harms no cell but its own."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

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
    time.sleep(random.Random(attempt).uniform(0, 0.5 if attempt % 2 else 3))
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
