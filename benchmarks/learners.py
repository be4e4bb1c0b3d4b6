"""Training beside the peers: paths of penalties, one penalty on sparse features, EFP.

Every learner runs with two jobs. Short fits are repeated, and the fastest counts: other work on the
machine changed ratios of single runs by a factor of two. A peer that would take too long is timed
on some of the labels, evenly chosen, and its time scaled to all of them; the table says so. Before
ours are timed they run once on a few rows, to load their kernels.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.scored_sets import HOME
from benchmarks.speedups import record
from benchmarks.timing import fastest
from labelwise.data import load, make_multilabel
from labelwise.learners import BinaryRelevance, ExactFPlugin
from labelwise.learners.regression._penalty_path import PENALTIES

N_JOBS = 2
N_FOLDS = 5
# A fit is repeated until it took so many seconds in all, but not more often than this.
LONG_ENOUGH = 20.0
REPEATS = 3
# Generated, and as many rows of mediamill, whose features were made coarse at the source.
DENSE = (30_000, 120, 101)
LABELS_OF_PEERS = {"yeast": 14, "enron": 8, "bibtex": 159, "dense": 4}
TASKS_OF_PEERS = 4


class Samples(NamedTuple):
    """Features, and the labels that have enough of both classes for every fold of the peer."""

    name: str
    X: Any
    Y: np.ndarray  # int64


def read(name: str) -> Samples:
    data = load(name, data_home=HOME)
    return Samples(name, data.X.astype(np.float64), _learnable(data.Y))


def dense_samples(n_rows: int) -> Samples:
    data, _ = make_multilabel(n_rows, *DENSE[1:], random_state=0)
    return Samples("dense", data.X, _learnable(data.Y))


def mediamill(n_rows: int) -> Samples:
    data = load("mediamill-discretized", data_home=HOME)
    rows = np.sort(np.random.default_rng(0).permutation(data.Y.shape[0])[:n_rows])
    part = data.take(rows)
    return Samples("mediamill", part.X.astype(np.float64), _learnable(part.Y))


def _learnable(Y: Any) -> np.ndarray:
    labels = Y.toarray().astype(np.int64)
    n_positives = labels.sum(axis=0)
    return labels[:, (n_positives >= N_FOLDS) & (n_positives <= len(labels) - N_FOLDS)]


def seconds(call: Callable[[], Any]) -> float:
    """Return the seconds of the fastest of some calls."""
    spent: list[float] = []
    with warnings.catch_warnings():
        # Steps used up (the peers), labels of one class (rare classes of EFP).
        warnings.simplefilter("ignore")
        while len(spent) < REPEATS and sum(spent) < LONG_ENOUGH:
            spent.append(fastest(call, 1))
    return min(spent)


def scaled(fit: Callable[[np.ndarray], Any], columns: list[np.ndarray], n_timed: int) -> float:
    """Return the time of two jobs for all columns, from that of some, evenly chosen."""
    chosen = np.linspace(0, len(columns) - 1, min(n_timed, len(columns))).round().astype(int)
    spent = seconds(lambda: Parallel(N_JOBS)(delayed(fit)(columns[j]) for j in chosen))
    return spent * len(columns) / chosen.size


def fit_peer_path(X: Any, y: np.ndarray) -> None:
    """Fit scikit-learn's regression of one task, its penalty from the same ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strengths = 1 / (X.shape[0] * (1 - 1 / N_FOLDS) * np.array(PENALTIES))
        LogisticRegressionCV(
            Cs=strengths,
            cv=N_FOLDS,
            scoring="neg_log_loss",
            l1_ratios=(0,),
            use_legacy_attributes=False,
        ).fit(X, y)


def compare_paths(samples: Samples) -> float:
    """Print BR's path beside `LogisticRegressionCV` label by label, and return its time."""
    X, Y = samples.X, samples.Y
    ours = seconds(lambda: BinaryRelevance(n_jobs=N_JOBS).fit(X, Y))
    n_timed = LABELS_OF_PEERS.get(samples.name, 4)
    peer = scaled(lambda y: fit_peer_path(X, y), list(Y.T), n_timed)
    shape = f"{X.shape[0]:,} x {X.shape[1]:,} x {Y.shape[1]}"
    show(
        f"BR, 8 penalties, 5 folds: {samples.name} {shape}",
        ours,
        {f"LogisticRegressionCV ({min(n_timed, Y.shape[1])} labels, scaled)": peer},
    )
    return ours


def compare_sparse(samples: Samples) -> None:
    """Print BR at one penalty beside liblinear's programs, on sparse features."""
    X, Y = samples.X, samples.Y
    n_samples = X.shape[0]
    rows = sparse.csr_matrix(X)
    ours, by_hinge = (
        seconds(
            lambda loss=loss: BinaryRelevance(loss=loss, penalty=1 / n_samples, n_jobs=N_JOBS).fit(
                X, Y
            )
        )
        for loss in ("log", "squared_hinge")
    )
    liblinear = OneVsRestClassifier(LogisticRegression(solver="liblinear"), n_jobs=N_JOBS)
    peers = {"scikit-learn's liblinear": seconds(lambda: liblinear.fit(rows, Y))}
    machines = OneVsRestClassifier(LinearSVC(), n_jobs=N_JOBS)
    of_hinge = {"scikit-learn's LinearSVC": seconds(lambda: machines.fit(rows, Y))}
    try:
        from libmultilabel.linear import train_1vsrest

        labels = sparse.csr_matrix(Y)
        for name, options in (("", "-s 0 -q"), (", its own loss", "-q")):
            peers[f"LibMultiLabel train_1vsrest{name}"] = seconds(
                lambda options=options: train_1vsrest(labels, rows, options=options, verbose=False)
            )
        of_hinge["LibMultiLabel train_1vsrest"] = peers["LibMultiLabel train_1vsrest, its own loss"]
    except ImportError:
        print("LibMultiLabel is not installed: left out.")
    shape = f"{samples.name} {X.shape[0]:,} x {X.shape[1]:,} x {Y.shape[1]}"
    show(f"BR, C = 1: {shape}", ours, peers)
    show(f"BR, squared hinge loss, C = 1: {shape}", by_hinge, of_hinge)


def compare_exact(samples: Samples, of_relevance: float) -> None:
    """Print EFP beside a loop of multinomial regressions, and beside BR."""
    X, Y = samples.X, samples.Y
    ours = seconds(lambda: ExactFPlugin(n_jobs=N_JOBS).fit(X, Y))
    tasks = [column * Y.sum(axis=1) for column in Y.T]
    peer = scaled(lambda y: fit_peer_path(X, _frequent(y)), tasks, TASKS_OF_PEERS)
    show(
        f"EFP, 8 penalties, 5 folds: {samples.name} {X.shape[0]:,} x {X.shape[1]} x {Y.shape[1]}",
        ours,
        {f"LogisticRegressionCV ({TASKS_OF_PEERS} labels, scaled)": peer, "BR": of_relevance},
    )


def _frequent(classes: np.ndarray) -> np.ndarray:
    """Return the classes, those that the peer's folds would lack as part of the next smaller."""
    values, counts = np.unique(classes, return_counts=True)
    kept = values[counts >= N_FOLDS]
    return kept[np.searchsorted(kept, classes, side="right") - 1]


def show(title: str, ours: float, others: dict[str, float]) -> None:
    table = Table("", title=title)
    table.add_column("seconds", justify="right")
    table.add_column("times ours", justify="right")
    table.add_row("labelwise", f"{ours:.2f}", "")
    for name, spent in others.items():
        table.add_row(name, f"{spent:.2f}", f"{spent / ours:.2f}")
        record(f"{title} / {name}", ours, spent)
    Console().print(table)


def warm_up() -> None:
    """Have our kernels loaded, for dense and sparse features, and the peers' processes started."""
    few = dense_samples(300)
    for X in (few.X, sparse.csr_array(few.X * (few.X > 1))):
        for loss in ("log", "squared_hinge"):
            seconds(lambda X=X, loss=loss: BinaryRelevance(loss=loss, penalty=0.1).fit(X, few.Y))
        seconds(lambda X=X: ExactFPlugin(penalty=0.1).fit(X, few.Y))
    scaled(lambda y: fit_peer_path(few.X, y), list(few.Y.T), N_JOBS)


def main(n_rows: int = DENSE[0]) -> None:
    """Compare on all sets."""
    warm_up()
    for name in ("yeast", "enron"):
        compare_paths(read(name))
    for name in ("bibtex", "rcv1subset1"):
        compare_sparse(read(name))
    for samples in (dense_samples(n_rows), mediamill(n_rows)):
        compare_exact(samples, compare_paths(samples))


if __name__ == "__main__":
    main()
