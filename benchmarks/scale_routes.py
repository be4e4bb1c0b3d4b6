"""One route of `scale_engine` in a process of its own: time, memory and a digest of its result."""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# A route that takes as long is not repeated.
_MANY_SECONDS = 10


def digest(*arrays: Any) -> str:
    """Return a hash of arrays, which shows whether two routes have the same result."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def tune(maximize: str) -> dict[str, Callable[[Path], str]]:
    """Return the routes that maximise a measure."""
    from labelwise import decisions
    from labelwise._blocks import open_lazily

    def of(tuned: Any) -> str:
        return digest(tuned.values, tuned.decided.astype("<i8"), np.float64(tuned.value))

    def by_cluster(folder: Path) -> str:
        import distributed

        limits = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "1GB"}
        place = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
        with distributed.LocalCluster(**limits, **place) as c, distributed.Client(c):
            files = {"Y": folder / "labels.npy", "scores": folder / "scores.npy"}
            arrays, _ = open_lazily(files)
            return of(decisions.best_thresholds(arrays["scores"], arrays["Y"], maximize=maximize))

    def in_blocks(folder: Path, ending: str = "npy") -> str:
        files = folder / f"scores.{ending}", folder / f"labels.{ending}"
        return of(decisions.best_thresholds(*files, maximize=maximize))

    routes = {
        "npy in blocks": in_blocks,
        "parquet in blocks": lambda folder: in_blocks(folder, "parquet"),
        "in memory": lambda folder: of(
            decisions.best_thresholds(*_loaded(folder, "scores", "labels"), maximize=maximize)
        ),
    }
    if maximize == "macro-f":
        return {**routes, "scikit-learn": _best_f_by_scikit_learn}
    return {**routes, "dask, 2 workers of 1 GB": by_cluster, "MAPIE, recall 0.8": _mapie}


def _loaded(folder: Path, *names: str) -> list[np.ndarray]:
    return [np.load(folder / f"{name}.npy") for name in names]


def _best_f_by_scikit_learn(folder: Path) -> str:
    """Find the best F of each label on its precision-recall curve."""
    from sklearn.metrics import precision_recall_curve

    scores, Y = _loaded(folder, "scores", "labels")
    for column, truth in zip(scores.T, Y.T, strict=True):
        precision, recall, _ = precision_recall_curve(truth, column)
        np.nanargmax(2 * precision * recall / np.maximum(precision + recall, 1e-12))
    return ""


def _mapie(folder: Path) -> str:
    """Certify the mean recall of rows; all labels have the same threshold of a grid of 100."""
    from benchmarks.mapie_controller import TASKS as ASKED, mapie_tuner

    scores, Y = _loaded(folder, "scores", "labels")
    has_labels = Y.any(axis=1)
    proba = 1 / (1 + np.exp(-scores[has_labels].astype(np.float64)))
    mapie_tuner(ASKED["recall 0.8"][1])(proba, Y[has_labels])
    return ""


def measure() -> dict[str, Callable[[Path], str]]:
    """Return the routes that evaluate scores and decisions."""
    from labelwise import measures

    def of(found: Any) -> str:
        return digest(np.round(list(found.values()), 12))

    def in_blocks(folder: Path) -> str:
        decided = folder / "decided.npy"
        return of(
            measures.evaluate(folder / "labels.npy", scores=folder / "scores.npy", decided=decided)
        )

    def in_memory(folder: Path) -> str:
        scores, Y, decided = _loaded(folder, "scores", "labels", "decided")
        return of(measures.evaluate(Y, scores=scores, decided=decided))

    def by_scikit_learn(folder: Path) -> str:
        from sklearn import metrics

        scores, Y, decided = _loaded(folder, "scores", "labels", "decided")
        for average in ("micro", "macro", "samples"):
            metrics.precision_recall_fscore_support(Y, decided, average=average, zero_division=0)
        for average in ("micro", "macro"):
            metrics.roc_auc_score(Y, scores, average=average)
            metrics.average_precision_score(Y, scores, average=average)
        for of_rows in (metrics.coverage_error, metrics.label_ranking_loss):
            of_rows(Y, scores)
        metrics.label_ranking_average_precision_score(Y, scores)
        metrics.hamming_loss(Y, decided)
        return ""

    return {"npy in blocks": in_blocks, "in memory": in_memory, "scikit-learn": by_scikit_learn}


def decide() -> dict[str, Callable[[Path], str]]:
    """Return the routes that decide scores and write the decisions."""
    from labelwise import decisions

    tuned = decisions.best_thresholds(np.tile([[2.0], [0.0]], 100), np.tile([[1], [0]], 100))

    def in_blocks(folder: Path) -> str:
        found = tuned.decide(folder / "scores.npy", folder / "found.npy")
        return digest(found.by_label.astype("<i8"))

    def in_memory(folder: Path) -> str:
        (scores,) = _loaded(folder, "scores")
        decided = tuned.decide(scores)
        np.save(folder / "found.npy", decided)
        return digest(decided.sum(axis=0, dtype="<i8"))

    return {"npy in blocks": in_blocks, "in memory": in_memory}


def split() -> dict[str, Callable[[Path], str]]:
    """Return the routes that assign rows to ten subsets."""
    from labelwise import splitting

    options: dict[str, Any] = {"method": "iterative", "random_state": 0}
    return {
        "npy in blocks": lambda folder: digest(
            splitting.assign(folder / "labels.npy", 10, **options)
        ),
        "in memory": lambda folder: digest(
            splitting.assign(*_loaded(folder, "labels"), 10, **options)
        ),
    }


TASKS: dict[str, Callable[[], dict[str, Callable[[Path], str]]]] = {
    "tune micro-f": lambda: tune("micro-f"),
    "tune macro-f": lambda: tune("macro-f"),
    "evaluate": measure,
    "decide": decide,
    "split": split,
}


def run(task: str, route: str, folder: Path, warm: Path) -> dict[str, Any]:
    """Run a route on a few rows, so that kernels are compiled, and then on the files.

    The quickest of three runs is returned, or the only one if it takes many seconds.
    """
    call = TASKS[task]()[route]
    call(warm)
    runs = [_timed(call, folder)]
    if runs[0]["seconds"] < _MANY_SECONDS:
        runs += [_timed(call, folder) for _ in range(2)]
    return {**min(runs, key=lambda one: one["cpu"]), "megabytes": _peak_megabytes()}


def _timed(call: Callable[[Path], str], folder: Path) -> dict[str, Any]:
    seconds, cpu = time.perf_counter(), _cpu_seconds()
    found = call(folder)
    return {
        "seconds": time.perf_counter() - seconds,
        "cpu": _cpu_seconds() - cpu,
        "digest": found,
    }


def _peak_megabytes() -> float:
    """Return the peak resident memory of this process, without that of the process before exec."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _cpu_seconds() -> float:
    """Return the processor seconds of this process, and of workers that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(json.dumps(run(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))))
