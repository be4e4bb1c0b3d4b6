"""Cells of studies: run once, kept in a store for each paper."""

from __future__ import annotations

from pathlib import Path

import studies
from labelwise.experiments import Results, Study


def results_of(study: Study, store: Path) -> Results:
    """Run the cells that are not in a store; return all, or raise the error of one that failed."""
    store.parent.mkdir(parents=True, exist_ok=True)
    results = study.run(store, resume=studies.RESUME, n_jobs=studies.N_JOBS)
    if results.failed:
        raise RuntimeError(f"{study.name}: a cell failed.\n{results.failed[0].error}")
    return results
