"""olsson2006: the Monte-Carlo study of Table 1 and Figure 1, and all tables of the experiments.

The paper does not give its generator. Ours: a document has 1 to 5 relevant labels, each number as
likely, drawn from all 100 without replacement; the score of a label is a standard normal number,
plus 2 if the label is relevant. Both classifiers of a trial have scores of the same distribution
for the same documents: the paper's shares of reversals are as large as for classifiers that differ
only by chance. All this was written down before the first run and not changed after it. We compare
the order of the three pairs of measures, not their values.

Run ``labelwise reproduce olsson2006``. It takes an hour and a half of CPU time, nearly all of it
for the grid of section 6.2. ``STUDY_JOBS=2`` runs two cells at a time; ``studies/.stores`` has the
finished ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.stats import rankdata

import studies
from labelwise.measures import measure_scores
from studies.comparison import Cell, Table, published_cells
from studies.olsson2006 import tables
from studies.olsson2006.claims import claims_table
from studies.olsson2006.extras import extras
from studies.olsson2006.rank_cuts import rank_cut_f

FOLDER = studies.FOLDER / "olsson2006"
N_SETS, N_QUICK = 500, 50
N_DOCUMENTS, N_LABELS, MOST_RELEVANT = 1000, 100, 5
SHIFT = 2.0
MEASURES = ("MAP", "R-precision", "F1")
PAIRS = {"MAP, R-precision": (0, 1), "MAP, F1": (0, 2), "R-precision, F1": (1, 2)}


def draw_relevant(random: np.random.RandomState) -> np.ndarray:
    """Return which labels are relevant to each document."""
    n_relevant = random.randint(1, MOST_RELEVANT + 1, size=N_DOCUMENTS)
    # The lowest of independent uniform numbers are a draw without replacement.
    places = rankdata(random.random_sample((N_DOCUMENTS, N_LABELS)), axis=1)
    relevant: np.ndarray = places <= n_relevant[:, None]
    return relevant


def draw_scores(relevant: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the scores of a classifier."""
    return random.standard_normal(relevant.shape) + SHIFT * relevant


def measured(relevant: np.ndarray, scores: np.ndarray) -> tuple[float, float, float]:
    """Return MAP, R-precision and the peak of F1."""
    return (
        measure_scores(relevant, scores, "sample-average-precision"),
        measure_scores(relevant, scores, "r-precision"),
        float(rank_cut_f(relevant, scores).max()),
    )


@lru_cache(maxsize=1)
def simulated(n_sets: int) -> np.ndarray:
    """Return the three measures of both classifiers for each set, (n_sets, 2, 3)."""
    found = np.empty((n_sets, 2, len(MEASURES)))
    for i in range(n_sets):
        random = np.random.RandomState(i)
        relevant = draw_relevant(random)
        for j in range(2):
            found[i, j] = measured(relevant, draw_scores(relevant, random))
    return found


def reversed_sets(values: np.ndarray) -> np.ndarray:
    """Return for each pair of measures and each set whether they prefer different classifiers."""
    preferred = np.sign(values[:, 0] - values[:, 1])
    return np.stack([preferred[:, a] * preferred[:, b] < 0 for a, b in PAIRS.values()])


def reversals(values: np.ndarray) -> dict[str, float]:
    """Return the share of sets on which each pair of measures prefers different classifiers."""
    return dict(zip(PAIRS, reversed_sets(values).mean(axis=1).tolist(), strict=True))


def squared_correlations(values: np.ndarray) -> dict[str, float]:
    """Return r² of each pair of measures over the sets, by the first classifier."""
    r = np.corrcoef(values[:, 0].T)
    return {pair: float(r[a, b] ** 2) for pair, (a, b) in PAIRS.items()}


def table_1(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return the reversals of each pair, and its place by them."""
    n_sets = repetitions or (N_QUICK if quick else N_SETS)
    words = (
        f"Share of {n_sets} generated sets on which two measures disagree about which of two "
        "classifiers is better. The generator is ours (see the program), so places are judged "
        "and values only shown."
    )
    return _table("table1", "Table 1", words, "reversals", reversals(simulated(n_sets)), 1)


def figure_1(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return the squared correlation of each pair, and its place by it."""
    n_sets = repetitions or (N_QUICK if quick else N_SETS)
    words = (
        f"Squared correlation of two measures over {n_sets} generated sets. The paper's text says "
        "that the first pair has the highest; its values are in a picture."
    )
    found = simulated(n_sets)
    values = squared_correlations(found)
    table = _table("figure1", "Figure 1", words, "squared_correlation", values, -1)
    return replace(table, others=(_points(found),))


def _points(values: np.ndarray) -> Table:
    """Return the three measures of the first classifier on each set, the points of Figure 1."""
    cells = [
        Cell((str(i), measure), "", float(value), aim="shown")
        for i, row in enumerate(values[:, 0])
        for measure, value in zip(MEASURES, row, strict=True)
    ]
    words = "The measures of a classifier on each generated set, which the figure shows in pairs."
    keys = ("set", "measure")
    return Table("olsson2006", "figure1_points", "Figure 1, points", words, keys, cells)


def _table(
    name: str, title: str, words: str, quantity: str, values: dict[str, float], sign: int
) -> Table:
    printed = published_cells(FOLDER / f"{name}.csv", keys=("pair",))
    places = dict(zip(values, rankdata([sign * v for v in values.values()]), strict=True))
    cells = [
        cell
        for pair, value in values.items()
        for cell in (
            Cell((pair, quantity), printed.get((pair, quantity), ""), value, aim="shown"),
            Cell((pair, "place"), printed.get((pair, "place"), ""), float(places[pair])),
        )
    ]
    return Table("olsson2006", name, title, words, ("pair", "quantity"), cells)


def claims(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return the claims of the paper's text, and whether the measurements confirm them."""
    n_sets = repetitions or (N_QUICK if quick else N_SETS)
    simulated_reversals = reversed_sets(simulated(n_sets)).astype(float)
    return claims_table(simulated_reversals, quick=quick)


TABLES: dict[str, Callable[..., Table]] = {
    "1": table_1,
    "figure1": figure_1,
    **tables.TABLES,
    "extras": extras,
    "claims": claims,
}
