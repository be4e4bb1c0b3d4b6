"""What the runner adds to a cell, and how fast a store of a million rows answers."""

import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from labelwise.data import Dataset
from labelwise.experiments import Study, read_results
from labelwise.experiments.running._cell_evaluation import versions
from labelwise.experiments.running._cells import Cell, CellRecord, StudyInputs, StudyPlan
from labelwise.experiments.running._store import Store

N_CELLS = 10_000
N_MEASURES = 10
LIMIT_MS = 5.0
LIMIT_SECONDS = 1.0


class Trivial(BaseEstimator):
    """Decides nothing, at once."""

    def fit(self, X, Y):  # noqa: ARG002, D102
        self.n_labels_ = Y.shape[1]
        return self

    def predict(self, X):  # noqa: D102
        return np.zeros((X.shape[0], self.n_labels_), dtype=np.int64)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for n_jobs in (None, 2):
            overhead(Path(folder) / f"{n_jobs}.sqlite", n_jobs)
        million_rows(Path(folder) / "million.sqlite")


def overhead(store: Path, n_jobs: int | None) -> None:
    """Time a study of cells that do nothing; all of it is the runner's."""
    draw = np.random.default_rng(0)
    data = Dataset(draw.random((20, 2)), draw.random((20, 3)) < 0.5, name="tiny")
    study = Study(
        [data],
        {"trivial": Trivial()},
        {"cv": KFold(10, shuffle=True)},
        ["micro-f", "hamming-loss"],
        seeds=range(N_CELLS // 10),
    )
    start, cpu = time.perf_counter(), time.process_time()
    results = study.run(store, n_jobs=n_jobs, progress=False)
    each = (time.perf_counter() - start) / N_CELLS * 1000
    busy = (time.process_time() - cpu) / N_CELLS * 1000
    start = time.perf_counter()
    study.run(store, progress=False)
    again = time.perf_counter() - start
    print(
        f"{N_CELLS:,} trivial cells, n_jobs={n_jobs}: {each:.2f} ms each (limit {LIMIT_MS:g}; "
        f"{busy:.2f} ms at work in the runner's process), {again:.2f} s to see that all are done; "
        f"{results.state()}"
    )


def million_rows(path: Path) -> None:
    """Time means and deviations of all rows, and those of one study read whole."""
    n_cells = 1_000_000 // N_MEASURES
    cells = tuple(
        Cell(f"{i:064x}", f"data {i // 10_000}", f"model {i % 10}", "cv", i // 10 % 10, i // 100)
        for i in range(n_cells)
    )
    values = np.random.default_rng(0).random((n_cells, N_MEASURES))
    names = [f"measure {j}" for j in range(N_MEASURES)]
    with Store(path) as store:
        store.start_run("million", StudyPlan(StudyInputs({}, {}, {}, {}, {}, "nan"), cells, ()))
        store.save(
            CellRecord(
                cell.key, dict(zip(names, row, strict=True)), None, 0.1, 0.1, 10**8, (), versions()
            )
            for cell, row in zip(cells, values.tolist(), strict=True)
        )
    start, cpu = time.perf_counter(), time.process_time()
    spreads = read_results(path).summary().spreads
    seconds, busy = time.perf_counter() - start, time.process_time() - cpu
    size = path.stat().st_size / 1e6
    print(
        f"1,000,000 rows in {size:.0f} MB: {len(spreads):,} means and deviations in "
        f"{seconds:.2f} s (limit {LIMIT_SECONDS:g}; {busy:.2f} s at work)"
    )


if __name__ == "__main__":
    main()
