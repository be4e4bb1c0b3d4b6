"""olsson2006: R-precision by the number of terms, for each method of choosing them.

The preliminary grid of section 6.2 and the validation of section 6.3. A cell is one method at one
cutting level on one split: a whole curve. Cells are kept in a store, so that a run that was stopped
goes on.

As in the paper: a fifth of the documents for training, drawn five times; k = 100; terms in at most
0, 1 or 5 training documents cut; the weights that the RCV1 files have in the place of counts; and
documents weighed after terms are cut and selected, so that the length of a document is that of the
terms that stay. The paper tests on all other documents, we on 2,000 of them, which takes a ninth of
the time. Beside it are two smaller sets with counts, tested on all other documents. Validation: the
paper has 20 disjoint sets of 10,000 documents; here the same ones are halved 20 times. Two other
readings are measured on the halves: counts that were recovered from the weights, and with them
lengths of whole documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import ShuffleSplit

import studies
from labelwise.experiments import Study
from labelwise.features import TermSelector
from labelwise.learners import OkapiNeighbors
from labelwise.measures import measure_scores
from studies.comparison import Provenance
from studies.olsson2006.documents import REUTERS, documents
from studies.olsson2006.rank_cuts import rank_cut_f
from studies.stores import results_of

STORE = studies.STORES / "olsson2006.sqlite"
# The first set is the paper's; the others have counts, and are shown beside it.
GRID_SETS = ("RCV1 subsets 1-4", "RCV1 subsets 1-2", REUTERS)
VALIDATION_SET = "RCV1 subsets 3-4"
SIZES = (50, 250, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 10_000)
VALIDATION_SIZES = tuple(range(1000, 5001, 500))
CUTS = (0, 1, 5)
MEASURES = ("R-precision", "MAP", "F1")
ALL = "all"
STORED, SELECTED, WHOLE = "stored weights", "counts", "counts, whole lengths"
METHODS = TermSelector.methods()
BOTH = "chi2-max/chi2-avg"
# The five of section 6.3; the third is a single point, all terms that are not cut.
VALIDATED = {
    "chi2-max, cut 5": ("chi2-max", 5),
    "chi2-avg, cut 0": ("chi2-avg", 0),
    "all terms, cut 1": ("df", 1),
    "LR, cut 1": (f"{BOTH} lowest-rank", 1),
    "AR, cut 0": (f"{BOTH} average-rank", 0),
}
N_GRID, N_VALIDATION, N_QUICK = 5, 20, 2
# Documents that the first set of the grid is tested on, and quick runs are.
N_TESTED, N_QUICK_TESTED = 2_000, 600
# A score alone, and two of the most useful by two rules.
QUICK_METHODS = ("df", "chi2-max", "chi2-avg", f"{BOTH} lowest-rank", f"{BOTH} highest-rank")


class TermCurve(BaseEstimator):
    """Okapi neighbours by the best terms, for many numbers of terms."""

    def __init__(
        self,
        by: Sequence[str],
        combine: str = "lowest-rank",
        cut: int = 0,
        sizes: Sequence[int] = SIZES,
        k: int = 100,
        lengths: str = "selected",
    ) -> None:
        self.by = by
        self.combine = combine
        self.cut = cut
        self.sizes = sizes
        self.k = k
        self.lengths = lengths

    def fit(self, X: Any, Y: Any) -> TermCurve:
        """Rank the terms, and keep the documents."""
        selector = TermSelector(by=self.by, combine=self.combine, cut=self.cut)
        self.ranking_ = selector.fit(X, Y).ranking_
        self.neighbours_ = OkapiNeighbors(self.k, lengths=self.lengths).fit(X, Y)
        return self

    def curve(self, X: Any) -> Iterator[tuple[str, np.ndarray]]:
        """Give scores at each size that leaves a term out, and with all terms."""
        sizes = [size for size in self.sizes if size < self.ranking_.size]
        names = [*map(str, sizes), ALL]
        every = [*sizes, self.ranking_.size]
        yield from zip(names, self.neighbours_.score_curve(X, self.ranking_, every), strict=True)


def curve_values(outcome: Any) -> dict[str, float]:
    """Return the three measures at each size, and the number of all terms."""
    truth = outcome.truth
    found = {"terms": float(outcome.model.ranking_.size)}
    for size, scores in outcome.model.curve(outcome.data.X[outcome.test_indices]):
        found[f"{size}/R-precision"] = measure_scores(truth, scores, "r-precision")
        found[f"{size}/MAP"] = measure_scores(truth, scores, "sample-average-precision")
        found[f"{size}/F1"] = float(rank_cut_f(truth, scores).max())
    return found


class Curves(NamedTuple):
    """Values of each method and cutting level, by size, split and measure; NaN where none."""

    sizes: tuple[str, ...]  # the last is all terms
    values: Mapping[tuple[str, int], np.ndarray]  # (n_sizes, n_splits, n_measures)
    n_terms: Mapping[int, np.ndarray]  # by cutting level, of each split
    made: Provenance | None = None

    def of(self, method: str, cut: int, measure: str = "R-precision") -> np.ndarray:
        """Return one measure, by size and split."""
        return self.values[method, cut][:, :, MEASURES.index(measure)]

    def all_terms(self, cut: int, measure: str = "R-precision") -> np.ndarray:
        """Return the measure with all terms that are not cut, by split."""
        # Whatever the order of terms is, they are all there; rounding must not make them differ.
        first = next(method for method, own in self.values if own == cut)
        return np.asarray(self.of(first, cut, measure)[-1])

    def peaks(self, method: str, cut: int, measure: str = "R-precision") -> np.ndarray:
        """Return the highest value of each split over all sizes, without that of all terms."""
        return np.asarray(np.nanmax(self.of(method, cut, measure)[:-1], axis=0))


@lru_cache(maxsize=4)
def grid(name: str, *, quick: bool = False) -> Curves:
    """Return the curves of section 6.2: all methods at all cutting levels."""
    methods, cuts = (QUICK_METHODS, CUTS[1:]) if quick else (tuple(METHODS), CUTS)
    asked = {(method, cut): (method, cut) for cut in cuts for method in methods}
    return _measured(name, asked, splits_of_grid(name, quick=quick), SIZES, reading_of(name))


def splits_of_grid(name: str, *, quick: bool = False) -> ShuffleSplit:
    """Return the splits of section 6.2."""
    n_tested = N_TESTED if name == GRID_SETS[0] else None
    return _splits(N_GRID, 0.2, n_tested, 0, quick=quick)


def reading_of(name: str) -> str:
    """Return what a set of the grid has in the place of counts."""
    return STORED if name == GRID_SETS[0] else SELECTED


@lru_cache(maxsize=4)
def validation(*, quick: bool = False, reading: str = STORED) -> Curves:
    """Return the curves of section 6.3: five methods on halves of other documents."""
    asked = {pair: pair for pair in VALIDATED.values()}
    splits = _splits(N_VALIDATION, 0.5, None, 1, quick=quick)
    return _measured(VALIDATION_SET, asked, splits, VALIDATION_SIZES, reading)


def _splits(
    n_splits: int, train_size: float, test_size: int | None, seed: int, *, quick: bool
) -> ShuffleSplit:
    n_splits, test_size = (N_QUICK, N_QUICK_TESTED) if quick else (n_splits, test_size)
    return ShuffleSplit(n_splits, train_size=train_size, test_size=test_size, random_state=seed)


def _measured(
    name: str,
    asked: Mapping[tuple[str, int], Any],
    splits: Any,
    sizes: tuple[int, ...],
    reading: str = STORED,
) -> Curves:
    """Run the cells that are not in the store, and gather all."""
    lengths = "document" if reading == WHOLE else "selected"
    models = {
        f"{method}, cut {cut}": TermCurve(**METHODS[method], cut=cut, sizes=sizes, lengths=lengths)
        for method, cut in asked
    }
    study = Study(
        {name: partial(documents, name, stored=reading == STORED)},
        models,
        {"random": splits},
        {"curve": curve_values},
        name=f"{name}, {len(models)} curves, {splits.n_splits} splits, {reading}",
    )
    rows = results_of(study, STORE).rows()
    return gathered(rows, tuple(asked), splits.n_splits, sizes)


def gathered(
    rows: Sequence[Mapping[str, Any]],
    asked: Sequence[tuple[str, int]],
    n_splits: int,
    sizes: Sequence[int],
) -> Curves:
    """Return the rows of a store as arrays."""
    names = (*map(str, sizes), ALL)
    of_model = {f"{method}, cut {cut}": (method, cut) for method, cut in asked}
    values = {pair: np.full((len(names), n_splits, len(MEASURES)), np.nan) for pair in asked}
    n_terms = {cut: np.full(n_splits, np.nan) for _, cut in asked}
    for row in rows:
        pair = of_model[row["model"]]
        size, _, measure = row["measure"].removeprefix("curve/").partition("/")
        if size == "terms":
            n_terms[pair[1]][row["fold"]] = row["value"]
        else:
            place = names.index(size), row["fold"], MEASURES.index(measure)
            values[pair][place] = row["value"]
    return Curves(names, values, n_terms, Provenance.of_rows(rows))
