"""Plans of audits: which cells a person should look at.

`plan_audit` draws cells (a label of a sample each) one after the other, with known probabilities
and without replacement. The weight of a cell is its influence on the goal, and its probability in
a draw its share of the weights of all cells that are not drawn yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._label_shift import calibration_samples
from labelwise._sigmoids import fit_sigmoids
from labelwise._tuning import in_order
from labelwise._validation import (
    check_beta,
    check_instance,
    check_labels,
    check_random_state,
    check_scores,
    check_whole,
    dense_targets,
)
from labelwise.decisions import Bands, Thresholds
from labelwise.deployment._promises import GOALS, check_at_least, promised_rates

# Bets must survive a wrong guess of any cell, so that no cell may be drawn too rarely. A share of
# the draws goes to all cells evenly, and the deviation of a cell counts as higher by this much. On
# nih-chestxray with 500 answers, the mean interval of micro F is 0.30 to 0.49 (else 0.27 to 0.49).
_EVENLY, _LEAST_DEVIATION = 0.1, 0.1
# Guesses nearer to 0 and 1 would give cells almost no draws.
_LEAST_GUESS = 1e-3
# Cells in memory at a time.
_BLOCK = 2**20


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
    above, below, constant = terms_of(measure, beta)
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


def terms_of(measure: str, beta: float) -> tuple[np.ndarray, np.ndarray, float]:
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
