"""One row at a time, as a service decides: `Thresholds.decide` and `predict` of a saved model.

The peers are a comparison of the frame with the thresholds, as users write it by hand, and the
one-versus-rest model of scikit-learn.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import labelwise
from benchmarks.speedups import record
from benchmarks.timing import fastest
from labelwise.decisions import best_thresholds
from labelwise.learners import BinaryRelevance

N_LABELS = 20
N_FEATURES = 50
CALLS = 200
NAMES = [f"label {j}" for j in range(N_LABELS)]


def microseconds(call: Callable[[], object]) -> float:
    """Return the CPU microseconds of a warm call, in the fastest of several runs of many."""
    call()
    seconds = fastest(lambda: [call() for _ in range(CALLS)], clock=time.process_time)
    return seconds / CALLS * 1e6


def rows(random: np.random.Generator) -> dict[str, tuple[Callable[[], object], ...]]:
    """Return our call and the peer's for each kind of row."""
    scores = random.random((500, N_LABELS))
    Y = (scores > random.random(scores.shape)).astype(int)
    found = best_thresholds(scores, Y, label_names=NAMES)
    cuts = found.values
    array = scores[:1]
    pandas = pd.DataFrame(array, columns=NAMES)
    polars = pl.DataFrame(pandas)
    X = random.normal(size=(500, N_FEATURES))
    Z = (X[:, :N_LABELS] + random.normal(size=(500, N_LABELS)) > 0.5).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        labelwise.save(BinaryRelevance().fit(X, Z), path)
        model = labelwise.load(path)
    peer = OneVsRestClassifier(LogisticRegression()).fit(X, Z)
    by_name = dict(zip(NAMES, cuts, strict=True))
    return {
        "decide, numpy": (lambda: found.decide(array), lambda: (array >= cuts).astype(np.int8)),
        "decide, pandas": (
            lambda: found.decide(pandas),
            lambda: pandas.ge(pd.Series(by_name)).astype("int8"),
        ),
        "decide, polars": (
            lambda: found.decide(polars),
            lambda: polars.select((pl.col(n) >= t).cast(pl.Int8) for n, t in by_name.items()),
        ),
        "predict, BinaryRelevance": (lambda: model.predict(X[:1]), lambda: peer.predict(X[:1])),
    }


def main() -> None:
    table = Table("one row", "labelwise, µs", "by hand, µs", "ratio", title="One row, warm, CPU")
    for name, (ours, peer) in rows(np.random.default_rng(0)).items():
        here, there = microseconds(ours), microseconds(peer)
        record(f"one row: {name}", here, there)
        table.add_row(name, f"{here:.0f}", f"{there:.0f}", f"{there / here:.2f}")
    Console().print(table)
