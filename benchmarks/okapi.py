"""Okapi neighbours beside scikit-learn's and sparse_dot_topn, and a curve beside one point.

4,600 training and 18,500 test documents, k = 100, as in the preliminary study of olsson2006. The
peers are given weighted documents; every method ends with the sums over the neighbours' labels.
Runs take turns, so that other work on the machine slows all of them. At last the time of that
study's whole grid, from some of its cells: terms scored, ranked, a curve, and three measures. Where
the RCV1 subsets are, both are also measured on their 22,490 documents: there the best terms are in
many documents, and curves of few terms take more work than on generated documents.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from benchmarks.corpora import make_documents
from benchmarks.speedups import record
from labelwise.features import TermSelector
from labelwise.learners import OkapiNeighbors
from labelwise.measures import measure_scores
from studies.olsson2006.rank_cuts import rank_cut_f

N_TRAIN, N_TEST, K = 4_600, 18_500, 100
SIZES = (50, 250, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 10_000)
N_ROUNDS = 3
# Of the grid: methods x cutting levels x splits, and how many cells stand for all.
N_CELLS, N_TRIED = 59 * 3 * 5, 6


def label_sums(products: np.ndarray, rows: np.ndarray, Y: sparse.csr_array) -> np.ndarray:
    """Return the sums of the neighbours' products over the labels that they carry."""
    bounds = np.arange(0, rows.size + 1, rows.shape[1])
    shape = (len(rows), Y.shape[0])
    near = sparse.csr_array((products.ravel(), rows.ravel(), bounds), shape=shape)
    return np.asarray((near @ Y.astype(np.float64)).toarray())


def by_scikit_learn(train: Any, Y: Any, test: Any, metric: str) -> Callable[[], Any]:
    """Return a call of its brute-force neighbours; the distance stands for the product."""
    fitted = NearestNeighbors(n_neighbors=K, algorithm="brute", metric=metric, n_jobs=-1).fit(train)

    def call() -> np.ndarray:
        distances, rows = fitted.kneighbors(test)
        return label_sums(1 - distances, rows, Y)

    return call


def by_topn(train: Any, Y: Any, test: Any) -> Callable[[], Any] | None:
    """Return a call of sparse_dot_topn with two threads, None if it is not installed."""
    try:
        from sparse_dot_topn import sp_matmul_topn
    except ImportError:
        return None
    columns = sparse.csr_matrix(train.T)

    def call() -> np.ndarray:
        near = sp_matmul_topn(test, columns, top_n=K, n_threads=2)
        return np.asarray((near @ Y.astype(np.float64)).toarray())

    return call


def turns(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the seconds of the fastest run of each, taken in turns after a first one."""
    found = dict.fromkeys(calls, np.inf)
    for call in calls.values():
        call()
    for _ in range(N_ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            found[name] = min(found[name], time.perf_counter() - start)
    return found


def grid_cell(X: Any, Y: Any, method: dict[str, Any]) -> None:
    """Measure one method at cutting level 1, at all sizes, as a cell of the study does."""
    train, test = slice(N_TRAIN), slice(N_TRAIN, None)
    ranking = TermSelector(cut=1, **method).fit(X[train], Y[train]).ranking_
    sizes = [*(size for size in SIZES if size < ranking.size), ranking.size]
    model = OkapiNeighbors(K).fit(X[train], Y[train])
    for scores in model.score_curve(X[test], ranking, sizes):
        measure_scores(Y[test], scores, "r-precision", undefined="skip")
        measure_scores(Y[test], scores, "sample-average-precision", undefined="skip")
        rank_cut_f(Y[test], scores).max()


def print_grid(X: Any, Y: Any) -> None:
    """Print how long the grid of olsson2006 takes, by the clock and of the processor."""
    methods = list(TermSelector.methods().values())
    chosen = [methods[i] for i in np.linspace(0, len(methods) - 1, N_TRIED).astype(int)]
    start, start_cpu = time.perf_counter(), time.process_time()
    for method in chosen:
        grid_cell(X, Y, method)
    scale = N_CELLS / N_TRIED / 60
    minutes = scale * (time.perf_counter() - start)
    of_processor = scale * (time.process_time() - start_cpu)
    print(f"The grid of olsson2006, {N_CELLS} curves of {len(SIZES) + 1} sizes, from {N_TRIED}:")
    print(f"  {minutes:.0f} minutes as the machine is busy now (at most 60)")
    print(f"  {of_processor:.0f} minutes of processor: {of_processor / 2:.0f} on two free cores")


def print_real() -> None:
    """Print the curve and the grid of the documents of the RCV1 subsets, where they are."""
    import studies
    from studies.olsson2006.documents import rcv1_documents

    if not (studies.HOME / "rcv1-subsets").is_dir():
        return
    X, Y, _ = rcv1_documents()
    rows = np.random.default_rng(0).permutation(X.shape[0])
    X, Y = X[rows], Y[rows]
    train, test = slice(N_TRAIN), slice(N_TRAIN, None)
    ranking = TermSelector(cut=0).fit(X[train], Y[train]).ranking_
    model = OkapiNeighbors(K).fit(X[train], Y[train])
    sizes = [*SIZES, ranking.size]
    found = turns(
        {
            "one": lambda: model.decision_function(X[test]),
            "curve": lambda: model.score_curve(X[test], ranking, sizes),
        }
    )
    ratio = found["curve"] / found["one"]
    print(f"The {X.shape[0]:,} documents of the RCV1 subsets, {N_TRAIN:,} of them for training:")
    print(f"  one run {found['one']:.2f} s, its curve {found['curve']:.2f} s: {ratio:.2f} times")
    print_grid(X, Y)


def main() -> None:
    """Print the seconds of each, and the ratios that are promised."""
    X, Y = make_documents(N_TRAIN + N_TEST)
    train, Y_train, test = X[:N_TRAIN], Y[:N_TRAIN], X[N_TRAIN:]
    model = OkapiNeighbors(K).fit(train, Y_train)
    ranking = TermSelector(cut=0).fit(train, Y_train).ranking_
    sizes = [*SIZES, ranking.size]
    weights = model.weights_.transform
    # As scipy's older class: the peers know no other.
    forms = [sparse.csr_matrix(part) for part in (weights(train), weights(test) * model.idf_)]
    calls = {
        "OkapiNeighbors": lambda: model.decision_function(test),
        f"its curve at {len(sizes)} sizes": lambda: model.score_curve(test, ranking, sizes),
        "scikit-learn, cosine": by_scikit_learn(forms[0], Y_train, forms[1], "cosine"),
        "scikit-learn, euclidean": by_scikit_learn(forms[0], Y_train, forms[1], "euclidean"),
        "sparse_dot_topn, 2 threads": by_topn(forms[0], Y_train, forms[1]),
    }
    found = turns({name: call for name, call in calls.items() if call is not None})
    ours = found["OkapiNeighbors"]
    print(f"{N_TRAIN:,} training and {N_TEST:,} test documents, k = {K}, label sums included:")
    for name, seconds in found.items():
        print(f"  {name:<28}{seconds:7.2f} s{seconds / ours:8.2f} times ours")
        if name.startswith(("scikit-learn", "sparse_dot_topn")):
            record(f"Okapi neighbours / {name}", ours, seconds)
    print_grid(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some topics are in no training document
        print_real()


if __name__ == "__main__":
    main()
