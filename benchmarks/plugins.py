"""The plug-ins for F side by side: independent labels, regressions of sizes, draws of chains.

Each data set is split at random into stratified parts of 60 % and 40 %, once for each seed. The
table has the mean F of the test samples and the CPU time of `fit` and `predict`. Settings of the
learners are their defaults, except for the seed. `python -m benchmarks plugins` takes half an hour;
`run(["yeast"], n_splits=1, n_rows=1000)` is a part of it.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.scored_sets import HOME
from labelwise.data import load
from labelwise.learners import ChainEnsemble, ExactFPlugin, IndependentFPlugin, SampledFPlugin
from labelwise.measures import evaluate
from labelwise.splitting import train_test_split

SETS = ("yeast", "enron", "medical", "bibtex")
N_SPLITS = 3


def plugins(seed: int) -> dict[str, Any]:
    """Return the learners by name."""
    gibbs = ChainEnsemble(sampling="gibbs", random_state=seed)
    return {
        "LFP": IndependentFPlugin(),
        "EFP": ExactFPlugin(),
        "chains": SampledFPlugin(random_state=seed),
        "chains, Gibbs": SampledFPlugin(gibbs, random_state=seed),
    }


def score(model: Any, parts: list[Any]) -> tuple[float, float]:
    """Return the mean F of the test samples, and the CPU seconds of `fit` and `predict`."""
    X_train, X_test, Y_train, Y_test = parts
    start = time.process_time()
    decided = model.fit(X_train, Y_train).predict(X_test)
    spent = time.process_time() - start
    return evaluate(Y_test, decided=decided)["sample-f"], spent


def run(names: Any = SETS, n_splits: int = N_SPLITS, n_rows: int | None = None) -> None:
    """Print a row for each data set and learner."""
    table = Table("data", "learner", "F of samples", "standard error", "CPU seconds")
    for name in names:
        data = load(name, data_home=HOME)
        if n_rows is not None and n_rows < data.Y.shape[0]:
            rows = np.random.default_rng(0).permutation(data.Y.shape[0])[:n_rows]
            data = data.take(np.sort(rows))
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in range(n_splits):
            arguments = {"test_size": 0.4, "stratify": data.Y, "random_state": seed}
            parts = train_test_split(data.X, data.Y, **arguments)
            for learner, model in plugins(seed).items():
                found.setdefault(learner, []).append(score(model, parts))
                print(name, seed, learner, *found[learner][-1], flush=True)
        for learner, pairs in found.items():
            values, spent = np.array(pairs).T
            error = values.std(ddof=1) / np.sqrt(n_splits) if n_splits > 1 else np.nan
            cells = f"{values.mean():.4f}", f"{error:.4f}", f"{spent.mean():.1f}"
            table.add_row(name, learner, *cells)
    Console().print(table)


def main() -> None:
    """Compare on all sets."""
    with warnings.catch_warnings():
        # Labels of one class in a training part.
        warnings.simplefilter("ignore")
        run()


if __name__ == "__main__":
    main()
