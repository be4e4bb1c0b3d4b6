"""CPU seconds of the first commands of an installation, and of all later ones.

Each command runs twice in processes of its own: at first with an empty cache of compiled kernels,
then with all kernels that the first run has compiled. The data are small, as those of a first try.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from labelwise.data import make_multilabel

N_SAMPLES, N_LABELS = 600, 7
COMMANDS = {
    "tune": ["tune", "scores.npy", "labels.npy", "--by-position", "-o", "thresholds.json"],
    "split": ["split", "data.csv", "--labels", "label*"],
    "fit, br": ["fit", "data.csv", "--labels", "label*", "--learner", "br", "-o", "model.skops"],
}
# Overwrites the output of the first run.
AGAIN = {"tune": ["--force"], "split": [], "fit, br": ["--force"]}


def write_files(folder: Path) -> None:
    """Write a table of features and labels, and scores that know something of the labels."""
    data, _ = make_multilabel(N_SAMPLES, 20, N_LABELS, random_state=0)
    Y, random = data.Y.toarray().astype(int), np.random.default_rng(0)
    np.save(folder / "labels.npy", Y)
    np.save(folder / "scores.npy", 0.4 * Y + 0.6 * random.random(Y.shape))
    names = [*(f"x{f}" for f in range(20)), *(f"label{j}" for j in range(N_LABELS))]
    cells = np.hstack([data.X, Y])
    np.savetxt(folder / "data.csv", cells, "%.6g", ",", header=",".join(names), comments="")


def cpu_seconds(command: list[str], folder: Path, cache: Path) -> float:
    """Run a command of labelwise, and return the CPU seconds of its process."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    program = [sys.executable, "-m", "labelwise", *command]
    environment = dict(os.environ, NUMBA_CACHE_DIR=str(cache))
    subprocess.run(program, cwd=folder, env=environment, capture_output=True, check=True)
    return spent() - before


def main() -> None:
    """Print the seconds of each command, the least of three, and how many kernels it compiles."""
    table = Table("command", "first, CPU s", "later, CPU s", "kernels", title="First commands")
    for name, command in COMMANDS.items():
        first, later, n_kernels = [], [], 0
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
                write_files(Path(folder))
                first.append(cpu_seconds(command, Path(folder), Path(cache)))
                n_kernels = len(list(Path(cache).rglob("*.nbi")))
                again = [*command, *AGAIN[name]]
                later.append(cpu_seconds(again, Path(folder), Path(cache)))
        table.add_row(name, f"{min(first):.1f}", f"{min(later):.1f}", str(n_kernels))
    Console().print(table)


if __name__ == "__main__":
    main()
