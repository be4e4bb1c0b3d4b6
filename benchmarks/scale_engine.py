"""Throughput and peak memory against size: out of core, on dask, in memory, and other packages.

Scores and labels are generated block by block into npy and parquet files, and each route runs in a
process of its own, whose peak resident memory Linux reports. ``LABELWISE_SCALE`` sets the numbers
of rows ("20000,200000,2000000" by default; "2000,20000" takes a minute or two, 20000000 takes 12 GB
of disk), all with 100 labels. CPU seconds of all threads are compared: on a machine with other
work, they are nearer to its speed than seconds. Routes that load everything run up to two million
rows, and other packages up to the rows in ``MOST``. If the largest size is at least two million,
results take the place of those of the same task, route and rows in scale.csv, and all are drawn in
docs/_static/scale.svg.
"""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from benchmarks.scale_routes import TASKS
from benchmarks.speedups import record

N_LABELS = 100
ROWS = "20000,200000,2000000"
# Most rows of routes that need more memory or time than those of labelwise.
MOST = {
    "in memory": 2_000_000,
    "scikit-learn": 200_000,
    "MAPIE, recall 0.8": 20_000,
    "parquet in blocks": 2_000_000,
}
TABLE = Path(__file__).with_name("scale.csv")
FIGURE = Path(__file__).parents[1] / "docs" / "_static" / "scale.svg"
_BLOCK = 100_000


class Measured(NamedTuple):
    """What one route took on one number of rows."""

    task: str
    route: str
    rows: int
    seconds: float
    cpu: float
    megabytes: float


def write_files(folder: Path, n_rows: int, seed: int = 0) -> None:
    """Write scores, labels and decisions, with label shares from 0.5 % to 4 %."""
    import pyarrow as pa
    from pyarrow import parquet

    random = np.random.default_rng(seed)
    shares = np.linspace(0.005, 0.04, N_LABELS, dtype=np.float32)
    kinds = {"scores": "<f4", "labels": "|b1", "decided": "|b1"}
    streams = {name: (folder / f"{name}.npy").open("wb") for name in kinds}
    for name, stream in streams.items():
        header = {"descr": kinds[name], "fortran_order": False, "shape": (n_rows, N_LABELS)}
        npy_format.write_array_header_1_0(stream, header)
    names = [f"label_{j:02}" for j in range(N_LABELS)]
    writers: dict[str, Any] = {}
    for start in range(0, n_rows, _BLOCK):
        shape = (min(_BLOCK, n_rows - start), N_LABELS)
        Y = random.random(shape, dtype=np.float32) < shares
        scores = random.standard_normal(shape, dtype=np.float32) + 2 * Y.astype(np.float32)
        for name, cells in (("scores", scores), ("labels", Y), ("decided", scores > 2)):
            streams[name].write(np.ascontiguousarray(cells).data)
            if name != "decided" and n_rows <= MOST["parquet in blocks"]:
                table = pa.Table.from_arrays([pa.array(column) for column in cells.T], names)
                path = folder / f"{name}.parquet"
                if name not in writers:
                    writers[name] = parquet.ParquetWriter(path, table.schema)
                writers[name].write_table(table)
    for stream in (*streams.values(), *writers.values()):
        stream.close()


def run_in_process(task: str, route: str, folder: Path, warm: Path) -> dict[str, Any] | None:
    """Run a route in a process of its own; None if it fails."""
    command = [sys.executable, "-m", "benchmarks.scale_routes", task, route, folder, warm]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        print(f"{task}, {route}: {(done.stderr.splitlines() or ['no output'])[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def measured_on(n_rows: int, warm: Path) -> list[Measured]:
    """Run every route of every task on this many rows, and print a line for each."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name), n_rows)
        for task, routes in TASKS.items():
            digests = {}
            for route in routes():
                if n_rows > MOST.get(route, n_rows):
                    continue
                one = run_in_process(task, route, Path(name), warm)
                if one is None:
                    continue
                digests[route] = one.pop("digest")
                found.append(Measured(task, route, n_rows, **one))
                equal = digests[route] in ("", next(iter(digests.values())))
                print(
                    f"{n_rows:>11,}  {task:<13} {route:<24} {one['seconds']:>8.2f} s "
                    f"{one['cpu']:>8.2f} s CPU {one['megabytes']:>6.0f} MB"
                    f"{'' if equal else '  DIFFERS'}",
                    flush=True,
                )
    return found


def growth(times: dict[int, float]) -> str:
    """Return the exponents of CPU seconds between successive sizes, and from first to last."""
    sizes = sorted(times)
    steps = [*pairwise(sizes), (sizes[0], sizes[-1])]
    *each, overall = (
        f"{math.log(times[more] / times[fewer]) / math.log(more / fewer):.2f}"
        for fewer, more in steps
    )
    return f"{overall} ({', '.join(each)} from size to size)"


def sorting_times(sizes: list[int], n_columns: int = 10) -> dict[int, float]:
    """Return the CPU seconds of `numpy.sort` on some columns by rows, the quickest of three.

    Routes whose exponent is not above that of sorting grow as the caches of the machine let them.
    """
    random, times = np.random.default_rng(0), {}
    for n_rows in sizes:
        columns = random.standard_normal((n_columns, n_rows), dtype=np.float32)
        seconds = []
        for _ in range(3):
            start = time.process_time()
            np.sort(columns, axis=1)
            seconds.append(time.process_time() - start)
        times[n_rows] = min(seconds)
    return times


def cpu_of(found: list[Measured]) -> dict[tuple[str, str], dict[int, float]]:
    """Return the CPU seconds by rows of each task and route."""
    times: dict[tuple[str, str], dict[int, float]] = {}
    for one in found:
        times.setdefault((one.task, one.route), {})[one.rows] = one.cpu
    return times


def draw(found: list[Measured], path: Path) -> None:
    """Draw CPU microseconds per row and peak memory against rows, a column for each task."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 6), layout="constrained")
    axes = figure.subplots(2, len(TASKS), sharex=True, sharey="row")
    routes = list(dict.fromkeys(one.route for one in found))
    for column, task in zip(axes.T, TASKS, strict=True):
        for number, route in enumerate(routes):
            line = sorted(one for one in found if (one.task, one.route) == (task, route))
            if not line:
                continue
            line.sort(key=lambda one: one.rows)
            rows = [one.rows for one in line]
            style = {"marker": "o", "color": f"C{number}", "label": route}
            column[0].loglog(rows, [1e6 * one.cpu / one.rows for one in line], **style)
            column[1].loglog(rows, [one.megabytes for one in line], **style)
        column[0].set_title(task)
        column[1].set_xlabel("rows")
    axes[0, 0].set_ylabel("CPU microseconds for a row")
    axes[1, 0].set_ylabel("peak memory in MB")
    shown = {
        label: handle
        for axis in axes[0]
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=len(shown))
    figure.savefig(path, metadata={"Date": None})


def read_table() -> list[Measured]:
    """Return what was measured earlier."""
    if not TABLE.exists():
        return []
    with TABLE.open(newline="") as stream:
        return [
            Measured(
                row["task"], row["route"], int(row["rows"]), *map(float, list(row.values())[3:])
            )
            for row in csv.DictReader(stream)
        ]


def main() -> None:
    """Measure all routes, print growth exponents, record ratios, and write table and figure."""
    sizes = [int(text) for text in os.environ.get("LABELWISE_SCALE", ROWS).split(",")]
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name), 1000, seed=1)
        found = [one for n_rows in sizes for one in measured_on(n_rows, Path(name))]
    times = cpu_of(found)
    if len(sizes) > 1:
        shown = growth(sorting_times(sizes))
        print(f"growth of numpy.sort on single columns, for comparison: {shown}")
    for (task, route), by_rows in times.items():
        if len(by_rows) > 1:
            print(f"growth of {task}, {route}: {growth(by_rows)}")
        ours = times[task, "npy in blocks"]
        if route not in ("npy in blocks", "MAPIE, recall 0.8"):
            most = max(by_rows)
            record(f"{task} in blocks, {most:,} x {N_LABELS} / {route}", ours[most], by_rows[most])
    earlier = read_table()
    if max(sizes) >= MOST["in memory"]:
        new = {(one.task, one.route, one.rows) for one in found}
        found += [one for one in earlier if (one.task, one.route, one.rows) not in new]
        with TABLE.open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(Measured._fields)
            writer.writerows([*one[:3], *(f"{x:.4g}" for x in one[3:])] for one in sorted(found))
        draw(found, FIGURE)
