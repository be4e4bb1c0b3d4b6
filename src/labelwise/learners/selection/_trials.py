"""Trials: held-out scores of candidates and blends on shared folds, and what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from labelwise._estimators import (
    HeldOutScores,
    LabelScorer,
    Splits,
    constant_labels,
    fit_and_score_folds,
    groups_for,
    held_out_scores,
    scoring_method,
    weights_for,
)
from labelwise._sigmoids import Sigmoids, fit_sigmoids
from labelwise._tuning import Problem, Request, Samples, TuningScores, tuning_problem
from labelwise.learners.selection._candidates import Candidate
from labelwise.learners.selection._costs import judging
from labelwise.learners.selection._rules import (
    DecisionRule,
    Judgement,
    OwnDecisions,
    dense_problem,
    last_step,
    rules_for,
    rules_of_scores,
)
from labelwise.measures import Counts

_MOST_MEMBERS = 5
_N_GROUPS = 50


class Arena(NamedTuple):
    """What all candidates share: samples, folds, and what they are judged by."""

    samples: Samples
    splits: Splits
    request: Request
    random_state: Any
    n_jobs: int | None
    # Thresholds are tuned on the highest scores, so many a sample on average; None for all.
    most_scores: int | None = None

    @property
    def constants(self) -> np.ndarray:
        """0 or 1 for labels with one class, NaN for others."""
        return constant_labels(self.samples.Y)

    def judging(self, n_rows: int) -> float:
        """Predict the seconds of judging the scores of some rows."""
        return judging(n_rows, self.samples.Y.shape[1], self.most_scores)

    def represented(self, representation: Any) -> Arena:
        """Return the arena with the features of a representation; X has the numbers of samples."""
        if representation is None:
            return self
        X = representation.features(self.samples.X)
        return self._replace(samples=self.samples._replace(X=X))

    def part(self, rows: np.ndarray) -> Arena:
        """Return the arena of some rows: the same folds, without all other rows."""
        samples, splits = self.samples.part(rows, self.splits)
        return self._replace(samples=samples, splits=splits)


class Trial(NamedTuple):
    """The held-out scores of a candidate, or of a blend of several, and what they are worth."""

    names: tuple[str, ...]  # of the candidate, or of those that are blended
    cost: float  # seconds that the cost model predicts, or the place in the given list
    rule: DecisionRule
    problem: Problem
    judgement: Judgement
    left_out_values: np.ndarray  # values without groups of samples, see `leave_out_values`
    seconds: float
    scorer: LabelScorer | None  # fitted to all samples, if that came with the held-out scores

    @property
    def name(self) -> str:
        """Name of the candidate; those of a blend are joined by "+"."""
        return " + ".join(self.names)

    @property
    def standard_error(self) -> float:
        """Standard error of the corrected value."""
        return standard_error(self.left_out_values)

    @property
    def n_rows(self) -> int:
        """Number of samples that were scored."""
        return self.problem.n_samples

    def sigmoids(self) -> Sigmoids:
        """Fit the sigmoids that turn the scores into probabilities."""
        scores, Y = dense_problem(self.problem)
        everyone = self.problem.everyone.astype(np.float64)
        return fit_sigmoids(scores, Y, everyone, increasing=True)


def run_trial(
    candidate: Candidate, arena: Arena, report: Callable[[str], None] | None = None
) -> Trial:
    """Score the folds by a candidate, and judge the scores.

    Parameters
    ----------
    candidate : Candidate
        Its estimator is cloned for each fold.
    arena : Arena
        Samples, folds and request.
    report : callable, default=None
        Called with a line of progress after each part of the fits; an error that it raises ends
        the trial.

    Returns
    -------
    Trial
        The scores and their values.
    """
    start = perf_counter()
    estimator, arena = candidate.estimator, arena.represented(candidate.representation)
    if report is not None:
        report("features")
    rules = rules_for(estimator, arena.request)
    # All rules of an estimator decide by the same scores.
    held_out, scorer = _scored(with_beta_of(estimator, arena.request), arena, rules[0], report)
    trial = judged((candidate.name,), candidate.cost, rules, held_out, arena)
    return trial._replace(seconds=perf_counter() - start, scorer=scorer)


def judged(
    names: tuple[str, ...],
    cost: float,
    rules: Sequence[DecisionRule],
    held_out: HeldOutScores,
    arena: Arena,
) -> Trial:
    """Judge held-out scores of the labels that have both classes, by the best of some rules."""
    scored = TuningScores(held_out, LabelScorer(None, arena.constants))
    problem, folds = tuning_problem(scored, arena.samples)
    tuned_on, floor = _highest_scores(problem, arena.most_scores)
    found = [rule.judge(tuned_on, folds, arena.request, arena.random_state) for rule in rules]
    best = int(np.argmax([judgement.compared for judgement in found]))
    judgement, values = found[best], np.empty(0)
    if judgement.thresholds is not None:
        # A label of which all of the highest scores are decided has no others that are.
        cuts = np.maximum(judgement.thresholds.values, floor)
        judgement = judgement._replace(thresholds=replace(judgement.thresholds, values=cuts))
    if judgement.decided is not None:
        values = leave_out_values(problem, judgement.decided, arena.request)
    return Trial(names, cost, rules[best], problem, judgement, values, 0.0, None)


def _highest_scores(problem: Problem, most_scores: int | None) -> tuple[Problem, float]:
    """Return the problem of the highest scores, so many a sample on average, and the lowest one."""
    scores = problem.scores
    if most_scores is None or problem.n_missing or most_scores >= problem.n_labels:
        return problem, -np.inf
    place = scores.size - most_scores * problem.n_samples
    floor = float(np.partition(scores, place, axis=None)[place])
    rows, labels = np.nonzero(scores >= floor)
    starts = np.searchsorted(rows, np.arange(problem.n_samples + 1))
    cells = sparse.csr_array((scores[rows, labels], labels, starts), shape=scores.shape)
    return replace(problem, scores=cells), floor


def with_beta_of(estimator: Any, request: Request) -> Any:
    """Return an estimator whose own rule is for the beta of the request."""
    own = last_step(estimator)
    if request.beta == 1 or not hasattr(own, "expected_f") or "beta" not in own.get_params():
        return estimator
    changed = clone(estimator)
    last_step(changed).set_params(beta=request.beta)
    return changed


def fit_params(estimator: Any, samples: Samples) -> dict[str, Any]:
    """Return the weights and groups of samples as arguments of `fit`, if an estimator takes them.

    In a pipeline the last step gets them.
    """
    weights = weights_for(estimator, samples.weights)
    return weights | groups_for(estimator, samples.groups)


def _scored(
    estimator: Any, arena: Arena, rule: DecisionRule, report: Callable[[str], None] | None
) -> tuple[HeldOutScores, LabelScorer | None]:
    """Return held-out scores, and the model of all samples if it is fitted in the same pass."""
    method, samples = scoring_method(estimator, rule.methods), arena.samples
    data = estimator, samples.X, samples.Y, arena.splits
    settings: dict[str, Any] = {
        "method": method,
        "fit_params": fit_params(estimator, samples),
        "n_jobs": arena.n_jobs,
        "report": report,
    }
    if method == scoring_method(estimator) and hasattr(estimator, "fit_scoring_folds"):
        return fit_and_score_folds(*data, **settings)
    held_out = held_out_scores(*data, **settings)
    varies = np.isnan(arena.constants)
    return held_out._replace(scores=held_out.scores[:, varies]), None


def best_of(trials: Sequence[Trial]) -> int:
    """Return the number of the best trial; of those that are as good, the cheapest.

    Of several that cost the same, such as linear models of texts, the highest value is the best.
    A trial is as good as the one of the highest value if its value is lower by at most one standard
    error of the difference, which is paired: both are measured on the same samples.
    """
    values = np.array([trial.judgement.compared for trial in trials])
    top = int(np.argmax(values))
    tied = [k for k, trial in enumerate(trials) if k == top or is_tie(trials[top], trial)]
    return min(tied, key=lambda k: (trials[k].cost, -values[k], k))


def is_tie(top: Trial, other: Trial) -> bool:
    """Return whether a trial is as good as the one of the highest value, see `best_of`."""
    behind = top.judgement.compared - other.judgement.compared
    if top.left_out_values.shape != other.left_out_values.shape or not top.left_out_values.size:
        return bool(behind == 0)
    return bool(behind <= standard_error(top.left_out_values - other.left_out_values))


def best_blend(
    trials: Sequence[Trial], arena: Arena, seconds: float = float("inf")
) -> Trial | None:
    """Return the blend of the highest corrected value; None if there are no two to blend.

    The candidates are added in the order of their values, up to five. Their scores are turned into
    log-odds by one sigmoid for each label, because scores of different learners have different
    scales.

    Parameters
    ----------
    trials : sequence of Trial
        Trials on the samples of the arena.
    arena : Arena
        What they were judged by.
    seconds : float, default=inf
        Seconds that are left. Blends that are predicted to take longer are not judged.

    Returns
    -------
    Trial or None
        A blend of two to five candidates.
    """
    scored = [trial for trial in trials if not isinstance(trial.rule, OwnDecisions)]
    ranked = sorted(scored, key=lambda trial: -trial.judgement.compared)[:_MOST_MEMBERS]
    total = np.zeros(0)
    best: Trial | None = None
    # A member takes sigmoids of its scores, and the judgement of a blend.
    of_member = arena.judging(len(arena.samples.Y))
    for n_members, trial in enumerate(ranked, start=1):
        if max(2, n_members) * of_member > seconds:
            break
        log_odds = trial.sigmoids().log_odds(dense_problem(trial.problem)[0])
        total = log_odds if n_members == 1 else total + log_odds
        if n_members == 1:
            continue
        members = ranked[:n_members]
        blend = judged(
            tuple(one.name for one in members),
            sum(one.cost for one in members),
            rules_of_scores(arena.request),
            _in_rows(total / n_members, arena),
            arena,
        )
        if best is None or blend.judgement.compared > best.judgement.compared:
            best = blend._replace(seconds=sum(one.seconds for one in members))
    return best


def best_with_blend(trials: list[Trial], blend: Trial | None) -> tuple[Trial, list[Trial]]:
    """Return the best trial, or the blend if its value exceeds all others, and all trials."""
    best = trials[best_of(trials)]
    if blend is None:
        return best, trials
    highest = max(trial.judgement.compared for trial in trials)
    return blend if blend.judgement.compared > highest else best, [*trials, blend]


def _in_rows(scores: np.ndarray, arena: Arena) -> HeldOutScores:
    """Return blended scores with the sample and the fold of each row."""
    _, rows, folds = HeldOutScores.of_splits(scores, arena.splits)
    has_truth = ~np.isnan(arena.samples.Y[rows][:, np.isnan(arena.constants)]).all(axis=1)
    return HeldOutScores(scores, rows[has_truth], folds[has_truth])


def leave_out_values(problem: Problem, decided: sparse.csc_array, request: Request) -> np.ndarray:
    """Return the value of decisions without each of at most 50 groups of samples.

    Samples of one group of the problem are left out together. Groups, or samples without groups,
    are left out in turn, so that different decisions of the same samples have the same groups.
    """
    units = np.arange(problem.n_samples) if problem.groups is None else problem.groups
    n_groups = min(_N_GROUPS, problem.n_units)
    group = units % n_groups
    if request.counts_by == "sample":
        by_row = problem.counts_of_decisions(decided, "sample")
        weights = problem.weights
        values = [
            request.value(
                Counts(*(cells[group != k] for cells in by_row)),
                None if weights is None else weights[group != k],
            )
            for k in range(n_groups)
        ]
    else:
        without = _counts_without(problem, decided, group, n_groups)
        values = [request.value(counts) for counts in without]
    return np.array(values, dtype=np.float64)


def standard_error(values: np.ndarray) -> float:
    """Return the jackknife standard error of a value from its values without each group."""
    if values.size < 2:
        return float("nan")
    deviations = values - values.mean()
    return float(np.sqrt((values.size - 1) / values.size * (deviations**2).sum()))


def _counts_without(
    problem: Problem, decided: sparse.csc_array, group: np.ndarray, n_groups: int
) -> list[Counts]:
    """Return the counts of each label without each group."""
    rows = np.arange(group.size)
    cells_of_groups = (problem.everyone.astype(np.float64), (group, rows))
    members = sparse.csr_array(cells_of_groups, shape=(n_groups, group.size))
    hits, n_decided, positives = (
        (members @ part.astype(np.float64)).toarray()
        for part in (decided.multiply(problem.Y), decided, problem.Y)
    )
    n_known = np.repeat(members.sum(axis=1)[:, None], problem.n_labels, axis=1)
    if problem.missing is not None:
        n_known = n_known - (members @ problem.missing.astype(np.float64)).toarray()
    tp, fp, fn = hits, n_decided - hits, positives - hits
    cells = (part.sum(axis=0) - part for part in (tp, fp, fn, n_known - tp - fp - fn))
    return [Counts(*counts) for counts in zip(*cells, strict=True)]
