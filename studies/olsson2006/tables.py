"""olsson2006: Tables 2 and 3 and Figures 2 to 8, from the curves.

The paper's dots and bars are known only as pictures, so that these tables have no published cells;
what its text says of them is judged in `studies.olsson2006.claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from studies.comparison import Cell, Table
from studies.olsson2006.curves import (
    GRID_SETS,
    METHODS,
    N_GRID,
    N_QUICK,
    N_QUICK_TESTED,
    N_TESTED,
    N_VALIDATION,
    VALIDATED,
    Curves,
    grid,
    validation,
)

ALONE = "alone"
PLAIN = ("chi2-max, cut 5", "chi2-avg, cut 0")
COMBINED = ("LR, cut 1", "AR, cut 0")
EVERY = "all terms, cut 1"
# The sizes that the paper shows.
TABLE_2_SIZES = ("1000", "1500", "2000", "2500", "3000", "4000", "5000", "10000")
TABLE_3_SIZES = ("50", "250", "500", "750", *TABLE_2_SIZES[:-1])
# Those with chi2-max whose lowest rank the paper draws.
PAIRS_WITH_MAX = ("df/chi2-max", "information-gain/chi2-max", "chi2-max/chi2-avg")

ON_GRID = (
    "{} splits, a fifth of the documents for training. Subsets 1-4 have the weights of the RCV1 "
    "files and are tested on {:,} documents; the others have counts, and are tested on all other "
    "documents. What else differs from the paper: see the page of the study."
)
ON_HALVES = (
    "{} random halves of RCV1 subsets 3-4, without the documents of 1-2, with their stored "
    "weights. The halves overlap: see the page of the study."
)


def parts_of(method: str) -> tuple[str, str]:
    """Return the inputs of a method, and how it combines them."""
    inputs, _, rule = method.partition(" ")
    return inputs, rule or ALONE


def n_inputs(method: str) -> int:
    """Return of how many scores a method is made."""
    return len(METHODS[method]["by"])


def wins(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return in how many splits the first is higher, NaN where either was not measured."""
    lacks = np.isnan(first - second).any(axis=-1)
    return np.where(lacks, np.nan, (first > second).sum(axis=-1))


def wins_over_all_terms(curves: Curves, method: str, cut: int) -> np.ndarray:
    """Return in how many splits each size beats all terms."""
    return wins(curves.of(method, cut), curves.all_terms(cut))


def table_2_cells(name: str, curves: Curves) -> Iterator[Cell]:
    """Give the wins of each method over all terms, at cutting level 1."""
    for method in _methods(curves, 1):
        found = wins_over_all_terms(curves, method, 1)
        yield from _by_size((name, *parts_of(method)), curves, found, TABLE_2_SIZES)


def table_3_cells(name: str, curves: Curves) -> Iterator[Cell]:
    """Give the wins of cutting level 5 over 1, of scores alone and pairs."""
    for method in _methods(curves, 1):
        if n_inputs(method) <= 2:
            found = wins(curves.of(method, 5), curves.of(method, 1))
            yield from _by_size((name, *parts_of(method)), curves, found, TABLE_3_SIZES)


def figure_2_cells(name: str, curves: Curves) -> Iterator[Cell]:
    """Give the mean curves of chi2-max, alone and in lowest rank with one other."""
    shown = ("chi2-max", *(f"{inputs} lowest-rank" for inputs in PAIRS_WITH_MAX))
    for method in _methods(curves, 1):
        if method in shown:
            means = curves.of(method, 1).mean(axis=1)
            yield from _by_size((name, *parts_of(method)), curves, means, curves.sizes)


def figure_3_cells(name: str, curves: Curves) -> Iterator[Cell]:
    """Give the mean peak of each method at each cutting level, and the mean of all terms."""
    for method, cut in curves.values:
        peak = float(curves.peaks(method, cut).mean())
        yield _shown((name, *parts_of(method), f"cut {cut}"), peak)
    for cut in dict.fromkeys(cut for _, cut in curves.values):
        yield _shown((name, "all terms", ALONE, f"cut {cut}"), float(curves.all_terms(cut).mean()))


def validated(curves: Curves, title: str, measure: str = "R-precision") -> np.ndarray:
    """Return one of the five methods by size and split; all terms are the same at every size."""
    own = curves.of(*VALIDATED[title], measure)
    return np.repeat(own[-1:], len(own) - 1, axis=0) if title == EVERY else own[:-1]


def figure_4_cells(curves: Curves) -> Iterator[Cell]:
    """Give the mean curve of each of the five methods."""
    for title in VALIDATED:
        means = validated(curves, title).mean(axis=1)
        yield from _by_size((title,), curves, means, curves.sizes[:-1])


def figure_5_cells(curves: Curves) -> Iterator[Cell]:
    """Give how often each method beats all terms."""
    yield from _pair_cells(curves, [(title, EVERY) for title in (*PLAIN, *COMBINED)])


def figure_6_cells(curves: Curves) -> Iterator[Cell]:
    """Give how often a combination beats a score alone."""
    yield from _pair_cells(curves, list(product(COMBINED, PLAIN)))


def figure_7_cells(curves: Curves) -> Iterator[Cell]:
    """Give how often each of the five is the very best at a size; who ties is best, too."""
    values = np.stack([validated(curves, title) for title in VALIDATED])
    best = (values == values.max(axis=0)).sum(axis=2)
    for title, found in zip(VALIDATED, best.astype(float), strict=True):
        yield from _by_size((title,), curves, found, curves.sizes[:-1])


def figure_8_cells(curves: Curves) -> Iterator[Cell]:
    """Give how often each of a pair has the higher peak, by R-precision and by F1."""
    for first, second in product(COMBINED, (*PLAIN, EVERY)):
        for measure in ("R-precision", "F1"):
            a, b = (validated(curves, title, measure).max(axis=0) for title in (first, second))
            where = (first, second, f"{measure}: ")
            yield _shown((*where[:2], where[2] + "first"), float(wins(a, b)))
            yield _shown((*where[:2], where[2] + "second"), float(wins(b, a)))


def _pair_cells(curves: Curves, pairs: Sequence[tuple[str, str]]) -> Iterator[Cell]:
    for first, second in pairs:
        a, b = validated(curves, first), validated(curves, second)
        for title, found in ((first, wins(a, b)), (second, wins(b, a))):
            yield from _by_size((f"{first} / {second}", title), curves, found, curves.sizes[:-1])


def _methods(curves: Curves, cut: int) -> list[str]:
    return [method for method, own in curves.values if own == cut]


def _by_size(
    where: tuple[str, ...], curves: Curves, values: np.ndarray, sizes: Sequence[str]
) -> Iterator[Cell]:
    """Give the cells of some sizes that have a value."""
    for size, value in zip(curves.sizes, values, strict=False):
        if size in sizes and not np.isnan(value):
            yield _shown((*where, size), float(value))


def _shown(where: tuple[str, ...], value: float) -> Cell:
    return Cell(where, "", value, aim="shown")


def grid_table(
    name: str,
    title: str,
    words: str,
    keys: tuple[str, ...],
    cells: Callable[[str, Curves], Iterator[Cell]],
    *,
    quick: bool = False,
    repetitions: int | None = None,  # noqa: ARG001  (the splits are those of the paper)
) -> Table:
    """Return a table of the preliminary grid, of both sets."""
    sets = {one: grid(one, quick=quick) for one in (GRID_SETS[:1] if quick else GRID_SETS)}
    found = [cell for one, curves in sets.items() for cell in cells(one, curves)]
    splits = ON_GRID.format(*((N_QUICK, N_QUICK_TESTED) if quick else (N_GRID, N_TESTED)))
    made = next(iter(sets.values())).made
    return Table("olsson2006", name, title, f"{words} {splits}", keys, found, made=made)


def validation_table(
    name: str,
    title: str,
    words: str,
    keys: tuple[str, ...],
    cells: Callable[[Curves], Iterator[Cell]],
    *,
    quick: bool = False,
    repetitions: int | None = None,  # noqa: ARG001
) -> Table:
    """Return a table of the validation."""
    curves = validation(quick=quick)
    splits = ON_HALVES.format(N_QUICK if quick else N_VALIDATION)
    found = tuple(cells(curves))
    return Table("olsson2006", name, title, f"{words} {splits}", keys, found, made=curves.made)


_BY_METHOD = ("dataset", "inputs", "method", "size")
TABLES: dict[str, Callable[..., Table]] = {
    "2": partial(
        grid_table,
        "table2",
        "Table 2",
        "In how many splits so many of the best terms have a higher R-precision than all terms, at "
        "cutting level 1; empty where there are no more terms than that.",
        _BY_METHOD,
        table_2_cells,
    ),
    "3": partial(
        grid_table,
        "table3",
        "Table 3",
        "In how many splits cutting level 5 has a higher R-precision than level 1; empty where "
        "there are no more terms than that.",
        _BY_METHOD,
        table_3_cells,
    ),
    "figure2": partial(
        grid_table,
        "figure2",
        "Figure 2",
        "Mean R-precision by the number of terms, at cutting level 1.",
        _BY_METHOD,
        figure_2_cells,
    ),
    "figure3": partial(
        grid_table,
        "figure3",
        "Figure 3",
        "R-precision at the best number of terms, short of all, mean over the splits.",
        ("dataset", "inputs", "method", "cut"),
        figure_3_cells,
    ),
    "figure4": partial(
        validation_table,
        "figure4",
        "Figure 4",
        "Mean R-precision by the number of terms.",
        ("method", "size"),
        figure_4_cells,
    ),
    "figure5": partial(
        validation_table,
        "figure5",
        "Figure 5",
        "How often each of two has the higher R-precision: a method, and all terms.",
        ("pair", "higher", "size"),
        figure_5_cells,
    ),
    "figure6": partial(
        validation_table,
        "figure6",
        "Figure 6",
        "How often each of two has the higher R-precision: a combination, and a score alone.",
        ("pair", "higher", "size"),
        figure_6_cells,
    ),
    "figure7": partial(
        validation_table,
        "figure7",
        "Figure 7",
        "How often each method has the highest R-precision of all five.",
        ("method", "size"),
        figure_7_cells,
    ),
    "figure8": partial(
        validation_table,
        "figure8",
        "Figure 8",
        "How often each of two has the higher peak over all numbers of terms.",
        ("first", "second", "peak"),
        figure_8_cells,
    ),
}
