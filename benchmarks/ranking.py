"""Calibrated label ranking at 45 and 101 labels: a model for each pair, trained and applied.

The trees are scikit-learn's own; what is ours is that five thousand forests fit into memory and are
applied at once. Beside it stand the same forests as scikit-learn keeps and applies them, timed for
some of the pairs, evenly chosen, and scaled to all; the table says so.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import RandomForestClassifier

from benchmarks.scored_sets import HOME
from benchmarks.speedups import record
from benchmarks.timing import most_memory
from labelwise.data import Dataset, load
from labelwise.learners import CalibratedLabelRanking
from labelwise.learners._calibrated_ranking import pair_samples

N_JOBS = 2
SETS = ("medical", "mediamill-reduced")
PAIRS_OF_PEER = 60


class Cost(NamedTuple):
    """What fitting all pairs, keeping their models, and applying them takes."""

    fit: float  # seconds
    kept: float  # megabytes
    apply: float  # seconds


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def our_cost(model: CalibratedLabelRanking, train: Dataset, test: Dataset) -> Cost:
    spent = seconds(lambda: model.fit(train.X, train.Y))
    # Loads the kernels.
    model.decision_function(test.X[:2])
    kept = sum(array.nbytes for array in model.models_) / 1e6
    return Cost(spent, kept, seconds(lambda: model.decision_function(test.X)))


def peer_cost(pairs: np.ndarray, train: Dataset, test: Dataset) -> Cost:
    """Return the cost of scikit-learn's forests of all pairs, from that of some."""
    chosen = pairs[np.linspace(0, len(pairs) - 1, PAIRS_OF_PEER).round().astype(int)]
    labels = train.Y.tocsc()
    forests: list[RandomForestClassifier] = []

    def fitted(j: int, k: int) -> RandomForestClassifier:
        rows, target = pair_samples(labels, j, k)
        return RandomForestClassifier(10).fit(train.X if rows is None else train.X[rows], target)

    in_threads = Parallel(N_JOBS, prefer="threads")
    spent = seconds(lambda: forests.extend(in_threads(delayed(fitted)(*pair) for pair in chosen)))
    kept = sum(_tree_bytes(forest) for forest in forests) / 1e6
    applied = seconds(lambda: in_threads(delayed(one.predict_proba)(test.X) for one in forests))
    return Cost(*(cost * len(pairs) / len(chosen) for cost in (spent, kept, applied)))


def _tree_bytes(forest: RandomForestClassifier) -> int:
    states = [tree.tree_.__getstate__() for tree in forest.estimators_]
    return sum(state["nodes"].nbytes + state["values"].nbytes for state in states)


def compare(name: str) -> None:
    """Print the cost of all pairs of one set, ours and the peer's."""
    data = load(name, data_home=HOME)
    order = np.random.default_rng(0).permutation(len(data))
    train, test = data.take(order[: len(data) // 2]), data.take(order[len(data) // 2 :])
    model = CalibratedLabelRanking(n_jobs=N_JOBS, random_state=0)
    with warnings.catch_warnings():
        # Labels that no sample of one half has.
        warnings.simplefilter("ignore")
        ours = our_cost(model, train, test)
    pairs = model.pairs_[np.isnan(model.fixed_votes_)]
    peer = peer_cost(pairs, train, test)
    memory = most_memory(lambda: model.decision_function(test.X)) / 1e6
    table = Table(
        "",
        title=f"{name}: {data.Y.shape[1]} labels, {len(pairs):,} forests of 10 trees, "
        f"{len(train):,} + {len(test):,} samples",
    )
    for column in ("fit (s)", "models (MB)", "apply (s)"):
        table.add_column(column, justify="right")
    table.add_row("labelwise", *(f"{cost:.2f}" for cost in ours))
    table.add_row(
        f"scikit-learn ({PAIRS_OF_PEER} pairs, scaled)", *(f"{cost:.2f}" for cost in peer)
    )
    table.add_row("times ours", *(f"{b / a:.2f}" for a, b in zip(ours, peer, strict=True)))
    Console().print(table)
    record(f"pair forests of {name}, fit / scikit-learn", ours.fit, peer.fit)
    record(f"pair forests of {name}, apply / scikit-learn", ours.apply, peer.apply)
    print(f"Memory that applying them takes besides: {memory:.1f} MB.")


def main() -> None:
    """Compare on all sets that are at hand."""
    if not (HOME / "index.json").is_file():
        print("The benchmark sets are not at hand: nothing to compare.")
        return
    for name in SETS:
        compare(name)


if __name__ == "__main__":
    main()
