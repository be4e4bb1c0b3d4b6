"""The race of candidates: how many rows each is tried on, and when time is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import NamedTuple

import numpy as np

from labelwise._io import first_line
from labelwise.learners.selection._candidates import Candidate
from labelwise.learners.selection._trials import Arena, Trial, best_of, is_tie, run_trial
from labelwise.splitting import assign

# The chosen candidate is fitted to as many rows as so many seconds allow, if no time is left.
_LAST_FIT = 2.0
# The first round of a race has at least this number of rows, if there are that many.
LEAST_ROWS = 200
# The best candidate on representations of texts is settled when so many in a row were worse.
_WORSE_IN_A_ROW = 3


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
    notes: tuple[str, ...] = ()  # what a user should know of the race
    rows: np.ndarray | None = None  # of all samples, those of `arena`; None for all
    is_settled: bool = False  # whether the best candidate had a last trial on more rows


class _Plan(NamedTuple):
    """The rounds of a race, and who takes part."""

    rounds: list[RaceRound]
    field: list[Candidate]  # of the first round
    late: list[Candidate]  # those that are tried in the last round only, if time is left
    notes: tuple[str, ...]


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


class _TimeIsOverError(Exception):
    """Stops a trial when the time is over."""


class Clock:
    """Says when the time is over.

    Parameters
    ----------
    budget : float or None
        Seconds from now on; None for no limit.

    Attributes
    ----------
    for_last_fit : float
        Seconds that are kept for the last fit of a candidate, which comes after its trial.
    for_blends : float
        Seconds that are kept for blends, which are judged after the trials.
    """

    def __init__(self, budget: float | None) -> None:
        self.budget = budget
        self._end = None if budget is None else perf_counter() + budget
        self.for_last_fit = self.for_blends = 0.0

    def left(self) -> float:
        """Return the seconds that are left for trials."""
        if self._end is None:
            return float("inf")
        kept = self.for_last_fit + self.for_blends
        return max(0.0, self._end - perf_counter() - kept)

    def has_time(self) -> bool:
        """Return whether time is left for another trial."""
        return self.left() > 0

    def stop_if_over(self, _: str = "") -> None:
        """Raise an error if the time is over; for candidates that report their progress."""
        if not self.has_time():
            raise _TimeIsOverError


def run_race(
    candidates: Sequence[Candidate],
    arena: Arena,
    clock: Clock,
    report: Callable[[str], None],
) -> Finish:
    """Try candidates on the folds of an arena, on more and more rows if time is short.

    Parameters
    ----------
    candidates : sequence of Candidate
        At least one.
    arena : Arena
        Samples, folds and request.
    clock : Clock
        Seconds for the race. They are divided by the predictions of the cost models; if these were
        too low, the clock stops the trial that is running, unless it is the only one. The first
        candidate is the one that is marked so, or the cheapest. It takes part in all rounds; if it
        has no time for all rows, the race is run on as many of them as it has time for.
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
    plan = _plan(candidates, arena, clock)
    rounds, field = plan.rounds, plan.field
    finish = Finish(arena, [], [], [], plan.notes)
    for k, one in enumerate(rounds):
        rows = _rows_of_part(arena.samples.Y, one.n_rows)
        here = arena if rows is None else arena.part(rows)
        if k + 1 == len(rounds):
            field = [*field, *plan.late]
        finish = _run_round(field, here, finish, clock, report)
        if finish.arena is here:
            finish = finish._replace(rows=rows)
        if k + 1 == len(rounds) or not finish.last:
            break
        if not clock.has_time():
            over = [(one.name, _OVER) for one in plan.late]
            finish = finish._replace(left_out=[*finish.left_out, *over])
            break
        field = _going_on(field, finish.last, rounds[k + 1].n_candidates, plan.field[0].name)
    if plan.notes:
        finish = _settled(candidates, arena, finish, clock, report)
    return finish


_OVER = "the time was over"
_SETTLED = f"the {_WORSE_IN_A_ROW} candidates before were worse by more than a standard error"


def _is_settled(one: Candidate, trials: Sequence[Trial]) -> bool:
    """Return whether the best trial leads so clearly that a candidate on texts is not tried.

    The last trials must be worse by more than a standard error. On texts, linear models come first,
    and usually lead; elsewhere, each learner may be the best. All linear ones are tried, because a
    blend gains from those that are worse, too.
    """
    if one.representation is None or one.priority == 0 or len(trials) <= _WORSE_IN_A_ROW:
        return False
    top = trials[int(np.argmax([trial.judgement.compared for trial in trials]))]
    return not any(is_tie(top, trial) for trial in trials[-_WORSE_IN_A_ROW:])


def _pace(field: Sequence[Candidate], arena: Arena, trials: Sequence[Trial]) -> float:
    """Return the ratio of measured to predicted seconds of trials on the samples of an arena.

    It is 1 if they took less than a second, and from 1/4 to 4.
    """
    by_name = {one.name: one for one in field}
    predicted = sum(_predicted(by_name[trial.name], arena, trial.n_rows) for trial in trials)
    measured = sum(trial.seconds for trial in trials)
    return min(4.0, max(0.25, measured / predicted)) if measured >= 1 and predicted > 0 else 1.0


def _settled(
    candidates: Sequence[Candidate],
    arena: Arena,
    finish: Finish,
    clock: Clock,
    report: Callable[[str], None],
) -> Finish:
    """Try the best candidate of a race on a part of the rows once more, on as many as possible.

    Thresholds of models of few rows do not suit the model of many, and labels that the part lacks
    could not be decided. Only candidates whose last fit comes with a trial have another one. If
    there is no time for more rows, its last model is that of the trial.
    """
    name = finish.last[best_of(finish.last)].name
    best = next(one for one in candidates if one.name == name)
    if not _is_one_pass(best):
        return finish
    whole = len(arena.samples.Y)
    pace = _pace(candidates, finish.arena, finish.last)

    def seconds(n_rows: int) -> float:
        return pace * _predicted(best, arena, n_rows)

    left = clock.left()
    n_rows = _part_within(whole, seconds, max(_LAST_FIT, left))
    rows, tried = _rows_of_part(arena.samples.Y, n_rows), finish.rows
    if tried is not None and n_rows <= tried.size:
        rows, settled = tried, finish
    else:
        here = arena if rows is None else arena.part(rows)
        # The clock does not stop a last fit.
        settled = _run_round([best], here, finish, Clock(None), report)
        if settled.arena is not here:
            return finish
    notes = finish.notes
    if rows is not None:
        notes += (
            f"{name} was fitted to {rows.size:,} of {whole:,} rows: to try and fit it on all would "
            f"take about {_shown(seconds(whole))} s",
        )
    return settled._replace(notes=notes, rows=rows, is_settled=True)


def _going_on(
    field: Sequence[Candidate], trials: Sequence[Trial], n_candidates: int, first: str
) -> list[Candidate]:
    """Return the best candidates of a round, the best first; the first candidate always goes on."""
    names = [trial.name for trial in _ranked(trials)]
    best = names[:n_candidates]
    if first in names and first not in best:
        best[-1] = first
    by_name = {entry.name: entry for entry in field}
    return [by_name[name] for name in best]


def _plan(candidates: Sequence[Candidate], arena: Arena, clock: Clock) -> _Plan:
    """Plan the rounds; candidates that no plan has time for are left out, the dearest first."""
    whole = len(arena.samples.Y)
    field = sorted(
        candidates,
        key=lambda one: (not one.is_first, one.priority, one.seconds(whole), one.cost),
    )
    if clock.budget is None:
        return _Plan([RaceRound(whole, len(field))], field, [], ())
    budget = clock.left()
    first = field[0]
    notes: tuple[str, ...] = ()
    n_rows = _part_within(whole, partial(_predicted, first, arena), budget)
    if n_rows < whole:
        all_rows = _shown(_predicted(first, arena, whole))
        notes = (
            f"candidates were tried on {n_rows:,} of {whole:,} rows: on all rows, {first.name} "
            f"would take about {all_rows} s, and there are {clock.budget:g} s",
        )

    if first.representation is not None:
        # On fewer texts, models miss words and labels, and cannot be blended with others.
        return _Plan([RaceRound(n_rows, 1)], [first], field[1:], notes)

    def seconds(rows: int, n_candidates: int) -> float:
        # The dearest ones may be those that are left.
        costs = sorted(_predicted(one, arena, rows) for one in field)
        return sum(costs[-n_candidates:])

    dropped: list[Candidate] = []
    while (rounds := planned_rounds(n_rows, len(field), seconds, budget)) is None:
        if len(field) == 1:
            rounds = [RaceRound(n_rows, 1)]
            break
        dropped.append(field.pop())
    return _Plan(rounds, field, dropped[::-1], notes)


def _shown(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:,.0f}"


def _predicted(one: Candidate, arena: Arena, n_rows: int) -> float:
    """Return the predicted seconds of a candidate: a fit for each fold, and one more.

    A candidate that scores the folds while it chooses penalties is fitted once. The scores are
    judged in any case.
    """
    fits = one.seconds(n_rows) * (1 if _is_one_pass(one) else len(arena.splits) + 1)
    return fits + arena.judging(n_rows)


def _is_one_pass(one: Candidate) -> bool:
    """Return whether a candidate scores the folds while it is fitted to all rows."""
    return hasattr(one.estimator, "fit_scoring_folds")


def _run_round(
    field: Sequence[Candidate],
    arena: Arena,
    before: Finish,
    clock: Clock,
    report: Callable[[str], None],
) -> Finish:
    """Try the candidates of a round; a round that nobody finishes leaves the one before."""
    trials: list[Trial] = []
    left_out = list(before.left_out)
    first_error: Exception | None = None
    for number, entry in enumerate(field, start=1):
        # The first trial of a race runs to its end: without any, there is no model.
        is_bound = bool(trials or before.last)
        if is_bound and (why := _reason_to_skip(entry, field, arena, trials, clock)):
            left_out.append((entry.name, why))
            continue
        report(f"{number} of {len(field)}, {entry.name} on {len(arena.samples.Y)} rows")
        try:
            trials.append(run_trial(entry, arena, clock.stop_if_over if is_bound else None))
        except _TimeIsOverError:
            left_out.append((entry.name, "the time was over before its trial had ended"))
            continue
        except (ValueError, TypeError, RuntimeError, ArithmeticError, MemoryError) as error:
            first_error = first_error or error
            left_out.append((entry.name, f"failed: {first_line(error)}"))
            continue
        clock.for_last_fit = max(clock.for_last_fit, _last_fit(trials[-1], arena))
        report(f"{entry.name}: {trials[-1].judgement.compared:.4f}")
    if not trials and not before.last and first_error is not None:
        raise first_error
    if not trials:
        return before._replace(left_out=left_out)
    names = {trial.name for trial in trials}
    earlier = [*before.earlier, *(one for one in before.last if one.name not in names)]
    tried = {trial.name for trial in (*trials, *earlier)}
    left_out = [one for one in left_out if one[0] not in tried]
    return before._replace(arena=arena, last=trials, earlier=earlier, left_out=left_out)


def _reason_to_skip(
    one: Candidate,
    field: Sequence[Candidate],
    arena: Arena,
    trials: Sequence[Trial],
    clock: Clock,
) -> str:
    """Return why a candidate is not tried after some trials, or "" if it is.

    Its predicted seconds are multiplied by the pace of the trials.
    """
    if clock.budget is None:
        return ""
    if _is_settled(one, trials):
        return _SETTLED
    took = _predicted(one, arena, len(arena.samples.Y)) * _pace(field, arena, trials)
    left = clock.left()
    if left == 0:
        return _OVER
    rest = f"{_shown(left)} of the {clock.budget:g} s are left"
    return f"it would take about {_shown(took)} s, and {rest}" if took > left else ""


def _last_fit(trial: Trial, arena: Arena) -> float:
    """Predict the seconds of a fit to all samples, if that did not come with the trial."""
    return 0.0 if trial.scorer is not None else trial.seconds / max(1, len(arena.splits))


def _ranked(trials: Sequence[Trial]) -> list[Trial]:
    """Return trials from the best to the worst, the cheaper of equals first."""
    rest, ranked = list(trials), []
    while rest:
        ranked.append(rest.pop(best_of(rest)))
    return ranked


def _part_within(n_rows: int, seconds: Callable[[int], float], limit: float) -> int:
    """Return the number of rows, halved as often as needed, whose predicted seconds are in a limit.

    It is at least `LEAST_ROWS`, if there are that many.
    """
    while n_rows > LEAST_ROWS and seconds(n_rows) > limit:
        n_rows = max(LEAST_ROWS, -(-n_rows // 2))
    return n_rows


def _rows_of_part(Y: np.ndarray, n_rows: int) -> np.ndarray | None:
    """Return about `n_rows` rows with the label ratios of all, always the same; None for all."""
    if n_rows >= len(Y):
        return None
    share = n_rows / len(Y)
    subsets = assign(Y == 1, (share, 1 - share), method="balanced", random_state=0)
    return np.flatnonzero(subsets == 0)
