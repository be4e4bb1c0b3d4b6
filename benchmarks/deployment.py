"""Audits of nih-chestxray: error, intervals and their coverage, beside cells drawn evenly.

Thresholds are tuned on half of the patients, and the decisions on the other half are audited.
BENCH_DRAWS sets the number of audits. The table goes into the docs.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from pyarrow import parquet

from benchmarks.scored_sets import HOME
from labelwise._io import written_whole
from labelwise.decisions import Thresholds, best_thresholds
from labelwise.deployment import audit_report, plan_audit
from labelwise.measures import count, f_measure, micro, precision, recall

TABLE = Path(__file__).with_name("deployment.md")
N_DRAWS = 1000
SIZES = (200, 500, 2000)
MEASURES = {"precision": precision, "recall": recall, "f": f_measure}


def chest_scores() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, labels and patients."""
    scores, labels = (
        parquet.read_table(HOME / "nih-chestxray" / f"{kind}.parquet")
        for kind in ("scores", "labels")
    )
    names = [name for name in scores.column_names if name != "id"]
    matrices = (
        np.stack([table.column(name).to_numpy() for name in names], axis=1).astype(np.float64)
        for table in (scores, labels)
    )
    return *matrices, labels.column("patient").to_numpy()


def audit_lines(tuned: Thresholds, scores: np.ndarray, Y: np.ndarray, n_draws: int) -> list[str]:
    """Return the table: errors of both designs, mean intervals, and how often they miss."""
    decided = tuned.decide(scores)
    counts = count(Y, decided)
    lines = [
        "| answers | measure | value | error | evenly drawn | interval | missed |",
        "|--:|---|--:|--:|--:|---|--:|",
    ]
    for n_cells in SIZES:
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in MEASURES}
        evenly: dict[str, list[float]] = {name: [] for name in MEASURES}
        for seed in range(n_draws):
            plan = plan_audit(tuned, scores, n_cells, random_state=seed)
            report = audit_report(plan, Y[np.array(plan.ids, dtype=int), plan.labels])
            cells = np.random.default_rng(seed).choice(Y.size, n_cells, replace=False)
            drawn = count(Y.ravel()[cells, None], decided.ravel()[cells, None])
            for name, measure in MEASURES.items():
                key = f"micro-{name}"
                found[name].append((report.values[key], *report.intervals[key]))
                evenly[name].append(float(micro(measure, drawn)))
        for name, measure in MEASURES.items():
            value = float(micro(measure, counts))
            estimates, low, high = np.array(found[name]).T
            errors = [
                np.sqrt(np.nanmean((np.array(one) - value) ** 2))
                for one in (estimates, evenly[name])
            ]
            missed = np.mean((low > value) | (high < value))
            lines.append(
                f"| {n_cells:,} | micro {name} | {value:.3f} | {errors[0]:.3f} | {errors[1]:.3f} | "
                f"{low.mean():.3f} to {high.mean():.3f} | {missed:.1%} |"
            )
    return lines


def main() -> None:
    n_draws = int(os.environ.get("BENCH_DRAWS", N_DRAWS))
    scores, Y, patients = chest_scores()
    names = np.unique(patients)
    half = np.isin(patients, np.random.default_rng(0).permutation(names)[: names.size // 2])
    tuned = best_thresholds(scores[half], Y[half].astype(np.int64))
    lines = audit_lines(tuned, scores[~half], Y[~half].astype(np.int64), n_draws)
    text = "\n".join(lines) + "\n"
    print(text)
    with written_whole(TABLE) as stream:
        stream.write(text.encode())
