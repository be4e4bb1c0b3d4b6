"""olsson2006: the claims of its text about the experiments, each with a sign test.

A claim is confirmed if the one-sided exact sign test over the splits has p < 0.05, as in the
paper: five wins of five on the grid, fifteen of twenty in the validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

import studies
from labelwise.experiments import sign_test
from studies.comparison import Cell, Table, published_cells
from studies.olsson2006.curves import (
    GRID_SETS,
    MEASURES,
    SELECTED,
    STORED,
    VALIDATED,
    VALIDATION_SET,
    WHOLE,
    Curves,
    grid,
    validation,
)
from studies.olsson2006.tables import (
    COMBINED,
    EVERY,
    PAIRS_WITH_MAX,
    PLAIN,
    n_inputs,
    validated,
)

FOLDER = studies.FOLDER / "olsson2006"
LEVEL = 0.05
NEARLY = 0.99
LR, HR = "lowest-rank", "highest-rank"
_MORE = "three or four"
REVERSING = {
    "MAP and R-precision": (1, 0),
    "MAP and F1": (1, 2),
    "R-precision and F1": (0, 2),
}
Claims = Iterator[tuple[str, Any]]  # a statement, and the sign test that decides it


def compared(first: np.ndarray, second: np.ndarray, *, higher: bool = True) -> Any:
    """Return the one-sided sign test that the first is better, split by split."""
    values = {"first": first, "second": second}
    return sign_test(values, alternative="better", higher_is_better=higher)


def peak_sizes(curves: Curves, method: str, cut: int) -> np.ndarray:
    """Return the number of terms at which each split has its peak, the smallest of equals."""
    sizes = np.array([int(size) for size in curves.sizes[:-1]])
    return np.asarray(sizes[np.nanargmax(curves.of(method, cut)[:-1], axis=0)])


def nearly_peak_sizes(curves: Curves, method: str, cut: int) -> np.ndarray:
    """Return the smallest number of terms at which each split has 99 % of its peak."""
    sizes = np.array([int(size) for size in curves.sizes[:-1]])
    reached = curves.of(method, cut)[:-1] >= NEARLY * curves.peaks(method, cut)
    return np.asarray(sizes[reached.argmax(axis=0)])


def ranges(curves: Curves, method: str, cut: int) -> np.ndarray:
    """Return at how many sizes each split has more than with all terms."""
    return np.asarray((curves.of(method, cut)[:-1] > curves.all_terms(cut)).sum(axis=0))


def overtaking_sizes(curves: Curves, title: str) -> np.ndarray:
    """Return the fewest terms that beat all terms in each split, twice the most if none do."""
    above = validated(curves, title) > validated(curves, EVERY)
    sizes = np.array([float(size) for size in curves.sizes[:-1]])
    return np.asarray(np.where(above, sizes[:, None], 2 * sizes[-1]).min(axis=0))


def mean_of(found: Callable[..., np.ndarray], curves: Curves, methods: Sequence[str]) -> np.ndarray:
    """Return what is found of several methods at cutting level 1, averaged for each split."""
    return np.asarray(np.mean([found(curves, method, 1) for method in methods], axis=0))


def grid_claims(curves: Curves) -> Claims:
    """Give what section 6.2 says of peaks, of ranges and of cutting."""
    alone = [method for method, cut in curves.values if cut == 1 and n_inputs(method) == 1]
    several = [method for method, cut in curves.values if cut == 1 and n_inputs(method) > 1]
    with_max = [method for method in several if "chi2-max" in method]
    pairs = [f"{inputs} lowest-rank" for inputs in PAIRS_WITH_MAX]
    for words, found, higher in (
        ("peaks at fewer terms than", peak_sizes, False),
        ("nearly peaks at fewer terms than", nearly_peak_sizes, False),
        ("beats all terms at more sizes than", ranges, True),
    ):
        own = found(curves, "chi2-max", 1)
        for method in (pair for pair in pairs if pair in several):
            test = compared(found(curves, method, 1), own, higher=higher)
            yield f"{method} {words} chi2-max", test
        means = mean_of(found, curves, with_max)
        yield (
            f"mean combination with chi2-max {words} chi2-max",
            compared(means, own, higher=higher),
        )
    singles = mean_of(ranges, curves, alone)
    wider = compared(mean_of(ranges, curves, several), singles)
    yield "mean combination beats all terms at more sizes than the mean score alone", wider
    yield from _rule_claims(curves, several)
    yield from _cut_claims(curves)


def _rule_claims(curves: Curves, several: Sequence[str]) -> Claims:
    """Give what is said of highest and lowest rank."""
    for words, is_pair, better, worse in (
        ("pairs beat all terms at more sizes by lowest than by highest rank", True, LR, HR),
        (
            "three or four beat all terms at more sizes by highest than by lowest rank",
            False,
            HR,
            LR,
        ),
    ):
        own = [method for method in several if (n_inputs(method) == 2) == is_pair]
        first, second = ([m for m in own if m.endswith(rule)] for rule in (better, worse))
        if first and second:
            found = [mean_of(ranges, curves, methods) for methods in (first, second)]
            yield words, compared(*found)


def _cut_claims(curves: Curves) -> Claims:
    """Give what is said of rare terms."""
    cuts = {cut for _, cut in curves.values}
    methods = [m for m, cut in curves.values if cut == 5 and "chi2-max" in m and n_inputs(m) < 3]
    gains = np.stack([curves.of(m, 5)[:-1] - curves.of(m, 1)[:-1] for m in methods])
    up, down = ((sign * gains > 0).sum(axis=(0, 1)) for sign in (1, -1))
    yield "methods with chi2-max are better at cut 5 than at cut 1", compared(up, down)
    for cut in sorted(cuts - {0}):
        if 0 in cuts:
            test = compared(curves.all_terms(cut), curves.all_terms(0))
            yield f"all terms are better at cut {cut} than at cut 0", test


def validation_claims(curves: Curves) -> Claims:
    """Give what section 6.3 says of the combinations."""
    for measure, (first, second) in product(("R-precision", "F1"), product(COMBINED, PLAIN)):
        peaks = [validated(curves, title, measure).max(axis=0) for title in (first, second)]
        yield f"{first} has a higher peak of {measure} than {second}", compared(*peaks)
    # For most sizes: more wins than losses over all sizes.
    for first, second in product(COMBINED, PLAIN):
        a, b = validated(curves, first), validated(curves, second)
        test = compared((a > b).sum(axis=0), (b > a).sum(axis=0))
        yield f"{first} is better than {second} at most sizes", test
    average = PLAIN[1]
    for combination in COMBINED:
        found = [overtaking_sizes(curves, title) for title in (average, combination)]
        words = f"{average} beats all terms with fewer terms than {combination} needs for it"
        yield words, compared(*found, higher=False)


def reversal_claims(shares: np.ndarray) -> Claims:
    """Give what section 2 says, of shares of reversals by trial, for the pairs of `REVERSING`."""
    ranked, *others = REVERSING
    for place, other in enumerate(others, start=1):
        test = compared(shares[0], shares[place], higher=False)
        yield f"{ranked} reverse less often than {other}", test


def reversal_shares(values: np.ndarray) -> np.ndarray:
    """Return the share of pairs of methods that each two measures order differently, by split.

    Values are (n_methods, n_sizes, n_splits, n_measures), and methods are compared at each size.
    """
    n_pairs = 0
    found = np.zeros((len(REVERSING), values.shape[2]))
    for a, b in combinations(values, 2):
        order = np.sign(a - b)[~np.isnan(a - b).any(axis=(1, 2))]
        n_pairs += len(order)
        for place, (first, second) in enumerate(REVERSING.values()):
            found[place] += (order[..., first] * order[..., second] < 0).sum(axis=0)
    return found / n_pairs


def shares_on(curves: Curves) -> np.ndarray:
    """Return the shares of reversals between the methods of each cutting level, averaged."""
    cuts = dict.fromkeys(cut for _, cut in curves.values)
    of_cut = [
        np.stack([values[:-1] for (_, own), values in curves.values.items() if own == cut])
        for cut in cuts
    ]
    return np.asarray(np.mean([reversal_shares(values) for values in of_cut], axis=0))


def validation_shares(curves: Curves) -> np.ndarray:
    """Return the shares of reversals between the five methods."""
    values = [
        np.stack([validated(curves, title, measure) for measure in MEASURES], axis=-1)
        for title in VALIDATED
    ]
    return reversal_shares(np.stack(values))


def claim_cells(name: str, claims: Claims, *, counted: bool = True) -> Iterator[Cell]:
    """Return for each claim on a set the sign test, and whether it is confirmed."""
    printed = published_cells(FOLDER / "claims.csv", keys=("claim",))
    for words, test in claims:
        where = (words, name)
        for column, value in (("wins", test.wins), ("losses", test.losses), ("p", test.p_value)):
            yield Cell((*where, column), "", float(value), aim="shown")
        text, holds = printed.get((words, "held"), ""), float(test.p_value < LEVEL)
        yield Cell((*where, "held"), text, holds, aim="same" if counted else "shown")


def claims_table(simulated: np.ndarray, *, quick: bool = False) -> Table:
    """Return all claims; `simulated` are the reversals of the Monte-Carlo study, set by set."""
    cells = list(claim_cells("simulated", reversal_claims(simulated)))
    for name in GRID_SETS[:1] if quick else GRID_SETS:
        curves = grid(name, quick=quick)
        counted = name == GRID_SETS[0]
        cells += claim_cells(name, grid_claims(curves), counted=counted)
        cells += claim_cells(name, reversal_claims(shares_on(curves)), counted=counted)
    for reading in (STORED,) if quick else (STORED, SELECTED, WHOLE):
        curves = validation(quick=quick, reading=reading)
        # The paper names the vectors of appendix 13 of RCV1's authors, which have these weights.
        counted = reading == STORED
        name = VALIDATION_SET if counted else f"{VALIDATION_SET}, {reading}"
        cells += claim_cells(name, validation_claims(curves), counted=counted)
        cells += claim_cells(name, reversal_claims(validation_shares(curves)), counted=counted)
    keys = ("claim", "set", "result")
    words = f"{WORDS}\n\n" + "\n".join(f"- {sentence}" for sentence in sentences(cells))
    return Table("olsson2006", "claims", "claims", words, keys, cells, made=curves.made)


def sentences(cells: Sequence[Cell]) -> Iterator[str]:
    """Give each claim in words: wins to losses and p on each set, and whether it is confirmed."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for (claim, name, result), _, measured, *_ in cells:
        found.setdefault(claim, {}).setdefault(name, {})[result] = measured
    for claim, sets in found.items():
        parts = [
            f"{name} {one['wins']:.0f} to {one['losses']:.0f}, p = {one['p']:.2g}, "
            f"**{'confirmed' if one['held'] else 'not confirmed'}**"
            for name, one in sets.items()
        ]
        yield f"*{claim}*: {'; '.join(parts)}."


WORDS = (
    "Claims of the paper's text: in how many splits they are true and in how many the opposite, "
    "and whether this confirms them (column *held*: 1 if so, else 0). Judged are RCV1 subsets 1-4 "
    "and 3-4 with their stored weights in the place of counts, and lengths after selection: the "
    "paper uses the vectors of appendix 13 of the collection's authors, and weighs the terms that "
    "stay. Shown and not counted are subsets 1-2 and halves of 3-4 with counts that were recovered "
    "from the weights, halves with lengths of whole documents, and Reuters-21578, which the paper "
    "does not have. Stored weights became the judged reading after the results of all three on "
    "the halves had been seen, and before subsets 1-4 were measured. "
    "A claim is confirmed if p < 0.05 in the one-sided exact sign test over the "
    "splits that the paper uses. With five splits p is at least 0.031, so that a claim with one "
    "lost split is not confirmed. The splits of a set share documents, so that their outcomes "
    "depend on each other and p is lower than for as many independent trials. This affects most "
    "the 20 halves of one set of 10,798 documents: there p says whether the result depends on "
    "the split, not how certain it is for other documents. Claims with *mean* are our "
    "interpretation of a sentence about all combinations. Claims with *nearly*, which take 99 % "
    "of the peak, were added after the results of the others on RCV1 had been seen, since the "
    "curves are flat at their tops; they are not counted."
)
