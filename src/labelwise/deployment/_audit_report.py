"""Reports of audits: what the answers of a person prove about the decisions.

`audit_report` turns the answers into estimates and intervals of precision, recall and F of the
decisions on *these* samples, which are valid whenever it is called.

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
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from labelwise._text import counted
from labelwise._validation import check_instance, check_real
from labelwise.deployment._audit_plan import AuditPlan, CellTotals
from labelwise.deployment._estimates import MEASURES, MOST_SHOWN, Estimates, from_to
from labelwise.deployment._promises import GOALS, check_at_least
from labelwise.deployment._quotients import Terms, bounds, terms_of

# Values of a measure that are tested: the ends of intervals are among them.
GRID = np.linspace(0.0, 1.0, 501)
# Fewest answers that bets aim at, and the share of the level for bets on the first answers.
_LEAST_HORIZON, _EARLY = 50, 0.3
# How many times as many answers are looked at for how many a promise needs, and by what steps.
_MOST_TIMES, _STEP = 64, 1.25


@dataclass(frozen=True)
class Population:
    """All cells, or those of one label: totals, and the drawn cells with answers."""

    n_planned: int  # about how many of them the plan draws
    totals: CellTotals  # arrays of shape (3,)
    states: np.ndarray
    guesses: np.ndarray
    weights: np.ndarray
    answers: np.ndarray  # NaN where the person is not sure

    @staticmethod
    def of(plan: AuditPlan, answers: np.ndarray, label: int | None = None) -> Population:
        """Return all cells of a plan, or those of one label."""
        given = plan.labels[: answers.size]
        here = np.flatnonzero(given == (given if label is None else label))
        drawn = (part[here] for part in (plan.states, plan.guesses, plan.weights, answers))
        totals = plan.totals.of_labels(slice(None) if label is None else [label])
        # The expected number: bets on a draw must not depend on later ones, as the number itself.
        share = totals.weight.sum() / plan.totals.weight.sum()
        n_planned = min(math.ceil(len(plan) * share), int(totals.n_unknown.sum()))
        return Population(n_planned, totals, *drawn)

    def sums(self, terms: Terms, unsure: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Estimate sums over all cells after each draw, of shape (n_sums, n_draws).

        The second array has the same without the cell of the draw, the third the weight of the
        cells that it was drawn from. Unsure cells of each state count as `unsure`.
        """
        y = np.where(np.isnan(self.answers), unsure[self.states], self.answers)
        left = self.totals.weight.sum() - np.append(0.0, np.cumsum(self.weights))[:-1]
        left = np.maximum(left, self.weights)  # each draw is among the cells that are left
        surprise = terms.positive[:, self.states] * (y - self.guesses)
        guessed = terms.sums(self.totals.guessed, self.totals.n_cells[1])
        known = guessed[:, None] + np.cumsum(surprise, axis=1) - surprise
        return known + surprise * left / self.weights, known, left

    @property
    def is_complete(self) -> bool:
        """Whether all cells have an answer, so that nothing has to be estimated."""
        is_last = self.answers.size == int(self.totals.n_unknown.sum())
        return is_last and not np.isnan(self.answers).any()

    def positives(self) -> np.ndarray:
        """Estimate the numbers of positives of each state, from the guesses without answers.

        Few answers can lead to estimates outside of the numbers that the answers allow.
        """
        after, _, _ = self.sums(Terms(np.eye(3), np.zeros(3)), np.full(3, 0.5))
        if not self.answers.size:
            return self.totals.guessed
        # The last draw of all cells has the sums themselves.
        mean = after[:, -1] if self.is_complete else after.mean(axis=1)
        found, excluded = (
            np.bincount(self.states[self.answers == y], minlength=3) for y in (1.0, 0.0)
        )
        most = np.maximum(self.totals.n_cells - excluded, found)
        return np.asarray(np.clip(mean, found, most))

    def estimate(self, measure: str, beta: float) -> float:
        """Return the quotient of the estimated sums; NaN if it is not defined."""
        above, below = terms_of(measure, beta).sums(self.positives(), self.totals.n_cells[1])
        return float(np.clip(above / below, 0.0, 1.0)) if below > 1e-9 else math.nan

    def bounds(
        self, measure: str, beta: float, alpha: float, grid: np.ndarray = GRID
    ) -> tuple[float, float]:
        """Return the ends of the interval, each wrong with probability at most alpha / 2."""
        if self.is_complete:
            value = self.estimate(measure, beta)
            return (0.0, 1.0) if math.isnan(value) else (value, value)
        if not self.answers.size:
            return 0.0, 1.0
        ends = [
            bounds(partial(self._bets, measure, beta), n_bets, alpha * share, grid)
            for n_bets, share in _horizons(self.n_planned)
        ]
        low, high = zip(*ends, strict=True)
        return max(low), min(high)

    def _bets(
        self, measure: str, beta: float, sign: float, grid: np.ndarray
    ) -> tuple[Callable[[slice], np.ndarray], Any, Any]:
        """Return what bets on the first answers need, see `Bets`."""
        terms = terms_of(measure, beta)
        above, below = terms.positive
        # Unsure cells count against the bet: a positive raises a measure only if it is decided.
        unsure = np.array([1.0, 0.0, 0.0]) if sign > 0 else np.array([0.0, 1.0, 1.0])
        sums, known, left = self.sums(terms, unsure)
        totals, of_state = self.totals, sign * (above[:, None] - grid * below[:, None])
        worst = np.max(
            np.maximum(of_state, 0) * totals.most_negative[:, None]
            + np.maximum(-of_state, 0) * totals.most_positive[:, None],
            axis=0,
        )

        def of_sums(pair: np.ndarray) -> np.ndarray:
            return np.asarray(sign * (pair[0][:, None] - grid * pair[1][:, None]))

        def numbers(draws: slice) -> np.ndarray:
            # The number of a draw is at least -least, which is known from the earlier draws.
            least = left[draws, None] * worst - of_sums(known[:, draws])
            # If even the lowest number is above 0, the value is impossible.
            return np.asarray(of_sums(sums[:, draws]) / np.maximum(least, 1e-9 + 1e-9 * worst))

        first = left[0] * worst - of_sums(known[:, :1])[0]
        variance = totals.weight.sum() * (of_state**2 * totals.variance[:, None]).sum(axis=0)
        squares = variance / np.maximum(first, np.sqrt(variance) + 1e-9) ** 2
        return numbers, -np.ones(grid.size), squares


def _horizons(n_planned: int) -> list[tuple[int, float]]:
    """Return the numbers of answers that bets aim at, each with its share of the level.

    Bets that aim at the last answer prove nothing before: with 150 of 500 answers, intervals were
    from 0 to 1. So others aim at a half, a quarter and an eighth of them.
    """
    early = [n for n in (n_planned // 2, n_planned // 4, n_planned // 8) if n >= _LEAST_HORIZON]
    shares = [_EARLY / len(early)] * len(early) if early else []
    return [(n_planned, 1 - sum(shares)), *zip(early, shares, strict=True)]


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport(Estimates):
    """Estimates and intervals from the answers of an audit; prints as a table.

    `audit_report` returns such objects. Measures have names such as "micro-f"; those of the
    single labels are in arrays.

    Attributes
    ----------
    values : dict of str to float
        Estimate of each measure on the samples of the plan. Without answers it is what the guesses
        of the plan say. Macro averages leave out labels whose estimate is not defined.
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
        For each open promise, about how many more answers are needed if they are like those so
        far, in this plan or in a longer one; inf if neither the whole plan nor 64 times as many
        answers would decide it.
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

    n_answers: int
    n_unsure: int
    n_later: int
    n_planned: int
    verdicts: Mapping[str, str]
    n_more: Mapping[str, float]
    promises: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as dicts and lists, as --json writes them.

        Returns
        -------
        dict
            Numbers of answers, verdicts on promises, and the value and both ends of the interval
            of each measure and of each label.
        """
        promises = [
            {"promise": f"{name} at least {limit:.4g}", "measure": name, "limit": limit}
            | {"verdict": self.verdicts[name], "n_more": self.n_more.get(name, 0)}
            for name, limit in self.promises.items()
        ]
        answers = {name: getattr(self, name) for name in ("n_answers", "n_planned", "n_unsure")}
        return {**answers, "promises": promises, **super().to_dict()}

    def __repr__(self) -> str:
        lines = [f"Audit with {self.n_answers:,} of {self.n_planned:,} answers"]
        if not self.n_answers:
            lines.append("estimates are guesses from the scores, which no answer has checked")
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
        for name, limit in self.promises.items():
            said = self.verdicts[name]
            if said == "open":
                more, left = self.n_more[name], self.n_planned - self.n_answers
                said = "not decided yet"
                if more < math.inf:
                    said += f", needs about {counted(int(more), 'more answer')} like these"
                    said += f", {more - left:,.0f} of them beyond this plan" if more > left else ""
                elif self.n_answers:
                    said += ", far more answers needed"
            lines.append(f"{name} at least {limit:.4g}: {said}")
        widths = np.diff(self.label_intervals["f"], axis=0)[0]
        order = [j for j in np.argsort(widths, kind="stable")[:MOST_SHOWN] if widths[j] < 1]
        labels = [
            [self.label_names[j], *(from_to(self.label_intervals[one][:, j]) for one in MEASURES)]
            for j in order
        ]
        shown = labels if len(self.label_names) > 1 else []
        return self._text(lines, ("estimate", "interval"), [["label", *MEASURES], *shown])


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
        columns "id", "label" and "answer"; its rows may be in any order, and cells may be left out.
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
    given = np.array(answers_of(plan.cells, answers), dtype=object)
    counted_until = int(np.argmax(np.append(given == "", True)))
    found = np.where(given[:counted_until] == "?", np.nan, given[:counted_until] == "1")
    alpha = 1 - level
    values, intervals, label_values, label_intervals = {}, {}, {}, {}
    for average in ("micro", "macro"):
        parts = _populations(plan, found, average)
        for measure in MEASURES:
            name = f"{average}-{measure}"
            estimates = np.array([one.estimate(measure, plan.beta) for one in parts])
            is_defined = ~np.isnan(estimates)
            values[name] = float(estimates[is_defined].mean()) if is_defined.any() else math.nan
            intervals[name] = _interval(parts, measure, plan.beta, alpha)
            if average == "macro":
                ends = [one.bounds(measure, plan.beta, alpha) for one in parts]
                label_values[measure], label_intervals[measure] = estimates, np.array(ends).T
    verdicts, n_more = {}, {}
    for name, limit in promises.items():
        low, high = intervals[name]
        verdicts[name] = "proven" if low >= limit else "disproven" if high < limit else "open"
        if verdicts[name] == "open":
            n_more[name] = _answers_needed(name, limit, plan, found, alpha) - found.size
    return AuditReport(
        values=values,
        intervals=intervals,
        label_values=label_values,
        label_intervals=label_intervals,
        level=level,
        label_names=plan._names,
        n_answers=counted_until,
        n_unsure=int(np.isnan(found).sum()),
        n_later=int((given[counted_until:] != "").sum()),
        n_planned=len(plan),
        verdicts=verdicts,
        n_more=n_more,
        promises=dict(promises),
    )


def _populations(plan: AuditPlan, answers: np.ndarray, average: str) -> list[Population]:
    """Return the cells of a micro average, or those of each label for a macro average."""
    labels = [None] if average == "micro" else range(len(plan._names))
    return [Population.of(plan, answers, label) for label in labels]


def _interval(
    parts: list[Population], measure: str, beta: float, alpha: float, grid: np.ndarray = GRID
) -> tuple[float, float]:
    """Return the mean of intervals that hold together."""
    ends = [one.bounds(measure, beta, alpha / len(parts), grid) for one in parts]
    low, high = np.mean(ends, axis=0).tolist()
    return low, high


def _answers_needed(
    name: str, limit: float, plan: AuditPlan, answers: np.ndarray, alpha: float
) -> float:
    """Estimate how many answers decide a promise if the next ones are like these.

    The answers are drawn again, and the bounds computed from more and more of them, up to all
    cells: bounds of this plan as far as it goes, then those of a plan with so many cells.
    """
    if not answers.size:
        return math.inf
    n_most = min(int(plan.totals.n_unknown.sum()), max(len(plan), _MOST_TIMES * answers.size))
    rng, n_drawn = np.random.default_rng(0), max(n_most, len(plan))
    rounds = [rng.permutation(answers.size) for _ in range(n_drawn // answers.size)]
    order = np.concatenate([np.arange(answers.size), *rounds])[:n_drawn]
    average, measure = name.split("-")
    grid = GRID[::5]
    if average == "micro":
        grid = np.unique([0.0, max(limit - 0.002, 0.0), limit, 1.0])

    def is_open(n: int) -> bool:
        drawn = order[: max(n, len(plan))]
        parts = ("labels", "states", "guesses", "weights")
        longer = replace(plan, **{part: getattr(plan, part)[drawn] for part in parts})
        cells = _populations(longer, answers[order[:n]], average)
        low, high = _interval(cells, measure, plan.beta, alpha, grid)
        return low < limit <= high

    least, n = answers.size, answers.size
    while n < n_most:
        least, n = n, min(math.ceil(n * _STEP), n_most)
        if not is_open(n):
            return least + 1 + bisect_left(range(least + 1, n), True, key=lambda m: not is_open(m))
    return math.inf
