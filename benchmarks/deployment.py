"""Levels of audits, checks and monitors: how often intervals, verdicts and alarms are wrong.

Thresholds are tuned on half of the patients of nih-chestxray, and the decisions on the other half
are audited, beside cells drawn evenly. Checks and monitors test promises on simulated days, beside
RiskMonitoring of MAPIE if it is installed. BENCH_DRAWS sets the number of draws. The tables go into
the docs.
"""

from __future__ import annotations

import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from pyarrow import parquet

from benchmarks.scored_sets import HOME
from labelwise._io import written_whole
from labelwise.decisions import Thresholds, best_thresholds
from labelwise.deployment import (
    Monitor,
    audit_report,
    check_promises,
    plan_audit,
)
from labelwise.measures import count, f_measure, micro, precision, recall

TABLE = Path(__file__).with_name("deployment.md")
# Numbers of draws of each table; BENCH_DRAWS sets another one for all.
N_AUDITS, N_CHECKS, N_MONITORS = 200, 300, 1000
SIZES = (200, 500, 2000)
VERDICTS = ("kept", "broken", "not enough samples")
MEASURES = {"precision": precision, "recall": recall, "f": f_measure}


def chest_halves() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return scores and labels of half of the patients, and of the others."""
    scores, labels = (
        parquet.read_table(HOME / "nih-chestxray" / f"{kind}.parquet")
        for kind in ("scores", "labels")
    )
    names = [name for name in scores.column_names if name != "id"]
    matrix, Y = (
        np.stack([table.column(name).to_numpy() for name in names], axis=1).astype(kind)
        for table, kind in ((scores, np.float64), (labels, np.int64))
    )
    patients = labels.column("patient").to_numpy()
    drawn = np.random.default_rng(0).permutation(np.unique(patients))
    half = np.isin(patients, drawn[: drawn.size // 2])
    return (matrix[half], Y[half]), (matrix[~half], Y[~half])


def audit_lines(tuned: Thresholds, scores: np.ndarray, Y: np.ndarray, n_draws: int) -> list[str]:
    """Return the table: errors of both designs, mean intervals, and how often they miss."""
    decided = tuned.decide(scores)
    counts = count(Y, decided)
    of_label = np.asarray(f_measure(counts))
    lines = [
        "| answers | measure | value | error | evenly drawn | interval | missed |",
        "|--:|---|--:|--:|--:|---|--:|",
    ]
    for n_cells in SIZES:
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in MEASURES}
        evenly: dict[str, list[float]] = {name: [] for name in MEASURES}
        of_labels, of_macro = [], []
        for seed in range(n_draws):
            plan = plan_audit(tuned, scores, n_cells, random_state=seed)
            report = audit_report(plan, Y[np.array(plan.ids, dtype=int), plan.labels])
            low, high = report.label_intervals["f"]
            of_labels.append(np.mean((low > of_label) | (high < of_label)))
            low, high = report.intervals["macro-f"]
            of_macro.append(not low <= of_label.mean() <= high)
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
        for name, value, missed in (
            ("macro f", f"{of_label.mean():.3f}", np.mean(of_macro)),
            ("f of a label", "", np.mean(of_labels)),
        ):
            lines.append(f"| {n_cells:,} | {name} | {value} | | | | {missed:.1%} |")
    return lines


# ------------------------------------------------ false alarms, and verdicts


def monitor_lines(n_draws: int) -> list[str]:
    """Return how often monitors raise a false alarm, and how soon they find a change.

    MAPIE watches the mean precision of all days so far; it is left out if it is not installed.
    """
    lines = [
        "| change after | monitor | false alarms | found | after (median) | error of its date |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    rule = best_thresholds([[0.2], [0.8]], [[0], [1]])  # at 0.5
    random, scores = np.random.default_rng(0), np.full((30, 1), 0.9)
    for change, n_days in ((100, 100), (5, 205), (50, 250), (90, 290)):
        alarms: dict[str, list[int]] = {"labelwise": [], "MAPIE": []}
        errors = []
        for draw in range(n_draws):
            # Without a change, the precision is exactly as promised.
            before = 0.7 if change == n_days else 0.75
            days = [random.random(30) < (before if k < change else 0.6) for k in range(n_days)]
            monitor = Monitor(rule, at_least={"micro-precision": 0.7})
            day = next(
                (k for k, y in enumerate(days) if monitor.update(scores, y[:, None]).alarm), n_days
            )
            alarms["labelwise"].append(day)
            if change <= day < n_days:
                errors.append(abs(int(monitor.changed_at or 0) - 1 - change))
            # MAPIE takes five times as long.
            if find_spec("mapie") is None or draw % 10:
                continue
            from mapie.exchangeability_testing import RiskMonitoring

            peer = RiskMonitoring(risk="precision", threshold=0.3, warn=False)
            y = np.concatenate(days).astype(int)
            peer.update(y, np.ones_like(y))
            above = np.flatnonzero(peer.online_risk_lower_bound_sequence_history > 0.3)
            alarms["MAPIE"].append(int(above[0]) // 30 if above.size else n_days)
        for name, found in alarms.items():
            if found:
                first = np.array(found)
                is_found = (first >= change) & (first < n_days)
                delay = (
                    f"{np.median(first[is_found] - change + 1):.0f} days" if is_found.any() else ""
                )
                dated = f"{np.mean(errors):.1f} days" if errors and name == "labelwise" else ""
                when = "never" if change == n_days else f"{change} days"
                lines.append(
                    f"| {when} | {name} | {np.mean(first < change):.1%} | "
                    f"{np.mean(is_found):.0%} | {delay} | {dated} |"
                )
    return lines


def check_lines(n_draws: int) -> list[str]:
    """Return how often checks of two promises end with each verdict on one of them."""
    lines = [
        "| precision less the limit | rows | kept | broken | not enough samples |",
        "|--:|--:|--:|--:|--:|",
    ]
    rule = best_thresholds([[0.2, 0.2], [0.8, 0.8]], [[0, 0], [1, 1]])  # at 0.5
    random = np.random.default_rng(0)
    for margin in (-0.1, -0.05, 0.0, 0.05, 0.1):
        for n_rows in (200, 1000):
            verdicts = Counter()
            for _ in range(n_draws):
                scores = random.random((n_rows, 2))
                chance = np.where(scores >= 0.5, 0.7 + margin, 0.1)
                Y = (random.random(scores.shape) < chance).astype(np.int64)
                asked = {"micro-precision": 0.7, "sample-precision": 0.7}
                found = check_promises(rule, scores, Y, at_least=asked)
                verdicts[found.verdicts[0]] += 1
            shares = [f"{verdicts[one] / n_draws:.1%}" for one in VERDICTS]
            lines.append(f"| {margin:+.2f} | {n_rows:,} | {' | '.join(shares)} |")
    return lines


def main() -> None:
    """Measure all of it, and write the tables."""
    asked = os.environ.get("BENCH_DRAWS")
    n_audits, n_checks, n_monitors = (
        int(asked or usual) for usual in (N_AUDITS, N_CHECKS, N_MONITORS)
    )
    known, new = chest_halves()
    tables = {
        TABLE: audit_lines(best_thresholds(*known), *new, n_audits),
        TABLE.with_stem("deployment_check"): check_lines(n_checks),
        TABLE.with_stem("deployment_monitor"): monitor_lines(n_monitors),
    }
    for path, lines in tables.items():
        text = "\n".join(lines) + "\n"
        print(text)
        with written_whole(path) as stream:
            stream.write(text.encode())
