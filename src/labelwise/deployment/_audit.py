"""Audits: which cells a person should look at, and what the answers prove about the decisions.

`plan_audit` draws cells (a label of a sample each) one after the other, with known probabilities
and without replacement. `audit_report` turns the answers into estimates and intervals of precision,
recall and F of the decisions on *these* samples, which are valid whenever it is called.

Let each cell have a weight u > 0, a probability p that its label is true (a guess, which may be
wrong), and U the sum of the weights of the cells that are not drawn yet. A cell is drawn with
probability u / U. For any numbers a of the cells, ::

    sum over drawn cells of a·y + sum over other cells of a·p + a (y - p) U / u of the next cell

has, given all earlier draws, the sum of a·y over all cells as its expectation. Precision, recall
and F are quotients of such sums, and a quotient is above τ if "above - τ · below" is above 0. Each
τ of a grid is tested by betting on these numbers, in the order of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._sigmoids import fit_sigmoids
from labelwise._text import as_text, counted, printable
from labelwise._tuning import log_capitals
from labelwise._validation import (
    check_beta,
    check_instance,
    check_labels,
    check_random_state,
    check_real,
    check_scores,
    check_whole,
    dense_targets,
)
from labelwise.decisions import Bands, Thresholds, calibration_samples, in_order
from labelwise.deployment._promises import GOALS, check_at_least, promised_rates

# Bets must survive a wrong guess of any cell, so that no cell may be drawn too rarely. A share of
# the draws goes to all cells evenly, and the deviation of a cell counts as higher by this much. On
# nih-chestxray with 500 answers, the mean interval of micro F is 0.30 to 0.49 (else 0.27 to 0.49).
_EVENLY, _LEAST_DEVIATION = 0.1, 0.1
# Guesses nearer to 0 and 1 would give cells almost no draws.
_LEAST_GUESS = 1e-3
# Cells in memory at a time.
_BLOCK = 2**20
# Values of a measure that are tested: the ends of intervals are among them.
GRID = np.linspace(0.0, 1.0, 501)
_MEASURES = ("precision", "recall", "f")
_MOST_SHOWN = 20
# Draws of which the numbers of all tested values are in memory.
_TOGETHER = 1000


class CellTotals(NamedTuple):
    """Sums over the cells whose answer is not known, by state (0, 1 and 2 for review) and label.

    Arrays of shape (3, n_labels). A cell to review is decided as the person answers.
    """

    n_cells: np.ndarray
    guessed: np.ndarray  # sum of p
    weight: np.ndarray  # sum of u
    variance: np.ndarray  # sum of p (1 - p) / u
    most_negative: np.ndarray  # largest p / u
    most_positive: np.ndarray  # largest (1 - p) / u

    def of_labels(self, labels: Any) -> CellTotals:
        """Sum over some labels; arrays of shape (3,)."""
        sums = [part[:, labels].sum(axis=1) for part in self[:4]]
        return CellTotals(*sums, *(part[:, labels].max(axis=1, initial=0.0) for part in self[4:]))


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
        Sums over all cells without a known answer.
    known : ndarray of shape (3, n_labels)
        True positives, decisions and positives of each label among cells with a known answer.
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
    known: np.ndarray
    label_names: tuple[str, ...] | None
    goal: str
    beta: float
    promises: Mapping[str, float]

    # Comparing arrays gives arrays, so that two plans are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    def __len__(self) -> int:
        return self.labels.size

    def __repr__(self) -> str:
        n_cells = int(self.totals.n_cells.sum())
        by_state = np.bincount(self.states, minlength=3)
        review = f", {by_state[2]:,} to review" if by_state[2] else ""
        return (
            f"AuditPlan for {self.goal}: {len(self):,} of {n_cells:,} cells, "
            f"{by_state[1]:,} decided, {by_state[0]:,} not decided{review}"
        )

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self.label_names or tuple(map(str, range(self.known.shape[1])))

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
            "label": [self._names[j] for j in self.labels.tolist()],
            "score": self.scores.tolist(),
            "decision": np.where(self.states == 2, -1, self.states).tolist(),
            "answer": [""] * len(self),
        }

    def save(self, path: str | Path) -> None:
        """Write the plan to a JSON file.

        Parameters
        ----------
        path : str or Path
            File to write; missing folders are created.
        """
        from labelwise._json_files import json_content, write_json
        from labelwise.deployment._files import PlanFile

        flat = {name: part.ravel() for name, part in self.totals._asdict().items()}
        fields = {**vars(self), **flat, "known": self.known.ravel()}
        write_json(json_content(PlanFile, fields), path)

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
        totals = CellTotals(*(found.pop(name).reshape(3, -1) for name in CellTotals._fields))
        known = found.pop("known").reshape(3, -1)
        return AuditPlan(**{**found, "ids": tuple(found["ids"])}, totals=totals, known=known)


def plan_audit(
    thresholds: Thresholds | Bands,
    scores: Any,
    n_cells: int,
    *,
    goal: str = "micro-f",
    beta: float = 1.0,
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
        The deployed rule. A cell that bands send to review counts as decided if the person says
        that the label is true.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of the samples whose
        decisions are audited. The columns of a frame are matched by name if the rule has label
        names.
    n_cells : int
        Number of cells to draw; all cells if there are fewer.
    goal : {"micro-f", "micro-precision", "micro-recall", "macro-f", "macro-precision", \
"macro-recall"}, default="micro-f"
        Measure that is to be known best. The report has all measures, whatever the goal.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.
    known : array, sparse matrix or frame of shape (n_samples, n_labels), default=None
        Answers that are known already, such as those of the review queue: 0 or 1, and NaN where
        nothing is known. These cells are counted as they are, and not drawn.
    calibrate : pair of scores and labels, default=None
        Labelled samples, usually those that the thresholds were tuned on. A sigmoid is fitted to
        each label to guess the probabilities of cells. None takes scores as probabilities, which
        must then be from 0 to 1.
    at_least : mapping of str to float, default=None
        Promises to prove, as ``{"micro-precision": 0.8}``; None takes those that the thresholds
        guarantee.
    ids : sequence of str, default=None
        Names of the samples. They are shown in the list; None numbers the rows from 0.
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
    if not isinstance(thresholds, Bands):
        check_instance(thresholds, Thresholds, "thresholds")
        thresholds._refuse_slices("an audit")
    n_cells = check_whole(n_cells, "n_cells")
    if goal not in GOALS:
        raise ValueError(f"goal must be one of {', '.join(GOALS)}, got {goal!r}.")
    check_beta(beta)
    promises = promised_rates(thresholds) if at_least is None else check_at_least(at_least, GOALS)
    random = check_random_state(random_state)
    checked = check_scores(scores, n_labels=len(thresholds))
    matrix = in_order(thresholds, checked.matrix, checked.names, "scores")
    n_samples = matrix.shape[0]
    names = tuple(map(str, range(n_samples))) if ids is None else tuple(map(str, ids))
    if len(names) != n_samples:
        raise ValueError(f"ids must have one id for each of {n_samples} samples, got {len(names)}.")
    cells = _AuditedCells(thresholds, matrix, _guesser(thresholds, matrix, calibrate), known)
    drawn, totals = _draw(cells, n_cells, goal, beta, random)
    return AuditPlan(
        ids=tuple(names[i] for i in drawn.pop("rows").tolist()),
        **drawn,
        totals=totals,
        known=cells.known_counts(),
        label_names=thresholds.label_names,
        goal=goal,
        beta=float(beta),
        promises=promises,
    )


def _guesser(rule: Any, scores: Any, calibrate: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from scores to guessed probabilities."""
    if calibrate is not None:
        labelled, Y = calibration_samples(rule, calibrate)
        return fit_sigmoids(labelled, Y, np.ones(len(Y)), increasing=True).probabilities
    values = scores.data if sparse.issparse(scores) else scores
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        raise ValueError(
            "scores must be probabilities from 0 to 1 without calibrate, got scores from "
            f"{values.min():g} to {values.max():g}."
        )
    return lambda block: np.asarray(block, dtype=np.float64)


class _AuditedCells:
    """The cells of checked scores in blocks of rows, with their states and known answers."""

    def __init__(self, rule: Any, scores: Any, guess: Callable[..., np.ndarray], known: Any):
        self.rule, self.scores, self.guess = rule, scores, guess
        self.known = None
        if known is not None:
            found = check_labels(known, input_name="known", allow_missing=True)
            if found.matrix.shape[0] != scores.shape[0]:
                raise ValueError(
                    f"known must have {scores.shape[0]} samples, got {found.matrix.shape[0]}."
                )
            truth = dense_targets(found.matrix, found.missing).astype(np.float64)
            self.known = in_order(rule, truth, found.names, "known")

    def blocks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield the first row, scores, states, guesses and answers (NaN: not known) of blocks."""
        n_samples, n_labels = self.scores.shape
        step = max(1, _BLOCK // max(n_labels, 1))
        for first in range(0, n_samples, step):
            block = self.scores[first : first + step]
            decided = _without_names(self.rule).decide(block)
            if sparse.issparse(block):
                block, decided = block.toarray(), decided.toarray()
            states = np.where(decided == -1, 2, decided).astype(np.int8)
            guesses = np.clip(self.guess(block), _LEAST_GUESS, 1 - _LEAST_GUESS)
            answers = (
                np.full(states.shape, np.nan)
                if self.known is None
                else self.known[first : first + step]
            )
            yield first, block, states, guesses, answers

    def known_counts(self) -> np.ndarray:
        """Count true positives, decisions and positives of the cells with a known answer."""
        found = np.zeros((3, self.scores.shape[1]))
        for _, _, states, _, answers in self.blocks():
            positive = answers == 1
            decided = ((states == 1) & ~np.isnan(answers)) | ((states == 2) & positive)
            found += [(positive & decided).sum(axis=0), decided.sum(axis=0), positive.sum(axis=0)]
        return found


def _without_names(rule: Any) -> Any:
    """Return the rule for columns that are in its order already."""
    from dataclasses import replace

    return replace(rule, label_names=None)


def _draw(
    cells: _AuditedCells, n_cells: int, goal: str, beta: float, random: np.random.RandomState
) -> tuple[dict[str, Any], CellTotals]:
    """Draw cells by their influence on the goal: the one with the lowest exponential key first."""
    influence = _influence(cells, goal, beta)
    n_labels = cells.scores.shape[1]
    spread, n_unknown = 0.0, 0
    for _, _, states, guesses, answers in cells.blocks():
        unknown = np.isnan(answers)
        spread += (_deviation(influence, states, guesses) * unknown).sum()
        n_unknown += int(unknown.sum())
    if not n_unknown:
        raise ValueError("known must leave a cell to look at, got an answer for every cell.")
    mean = spread / n_unknown or 1.0
    totals = CellTotals(*(np.zeros((3, n_labels)) for _ in CellTotals._fields))
    names = ("rows", "labels", "scores", "states", "guesses", "weights")
    kept = {name: np.zeros(0) for name in ("keys", *names)}
    for first, block, states, guesses, answers in cells.blocks():
        weights = (1 - _EVENLY) * _deviation(influence, states, guesses) / mean + _EVENLY
        unknown = np.isnan(answers)
        _add_block(totals, states, guesses, weights, unknown)
        rows, labels = np.nonzero(unknown)
        parts = (block, states, guesses, weights)
        found = (rows + first, labels, *(part[rows, labels] for part in parts))
        keys = random.standard_exponential(rows.size) / found[-1]
        merged = {
            name: np.append(kept[name], part)
            for name, part in zip(kept, (keys, *found), strict=True)
        }
        order = np.argsort(merged["keys"], kind="stable")[:n_cells]
        kept = {name: part[order] for name, part in merged.items()}
    drawn: dict[str, Any] = {name: kept[name] for name in names}
    for name in ("rows", "labels", "states"):
        drawn[name] = drawn[name].astype(np.int64)
    return drawn, totals


def _influence(cells: _AuditedCells, goal: str, beta: float) -> np.ndarray:
    """Return how much a true label changes the goal, by state and label, as far as guesses say."""
    n_labels = cells.scores.shape[1]
    sums = np.zeros((3, n_labels))
    n_decided = np.zeros(n_labels)
    for _, _, states, guesses, answers in cells.blocks():
        expected = np.where(np.isnan(answers), guesses, answers)
        for state in range(3):
            sums[state] += (expected * (states == state)).sum(axis=0)
        n_decided += (states == 1).sum(axis=0)
    average, measure = goal.split("-")
    if average == "micro":
        sums, n_decided = sums.sum(axis=1, keepdims=True), n_decided.sum(keepdims=True)
    above, below, constant = _terms(measure, beta)
    denominator = constant * n_decided + (below[:, None] * sums).sum(axis=0)
    value = (above[:, None] * sums).sum(axis=0) / np.maximum(denominator, 1e-9)
    found = np.abs(above[:, None] - value * below[:, None]) / np.maximum(denominator, 1.0)
    return np.broadcast_to(found, (3, n_labels))


def _deviation(influence: np.ndarray, states: np.ndarray, guesses: np.ndarray) -> np.ndarray:
    """Return the standard deviation of what each cell adds to the goal, slightly raised."""
    of_cell = influence[states, np.arange(states.shape[1])]
    return np.asarray(of_cell * (np.sqrt(guesses * (1 - guesses)) + _LEAST_DEVIATION))


def _add_block(
    totals: CellTotals,
    states: np.ndarray,
    guesses: np.ndarray,
    weights: np.ndarray,
    unknown: np.ndarray,
) -> None:
    """Add the cells of a block to the totals."""
    for state in range(3):
        here = (states == state) & unknown
        for part, numbers in zip(
            totals[:4],
            (1.0, guesses, weights, guesses * (1 - guesses) / weights),
            strict=True,
        ):
            part[state] += (numbers * here).sum(axis=0)
        for part, numbers in zip(totals[4:], (guesses, 1 - guesses), strict=True):
            np.maximum(part[state], (numbers / weights * here).max(axis=0), out=part[state])


def _terms(measure: str, beta: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return what a positive of each state adds above and below the line of a measure.

    The third number is what a decision adds below the line, whatever the truth. States are: not
    decided, decided, and to review, which becomes a decision if the label is true.
    """
    hits, decided = np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])
    if measure == "precision":
        return hits, decided, 1.0
    if measure == "recall":
        return hits, np.ones(3), 0.0
    return (1 + beta**2) * hits, decided + beta**2, 1.0


class _Sums(NamedTuple):
    """Estimates of the sums above and below the line of a measure, after each draw.

    `above` and `below` are the estimates, `above_known` and `below_known` the same without the
    cell of the draw, and `left` the weight of the cells that it was drawn from.
    """

    above: np.ndarray
    below: np.ndarray
    above_known: np.ndarray
    below_known: np.ndarray
    left: np.ndarray


@dataclass(frozen=True)
class _Population:
    """All cells, or those of one label: totals, known counts, and the drawn cells with answers."""

    totals: CellTotals  # arrays of shape (3,)
    known: np.ndarray  # true positives, decisions, positives
    states: np.ndarray
    guesses: np.ndarray
    weights: np.ndarray
    answers: np.ndarray  # NaN where the person is not sure

    def sums(self, measure: str, beta: float, unsure: np.ndarray) -> _Sums:
        """Compute the estimates of a measure; unsure cells of each state count as `unsure`."""
        above, below, constant = _terms(measure, beta)
        y = np.where(np.isnan(self.answers), unsure[self.states], self.answers)
        gone = np.append(0.0, np.cumsum(self.weights))[:-1]
        left = self.totals.weight.sum() - gone
        hits, decided, positives = self.known
        scale = 1 + beta**2 if measure == "f" else 1.0
        starts = (
            scale * hits,
            constant * (decided + self.totals.n_cells[1])
            + {"precision": 0.0, "recall": positives, "f": beta**2 * positives}[measure],
        )
        found = []
        for start, of_state in zip(starts, (above, below), strict=True):
            surprise = of_state[self.states] * (y - self.guesses)
            before = np.append(0.0, np.cumsum(surprise))[:-1]
            base = start + of_state @ self.totals.guessed + before
            found += [base + surprise * left / self.weights, base]
        return _Sums(found[0], found[2], found[1], found[3], left)

    @property
    def is_complete(self) -> bool:
        """Whether all cells have an answer, so that nothing has to be estimated."""
        is_last = self.answers.size == int(self.totals.n_cells.sum())
        return bool(is_last and self.answers.size and not np.isnan(self.answers).any())

    def estimate(self, measure: str, beta: float) -> float:
        """Return the quotient of the mean estimates of both sums; NaN if it is not defined."""
        sums = self.sums(measure, beta, np.full(3, 0.5))
        if not sums.left.size:
            return math.nan
        # The last draw of all cells has the sums themselves.
        above, below = (
            part[-1] if self.is_complete else part.mean() for part in (sums.above, sums.below)
        )
        return float(np.clip(above / below, 0.0, 1.0)) if below > 1e-9 else math.nan

    def bounds(
        self, measure: str, beta: float, alpha: float, n_planned: int
    ) -> tuple[float, float]:
        """Return the ends of the interval, each wrong with probability at most alpha / 2."""
        if self.is_complete:
            value = self.estimate(measure, beta)
            return (0.0, 1.0) if math.isnan(value) else (value, value)
        lower = self._capitals(measure, beta, alpha / 2, n_planned, 1.0)
        upper = self._capitals(measure, beta, alpha / 2, n_planned, -1.0)[::-1]
        target = -math.log(alpha / 2)
        # A bound moves along the grid up to the first value that is not rejected.
        n_low, n_high = (int(np.argmax(~(np.append(one, 0.0) >= target))) for one in (lower, upper))
        return float(GRID[max(n_low - 1, 0)]), float(GRID[GRID.size - 1 - max(n_high - 1, 0)])

    def _capitals(
        self, measure: str, beta: float, alpha: float, n_planned: int, sign: float
    ) -> np.ndarray:
        """Bet that the measure is above (sign 1) or below (sign -1) each value of the grid."""
        above, below, _ = _terms(measure, beta)
        # Unsure cells count against the bet: a positive raises a measure only if it is decided.
        unsure = np.array([1.0, 0.0, 0.0]) if sign > 0 else np.array([0.0, 1.0, 1.0])
        sums = self.sums(measure, beta, unsure)
        of_state = sign * (above[:, None] - GRID * below[:, None])
        worst = np.max(
            np.maximum(of_state, 0) * self.totals.most_negative[:, None]
            + np.maximum(-of_state, 0) * self.totals.most_positive[:, None],
            axis=0,
        )
        if not sums.left.size:
            return np.zeros(GRID.size)
        first = sums.left[0] * worst - sign * (sums.above_known[0] - GRID * sums.below_known[0])
        variance = self.totals.weight.sum() * (of_state**2 * self.totals.variance[:, None]).sum(0)
        squares = variance / np.maximum(first, np.sqrt(variance) + 1e-9) ** 2

        def blocks() -> Iterator[np.ndarray]:
            for start in range(0, sums.left.size, _TOGETHER):
                rows = slice(start, start + _TOGETHER)
                known = sums.above_known[rows, None] - GRID * sums.below_known[rows, None]
                number = sign * (sums.above[rows, None] - GRID * sums.below[rows, None])
                # The number of a draw cannot be below -least, which the earlier draws tell.
                least = sums.left[rows, None] * worst - sign * known
                # If even the lowest number is above 0, the value is impossible.
                yield np.ascontiguousarray(number / np.maximum(least, 1e-9 + 1e-9 * worst))

        return log_capitals(blocks(), -np.ones(GRID.size), squares, n_planned, alpha)


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport:
    """Estimates and intervals from the answers of an audit; prints as a table.

    `audit_report` returns such objects. Measures have names such as "micro-f"; those of the
    single labels are in arrays.

    Attributes
    ----------
    values : dict of str to float
        Estimate of each measure on the samples of the plan.
    intervals : dict of str to tuple of two floats
        Interval of each measure, which contains the value on these samples with probability
        `level`, for each by itself.
    label_values : dict of str to ndarray of shape (n_labels,)
        Estimates of "precision", "recall" and "f" of each label.
    label_intervals : dict of str to ndarray of shape (2, n_labels)
        Lower and upper ends of their intervals.
    n_answers : int
        Number of answers that were counted: those before the first cell without an answer.
    n_unsure : int
        Number of these cells for which the person was not sure.
    n_later : int
        Number of answers after the first cell without an answer, which are not counted.
    n_planned : int
        Number of cells of the plan.
    verdicts : dict of str to str
        For each promise "proven", "disproven" or "open".
    n_more : dict of str to float
        For each open promise, about how many more answers are needed; inf if the estimate is at
        the promised value.
    promises : dict of str to float
        The promised values.
    level : float
        Probability of each interval.
    label_names : tuple of str
        Names of the labels.

    See Also
    --------
    audit_report : Compute estimates and intervals from answers.
    """

    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    label_values: Mapping[str, np.ndarray]
    label_intervals: Mapping[str, np.ndarray]
    n_answers: int
    n_unsure: int
    n_later: int
    n_planned: int
    verdicts: Mapping[str, str]
    n_more: Mapping[str, float]
    promises: Mapping[str, float]
    level: float
    label_names: tuple[str, ...]

    # Comparing arrays gives arrays, so that two reports are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    def __repr__(self) -> str:
        lines = [f"Audit with {self.n_answers:,} of {self.n_planned:,} answers"]
        if self.n_unsure:
            lines.append(
                f"{counted(self.n_unsure, 'cell')} without a sure answer: each end of an interval "
                "assumes the answer that is worse for it"
            )
        if self.n_later:
            lines.append(
                f"{counted(self.n_later, 'answer')} after the first empty cell not counted: cells "
                "that are skipped could be the difficult ones"
            )
        lines += [self._promise(name) for name in self.promises]
        return "\n".join([*lines, "", self._table(), *self._labels()])

    def _promise(self, name: str) -> str:
        asked = f"{name} at least {self.promises[name]:g}"
        verdict = self.verdicts[name]
        if verdict != "open":
            return f"{asked}: {verdict}"
        more = self.n_more[name]
        needed = f"about {more:,.0f} more answers" if math.isfinite(more) else "far more answers"
        return f"{asked}: not decided yet, {needed} needed"

    def _table(self) -> str:
        head = ["measure", "estimate", f"{self.level:.0%} interval"]
        rows = [
            [name, f"{value:.4f}", "{:.3f} to {:.3f}".format(*self.intervals[name])]
            for name, value in self.values.items()
        ]
        return as_text([head, *rows])

    def _labels(self) -> list[str]:
        """Return the table of labels with the narrowest intervals of F."""
        low, high = self.label_intervals["f"]
        order = np.argsort(high - low, kind="stable")[:_MOST_SHOWN]
        order = order[(high - low)[order] < 1]
        if not order.size or len(self.label_names) == 1:
            return []
        rows = [
            [
                printable(self.label_names[j]),
                *(
                    "{:.3f} to {:.3f}".format(*self.label_intervals[name][:, j])
                    for name in _MEASURES
                ),
            ]
            for j in order
        ]
        return ["", *as_text([["label", *_MEASURES], *rows]).splitlines()]


def audit_report(
    plan: AuditPlan,
    answers: Any,
    *,
    at_least: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> AuditReport:
    """Compute what the answers of an audit prove, also while answers come in.

    Parameters
    ----------
    plan : AuditPlan
        The plan, from `plan_audit` or `AuditPlan.load`.
    answers : sequence of shape (n_cells,), str or Path
        Answer to each cell in the order of the plan: 1 or 0, None or NaN if there is none yet, and
        "?" if the person looked and is not sure. A path names the filled list, a csv file with the
        columns "cell", "id", "label" and "answer" in any order.
    at_least : mapping of str to float, default=None
        Promises to prove, as ``{"micro-f": 0.6}``; None takes those of the plan.
    level : float, default=0.95
        Probability with which each interval contains the value.

    Returns
    -------
    AuditReport
        Estimates, intervals, and whether promises are proven.

    Raises
    ------
    ValueError
        If there are more or fewer answers than cells, or one is neither 0 nor 1.
    DataError
        If the file cannot be read, or its cells are not those of the plan.

    Notes
    -----
    Intervals are valid whenever the report is computed, and however often: looking at the answers
    each day and stopping when a promise is proven is allowed. Only the answers before the first
    empty cell are counted. A person who leaves out difficult cells would otherwise change the
    result; an answer "?" is counted in the worse way for each end of an interval.

    Intervals of single labels and of macro averages use the cells of each label by itself. The
    interval of a macro average is the mean of the intervals of its labels at a level that holds for
    all of them together, and needs many answers for each label.

    References
    ----------
    I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.deployment import audit_report, plan_audit
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> tuned = best_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> plan = plan_audit(tuned, scores, 8, random_state=0)
    >>> report = audit_report(plan, [1, 0, 1, None, None, None, None, None])
    >>> report.n_answers, report.intervals["micro-f"]
    (3, (0.0, 1.0))
    """
    from labelwise.deployment._files import answers_of

    check_instance(plan, AuditPlan, "plan")
    level = check_real(level, "level", least=0.5, most=0.9999)
    promises = plan.promises if at_least is None else check_at_least(at_least, GOALS)
    given = answers_of(plan.columns(), answers)
    counted_until = int(np.argmax(np.append(given == "", True)))
    n_later = int((given[counted_until:] != "").sum())
    found = np.where(given[:counted_until] == "?", np.nan, given[:counted_until] == "1")
    alpha, beta = 1 - level, plan.beta
    whole = _population(plan, found, None)
    values, intervals = {}, {}
    for measure in _MEASURES:
        values[f"micro-{measure}"] = whole.estimate(measure, beta)
        intervals[f"micro-{measure}"] = whole.bounds(measure, beta, alpha, len(plan))
    n_labels = plan.known.shape[1]
    of_labels = {measure: np.full(n_labels, np.nan) for measure in _MEASURES}
    ends = {measure: np.zeros((2, n_labels)) for measure in _MEASURES}
    together = {measure: np.zeros((2, n_labels)) for measure in _MEASURES}
    for part in (*ends.values(), *together.values()):
        part[1] = 1.0
    for j in np.unique(plan.labels[:counted_until]):
        one = _population(plan, found, int(j))
        n_mine = int((plan.labels == j).sum())
        for measure in _MEASURES:
            of_labels[measure][j] = one.estimate(measure, beta)
            ends[measure][:, j] = one.bounds(measure, beta, alpha, n_mine)
            together[measure][:, j] = one.bounds(measure, beta, alpha / n_labels, n_mine)
    for measure in _MEASURES:
        low, high = together[measure].mean(axis=1).tolist()
        values[f"macro-{measure}"] = float(np.mean(of_labels[measure]))
        intervals[f"macro-{measure}"] = (low, high)
    verdicts, n_more = {}, {}
    for name, limit in promises.items():
        low, high = intervals[name]
        verdicts[name] = "proven" if low >= limit else "disproven" if high < limit else "open"
        if verdicts[name] == "open":
            n_more[name] = _answers_needed(plan, whole, name, limit, alpha)
    return AuditReport(
        values=values,
        intervals=intervals,
        label_values=of_labels,
        label_intervals=ends,
        n_answers=counted_until,
        n_unsure=int(np.isnan(found).sum()),
        n_later=n_later,
        n_planned=len(plan),
        verdicts=verdicts,
        n_more=n_more,
        promises=dict(promises),
        level=level,
        label_names=plan._names,
    )


def _population(plan: AuditPlan, answers: np.ndarray, label: int | None) -> _Population:
    """Return all answered cells of a plan, or those of one label."""
    here = np.arange(answers.size)
    if label is not None:
        here = here[plan.labels[: answers.size] == label]
    labels = slice(None) if label is None else [label]
    return _Population(
        plan.totals.of_labels(labels),
        plan.known[:, labels].sum(axis=1),
        plan.states[here],
        plan.guesses[here],
        plan.weights[here],
        answers[here],
    )


def _answers_needed(
    plan: AuditPlan, cells: _Population, name: str, limit: float, alpha: float
) -> float:
    """Estimate how many more answers decide a promise, if the next ones are like these.

    A test by betting needs about ``2 log(1 / alpha) v / m²`` numbers of mean m and mean square v.
    """
    average, measure = name.split("-")
    if average == "macro" or cells.answers.size < 2:
        return math.inf
    sums = cells.sums(measure, plan.beta, np.full(3, 0.5))
    numbers = sums.above - limit * sums.below
    mean = float(numbers.mean())
    if mean == 0:
        return math.inf
    needed = 2 * math.log(2 / alpha) * float(np.mean(numbers**2)) / mean**2
    return max(1.0, needed - cells.answers.size)
