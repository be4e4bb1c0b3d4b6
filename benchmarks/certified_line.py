"""How often a reader who looks at a certified line before choosing a point finds bounds broken.

The populations are those of `benchmarks.guarantees`, in which the rates of any thresholds are
known. The reader takes the point with the highest F of its bounds. Beside it, a precision of 0.8 is
asked for: of the best point of the line with this bound, and of `best_thresholds`, which certifies
one request that was fixed before. BENCH_DRAWS sets the number of draws of each row of the table,
which goes into the docs.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

from benchmarks.guarantees import LEVEL, N_POPULATION, Truth, populations
from labelwise.decisions import best_thresholds, certified_frontier

TABLE = Path(__file__).with_name("certified_line.md")
N_DRAWS = 200
SIZES = (500, 5000)
LEAST = 0.8
HEAD = """| population | rows | broken | line: found | line: recall | fixed: found | fixed: recall |
|---|--:|--:|--:|--:|--:|--:|"""


def row(truth: Truth, n_rows: int, n_draws: int) -> str:
    """Return the share of broken choices, and recall at a certified precision by both methods."""
    random = np.random.default_rng(n_rows)
    n_broken = 0
    recalls: tuple[list[float], list[float]] = ([], [])
    for _ in range(n_draws):
        scores, Y = truth.population.draw(n_rows, random)
        frontier = certified_frontier(scores, Y, level=LEVEL, random_state=0)
        bounds = frontier.min_precision, frontier.min_recall
        looks_best = int(np.argmax(bounds[0] * bounds[1] / np.maximum(sum(bounds), 1e-12)))
        reached = truth.rates(frontier.at(looks_best))
        n_broken += bool((reached < [bound[looks_best] for bound in bounds]).any())
        if (frontier.min_precision >= LEAST).any():
            point = frontier.at(frontier.find(min_precision=LEAST))
            recalls[0].append(float(truth.rates(point)[1]))
        try:
            fixed = best_thresholds(scores, Y, min_precision=LEAST, guarantee=LEVEL, random_state=0)
        except ValueError:
            continue
        recalls[1].append(float(truth.rates(fixed)[1]))
    cells = [
        f"{len(found) / n_draws:.0%} | {f'{np.mean(found):.3f}' if found else '-'}"
        for found in recalls
    ]
    name = truth.population.name
    return f"| {name} | {n_rows:,} | {n_broken / n_draws:.1%} | {' | '.join(cells)} |"


def main() -> None:
    """Measure all populations, print the table, and write it for the docs."""
    warnings.filterwarnings("ignore", message="Y has no positives|Constraints that new")
    n_draws = int(os.environ.get("BENCH_DRAWS", N_DRAWS))
    lines = [HEAD]
    for population in populations():
        truth = Truth(population, *population.draw(N_POPULATION, np.random.default_rng(0)))
        for n_rows in SIZES:
            lines.append(row(truth, n_rows, n_draws))
            print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
