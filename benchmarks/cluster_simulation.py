"""Simulate tuning 10^9 samples x 10^5 labels on 100 workers, from constants measured here.

Each chunk of rows is a task that reads its scores and either collects the positives (first pass) or
counts the scores between them (second pass). Tasks go to the core that is free first; their times
vary like a lognormal variable, and workers fail at random, which repeats the tasks that they run
and those whose results they hold. Each thread adds its chunks to gaps of its own, and these are
joined two at a time. Labels may be tuned in groups, one after the other, each with its own columns
of the scores. Everything is seeded.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves._gaps import add_block, added_gaps, no_gaps, sorted_hits

GB = 1e9


class Constants(NamedTuple):
    """Seconds for one score or one positive on one core of this machine."""

    first_pass: float  # to check a score and collect positives
    second_pass: float  # to sort a score and count it
    merge: float  # to add the gap of a positive
    # What a task costs the scheduler of dask: assumed, about a millisecond and two kilobytes.
    task: float = 1e-3
    task_bytes: float = 2e3


class Cluster(NamedTuple):
    """Workers, network and disks; rates are in bytes per second."""

    n_workers: int = 100
    cores: int = 16
    memory: float = 64 * GB
    network: float = 1.25 * GB
    disk: float = 1.0 * GB  # of a worker
    spread: float = 0.25  # standard deviation of the logarithm of a task's time
    days_between_failures: float = 30.0  # of a worker


class Job(NamedTuple):
    """What is tuned, and how it is cut into tasks."""

    n_samples: float = 1e9
    n_labels: float = 1e5
    labels_per_sample: float = 5.0
    chunk_bytes: float = 32e6
    n_groups: int = 1  # groups of labels, one after the other

    @property
    def n_scores(self) -> float:
        """Number of scores."""
        return self.n_samples * self.n_labels

    @property
    def n_positives(self) -> float:
        """Number of positives."""
        return self.n_samples * self.labels_per_sample

    @property
    def n_chunks(self) -> int:
        """Number of chunks of rows."""
        return int(np.ceil(4 * self.n_scores / self.chunk_bytes))


def measure_constants(n_rows: int = 100_000, n_labels: int = 32, seed: int = 0) -> Constants:
    """Measure the processor time of the passes on generated scores, the best of three runs."""
    random = np.random.default_rng(seed)
    Y = random.random((n_rows, n_labels)) < 0.02
    scores = random.standard_normal(Y.shape, dtype=np.float32) + 2 * Y.astype(np.float32)
    labels = sparse.csc_array(Y)
    hits = sorted_hits(scores, labels)

    def seconds(work: Callable[[], object], n: int) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
        return min(times) / n

    gaps = no_gaps(hits, n_rows)
    return Constants(
        seconds(lambda: sorted_hits(scores, sparse.csc_array(scores > 2)), scores.size),
        seconds(lambda: add_block(no_gaps(hits, n_rows), hits, scores), scores.size),
        seconds(lambda: added_gaps(gaps, gaps), hits.scores.size),
    )


def pass_seconds(
    cluster: Cluster, job: Job, per_score: float, random: np.random.Generator
) -> tuple[float, int]:
    """Return the time of one pass over all chunks, and how many tasks failures repeated."""
    n_cores = cluster.n_workers * cluster.cores
    by_disk = job.chunk_bytes / (cluster.disk / cluster.cores)
    mean = max(job.chunk_bytes / 4 * per_score, by_disk)
    # Beyond this many tasks, a core takes many of them, and their mean is what counts.
    n_drawn = min(job.n_chunks, 400_000)
    scale = job.n_chunks / n_drawn
    times = mean * scale * random.lognormal(-(cluster.spread**2) / 2, cluster.spread, n_drawn)
    free = [0.0] * n_cores
    for one in times:
        heapq.heappush(free, heapq.heappop(free) + one)
    end = max(free)
    rate = cluster.n_workers / (cluster.days_between_failures * 86400)
    n_failures = random.poisson(rate * end)
    # A failed worker repeats, on average, half of what it has done so far.
    repeated = int(n_failures * job.n_chunks / cluster.n_workers / 2)
    return end + repeated * mean / n_cores, repeated


def simulate(cluster: Cluster, job: Job, known: Constants, seed: int = 0) -> dict[str, float]:
    """Return the time of each stage in hours, and the largest memory of each role in GB."""
    random = np.random.default_rng(seed)
    hit_bytes, gap_bytes = 4 * job.n_positives, 8 * job.n_positives
    of_group = gap_bytes / job.n_groups
    first, repeated = pass_seconds(cluster, job, known.first_pass, random)
    second, again = pass_seconds(cluster, job, known.second_pass, random)
    # All threads have gaps of their own, joined two at a time; groups of labels one by one.
    n_threads = cluster.n_workers * cluster.cores
    depth = np.ceil(np.log2(n_threads))
    merge = job.n_groups * depth * of_group * (1 / cluster.network + known.merge / 8)
    broadcast = np.ceil(np.log2(cluster.n_workers)) * hit_bytes / cluster.network
    hits_of_group = hit_bytes / job.n_groups
    return {
        "tasks": 2.0 * job.n_chunks,
        "scheduler h": 2 * job.n_chunks * known.task / 3600,
        "first pass h": first / 3600,
        "broadcast h": broadcast / 3600,
        "second pass h": second / 3600,
        "merge h": merge / 3600,
        "repeated tasks": float(repeated + again),
        "scheduler GB": 2 * job.n_chunks * known.task_bytes / GB,
        # A thread has a chunk, room to sort it, and its gaps before and after the chunk.
        "worker GB": (hits_of_group + cluster.cores * (2 * job.chunk_bytes + 2 * of_group)) / GB,
        "root GB": (hits_of_group + 3 * of_group) / GB,
    }


def broken(found: dict[str, float], cluster: Cluster) -> str:
    """Name what does not fit or takes longest."""
    limits = {
        "scheduler GB": cluster.memory / GB,
        "root GB": cluster.memory / GB,
        "worker GB": cluster.memory / GB,
    }
    over = {name: found[name] / most for name, most in limits.items() if found[name] > most}
    if over:
        return f"breaks: {max(over, key=over.__getitem__)}"
    hours = {name: value for name, value in found.items() if name.endswith(" h")}
    return f"slowest: {max(hours, key=hours.__getitem__)}"


CASES = {
    "chunks of 32 MB, all labels at once": Job(),
    "chunks of 256 MB, all labels at once": Job(chunk_bytes=256e6),
    "chunks of 256 MB, 50 groups of labels": Job(chunk_bytes=256e6, n_groups=50),
    "the same, 10^8 samples": Job(1e8, chunk_bytes=256e6, n_groups=50),
}


def main() -> None:
    """Print the measured constants and a column of the simulation for each case."""
    known, cluster = measure_constants(), Cluster()
    print("measured, ns: ", end="")
    print(", ".join(f"{n} {1e9 * v:.1f}" for n, v in known._asdict().items() if n[0] != "t"))
    for name, job in CASES.items():
        found = simulate(cluster, job, known)
        print(f"\n{name}: {broken(found, cluster)}")
        print("  " + ", ".join(f"{key} {value:,.3g}" for key, value in found.items()))


if __name__ == "__main__":
    main()
