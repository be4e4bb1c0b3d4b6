"""The race of candidates: how many rows each is tried on, and when time is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from labelwise._io import first_line
from labelwise.learners.selection._candidates import Candidate
from labelwise.learners.selection._trials import Arena, Trial, best_of, run_trial
from labelwise.splitting import assign_checked

# The first round of a race has at least this number of rows, if there are that many.
LEAST_ROWS = 200


class RaceRound(NamedTuple):
    """Number of rows of a round, and the number of candidates that take part."""

    n_rows: int
    n_candidates: int


class Finish(NamedTuple):
    """The outcome of a race."""

    arena: Arena  # of the last round that a candidate finished
    last: list[Trial]  # the trials of that round
    earlier: list[Trial]  # of candidates that were dropped before, on fewer rows
    left_out: list[tuple[str, str]]  # names of candidates without a trial, and why


def planned_rounds(
    n_rows: int, n_candidates: int, seconds: Callable[[int, int], float], budget: float | None
) -> list[RaceRound] | None:
    """Return the rounds of successive halving that fit the budget; None if no plan does.

    Candidates are halved from round to round, and rows are doubled. The plan has as few rounds as
    the budget allows: a single one, of all rows and all candidates, if there is time for it.

    Parameters
    ----------
    n_rows : int
        Number of rows of the last round.
    n_candidates : int
        Number of candidates of the first round.
    seconds : callable
        Predicted seconds of a round of (n_rows, n_candidates).
    budget : float or None
        Seconds for all rounds; None for no limit.

    Returns
    -------
    list of RaceRound or None
    """
    n_rounds = 1
    while True:
        halvings = range(n_rounds)
        rounds = [
            RaceRound(-(-n_rows // 2 ** (n_rounds - 1 - k)), -(-n_candidates // 2**k))
            for k in halvings
        ]
        if budget is None or sum(seconds(*one) for one in rounds) <= budget:
            return rounds
        if rounds[-1].n_candidates == 1 or rounds[0].n_rows < 2 * LEAST_ROWS:
            return None
        n_rounds += 1


def run_race(
    candidates: Sequence[Candidate],
    arena: Arena,
    budget: float | None,
    report: Callable[[str], None],
) -> Finish:
    """Try candidates on the folds of an arena, on more and more rows if time is short.

    Parameters
    ----------
    candidates : sequence of Candidate
        At least one.
    arena : Arena
        Samples, folds and request.
    budget : float or None
        Seconds, by the predictions of the cost models. The clock stops the race only if they were
        too low. None means no limit.
    report : callable
        Called with a line of progress.

    Returns
    -------
    Finish
        The trials, and what was left out.

    Raises
    ------
    Exception
        The error of the first candidate, if every candidate fails.
    """
    field = sorted(candidates, key=lambda one: one.cost)
    rounds, left_out = _plan(field, arena, budget)
    clock = _Clock(budget)
    finish = Finish(arena, [], [], left_out)
    for k, one in enumerate(rounds):
        here = _with_rows(arena, one.n_rows)
        finish = _run_round(field, here, finish, clock, report)
        if clock.is_over or not finish.last:
            break
        if k + 1 < len(rounds):
            ranked = _ranked(finish.last)[: rounds[k + 1].n_candidates]
            names = [trial.name for trial in ranked]
            field = sorted(
                (entry for entry in field if entry.name in names),
                key=lambda entry: names.index(entry.name),
            )
    return finish


class _Clock:
    """Says when the time is over."""

    def __init__(self, budget: float | None) -> None:
        self._end = None if budget is None else perf_counter() + budget
        self.is_over = False

    def has_time(self) -> bool:
        """Return whether another candidate may start."""
        self.is_over = self._end is not None and perf_counter() >= self._end
        return not self.is_over


def _plan(
    field: list[Candidate], arena: Arena, budget: float | None
) -> tuple[list[RaceRound], list[tuple[str, str]]]:
    """Return the rounds; candidates that no plan has time for are removed from the field."""
    left_out: list[tuple[str, str]] = []
    n_rows = len(arena.samples.Y)

    def seconds(rows: int, n_candidates: int) -> float:
        # The dearest ones may be those that are left.
        costs = sorted(_predicted(field, arena, rows).values())
        return sum(costs[-n_candidates:])

    while True:
        rounds = planned_rounds(n_rows, len(field), seconds, budget)
        if rounds is not None:
            return rounds, left_out
        if len(field) == 1:
            return [RaceRound(min(n_rows, LEAST_ROWS), 1)], left_out
        dearest = field.pop()
        took = _predicted([dearest], arena, n_rows)[dearest.name]
        shown = f"{took:.1f}" if took < 10 else f"{took:.0f}"
        left_out.append((dearest.name, f"it would take about {shown} of {budget:g} seconds"))


def _predicted(field: Sequence[Candidate], arena: Arena, n_rows: int) -> dict[str, float]:
    """Return the predicted seconds of each candidate: a fit for each fold, and one more.

    A candidate that scores the folds while it chooses penalties is fitted once.
    """
    n_fits = len(arena.splits) + 1
    return {
        one.name: one.seconds(n_rows)
        * (1 if hasattr(one.estimator, "fit_scoring_folds") else n_fits)
        for one in field
    }


def _run_round(
    field: Sequence[Candidate],
    arena: Arena,
    before: Finish,
    clock: _Clock,
    report: Callable[[str], None],
) -> Finish:
    """Try the candidates of a round; a round that nobody finishes leaves the one before."""
    trials: list[Trial] = []
    left_out = list(before.left_out)
    first_error: Exception | None = None
    for number, entry in enumerate(field, start=1):
        if (trials or before.last) and not clock.has_time():
            left_out += [(one.name, "the time was over") for one in field[number - 1 :]]
            break
        report(f"{number} of {len(field)}, {entry.name} on {len(arena.samples.Y)} rows")
        try:
            trials.append(run_trial(entry.name, entry.estimator, entry.cost, arena))
        except (ValueError, TypeError, RuntimeError, ArithmeticError, MemoryError) as error:
            first_error = first_error or error
            left_out.append((entry.name, f"failed: {first_line(error)}"))
            continue
        report(f"{entry.name}: {trials[-1].judgement.compared:.4f}")
    if not trials and not before.last and first_error is not None:
        raise first_error
    if not trials:
        return before._replace(left_out=left_out)
    names = {trial.name for trial in trials}
    earlier = [*before.earlier, *(one for one in before.last if one.name not in names)]
    tried = {trial.name for trial in (*trials, *earlier)}
    return Finish(arena, trials, earlier, [one for one in left_out if one[0] not in tried])


def _ranked(trials: Sequence[Trial]) -> list[Trial]:
    """Return trials from the best to the worst, the cheaper of equals first."""
    rest, ranked = list(trials), []
    while rest:
        ranked.append(rest.pop(best_of(rest)))
    return ranked


def _with_rows(arena: Arena, n_rows: int) -> Arena:
    """Return the arena of about `n_rows` rows with the label ratios of all, always the same."""
    whole = len(arena.samples.Y)
    if n_rows >= whole:
        return arena
    from scipy import sparse

    Y = sparse.csc_array(arena.samples.Y == 1)
    share = n_rows / whole
    subsets = assign_checked(Y, (share, 1 - share), method="iterative", groups=None, random_state=0)
    return arena.part(np.flatnonzero(subsets == 0))
