"""The certified frontier: bounds of precision and recall that hold at every point at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._blocks import warn_of_label_order
from labelwise._tuning._cross_fitting import check_calibration
from labelwise._tuning._result import Thresholds
from labelwise._tuning._solve import thresholds_with_guarantee
from labelwise._tuning.guarantees._certified_path import quotient_bound, unit_counts
from labelwise._tuning.guarantees._certify import Parts, split_parts
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.guarantees._paths import best_kind_of_path, path_of
from labelwise._tuning.guarantees._unit_statistics import path_cells
from labelwise._tuning.objectives._constraints import InfeasibleError
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem, check_problem
from labelwise._validation import check_random_state, check_real, check_whole, frame_names

# Each point pays for all others: more points are nearer to each other, but have lower bounds.
_MOST_POINTS = 30


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedFrontier:
    """Points of a path of thresholds, with lower bounds that hold together.

    `certified_frontier` returns such objects. Points go from few decisions to many;
    ``len(frontier)`` is their number.

    Attributes
    ----------
    level : float
        Probability, over the samples given, with which all bounds hold on new samples.
    min_precision, min_recall : ndarray of shape (n_points,)
        Lower bounds of micro precision and micro recall on new samples.
    precision, recall : ndarray of shape (n_points,)
        Micro precision and micro recall on the calibration samples; NaN if not defined.
    max_decided : ndarray of int of shape (n_points,)
        Most decisions a sample: a sample with more keeps the labels with the highest scores.
    n_tuning, n_calibration : int
        Number of samples that the path was chosen on, and of those that the bounds are from.
    weigh : {"sample", "group"}
        Whether every sample counts the same in the rates, or every group.
    label_names : tuple of str or None
        Names of the labels, or None if the data had no names.

    See Also
    --------
    certified_frontier : Find the certified frontier of scores and labels.
    """

    level: float
    min_precision: np.ndarray
    min_recall: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    max_decided: np.ndarray
    n_tuning: int
    n_calibration: int
    weigh: str
    label_names: tuple[str, ...] | None
    _values: np.ndarray  # (n_points, n_labels)
    _problem: Problem
    _n_groups: int | None

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        lines = [
            f"CertifiedFrontier: {len(self)} points, bounds on new samples with probability "
            f"{self.level:g} together",
            "point  precision  at least  recall  at least",
        ]
        rows = zip(self.precision, self.min_precision, self.recall, self.min_recall, strict=True)
        lines += [
            f"{point:5}  {found:9.4f}  {least:8.4f}  {share:6.4f}  {least_share:8.4f}"
            for point, (found, least, share, least_share) in enumerate(rows)
        ]
        return "\n".join(lines)

    def find(self, *, min_precision: float | None = None, min_recall: float | None = None) -> int:
        """Find the point with given bounds.

        Parameters
        ----------
        min_precision : float, default=None
            Precision that must be certified, if any.
        min_recall : float, default=None
            Recall that must be certified, if any.

        Returns
        -------
        int
            The point with both bounds that has the highest recall, or if only a recall is asked
            for, the highest precision on the calibration samples.

        Raises
        ------
        ValueError
            If no point has these bounds.
        """
        asked = (
            check_real(min_precision or 0.0, "min_precision", least=0, most=1),
            check_real(min_recall or 0.0, "min_recall", least=0, most=1),
        )
        met = (self.min_precision >= asked[0]) & (self.min_recall >= asked[1])
        if not met.any():
            raise InfeasibleError(
                f"min_precision={asked[0]:g} and min_recall={asked[1]:g} are certified at no "
                f"point: the highest bounds are {self.min_precision.max():.4f} and "
                f"{self.min_recall.max():.4f}."
            )
        wanted = self.recall if asked[0] > 0 else self.precision
        return int(np.argmax(np.where(met, np.nan_to_num(wanted), -1.0)))

    def at(self, point: int) -> Thresholds:
        """Return the thresholds of a point, with its bounds as their guarantee.

        Parameters
        ----------
        point : int
            Number of the point, from 0.

        Returns
        -------
        Thresholds
            The thresholds; `Evidence.guarantee` has the bounds of this point.

        Raises
        ------
        ValueError
            If there is no such point.
        """
        if check_whole(point, "point", least=0) >= len(self):
            raise ValueError(f"point must be below {len(self)}, got {point}.")
        request = Request("micro-f")
        guarantee = Guarantee(
            level=self.level,
            average="micro",
            across="each",
            min_precision=float(self.min_precision[point]),
            min_recall=float(self.min_recall[point]),
            precision=float(self.precision[point]),
            recall=float(self.recall[point]),
            value=_f(self.precision[point], self.recall[point]),
            f_bound=_f(self.min_precision[point], self.min_recall[point]),
            n_tuning=self.n_tuning,
            n_calibration=self.n_calibration,
            weigh=self.weigh,
            n_groups=self._n_groups,
        )
        values, most = self._values[point], int(self.max_decided[point])
        return thresholds_with_guarantee(self._problem, request, values, most, guarantee)


def _f(precision: float, recall: float) -> float:
    """Return the harmonic mean, which rises with both rates."""
    total = precision + recall
    return float(2 * precision * recall / total) if total > 0 else 0.0


def certified_frontier(
    scores: Any,
    Y: Any,
    *,
    level: float | Certify = 0.95,
    groups: Any = None,
    sample_weight: Any = None,
    label_names: Sequence[str] | None = None,
    random_state: Any = None,
    ids: Any = None,
) -> CertifiedFrontier:
    """Bound precision and recall at every point of a path of thresholds together.

    The guarantee of `best_thresholds` is for limits that are fixed before the samples are seen.
    Here, lower bounds hold at all points with the given probability together, so that a point may
    be chosen after looking at them.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of any model on samples
        that it was not fitted to. In a sparse matrix, an absent score is never decided.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. Columns with names are matched by name, rows by ids if both have them.
        NaN, null or a masked cell is a missing label, which counts nowhere.
    level : float or Certify, default=0.95
        Probability, over the given samples, with which all bounds hold on new samples of the same
        distribution. A `Certify` also says how samples are split, and whether every sample or
        every group counts the same.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. Groups must be independent of each
        other; without groups, samples must be.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. No new sample may be heavier than the
        heaviest one.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It splits the samples.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    CertifiedFrontier
        At most 30 points with their bounds.

    Raises
    ------
    ValueError
        If an argument has the wrong value, or if there are too few samples.

    Warns
    -----
    UserWarning
        If columns of Y or `label_names` are in another order than those of scores.

    See Also
    --------
    best_thresholds : Certify one request, with a higher recall for the same precision.
    micro_frontier : The best trade-offs on the given samples, without bounds for new ones.

    Notes
    -----
    A part of the samples gives the path: vertices of the micro frontier, or one threshold for all
    labels if that has a higher F on samples it was not made of. The other samples bound both rates
    at each of K points by betting, each bound with the probability ``(1 - level) / (2 K)`` to be
    wrong, so that all 2 K hold together (Bonferroni). A sample has no more decisions than any
    sample that the path was made of: a test must stand a sample in which all are wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import certified_frontier
    >>> random = np.random.default_rng(0)
    >>> Y = random.random((4000, 3)) < 0.3
    >>> scores = Y + random.normal(size=Y.shape)
    >>> frontier = certified_frontier(scores, Y, random_state=0)
    >>> chosen = frontier.find(min_precision=0.7)
    >>> bool(frontier.min_precision[chosen] >= 0.7)
    True
    >>> frontier.at(chosen).evidence.guarantee.level
    0.95
    """
    certify = level if isinstance(level, Certify) else Certify(level)
    if certify.in_expectation or certify.across != "each":
        raise ValueError("level of a frontier must be a probability, without across.")
    problem = check_problem(
        scores, Y, label_names, groups, sample_weight, allow_missing=True, ids=ids
    )
    tested = check_calibration(problem, certify, ids)
    warn_of_label_order(problem.names, frame_names(Y), label_names)
    parts = split_parts(problem, certify, check_random_state(random_state), tested)
    path = _points_of(parts)
    alpha = certify.alpha / (2 * len(path))
    found = [_bounded(parts, thresholds, alpha) for thresholds in path]
    min_precision, min_recall, precision, recall, most = map(np.array, zip(*found, strict=True))
    return CertifiedFrontier(
        level=float(certify.level),
        min_precision=min_precision,
        min_recall=min_recall,
        precision=precision,
        recall=recall,
        max_decided=most,
        n_tuning=parts.tuning.problem.n_samples,
        n_calibration=parts.calibration.problem.n_samples,
        weigh=certify.weigh,
        label_names=problem.names,
        _values=path,
        _problem=problem,
        _n_groups=parts.calibration.n_groups,
    )


def _points_of(parts: Parts) -> np.ndarray:
    """Return points of the better kind of path, at about equal steps of the true positives."""
    request = Request("micro-f")
    path = path_of(parts.tuning.problem, best_kind_of_path(parts.tuning, request))
    places = np.linspace(0, len(path) - 1, min(_MOST_POINTS, len(path)))
    return path[np.unique(np.rint(places).astype(np.intp))]


def _bounded(
    parts: Parts, thresholds: np.ndarray, alpha: float
) -> tuple[float, float, float, float, int]:
    """Return bounds of both rates, the rates, and the most decisions that a sample may have."""
    tuning, calibration = parts
    cells = path_cells(tuning.problem, thresholds[None])
    n_labels = tuning.problem.n_labels
    # With missing labels, decisions of unknown truth would count for the limit.
    most = n_labels
    if not tuning.problem.n_missing:
        most = max(1, max(int(counts.decided.max()) for counts in cells.blocks(tuning.ends)))
    counts = [unit_counts(units, thresholds, most) for units in (tuning, calibration)]

    def bound_and_rate(place: int, most_below: int) -> tuple[float, float]:
        seen, found = ((of_units[1], of_units[place]) for of_units in counts)
        hits, below = found
        most_of_unit = most_below * calibration.most_weight
        bound = quotient_bound(seen, found, most_of_unit, alpha, tuning.mean_weight)
        return bound, float(hits.sum() / below.sum()) if below.any() else float("nan")

    (min_precision, precision), (min_recall, recall) = (
        bound_and_rate(0, most),
        bound_and_rate(2, n_labels),
    )
    return min_precision, min_recall, precision, recall, most
