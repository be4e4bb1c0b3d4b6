"""Out of core beside in memory: time, peak resident memory, and equality bit for bit.

Scores and labels are generated block by block into npy files, and each route runs in a process of
its own, whose peak resident memory the system reports. ``LABELWISE_SCALE`` sets the numbers of rows
("200000,2000000" by default; 20000000 takes 10 GB of disk), all with 100 labels. Above two million
rows, only the route out of core runs. ``python -m benchmarks.scale_engine cluster 10000000`` tunes
on 4 GB of scores with two workers that dask limits to 1 GB each.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

N_LABELS = 100
ROWS = "200000,2000000"
# Rows that both routes run on: 100 float32 scores of each take 800 MB.
_MOST_IN_MEMORY = 2_000_000
_BLOCK = 100_000
_TASKS = {"tune micro-f": "micro-f", "tune macro-f": "macro-f"}


def write_files(folder: Path, n_rows: int, seed: int = 0) -> None:
    """Write scores (float32) and labels (bool) with label shares from 0.5 % to 4 %."""
    random = np.random.default_rng(seed)
    shares = np.linspace(0.005, 0.04, N_LABELS, dtype=np.float32)
    kinds = {"scores.npy": "<f4", "labels.npy": "|b1"}
    streams = {name: (folder / name).open("wb") for name in kinds}
    for name, stream in streams.items():
        header = {"descr": kinds[name], "fortran_order": False, "shape": (n_rows, N_LABELS)}
        npy_format.write_array_header_1_0(stream, header)
    for start in range(0, n_rows, _BLOCK):
        shape = (min(_BLOCK, n_rows - start), N_LABELS)
        Y = random.random(shape, dtype=np.float32) < shares
        scores = random.standard_normal(shape, dtype=np.float32) + 2 * Y.astype(np.float32)
        streams["scores.npy"].write(scores.data)
        streams["labels.npy"].write(Y.data)
    for stream in streams.values():
        stream.close()


def run_one(route: str, name: str, folder: Path) -> dict[str, Any]:
    """Tune in this process, and return the time, the peak memory and a digest of the result."""
    from labelwise import decisions, engine

    warm = np.random.default_rng(0).random((5000, 20), dtype=np.float32)
    for module in (decisions, engine):
        module.best_thresholds(warm, warm > 0.9, maximize=name)
    before = time.perf_counter()
    if route == "engine":
        paths = folder / "scores.npy", folder / "labels.npy"
        tuned = engine.best_thresholds(*paths, maximize=name)
    else:
        scores, Y = (np.load(folder / f"{one}.npy") for one in ("scores", "labels"))
        tuned = decisions.best_thresholds(scores, Y, maximize=name)
    seconds = time.perf_counter() - before
    digest = hashlib.sha256(tuned.values.tobytes() + tuned.decided.astype("<i8").tobytes())
    return {
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "value": tuned.value.hex(),
        "digest": digest.hexdigest(),
    }


def measured(route: str, name: str, folder: Path) -> dict[str, Any]:
    """Run one route in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale_engine", route, name, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def run_on_cluster(n_rows: int) -> None:
    """Tune on two workers of 1 GB, and print the time and how often dask restarted a worker."""
    import distributed

    from labelwise import engine

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, n_rows)
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                memory_limit="1GB",
                dashboard_address="127.0.0.1:0",
                host="127.0.0.1",
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            before = set(client.scheduler_info()["workers"])
            start = time.perf_counter()
            paths = {"Y": folder / "labels.npy", "scores": folder / "scores.npy"}
            arrays, _ = engine.open_lazily(paths)
            tuned = engine.best_thresholds(arrays["scores"], arrays["Y"])
            seconds = time.perf_counter() - start
            n_new = len(set(client.scheduler_info()["workers"]) - before)
        alone = engine.best_thresholds(folder / "scores.npy", folder / "labels.npy")
    equal = tuned.value == alone.value and np.array_equal(tuned.values, alone.values)
    print(f"{n_rows:,} rows, 2 workers of 1 GB: {seconds:.0f} s, {n_new} restarted, equal {equal}")


def main() -> None:
    """Print a row for each number of rows, task and route, and how time grows with rows."""
    sizes = [int(text) for text in os.environ.get("LABELWISE_SCALE", ROWS).split(",")]
    seconds: dict[str, list[float]] = {}
    print(f"{'rows':>12}  {'task':<14}{'route':<10}{'seconds':>9}{'peak MB':>10}  equal")
    for n_rows in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(folder, n_rows)
            for task, maximize in _TASKS.items():
                routes = ["engine"] + ["memory"] * (n_rows <= _MOST_IN_MEMORY)
                found = {route: measured(route, maximize, folder) for route in routes}
                for route, one in found.items():
                    seconds.setdefault(f"{task}, {route}", []).append(one["seconds"])
                    same = {(other["value"], other["digest"]) for other in found.values()}
                    equal = "" if len(found) == 1 else str(len(same) == 1)
                    print(
                        f"{n_rows:>12,}  {task:<14}{route:<10}{one['seconds']:>9.2f}"
                        f"{one['megabytes']:>10.0f}  {equal}",
                        flush=True,
                    )
    for task, times in seconds.items():
        grown = [
            math.log(more / less) / math.log(n_more / n_less)
            for (less, more), (n_less, n_more) in zip(
                pairwise(times), pairwise(sizes), strict=False
            )
        ]
        print(f"growth exponents of {task}: {', '.join(f'{one:.2f}' for one in grown) or 'none'}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["cluster"]:
        run_on_cluster(int(sys.argv[2]))
    elif len(sys.argv) == 4:
        print(json.dumps(run_one(sys.argv[1], sys.argv[2], Path(sys.argv[3]))))
    else:
        main()
