"""Algorithm 1 of pillai2012, as published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._validation import check_beta
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds.curves._cuts import Cuts, every_cut
from labelwise.decisions.thresholds.curves._problem import (
    check_problem,
    warn_of_labels_without_positives,
)


class Scan(NamedTuple):
    """What `scan_thresholds` found, and what it cost."""

    thresholds: Thresholds
    n_evaluated: int  # threshold sets
    n_scans: int  # over all labels, the last one without a change included
    value_after_first_scan: float


def scan_thresholds(
    scores: Any,
    Y: Any,
    *,
    beta: float = 1.0,
    max_scans: int | None = None,
    label_names: Sequence[str] | None = None,
) -> Scan:
    """Return the thresholds of the highest micro F by scanning labels one after the other.

    All thresholds start below the lowest score. In the order of the labels each is moved up to
    the value that is best while the others stay, until a scan over all labels moves none. This is
    Algorithm 1 of pillai2012 to the letter; `best_thresholds` reaches the same value at the price
    of a sort.

    Parameters
    ----------
    scores, Y, label_names
        As in `best_thresholds`.
    beta : float
        Of the F-measure.
    max_scans : int, optional
        Scans at most; 1 is the greedy rule of Fan and Lin. Without it the value is the highest.

    Returns
    -------
    Scan
        `thresholds`, the number of evaluated threshold sets (each candidate of a label counts,
        the one it has included), the number of scans, and the value after the first one.

    Notes
    -----
    O(n²N²) at worst: at most ``(N²(n+1)² + N(n+1)) / 2`` threshold sets are evaluated; in
    practice fewer than ``2(n+1)N``. Each evaluation is O(1), since counts of all candidates come
    from one sort.

    References
    ----------
    pillai2012, Algorithm 1. Fan and Lin, A Study on Threshold Selection for Multi-label
    Classification, 2007.

    Examples
    --------
    >>> from labelwise.decisions import scan_thresholds
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> scan = scan_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> scan.n_scans, scan.n_evaluated, round(scan.thresholds.value, 4)
    (2, 16, 0.8571)
    """
    check_beta(beta)
    _check_scans(max_scans)
    problem = check_problem(scores, Y, label_names)
    warn_of_labels_without_positives(problem)
    labels = list(every_cut(problem.scores, problem.Y))
    scanned = _scanned(labels, beta, max_scans)
    places = list(zip(labels, scanned.places, strict=True))
    is_highest = not scanned.moved
    thresholds = Thresholds(
        values=np.array([cuts.thresholds[place] for cuts, place in places]),
        value=scanned.values[-1],
        measure="f_measure",
        average="micro",
        support=problem.support,
        decided=np.array([cuts.decided[place] for cuts, place in places]),
        n_samples=problem.n_samples,
        beta=float(beta),
        label_names=problem.names,
        gap=0.0 if is_highest else None,
        certificate=scanned.values[-1] / (1 + beta**2) if is_highest else None,
    )
    return Scan(thresholds, scanned.n_evaluated, len(scanned.values), scanned.values[0])


class _Scanned(NamedTuple):
    """Where each label stands at the end, the value after each scan, and the sets evaluated."""

    places: np.ndarray
    values: list[float]
    n_evaluated: int
    moved: bool  # in the last scan


def _scanned(labels: list[Cuts], beta: float, max_scans: int | None) -> _Scanned:
    """Scan the cuts of each label, which stand in the order of falling threshold."""
    weighted_positives = beta**2 * sum(int(cuts.positives[0]) for cuts in labels)
    if weighted_positives == 0:
        # The only F above 0 is that of no decisions at all, which single moves never reach.
        return _Scanned(np.zeros(len(labels), dtype=np.int64), [1.0], 0, False)
    places = np.array([cuts.decided.size - 1 for cuts in labels])
    decided = sum(int(cuts.decided[-1]) for cuts in labels)
    hits = sum(int(cuts.hits[-1]) for cuts in labels)
    values: list[float] = []
    n_evaluated, moved = 0, True
    while moved and len(values) != max_scans:
        moved = False
        for j, cuts in enumerate(labels):
            end = places[j] + 1
            more = cuts.decided[:end] - cuts.decided[places[j]]
            more_hits = cuts.hits[:end] - cuts.hits[places[j]]
            f = (1 + beta**2) * (hits + more_hits) / (weighted_positives + decided + more)
            n_evaluated += end
            # Among equals the lowest threshold: it is left only for a higher value.
            best = places[j] - int(np.argmax(f[::-1]))
            if best != places[j]:
                places[j], moved = best, True
                decided, hits = decided + int(more[best]), hits + int(more_hits[best])
        values.append((1 + beta**2) * hits / (weighted_positives + decided))
    return _Scanned(places, values, int(n_evaluated), moved)


def _check_scans(max_scans: Any) -> None:
    if max_scans is None:
        return
    if isinstance(max_scans, bool) or not isinstance(max_scans, int | np.integer):
        raise TypeError(f"max_scans must be a whole number or None, got {max_scans!r}.")
    if max_scans < 1:
        raise ValueError(f"max_scans must be at least 1, got {max_scans}.")
