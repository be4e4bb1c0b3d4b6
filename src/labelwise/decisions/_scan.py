"""Micro F by scanning the labels one after the other (Algorithm 1 of Pillai et al., 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks import warn_of_label_order
from labelwise._curves import Cuts
from labelwise._tuning._evidence import Evidence
from labelwise._tuning._result import Thresholds
from labelwise._tuning.problem._problem import check_problem, warn_of_labels_without_positives
from labelwise._validation import check_beta, check_whole, frame_names


class Scan(NamedTuple):
    """Thresholds found by `scan_thresholds`, and how much work they took.

    Attributes
    ----------
    thresholds : Thresholds
        The thresholds after the last scan.
    n_evaluated : int
        Number of different threshold vectors whose F-measure was computed.
    n_scans : int
        Number of scans over all labels, including the last one, which changes no threshold.
    value_after_first_scan : float
        Micro F after the first scan.

    See Also
    --------
    scan_thresholds : Find thresholds by scanning the labels.
    """

    thresholds: Thresholds
    n_evaluated: int
    n_scans: int
    value_after_first_scan: float


def scan_thresholds(
    scores: Any,
    Y: Any,
    *,
    beta: float = 1.0,
    max_scans: int | None = None,
    label_names: Sequence[str] | None = None,
    ids: Any = None,
) -> Scan:
    """Find the thresholds with the highest micro F by scanning label after label.

    All thresholds start below the lowest score. Label after label, the threshold is moved up to
    the value with the highest micro F while all others stay, until a scan over all labels moves
    none. This is Algorithm 1 of Pillai et al. as published, for comparisons: `best_thresholds`
    reaches the same value in about the time of a sort.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. float32 stays float32. In a sparse
        matrix, an absent score is never decided.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. If scores and Y both have column names, columns are matched by name,
        and rows by the index of pandas frames if both have one that is more than a count from 0.
        NaN, null or a masked cell is a missing label, which counts nowhere.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.
    max_scans : int, default=None
        Largest number of scans; 1 is the greedy rule of Fan and Lin. With None, scans are repeated
        until no threshold moves, and the value is the highest of all threshold vectors.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    Scan
        The thresholds, the number of evaluated threshold vectors (a vector that comes back in a
        later scan counts once), the number of scans, and the value after the first.

    Raises
    ------
    TypeError
        If `max_scans` is neither a whole number nor None.
    ValueError
        If `max_scans` is less than 1, if `beta` is not positive, if scores are not finite, or if
        scores and Y do not have the same samples and labels.

    See Also
    --------
    best_thresholds : Find the same value in O(n_samples · n_labels · log n_samples).

    Notes
    -----
    With n samples and N labels, at most ``(N²(n+1)² + N(n+1)) / 2`` threshold vectors are
    evaluated, O(n²N²); in practice fewer than ``2(n+1)N``. Each evaluation takes O(1), since the
    counts of all candidates of a label come from one sort.

    References
    ----------
    I. Pillai, G. Fumera, F. Roli, "F-Measure Optimisation in Multi-label Classifiers", ICPR 2012,
    Algorithm 1 (pillai2012).

    R.-E. Fan, C.-J. Lin, "A Study on Threshold Selection for Multi-label Classification", 2007.

    Examples
    --------
    >>> from labelwise.decisions import scan_thresholds
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> scan = scan_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> scan.n_scans, scan.n_evaluated, round(scan.thresholds.value, 4)
    (2, 12, 0.8571)
    """
    check_beta(beta)
    max_scans = None if max_scans is None else check_whole(max_scans, "max_scans")
    problem = check_problem(scores, Y, label_names, allow_missing=True, ids=ids)
    warn_of_label_order(problem.names, frame_names(Y), label_names)
    warn_of_labels_without_positives(problem)
    labels = list(problem.every_cut())
    scanned = _scanned(labels, beta, max_scans)
    places = list(zip(labels, scanned.places, strict=True))
    is_highest = not scanned.moved
    evidence = Evidence(
        value=scanned.values[-1],
        measure="f_measure",
        average="micro",
        support=problem.support,
        decided=np.array([cuts.decided[place] for cuts, place in places]),
        n_samples=problem.n_samples,
        beta=float(beta),
        gap=0.0 if is_highest else None,
        certificate=scanned.values[-1] / (1 + beta**2) if is_highest else None,
        true_positives=np.array([cuts.hits[place] for cuts, place in places]),
    )
    values = np.array([cuts.thresholds[place] for cuts, place in places])
    thresholds = Thresholds(values, evidence, problem.names)
    return Scan(thresholds, scanned.n_evaluated, len(scanned.values), scanned.values[0])


class _Scanned(NamedTuple):
    """The last cut of each label, the value after each scan, and the evaluated vectors."""

    places: np.ndarray  # number of the cut of each label
    values: list[float]
    n_evaluated: int
    moved: bool  # whether the last scan moved a threshold


def _scanned(labels: list[Cuts], beta: float, max_scans: int | None) -> _Scanned:
    """Run the scans over the cuts of each label, which are in the order of falling threshold."""
    weighted_positives = beta**2 * sum(int(cuts.positives[0]) for cuts in labels)
    if weighted_positives == 0:
        # F is above 0 only without any decision, which moves of one label cannot reach.
        return _Scanned(np.zeros(len(labels), dtype=np.int64), [1.0], 0, False)
    places = np.array([cuts.decided.size - 1 for cuts in labels])
    decided = sum(int(cuts.decided[-1]) for cuts in labels)
    hits = sum(int(cuts.hits[-1]) for cuts in labels)
    values: list[float] = []
    # The vectors above the current threshold of a label are new, unless no other label has moved
    # since its last visit: thresholds only rise, so that no vector of earlier moves comes back.
    n_evaluated, moved, n_moves = 1, True, 0
    n_seen = np.full(len(labels), -1)  # moves of all labels up to the last visit of each
    while moved and len(values) != max_scans:
        moved = False
        for j, cuts in enumerate(labels):
            end = places[j] + 1
            more = cuts.decided[:end] - cuts.decided[places[j]]
            more_hits = cuts.hits[:end] - cuts.hits[places[j]]
            f = (1 + beta**2) * (hits + more_hits) / (weighted_positives + decided + more)
            n_evaluated += 0 if n_seen[j] == n_moves else places[j]
            # Among equal values the lowest threshold: it moves only to a higher value.
            best = places[j] - int(np.argmax(f[::-1]))
            if best != places[j]:
                places[j], moved = best, True
                decided, hits = decided + int(more[best]), hits + int(more_hits[best])
                n_moves += 1
            n_seen[j] = n_moves
        values.append((1 + beta**2) * hits / (weighted_positives + decided))
    return _Scanned(places, values, int(n_evaluated), moved)
