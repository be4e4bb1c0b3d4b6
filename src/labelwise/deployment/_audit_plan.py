"""Plans of audits: which cells a person should look at.

`plan_audit` draws cells (a label of a sample each) one after the other, with known probabilities
and without replacement. The weight of a cell is its influence on the goal, and its probability in
a draw its share of the weights of all cells that are not drawn yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._tuning import in_order
from labelwise._validation import (
    MatchedSide,
    check_labels,
    check_names,
    check_random_state,
    check_scores,
    check_whole,
    dense_targets,
    in_row_order,
    rows_in_order,
    rows_of,
)
from labelwise.decisions import Bands, Thresholds
from labelwise.deployment._estimates import Calibration
from labelwise.deployment._promises import GOALS, beta_of, check_at_least, promised_rates
from labelwise.deployment._quotients import terms_of

# Bets must survive a wrong guess of any cell, so that no cell may be drawn too rarely. A share of
# the draws goes to all cells evenly, and the deviation of a cell counts as higher by this much. On
# nih-chestxray with 500 answers, the lower end of micro F is 0.03 higher for it.
_EVENLY, _LEAST_DEVIATION = 0.1, 0.1
# Guesses nearer to 0 and 1 would give cells almost no draws.
_LEAST_GUESS = 1e-3
# Cells in memory at a time.
_BLOCK = 2**20


class CellTotals(NamedTuple):
    """Sums over cells, by state (0, 1, and 2 for review) and label: arrays of shape (3, n_labels).

    A cell to review is decided as the person answers. A cell whose answer is known has this answer
    as its guess and is never drawn.
    """

    n_cells: np.ndarray
    n_unknown: np.ndarray  # cells without a known answer
    guessed: np.ndarray  # sum of p
    weight: np.ndarray  # sum of u
    variance: np.ndarray  # sum of p (1 - p) / u
    most_negative: np.ndarray  # largest p / u
    most_positive: np.ndarray  # largest (1 - p) / u

    def of_labels(self, labels: Any) -> CellTotals:
        """Sum over some labels; arrays of shape (3,)."""
        sums = [part[:, labels].sum(axis=1) for part in self[:5]]
        return CellTotals(*sums, *(part[:, labels].max(axis=1, initial=0.0) for part in self[5:]))


@dataclass(frozen=True, eq=False, repr=False)
class AuditPlan:
    """Cells to look at, in the order of their draws; prints as a summary.

    `plan_audit` returns such objects, and `AuditPlan.load` reads them from a file.

    Attributes
    ----------
    ids : tuple of str
        Id of the sample of each cell; its row number if samples have no ids.
    labels : ndarray of int of shape (n_cells,)
        Number of the label of each cell.
    scores : ndarray of shape (n_cells,)
        Score of each cell.
    states : ndarray of int of shape (n_cells,)
        1 for decided cells, 0 for others, and 2 for those that go to review.
    guesses : ndarray of shape (n_cells,)
        Probability of each label, as the plan assumed it.
    weights : ndarray of shape (n_cells,)
        Weights by which cells were drawn.
    totals : CellTotals
        Sums over all cells, by state and label.
    label_names : tuple of str or None
        Names of the labels.
    goal : str
        The measure for which cells were drawn.
    beta : float
        Weight of recall in F.
    promises : dict of str to float
        Least values that were promised, by the name of the measure.

    See Also
    --------
    plan_audit : Draw cells to look at.
    audit_report : Compute estimates and intervals from answers.
    """

    ids: tuple[str, ...]
    labels: np.ndarray
    scores: np.ndarray
    states: np.ndarray
    guesses: np.ndarray
    weights: np.ndarray
    totals: CellTotals
    label_names: tuple[str, ...] | None
    goal: str
    beta: float
    promises: Mapping[str, float]

    def __len__(self) -> int:
        return self.labels.size

    def __repr__(self) -> str:
        n_cells = int(self.totals.n_unknown.sum())
        by_state = np.bincount(self.states, minlength=3)
        review = f", {by_state[2]:,} to review" if by_state[2] else ""
        return (
            f"AuditPlan for {self.goal}: {len(self):,} of {n_cells:,} cells, "
            f"{by_state[1]:,} decided, {by_state[0]:,} not decided{review}"
        )

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self.label_names or tuple(map(str, range(self.totals.weight.shape[1])))

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Id and label of each cell."""
        return [
            (row, self._names[j]) for row, j in zip(self.ids, self.labels.tolist(), strict=True)
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Return the list to fill in, as columns of a table.

        Returns
        -------
        dict of str to list
            The columns "cell" (number of the draw, from 1), "id", "label", "score", "decision" (1,
            0, or -1 for review) and "answer", which is empty.
        """
        return {
            "cell": list(range(1, len(self) + 1)),
            "id": list(self.ids),
            "label": [label for _, label in self.cells],
            "score": self.scores.tolist(),
            "decision": np.where(self.states == 2, -1, self.states).tolist(),
            "answer": [""] * len(self),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return a summary, as --json writes it.

        Returns
        -------
        dict
            Number of cells, goal and promises.
        """
        return {"n_cells": len(self), "goal": self.goal, "promises": self.promises}

    def save(self, path: str | Path) -> None:
        """Write the plan to a JSON file.

        Parameters
        ----------
        path : str or Path
            File to write; missing folders are created.
        """
        from labelwise._json_files import json_content, write_json
        from labelwise.deployment._files import PlanFile

        write_json(json_content(PlanFile, {**vars(self), "totals": np.ravel(self.totals)}), path)

    @staticmethod
    def load(path: str | Path) -> AuditPlan:
        """Read a plan from a JSON file that `save` has written.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        AuditPlan
            The plan with all attributes.

        Raises
        ------
        DataError
            If the file cannot be read, or is not a file of a plan.
        """
        from labelwise._json_files import read_json
        from labelwise.deployment._files import PlanFile

        found = dict(read_json(path, PlanFile))
        totals = CellTotals(*found.pop("totals").reshape(len(CellTotals._fields), 3, -1))
        return AuditPlan(**{**found, "ids": tuple(found["ids"])}, totals=totals)


def plan_audit(
    thresholds: Thresholds | Bands,
    scores: Any,
    n_cells: int,
    *,
    goal: str = "micro-f",
    known: Any = None,
    calibrate: Any = None,
    at_least: Mapping[str, float] | None = None,
    ids: Sequence[str] | None = None,
    random_state: Any = None,
) -> AuditPlan:
    """Draw cells for a person to look at, to prove how good decisions are.

    Parameters
    ----------
    thresholds : Thresholds or Bands
        The deployed rule. In recall and F, a cell that bands send to review counts as decided if
        the label is true; precision is that of the accepted cells, as bands promise it.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of the samples whose
        decisions are audited. The columns of a frame are matched by name if the rule has label
        names.
    n_cells : int
        Number of cells to draw; all cells if there are fewer.
    goal : {"micro-f", "micro-precision", "micro-recall", "macro-f", "macro-precision", \
"macro-recall"}, default="micro-f"
        Measure that is to be known best. The report has all measures, whatever the goal. F has the
        beta that the thresholds were tuned for.
    known : array, sparse matrix or frame of shape (n_samples, n_labels), str or Path, default=None
        Answers that are known already, such as those of the review queue: 0 or 1, and NaN where
        nothing is known. These cells are counted as they are, and not drawn. A path names a filled
        list with the columns "id" (or "row"), "label" and "answer".
    calibrate : pair of scores and labels, default=None
        Labelled samples, usually those that the thresholds were tuned on. A sigmoid is fitted to
        each label to guess the probabilities of cells. None takes scores as probabilities, which
        must then be from 0 to 1.
    at_least : mapping of str to float, default=None
        Promises to prove, as ``{"micro-precision": 0.8}``; None takes those that the thresholds
        guarantee.
    ids : sequence of str, default=None
        Names of the samples. They are shown in the list. None means the index of a pandas frame of
        scores, or the ids of a file that `labelwise.data.read_scores` has read; without them,
        samples are numbered from 0.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the cells.

    Returns
    -------
    AuditPlan
        The drawn cells. `AuditPlan.columns` is the list to fill in.

    Raises
    ------
    ValueError
        If scores are not probabilities and `calibrate` is None, or if an argument has a wrong
        value.
    TypeError
        If `thresholds` is neither Thresholds nor Bands.

    See Also
    --------
    audit_report : Compute estimates and intervals from answers.

    Notes
    -----
    The weight of a cell is ``abs(a) (sqrt(p (1 - p)) + 0.1)``, plus a constant so that every cell
    can be drawn: p is the guessed probability, and a the change of the goal if the label is true.
    For micro F it is proportional to ``2 d - F``, where d says whether the label is decided. Wrong
    guesses make intervals wider, and never wrong.

    References
    ----------
    S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas, "Risk-limiting Financial Audits via Weighted
    Sampling without Replacement", 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.deployment import audit_report, plan_audit
    >>> random = np.random.default_rng(0)
    >>> proba = random.beta(0.3, 1.5, size=(4000, 4))
    >>> Y = random.random(proba.shape) < proba
    >>> tuned = best_thresholds(proba[:1000], Y[:1000])
    >>> plan = plan_audit(tuned, proba[1000:], 300, random_state=0)
    >>> plan
    AuditPlan for micro-f: 300 of 12,000 cells, 118 decided, 182 not decided
    >>> rows = [int(number) + 1000 for number in plan.ids]
    >>> report = audit_report(plan, Y[rows, plan.labels])
    >>> low, high = report.intervals["micro-f"]
    >>> low < report.values["micro-f"] < high
    True
    """
    beta = beta_of(thresholds, "an audit")
    n_cells = check_whole(n_cells, "n_cells")
    if goal not in GOALS:
        raise ValueError(f"goal must be one of {', '.join(GOALS)}, got {goal!r}.")
    promises = promised_rates(thresholds) if at_least is None else check_at_least(at_least, GOALS)
    random = check_random_state(random_state)
    checked = check_scores(scores, n_labels=len(thresholds))
    matrix = in_order(thresholds, checked.matrix, checked.names, "scores")
    n_samples = matrix.shape[0]
    if not n_samples:
        raise ValueError("scores must have at least one sample, got 0.")
    side = rows_of(scores, None, "scores")[1]._replace(shape=matrix.shape)
    own = range(n_samples) if side.ids is None else side.ids
    names = check_names(own if ids is None else in_row_order(ids, side, "ids"), "ids")
    if len(names) != n_samples:
        raise ValueError(f"ids must have one id for each of {n_samples} samples, got {len(names)}.")
    if isinstance(known, str | Path):
        from labelwise.deployment._files import known_answers

        labels = thresholds.label_names or tuple(map(str, range(len(thresholds))))
        known = known_answers(Path(known), names, labels)
    calibration = Calibration(thresholds, matrix, calibrate)
    blocks = _cells(thresholds, matrix, calibration, known, side)
    cells, totals = _draw(blocks, len(thresholds), n_cells, goal, beta, random)
    rows, labels, states = cells[[0, 1, 3]].astype(int)
    of_rows, about = [names[i] for i in rows], (thresholds.label_names, goal, beta, promises)
    return AuditPlan(tuple(of_rows), labels, cells[2], states, cells[4], cells[5], totals, *about)


class _CellBlock(NamedTuple):
    """Cells of consecutive rows; arrays of shape (n_rows, n_labels)."""

    first: int
    scores: np.ndarray
    states: np.ndarray
    guesses: np.ndarray  # the answer itself where it is known
    unknown: np.ndarray

    def by_state(self, *numbers: Any, combine: Any = np.sum) -> np.ndarray:
        """Return the sums of some numbers over the cells of each state and label."""
        here = [self.states == state for state in range(3)]
        return np.array([[combine(part * one, axis=0) for one in here] for part in numbers])


def _cells(
    rule: Any, scores: Any, calibration: Calibration, known: Any, side: MatchedSide
) -> Callable[[], Iterator[_CellBlock]]:
    """Return a function that yields all cells in blocks of rows."""
    truth = np.broadcast_to(np.nan, scores.shape)
    if known is not None:
        found = check_labels(known, input_name="known", allow_missing=True)
        of_known = rows_of(known, None, "known")[1]._replace(shape=found.matrix.shape)
        order = rows_in_order(side, of_known, None)
        truth = dense_targets(found.matrix, found.missing).astype(np.float64)
        truth = in_order(rule, truth, found.names, "known")
        truth = truth if order is None else truth[order]
    rule = replace(rule, label_names=None)  # columns are in its order already

    def blocks() -> Iterator[_CellBlock]:
        step = max(1, _BLOCK // max(scores.shape[1], 1))
        for first in range(0, scores.shape[0], step):
            block = scores[first : first + step]
            decided = rule.decide(block)
            if sparse.issparse(block):
                block, decided = block.toarray(), decided.toarray()
            states = np.where(decided == -1, 2, decided).astype(np.int8)
            guesses = np.clip(calibration.probabilities(block), _LEAST_GUESS, 1 - _LEAST_GUESS)
            answers = truth[first : first + step]
            unknown = np.isnan(answers)
            yield _CellBlock(first, block, states, np.where(unknown, guesses, answers), unknown)

    return blocks


def _draw(
    blocks: Callable[[], Iterator[_CellBlock]],
    n_labels: int,
    n_cells: int,
    goal: str,
    beta: float,
    random: np.random.RandomState,
) -> tuple[np.ndarray, CellTotals]:
    """Draw cells by their influence on the goal: the one with the lowest exponential key first.

    The array has the row, label, score, state, guess and weight of each drawn cell.
    """
    sums, largest = np.zeros((4, 3, n_labels)), np.zeros((2, 3, n_labels))
    for one in blocks():
        sums += one.by_state(1, one.unknown, one.guesses, _deviation(one.guesses) * one.unknown)
    if not sums[1].any():
        raise ValueError("known must leave a cell to look at, got an answer for every cell.")
    influence = _influence(goal, beta, sums[0, 1], sums[2])
    mean = (influence * sums[3]).sum() / sums[1].sum() or 1.0
    of_weights = np.zeros((2, 3, n_labels))
    kept = np.zeros((7, 0))
    for one in blocks():
        of_cells = influence[one.states, np.arange(n_labels)] * _deviation(one.guesses)
        weights = (1 - _EVENLY) * of_cells / mean + _EVENLY
        p, shares = one.guesses, one.unknown / weights
        of_weights += one.by_state(weights * one.unknown, p * (1 - p) * shares)
        found = one.by_state(p * shares, (1 - p) * shares, combine=np.max)
        np.maximum(largest, found, out=largest)
        rows, labels = np.nonzero(one.unknown)
        cells = [part[rows, labels] for part in (one.scores, one.states, p, weights)]
        keys = random.standard_exponential(rows.size) / cells[-1]
        found = np.stack([keys, rows + one.first, labels, *cells])
        kept = np.hstack([kept, found])
        kept = kept[:, np.argsort(kept[0], kind="stable")[:n_cells]]
    return kept[1:], CellTotals(*sums[:3], *of_weights, *largest)


def _influence(goal: str, beta: float, n_decided: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return how much a true label changes the goal, by state and label, as far as guesses say."""
    average, measure = goal.split("-")
    shape = sums.shape
    if average == "micro":
        sums, n_decided = sums.sum(axis=1, keepdims=True), n_decided.sum(keepdims=True)
    terms = terms_of(measure, beta)
    numerator, denominator = terms.sums(sums, n_decided)
    above, below = terms.positive[:, :, None]
    change = above - numerator / np.maximum(denominator, 1e-9) * below
    return np.broadcast_to(np.abs(change) / np.maximum(denominator, 1.0), shape)


def _deviation(guesses: np.ndarray) -> np.ndarray:
    """Return the standard deviation of the label of each cell, slightly raised."""
    return np.asarray(np.sqrt(guesses * (1 - guesses)) + _LEAST_DEVIATION)
