"""Thresholds by slice on scores of a network for chest X-rays, split by patient.

The slices are the first image of a patient, the next four, and all later ones: patients with many
images are sicker, so that labels are more frequent and scores higher. Half of the patients are for
tuning, the others for testing, ten times. The tables, which go into the docs, compare thresholds of
all images with those by slice, and guarantees on average with those in every slice. A third table
simulates guarantees in slices of 30 to 3,000 samples, in a population whose rates are known.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.real_scores import ScoredRows, scored_rows
from benchmarks.scored_sets import HOME
from labelwise.decisions import Certify, best_thresholds
from labelwise.measures import count, f_measure, micro, precision, recall

TABLE = Path(__file__).with_name("slices.md")
YEARS = TABLE.with_name("slices_years.md")
SET, BY_YEAR = "nih-chestxray", "makupalat"
N_SPLITS = 10
PLAIN: tuple[dict[str, Any], ...] = (
    {"maximize": "micro-f"},
    {"maximize": "micro-f", "shrink": "auto"},
    {"min_precision": 0.4},
)
LEVEL = 0.95
LEAST = 0.4
SIZES = (30, 100, 300, 1000, 3000)
LIMITS = {"min_precision": 0.7, "min_recall": 0.5}


def measured(data: ScoredRows, decided: np.ndarray) -> dict[str, float]:
    """Return F of all images and of the worst slice, and precision of all and of the worst."""
    every = count(data.Y, decided)
    parts = [
        count(data.Y[data.slices == one], decided[data.slices == one])
        for one in np.unique(data.slices)
    ]
    return {
        "F": float(micro(f_measure, every)),
        "worst F": min(float(micro(f_measure, part)) for part in parts),
        "precision": float(micro(precision, every)),
        "worst precision": float(np.nanmin([micro(precision, part) for part in parts])),
        "recall": float(micro(recall, every)),
    }


def mean_row(found: list[dict[str, float]]) -> str:
    """Return the means over splits as cells of a table."""
    return " | ".join(f"{np.mean([one[name] for one in found]):.3f}" for name in found[0])


def plain_table(data: ScoredRows, tuned_for: tuple[dict[str, Any], ...] = PLAIN) -> list[str]:
    """Compare thresholds of all rows with those by slice, on the other patients or texts."""
    lines = [
        "| tuned for | thresholds | F | F, worst slice | precision | precision, worst slice | "
        "recall |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for options in tuned_for:
        found: dict[str, list[dict[str, float]]] = {"of all": [], "by slice": []}
        for number in range(N_SPLITS):
            tuning, testing = data.split(number)
            for kind, results in found.items():
                given = {"slices": tuning.slices} if kind == "by slice" else {}
                tuned = best_thresholds(
                    tuning.scores,
                    tuning.Y,
                    groups=tuning.groups,
                    random_state=0,
                    **options,
                    **given,
                )
                new = {"slices": testing.slices} if given else {}
                results.append(measured(testing, tuned.decide(testing.scores, **new)))
        words = ", ".join(f"{name} {value}" for name, value in options.items()).replace("_", " ")
        lines += [f"| {words} | {kind} | {mean_row(results)} |" for kind, results in found.items()]
        print(*lines[-2:], sep="\n", flush=True)
    return lines


def certified_table(data: ScoredRows) -> list[str]:
    """Compare guarantees without slices, on average over slices, and in every slice."""
    lines = [
        f"| precision {LEAST} at {LEVEL} | found | slices decided | below, all images | "
        "below, decided slices | precision | recall |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    kinds = {"without slices": None, "on average": "each", "in every slice": "slices"}
    for words, across in kinds.items():
        rows, n_slices, n_slice_below, n_below = [], [], 0, 0
        for number in range(N_SPLITS):
            tuning, testing = data.split(number)
            given: dict[str, Any] = {} if across is None else {"slices": tuning.slices}
            options = Certify(LEVEL, across=across or "each", weigh="group")
            try:
                tuned = best_thresholds(
                    tuning.scores,
                    tuning.Y,
                    groups=tuning.groups,
                    min_precision=LEAST,
                    guarantee=options,
                    random_state=0,
                    **given,
                )
            except ValueError:
                continue
            new = {} if across is None else {"slices": testing.slices}
            decided = tuned.decide(testing.scores, **new)
            guarantee: Any = tuned.evidence.guarantee
            held = np.ones(3, dtype=bool) if across != "slices" else guarantee.needed == 0
            rates = []
            for one in np.unique(testing.slices):
                mine = np.flatnonzero(testing.slices == one)
                part = testing.at(mine)
                rates.append(rate_by_patient(part.Y, decided[mine], part.groups))
            n_slices.append(held.sum())
            n_slice_below += int((np.array(rates)[held] < LEAST).sum())
            overall = rate_by_patient(testing.Y, decided, testing.groups)
            n_below += overall < LEAST
            rows.append((overall, float(micro(recall, count(testing.Y, decided)))))
        if not rows:
            lines.append(f"| {words} | 0 | - | - | - | - | - |")
            continue
        means = np.mean(rows, axis=0)
        n_held = int(np.sum(n_slices))
        lines.append(
            f"| {words} | {len(rows)} of {N_SPLITS} | {n_held} of {3 * len(rows)} | {n_below} | "
            f"{n_slice_below} of {n_held} | {means[0]:.3f} | {means[1]:.3f} |"
        )
        print(lines[-1], flush=True)
    return lines


def rate_by_patient(Y: np.ndarray, decided: np.ndarray, patients: np.ndarray) -> float:
    """Return the precision where every patient counts the same."""
    _, number, sizes = np.unique(patients, return_inverse=True, return_counts=True)
    weights = 1 / sizes[number]
    total = weights @ decided.sum(axis=1)
    return float(weights @ (decided * Y).sum(axis=1) / total) if total else float("nan")


def draw(random: np.random.Generator, sizes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Draw labels and scores of slices; every third slice has noisier scores."""
    number = np.repeat(np.arange(len(sizes)), sizes)
    latent = 2 * random.normal(size=(number.size, 3)) - 1
    Y = random.random(latent.shape) < 1 / (1 + np.exp(-latent))
    noise = np.where(number % 3 == 2, 2.0, 0.5)[:, None]
    scores = latent + noise * random.normal(size=latent.shape) + (number % 2)[:, None]
    return scores, Y, number


def simulated(limits: Mapping[str, float], n_draws: int) -> str:
    """Return how often a certified slice breaks its rate, and how often each is certified."""
    random = np.random.default_rng(0)
    scores, Y, number = draw(random, (40_000,) * len(SIZES))
    rate = precision if "min_precision" in limits else recall
    (least,) = limits.values()
    n_broken, n_held = 0, np.zeros(len(SIZES), dtype=int)
    for _ in range(n_draws):
        *sample, slices = draw(random, SIZES)
        try:
            tuned = best_thresholds(
                *sample,
                slices=slices,
                guarantee=Certify(LEVEL, across="slices"),
                random_state=0,
                **limits,
            )
        except ValueError:
            continue
        guarantee: Any = tuned.evidence.guarantee
        held = guarantee.needed == 0
        decided = tuned.decide(scores, slices=number)
        is_broken = [
            held[s] and micro(rate, count(Y[number == s], decided[number == s])) < least
            for s in range(len(SIZES))
        ]
        n_broken += any(is_broken)
        n_held += held
    power = " | ".join(f"{one / n_draws:.0%}" for one in n_held)
    return f"{n_broken / n_draws:.1%} | {power}"


def simulation_table() -> list[str]:
    """Simulate guarantees in every slice, for slices of different sizes."""
    n_draws = int(os.environ.get("BENCH_DRAWS", "200"))
    sizes = " | ".join(f"{size:,} samples" for size in SIZES)
    lines = [f"| asked in every slice | broken | {sizes} |", f"|---|{'--:|' * (len(SIZES) + 1)}"]
    for name, least in LIMITS.items():
        words = f"{name.removeprefix('min_')} {least} at {LEVEL}"
        lines.append(f"| {words} | {simulated({name: least}, n_draws)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure, print the tables, and write them for the docs."""
    if not (HOME / SET).is_dir():
        print(f"slices: no {SET} in {HOME}; set LABELWISE_DATA to its folder.")
        return
    warnings.filterwarnings("ignore", message="Y has no positives|Constraints that new")
    data = scored_rows(SET)
    tables = plain_table(data), certified_table(data), simulation_table()
    TABLE.write_text("\n\n".join("\n".join(lines) for lines in tables) + "\n", encoding="utf-8")
    years_table()


def years_table() -> None:
    """Compare thresholds of Finnish texts by year: before 2016, 2016, and after."""
    lines = plain_table(scored_rows(BY_YEAR), PLAIN[:2])
    YEARS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
