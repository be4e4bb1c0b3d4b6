"""The hulls of all labels down to their last score, and the frontier along which bands end.

Both ends of the queue lie on one frontier: cells are accepted down to one point of it, and reviewed
down to another. What is not accepted, from the lowest score up, is the same problem mirrored: the
cells are taken from the other end, and negatives are what is looked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._curves import Cuts, FrontierSteps, hulls_of, joined
from labelwise.decisions.problem._problem import Problem


def whole_hulls(problem: Problem) -> Cuts:
    """Return the hull vertices of each label, and the cut that decides every scored sample.

    Labels are read one at a time, since all cuts would be five times the size of the scores.
    """
    found = []
    for cuts in problem.every_cut():
        hull = hulls_of(cuts)
        parts = zip(fields_of(hull), fields_of(cuts), strict=True)
        # A hull ends at the last positive.
        ends = cuts.decided[-1] == hull.decided[-1]
        found.append(tuple(part if ends else np.append(part, every[-1]) for part, every in parts))
    return joined(found, problem.support, problem.n_samples)


class Near(NamedTuple):
    """Which cuts of a label may belong to a better solution.

    ``hits - slope·decided`` must be at most `allowance` below the highest value of the label, and
    label j must have at least ``fewest[j]`` decisions.
    """

    slope: float
    allowance: float
    fewest: np.ndarray

    def places(self, cuts: Cuts, j: int) -> np.ndarray:
        """Return the places of these cuts; of equal hits, only that with the fewest decisions."""
        gains = cuts.hits - self.slope * cuts.decided
        is_near = gains >= gains.max() - self.allowance
        places = np.flatnonzero(is_near & (cuts.decided >= self.fewest[j]))
        return places[np.diff(cuts.hits[places], prepend=-1) > 0]


def near_cuts(problem: Problem, near: Near, *, mirror: bool, most_cuts: int) -> Cuts | None:
    """Return the cuts of all labels that may belong to a better solution.

    Cuts are those of the mirrored problem if `mirror`. None is returned for more than `most_cuts`
    cuts, and if a label has none.
    """
    found, n_found = [], 0
    for j, cuts in enumerate(problem.every_cut()):
        one = mirrored_cuts(cuts) if mirror else cuts
        places = near.places(one, j)
        found.append(tuple(part[places] for part in fields_of(one)))
        n_found += places.size
        if n_found > most_cuts or not places.size:
            return None
    return joined(found, problem.support, problem.n_samples)


def fields_of(cuts: Cuts) -> tuple[np.ndarray, ...]:
    """Return the arrays of cuts as `joined` takes them."""
    return cuts.decided, cuts.hits, cuts.lows, cuts.thresholds


def mirrored_cuts(cuts: Cuts) -> Cuts:
    """Return the cuts of one label from the lowest score up; hits are negatives below the cut."""
    decided, hits = mirrored(cuts.decided, cuts.hits, cuts.decided[-1], cuts.hits[-1])
    backwards = cuts._replace(lows=cuts.lows[::-1], thresholds=cuts.thresholds[::-1])
    return backwards._replace(decided=decided[::-1], hits=hits[::-1])


def mirrored_steps(steps: FrontierSteps) -> FrontierSteps:
    """Return the frontier from all cells to none, with negatives as hits."""
    decided, hits = mirrored(steps.decided, steps.hits, steps.decided[-1], steps.hits[-1])
    return steps._replace(
        labels=steps.labels[::-1],
        slopes=1 - steps.slopes[::-1],
        decided=decided[::-1],
        hits=hits[::-1],
    )


def mirrored(
    decided: np.ndarray, hits: np.ndarray, n_cells: Any, n_hits: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many cells are not decided, and how many of these are negatives."""
    rest = n_cells - decided
    return rest, rest - (n_hits - hits)
