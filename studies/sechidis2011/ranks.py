"""sechidis2011, section 4.3: average ranks of deviations, and what the paper says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

import studies
from labelwise.experiments import average_ranks
from studies.comparison import MEASURED, Cell, Spread, Table, published_cells

FOLDER = studies.FOLDER / "sechidis2011"
# The paper's sets that we have, by their labelsets for each example: at most 0.1, at least 0.39.
SMALL = {
    "Scene": "scene",
    "Emotions": "emotions",
    "Genbase": "genbase",
    "Yeast": "yeast",
    "Medical": "medical",
}
LARGE = {"Bibtex": "bibtex", "Enron": "enron", "Corel5k": "corel5k"}
SETS = SMALL | LARGE
GROUPS = {"small": tuple(SMALL), "large": tuple(LARGE), "all": tuple(SETS)}
MEASURES = (
    "hamming-loss",
    "subset-accuracy",
    "coverage",
    "ranking-loss",
    "macro-average-precision",
    "micro-auc",
)
PAPER_METHODS = ("random", "labelset", "iterative")
METHODS = (*PAPER_METHODS, "balanced")
MORE_LEAD = "labelset has a larger lead over iterative than in Table 4"
Spreads = dict[tuple[str, str, str], Spread]  # by set, method and measure


class Claim(NamedTuple):
    """What is said of the average ranks of some methods on a group of sets."""

    methods: Sequence[str]
    group: str
    holds: Callable[[dict[str, float]], bool]


def has_alone(method: str, extreme: Callable[..., float]) -> Callable[[dict[str, float]], bool]:
    """Return the test that a method has the lowest or highest rank; a tie is neither."""

    def holds(ranks: dict[str, float]) -> bool:
        others = [rank for other, rank in ranks.items() if other != method]
        return ranks[method] == extreme(ranks.values()) and ranks[method] not in others

    return holds


def iterative_is_no_worse(ranks: dict[str, float]) -> bool:
    """Test that iterative has at most the rank of labelset."""
    return ranks["iterative"] <= ranks["labelset"]


class Ranked(NamedTuple):
    """The groups of sets over which a table has average ranks, and what is said of them."""

    number: str
    groups: tuple[str, ...]
    claims: Mapping[str, Claim]


def ranks_of(
    spreads: Spreads, group: str, measure: str, methods: Sequence[str]
) -> dict[str, float]:
    """Return the average rank of each method's deviations, over sets on which all have one."""
    names = [name for name in GROUPS[group] if (name, "random", measure) in spreads]
    values = {
        method: {name: spreads[name, method, measure].deviation for name in names}
        for method in methods
    }
    if not any(np.isfinite([column[name] for column in values.values()]).all() for name in names):
        return dict.fromkeys(methods, float("nan"))
    return average_ranks(values, higher_is_better=False, missing="drop").to_dict()


def rank_cells(spreads: Spreads, table: Ranked) -> Iterator[Cell]:
    """Give the average ranks of the paper's three methods, and those of four with `balanced`."""
    path = FOLDER / f"table{table.number}_ranks.csv"
    printed = published_cells(path, keys=("sets", "method"))
    for group in table.groups:
        for suffix, methods in (("", PAPER_METHODS), (" of four", METHODS)):
            ranks = {measure: ranks_of(spreads, group, measure, methods) for measure in MEASURES}
            for method in methods:
                for measure in MEASURES:
                    text = "" if suffix else printed.get((group, method, measure), "")
                    where = (group, method + suffix, measure)
                    yield Cell(where, text, ranks[measure][method], aim="shown")


def claim_cells(spreads: Spreads, table: Ranked) -> Iterator[Cell]:
    """Return for each claim of the paper, and one of ours, whether it is true (1) or not."""
    path = FOLDER / f"table{table.number}_claims.csv"
    printed = published_cells(path, keys=("claim",))
    for claim, (methods, group, holds) in table.claims.items():
        for measure in MEASURES:
            ranks = ranks_of(spreads, group, measure, methods)
            is_so = np.nan if np.isnan(list(ranks.values())).any() else float(holds(ranks))
            yield Cell((claim, measure), printed.get((claim, measure), ""), is_so)
    if table.number == "5":
        names = {name for name, *_ in spreads}
        before = {key: one for key, one in measured_spreads("4").items() if key[0] in names}
        for measure in MEASURES:
            lead, other = (_lead_of_labelset(one, measure) for one in (spreads, before))
            is_so = np.nan if np.isnan(lead - other) else float(lead > other)
            yield Cell((MORE_LEAD, measure), printed.get((MORE_LEAD, measure), ""), is_so)


def _lead_of_labelset(spreads: Spreads, measure: str) -> float:
    """Return by how much the rank of labelset is better than that of iterative on small sets."""
    ranks = ranks_of(spreads, "small", measure, PAPER_METHODS)
    return ranks["iterative"] - ranks["labelset"]


def measured_spreads(number: str) -> Spreads:
    """Return what is committed of Table 4 or 5, without other readings."""
    cells = Table.read(FOLDER / f"table{number}{MEASURED}").cells
    values = {cell.where: cell.measured for cell in cells}
    return {
        (name, method, measure): Spread(value, values[name, method, "deviation", measure], 1, 0)
        for (name, method, estimate, measure), value in values.items()
        if estimate == "mean" and name in SETS
    }


def ranks_table(spreads: Spreads, table: Ranked) -> Table:
    """Return the average ranks beside the published ones."""
    words = (
        "Average rank of the standard deviations, 1 for the lowest, over sets with few labelsets "
        "for their examples (small), with many (large), and all; Table 5 has only small ones. The "
        "paper has ImageCLEF2010 among the large ones, so values are shown and not judged; 'of "
        "four' ranks `balanced` too. The deviation of ten folds has a relative error of a quarter, "
        "so ranks from few repetitions are to a good part chance."
    )
    return _part(table, "ranks", "average ranks", words, rank_cells(spreads, table))


def claims_table(spreads: Spreads, table: Ranked) -> Table:
    """Return what the paper says of the ranks, and whether it is so."""
    words = (
        "What the paper's text says of the average ranks, and a sentence of ours: 1 if it holds. A "
        "lead is a difference of average ranks over the sets with few labelsets; Table 4 has "
        "binary relevance."
    )
    return _part(table, "claims", "claims", words, claim_cells(spreads, table))


def _part(table: Ranked, name: str, title: str, words: str, cells: Iterator[Cell]) -> Table:
    """Return what follows from a table."""
    number = table.number
    keys = ("sets", "method", "measure") if name == "ranks" else ("claim", "measure")
    titles = f"table{number}_{name}", f"Table {number}, {title}"
    return Table("sechidis2011", *titles, words, keys, tuple(cells))
