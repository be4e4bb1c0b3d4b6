"""olsson2006: combinations that its section 4 leaves open, beside the 59 methods of the grid.

The paper says that scores could also be combined by the lowest of normalised scores, in turns or
with weights, and that cutting levels could differ between scores. These methods combine chi2-max
and chi2-avg, the pair that it recommends, on the splits of the grid at cutting level 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from labelwise.experiments import Study
from labelwise.features import TermSelector, combine
from labelwise.learners import OkapiNeighbors
from studies import FOLDER as STUDIES
from studies.comparison import MEASURED, Cell, Provenance, Table
from studies.olsson2006.curves import (
    GRID_SETS,
    N_GRID,
    SIZES,
    STORE,
    STORED,
    TermCurve,
    curve_values,
    gathered,
    reading_of,
    splits_of_grid,
)
from studies.olsson2006.documents import documents
from studies.stores import results_of

INPUTS = ("chi2-max", "chi2-avg")
CUT = 1


class CombinedCurve(TermCurve):
    """Okapi neighbours by terms of two combined scores, with weights or cutting levels of each."""

    def __init__(
        self,
        combine: str,
        weights: Sequence[float] | None = None,
        cuts: Sequence[int] = (CUT, CUT),
        sizes: Sequence[int] = SIZES,
        k: int = 100,
    ) -> None:
        self.combine = combine
        self.weights = weights
        self.cuts = cuts
        self.sizes = sizes
        self.k = k

    def fit(self, X: Any, Y: Any) -> CombinedCurve:
        """Rank the terms, and keep the documents."""
        lists = np.array(
            [
                TermSelector(by=(name,), cut=cut).fit(X, Y).scores_
                for name, cut in zip(INPUTS, self.cuts, strict=True)
            ]
        )
        combined = combine(with_cut_terms_last(lists), self.combine, weights=self.weights)
        order = np.argsort(-combined, kind="stable")
        self.ranking_ = order[: int(np.isfinite(combined).sum())]
        self.neighbours_ = OkapiNeighbors(self.k, lengths="selected").fit(X, Y)
        return self


def with_cut_terms_last(lists: np.ndarray) -> np.ndarray:
    """Return scores in which a term that not all inputs cut has the score 0 where it is cut.

    Scores of chi-square are not negative, so that 0 is the lowest.
    """
    is_cut = np.isneginf(lists)
    return np.where(is_cut & ~is_cut.all(axis=0), 0.0, lists)


METHODS: dict[str, CombinedCurve] = {
    "lowest score, by maximum": CombinedCurve("max-and"),
    "lowest score, by length": CombinedCurve("length-and"),
    "mean score, by maximum": CombinedCurve("max-mean"),
    "mean score, by length": CombinedCurve("length-mean"),
    "in turns": CombinedCurve("round-robin"),
    "mean rank, 2 to 1": CombinedCurve("average-rank", (2, 1)),
    "mean rank, 1 to 2": CombinedCurve("average-rank", (1, 2)),
    "lowest rank, cuts 5 and 0": CombinedCurve("lowest-rank", cuts=(5, 0)),
}


def peaks_of_grid(name: str) -> dict[str, float]:
    """Return the mean peaks of the 59 methods on a set, as committed."""
    cells = Table.read(STUDIES / "olsson2006" / f"figure3{MEASURED}").cells
    return {
        f"{inputs} {method}": measured
        for (dataset, inputs, method, cut), _, measured, *_ in cells
        if dataset == name and cut == f"cut {CUT}" and inputs != "all terms"
    }


def extra_cells(name: str, peaks: dict[str, float]) -> Iterator[Cell]:
    """Give the mean peak of each method, and how many of the 59 have a higher one."""
    others = peaks_of_grid(name)
    best = max(others, key=others.__getitem__)
    shown = {f"best of the 59: {best}": others[best]} | peaks
    shown["chi2-max/chi2-avg lowest-rank"] = others["chi2-max/chi2-avg lowest-rank"]
    for method, peak in shown.items():
        yield Cell((name, method, "mean peak"), "", peak, aim="shown")
        n_above = sum(other > peak for other in others.values())
        yield Cell((name, method, "of the 59 above"), "", float(n_above), aim="shown")


def extras(*, quick: bool = False, repetitions: int | None = None) -> Table:  # noqa: ARG001
    """Return the mean peaks of R-precision of the methods that the paper leaves open."""
    cells: list[Cell] = []
    found: list[dict[str, Any]] = []
    for name in GRID_SETS[:1] if quick else GRID_SETS:
        splits = splits_of_grid(name, quick=quick)
        study = Study(
            {name: partial(documents, name, stored=reading_of(name) == STORED)},
            {f"{method}, cut {CUT}": model for method, model in METHODS.items()},
            {"random": splits},
            {"curve": curve_values},
            name=f"{name}, {len(METHODS)} open combinations, {splits.n_splits} splits",
        )
        rows = results_of(study, STORE).rows()
        found += rows
        asked = [(method, CUT) for method in METHODS]
        curves = gathered(rows, asked, splits.n_splits, SIZES)
        peaks = {method: float(curves.peaks(method, cut).mean()) for method, cut in asked}
        cells += extra_cells(name, peaks)
    words = (
        "Section 4 of the paper leaves open other ways to combine scores. Mean peak of R-precision "
        f"over {N_GRID} splits for chi2-max and chi2-avg, at cutting level {CUT}, and how many of "
        "the 59 methods have a higher one at this level. Scores are divided by their maximum or "
        "their Euclidean length; weights are those of chi2-max and of chi2-avg; with different "
        "cutting levels, a term that one score cuts has the lowest score there."
    )
    keys = ("dataset", "method", "value")
    made = Provenance.of_rows(found)
    return Table("olsson2006", "extras", "Open combinations", words, keys, cells, made=made)
