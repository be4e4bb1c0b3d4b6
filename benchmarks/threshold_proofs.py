"""How often thresholds break constraints, miss them or are falsely called the highest.

Small random problems, with and without ties, are solved by `best_thresholds` and by trying every
threshold vector. All but the first two columns of both tables should be 0.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from labelwise.decisions import LinearFractional, Thresholds, best_thresholds
from labelwise.measures import (
    accuracy,
    balanced_accuracy,
    f_measure,
    g_mean,
    jaccard,
    matthews,
    precision,
    recall,
)
from tests.decisions.problems import random_problems
from tests.oracles import thresholds as oracle

N_CONSTRAINED = 1_000
N_CERTIFIED = 5_000
MEASURES = (f_measure, jaccard, precision, recall, accuracy, balanced_accuracy, g_mean, matthews)
NAMES = ("min_precision", "min_recall", "max_decisions")
RATES = (0.0, 0.3, 0.5, 0.75, 0.9, 1.0)


def random_limits(random: np.random.Generator, n_cells: int) -> Iterator[dict[str, Any]]:
    """Give constraints of every combination, again and again."""
    while True:
        for names in (names for size in (1, 2, 3) for names in combinations(NAMES, size)):
            values = {name: float(random.choice(RATES)) for name in names}
            if "max_decisions" in values:
                values["max_decisions"] = int(random.integers(0, n_cells + 1))
            yield values


def random_quotient(random: np.random.Generator) -> LinearFractional:
    """Return a quotient with whole or real weights, of one sign or both, some of them 0."""
    weights = (
        random.integers(-1, 3, size=(2, 4)),
        random.integers(0, 3, size=(2, 4)),
        random.standard_normal((2, 4)) * (random.random((2, 4)) < 0.6),
        ((1, 0, 0, 0), (0, 1, 0, 0)),
        ((1, 0, 0, 1), (0, 1, 1, 0)),
        ((1, 0, 0, 0), (0, 1, 1, 0)),
    )[random.integers(6)]
    return LinearFractional(*weights, when_empty=random.choice([np.nan, 0.0, 1.0]))


def is_beaten(tuned: Thresholds, highest: float) -> bool:
    """Return whether a value exceeds what is claimed to be possible."""
    if tuned.evidence.gap is None or np.isnan(highest):
        return False
    return bool(highest > tuned.value + tuned.evidence.gap + 1e-9 * max(1.0, abs(highest)))


def count_constrained(n_problems: int) -> Counter[str]:
    """Return how feasible problems with constraints end."""
    random, found = np.random.default_rng(0), Counter[str]()
    limits = random_limits(random, n_cells=12)
    for scores, Y in random_problems(4 * n_problems, seed=1, most_samples=7):
        if random.random() < 0.5:
            scores = random.permuted(np.indices(Y.shape)[0], axis=0) / 8.0
        measure, wish = MEASURES[random.integers(len(MEASURES))], next(limits)
        decided, hits = oracle.totals(scores, Y)
        kept = oracle.keeps(wish, Y, decided, hits)
        if not kept.any():
            continue
        if found["feasible"] == n_problems:
            break
        found["feasible"] += 1
        try:
            tuned = best_thresholds(scores, Y, maximize=measure, **wish)
        except ValueError:
            found["refused"] += 1
            continue
        values = np.asarray(measure(oracle.counts_of_totals(Y, decided, hits)))[kept]
        highest = np.fmax.reduce(values)
        is_decided = tuned.decide(scores).astype(bool)
        reached = is_decided.sum(), (is_decided & Y).sum()
        found["exact"] += tuned.evidence.exact
        found["broken"] += not oracle.keeps(wish, Y, *reached)
        found["beyond the gap"] += is_beaten(tuned, highest)
        found["undefined"] += bool(np.isnan(tuned.value) and not np.isnan(highest))
    return found


def count_certified(n_problems: int) -> Counter[str]:
    """Return how problems with random quotients end."""
    random, found = np.random.default_rng(2), Counter[str]()
    for scores, Y in random_problems(n_problems, seed=3, with_positives=False):
        measure = random_quotient(random)
        tuned = best_thresholds(scores, Y, maximize=measure)
        values = np.asarray(measure(oracle.counts_of_totals(Y, *oracle.totals(scores, Y))))
        found["problems"] += 1
        found["called the highest"] += "the highest of all" in repr(tuned)
        found["falsely"] += is_beaten(tuned, float(np.fmax.reduce(values)))
    return found


def show(title: str, found: Counter[str], names: tuple[str, ...]) -> None:
    """Print the counts as a table of one row."""
    table = Table(*names, title=title)
    table.add_row(*(f"{found[name]:,}" for name in names))
    Console().print(table)


def main() -> None:
    """Print both tables."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has no positives")
        warnings.filterwarnings("ignore", message="Constraints that new samples may break")
        show(
            "Feasible constraints",
            count_constrained(N_CONSTRAINED),
            ("feasible", "exact", "refused", "broken", "beyond the gap", "undefined"),
        )
        show(
            "Quotients of linear functions",
            count_certified(N_CERTIFIED),
            ("problems", "called the highest", "falsely"),
        )
