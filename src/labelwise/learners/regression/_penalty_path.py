"""Choice of each regression's penalty by held-out loss, and the fit at that penalty."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from labelwise._estimators import splits_of
from labelwise._parallel import Shared
from labelwise._sigmoids import Sigmoids, fit_sigmoids
from labelwise._validation import check_groups, check_real, is_whole, n_rows
from labelwise.learners.regression._batched_descent import first_step, minimize
from labelwise.learners.regression._design import Design, make_design
from labelwise.learners.regression._log_loss import MeanLogLoss, Point, Tasks
from labelwise.learners.regression._squared_hinge import (
    MeanSquaredHinge,
    NaiveBayesHinge,
    minimize_hinge,
)
from labelwise.splitting import MultilabelStratifiedKFold

# 1e3, ..., 1e-4, as in Dembczyński et al. (2013), section 7.
PENALTIES = tuple(float(f"1e{k}") for k in range(3, -5, -1))
# A path of penalties ends when the held-out loss exceeds its minimum by this part.
_CLEARLY_WORSE = 0.01
# A penalty for all tasks is chosen by so many of them, on the first fold.
_TASKS_TO_CHOOSE = 32
_NEAR_ZERO = 0.01  # of the mean loss
# Relative tolerance of machines of folds that start from the machine of all samples. The last step
# goes beyond it: on makupalat, reuters21578 and hoc, values are on average 9e-5 above the optimum.
_NEAR_ENOUGH = 1e-2
# Values of C = ‖x‖² / (n λ) from which it is chosen by default. A larger one
# was chosen on none of eight sets of terms, and had a lower F on the words of four sets of texts.
_SHARED_C = (0.03, 0.1, 0.3, 1.0)
# Most columns, and most weights, of the tasks that share products. A job gets one such group, so
# that the number of jobs cannot change results. The history of steps takes 20 times the weights.
_COLUMNS_TOGETHER = 48
_WEIGHTS_TOGETHER = 2**20


Splits = list[tuple[np.ndarray, np.ndarray]]


class Regressions(NamedTuple):
    """Fitted regressions; a column for each class but the first of its task."""

    coefficients: np.ndarray  # (n_features, n_columns)
    intercepts: np.ndarray  # (n_columns,)
    penalties: np.ndarray  # (n_tasks,)
    # (n_tested, n_columns): margins of the test samples of each fold, by the regressions of its
    # training samples at the chosen penalties; no rows unless they were asked for
    held_out: np.ndarray


def _no_report(_: str) -> None:
    """Report no progress."""


class RegressionProblem(NamedTuple):
    """Samples, folds and settings that all regressions of one call share."""

    X: Any  # float64, dense or CSR
    sample_weight: np.ndarray | None
    splits: Splits  # empty if there is one penalty
    penalties: tuple[float, ...]  # strongest first
    tol: float  # relative tolerance of the final fit
    n_jobs: int | None = None
    report: Callable[[str], None] = _no_report
    keeps_margins: bool = False  # whether to return the margins of held-out samples
    loss: str = "log"  # others are for tasks of one column
    rescales: bool = False  # whether margins are rescaled; only for tasks of one column
    shares_penalty: bool = False  # whether one penalty is chosen for all tasks of one column
    penalizes_intercept: bool = False  # only for the log-loss


def check_penalty(penalty: Any) -> tuple[float, ...]:
    """Check `penalty` and list its values, strongest first."""
    if isinstance(penalty, str):
        if penalty == "auto":
            return PENALTIES
        raise ValueError(f'penalty must be positive numbers or "auto", got {penalty!r}.')
    try:
        values = np.unique(np.atleast_1d(np.asarray(penalty, dtype=np.float64)))[::-1]
    except (TypeError, ValueError) as error:
        raise TypeError(f'penalty must be positive numbers or "auto", got {penalty!r}.') from error
    if values.ndim != 1 or values.size == 0 or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f'penalty must be positive numbers or "auto", got {penalty!r}.')
    return tuple(values.tolist())


def shared_penalties(penalty: Any, X: Any) -> tuple[float, ...]:
    """List the values from which one penalty for all labels is chosen, strongest first."""
    if not isinstance(penalty, str):
        return check_penalty(penalty)
    entries = X.data if sparse.issparse(X) else np.ravel(X)
    # Other units of the features give other coefficients, but the same scores.
    squared_norm = float(entries @ entries) / X.shape[0] or 1.0
    return tuple(squared_norm / (X.shape[0] * C) for C in _SHARED_C)


def check_loss(loss: Any, X: Any) -> str:
    """Check `loss`, the name of a loss, which may be for features that are not negative."""
    if not isinstance(loss, str) or loss not in _LOSSES:
        raise ValueError(f"loss must be one of {', '.join(_LOSSES)}, got {loss!r}.")
    entries = X.data if sparse.issparse(X) else X
    if _LOSSES[loss].keeps_features and (least := entries.min(initial=0.0)) < 0:
        raise ValueError(f"X must not be negative with loss={loss!r}, got {least:g}.")
    return loss


def check_rescale(rescale: Any, penalties: tuple[float, ...]) -> bool:
    """Check `rescale`; with one penalty there are no held-out samples to rescale margins by."""
    if not isinstance(rescale, bool | np.bool_):
        raise TypeError(f"rescale must be True or False, got {rescale!r}.")
    if rescale and len(penalties) == 1:
        raise ValueError("rescale must be False with a single penalty, got one penalty.")
    return bool(rescale)


def check_penalize_intercept(penalize_intercept: Any, loss: str = "log") -> bool:
    """Check `penalize_intercept`, which the solver of the squared hinge loss does not have."""
    if not isinstance(penalize_intercept, bool | np.bool_):
        raise TypeError(f"penalize_intercept must be True or False, got {penalize_intercept!r}.")
    if penalize_intercept and loss != "log":
        raise ValueError(f'penalize_intercept must be False unless loss="log", got loss={loss!r}.')
    return bool(penalize_intercept)


def check_tol(tol: Any, loss: str = "log") -> float:
    """Check `tol`; None means the default of a loss. Rounding allows no tolerance below 1e-15."""
    return _LOSSES[loss].tol if tol is None else check_real(tol, "tol", least=1e-15, most=1.0)


def penalty_splits(
    cv: Any, X: Any, Y: Any, groups: Any = None, *, method: str = "iterative"
) -> Splits:
    """List the folds that choose penalties; a number means stratified folds.

    With fewer groups than that number, there are as many folds as groups.
    """
    if is_whole(cv):
        n_folds = int(cv)
        if groups is not None:
            n_groups = int(check_groups(groups, n_rows(Y)).max()) + 1
            if n_groups < 2:
                raise ValueError("groups must be at least 2 to choose a penalty, got 1.")
            n_folds = min(n_folds, n_groups)
        # By default not "auto", which would take as long as all regressions of a small set.
        cv = MultilabelStratifiedKFold(n_folds, method=method)
    return splits_of(cv, X, Y, groups)


def fit_regressions(problem: RegressionProblem, tasks: Tasks) -> Regressions:
    """Fit each task at the penalty with the least held-out loss.

    Minimises mean loss + λ/2 · ‖w‖², features as given. The intercept is free, or else a part of w.
    """
    # One thread per product: jobs already use all cores, and results do not depend on threads.
    with _linear_algebra().limit(limits=1, user_api="blas"):
        loss = _LOSSES[problem.loss]
        if loss.is_shuffled:
            problem, tasks = _shuffled(problem, tasks)
        design = make_design(
            problem.X,
            problem.sample_weight,
            penalizes_intercept=problem.penalizes_intercept,
            keeps_features=loss.keeps_features,
        )
        if problem.shares_penalty and len(problem.penalties) > 1:
            problem = problem._replace(penalties=(_shared_penalty(problem, design, tasks),))
        if len(problem.penalties) == 1:
            penalties = np.full(tasks.widths.size, problem.penalties[0])
            W = _fit(problem, design, tasks, penalties)
            _, held_out, sigmoids = _best_penalties(problem, design, tasks, W)
        else:
            penalties, held_out, sigmoids = _best_penalties(problem, design, tasks)
            W = _fit(problem, design, tasks, penalties)
        if problem.rescales:
            sigmoids = ordered_sigmoids(sigmoids)
            W *= sigmoids.slopes
            W[-1] += sigmoids.intercepts
            held_out = sigmoids.log_odds(held_out)
        return Regressions(*design.coefficients(W), penalties, held_out)


@cache
def _linear_algebra() -> ThreadpoolController:
    """Return the loaded libraries, which takes several milliseconds to find, once a process."""
    return ThreadpoolController()


def _shuffled(problem: RegressionProblem, tasks: Tasks) -> tuple[RegressionProblem, Tasks]:
    """Return the samples in random order, as the given one may be that of labels."""
    order = np.random.RandomState(0).permutation(problem.X.shape[0])
    place = np.argsort(order)
    weights = problem.sample_weight
    shuffled = problem._replace(
        X=problem.X[order],
        sample_weight=None if weights is None else weights[order],
        splits=[(np.sort(place[train]), place[test]) for train, test in problem.splits],
    )
    return shuffled, tasks.rows(order)


def _shared_penalty(problem: RegressionProblem, design: Design, tasks: Tasks) -> float:
    """Choose the penalty with the least mean of held-out losses, relative to each task's least.

    The first fold and some tasks, from the rarest to the most frequent, are enough for that.
    """
    fold = tuple(_FoldSamples(design.take(rows), rows) for rows in problem.splits[0])
    n_tasks = tasks.widths.size
    by_frequency = np.argsort(np.asarray(tasks.targets.sum(axis=0)).ravel(), kind="stable")
    places = np.linspace(0, n_tasks - 1, min(n_tasks, _TASKS_TO_CHOOSE)).round().astype(np.intp)
    few = tasks.take(np.sort(by_frequency[places]))
    loss = _LOSSES[problem.loss]
    train, test = (part.objective(problem, few) for part in fold)
    Y = few.targets[fold[1].rows].toarray() if problem.rescales else np.empty((0, 0))
    everyone = np.arange(few.widths.size)
    point, losses = train.start(), np.empty((0, few.widths.size))
    for penalty in problem.penalties:
        point, _ = loss.minimize(
            train, point, np.full(few.widths.size, penalty), loss.to_choose, everyone, None
        )
        found, _ = _held_out_losses(problem, [(train, test)], Y, [point], everyone)
        losses = np.vstack([losses, found])
        # Losses of labels that the test samples lack are near 0 and hardly compare penalties.
        least = losses.min(axis=0)
        means = (losses / np.maximum(least, _NEAR_ZERO * least.mean())).mean(axis=1)
        if means[-1] > (1 + _CLEARLY_WORSE) * means.min():
            break
    return problem.penalties[int(np.argmin(means))]


def _best_penalties(
    problem: RegressionProblem, design: Design, tasks: Tasks, W: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, Sigmoids]:
    """Choose the penalty of each task with the least held-out loss.

    Also return margins of held-out samples, if they are kept, and the sigmoids that rescale them.
    `W` has the weights at a single penalty, fitted to all samples.
    """
    candidates = np.array(problem.penalties)
    n_tested = sum(len(test) for _, test in problem.splits) if problem.keeps_margins else 0
    held_out = np.empty((n_tested, tasks.targets.shape[1]))
    sigmoids = _unit_sigmoids(tasks.widths.size)
    if candidates.size == 1 and not (problem.keeps_margins or problem.rescales):
        return np.full(tasks.widths.size, candidates[0]), held_out, sigmoids
    folds = [
        tuple(_FoldSamples(design.take(rows), rows) for rows in split) for split in problem.splits
    ]
    groups = _groups(design, tasks)
    chosen = np.empty(tasks.widths.size)
    jobs = [(tasks.take(g), None if W is None else W[:, tasks.columns(g)]) for g in groups]
    for k, (group, (best, margins, scaled)) in enumerate(
        zip(groups, _in_parallel(problem, _best_of_path, folds, jobs), strict=True)
    ):
        chosen[group] = candidates[best]
        held_out[:, tasks.columns(group)] = margins
        sigmoids.slopes[group], sigmoids.intercepts[group] = scaled
        problem.report(f"paths of penalties, part {k + 1} of {len(groups)}")
    return chosen, held_out, sigmoids


def _fit(
    problem: RegressionProblem, design: Design, tasks: Tasks, penalties: np.ndarray
) -> np.ndarray:
    """Fit each task at its penalty to all samples."""
    W = np.empty((design.variance.size, tasks.targets.shape[1]), order="F")
    groups = _groups(design, tasks)
    jobs = [(tasks.take(group), penalties[group]) for group in groups]
    n_left = 0
    for k, (group, (part, left)) in enumerate(
        zip(groups, _in_parallel(problem, _optimum, design, jobs), strict=True)
    ):
        W[:, tasks.columns(group)] = part
        n_left += left
        problem.report(f"regressions, part {k + 1} of {len(groups)}")
    if n_left:
        warnings.warn(
            f"{n_left} of {tasks.widths.size} regressions had not converged when their steps "
            "were used up; a stronger penalty, a larger tol or scaled features would help.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return W


def _steps_beyond(
    objective: MeanLogLoss, start: Point, found: Point, penalty: np.ndarray, tasks: np.ndarray
) -> np.ndarray:
    """Return what follows the first step; optima of folds are close, so that others add it."""
    return np.asarray(found.W - start.W - first_step(objective, start, penalty, tasks))


class _Loss(NamedTuple):
    """How the regressions of a loss are fitted."""

    objective: type[Any]
    minimize: Callable[..., tuple[Any, int]]
    tol: float  # by default
    to_choose: float  # relative tolerance while penalties are compared
    is_shuffled: bool = False  # whether samples must be in random order
    # The steps of a fold that others add to their first; None if they gain nothing from it.
    beyond: Callable[..., np.ndarray] | None = None
    # The start of a fold from weights of all samples; None if it gains nothing from them.
    restart: Callable[..., Any] | None = None
    keeps_features: bool = False  # whether the coordinates must be the features


_LOSSES = {
    "log": _Loss(MeanLogLoss, minimize, 1e-13, 1e-5, beyond=_steps_beyond),
    # On bibtex, values are then 3e-4 above the optimum; with liblinear's default, 1e-3.
    "squared_hinge": _Loss(
        MeanSquaredHinge, minimize_hinge, 1e-3, 1e-3, True, restart=MeanSquaredHinge.restart
    ),
    "naive_bayes_hinge": _Loss(
        NaiveBayesHinge,
        minimize_hinge,
        1e-3,
        1e-3,
        True,
        restart=MeanSquaredHinge.restart,
        keeps_features=True,
    ),
}


class _FoldSamples(NamedTuple):
    """The training or the test samples of a fold."""

    design: Design
    rows: np.ndarray

    def objective(self, problem: RegressionProblem, tasks: Tasks) -> Any:
        weights = problem.sample_weight
        cut = None if weights is None else weights[self.rows]
        return _LOSSES[problem.loss].objective(self.design, tasks.rows(self.rows), cut)


def _best_of_path(
    problem: RegressionProblem,
    folds: list[tuple[_FoldSamples, _FoldSamples]],
    tasks: Tasks,
    W: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, Sigmoids]:
    """Find the penalty with the least held-out loss per task, by its number.

    Also return margins of the test samples of all folds, if they are kept, and the sigmoids that
    rescale them. `W` has the weights at a single penalty, fitted to all samples.
    """
    loss = _LOSSES[problem.loss]
    objectives = [tuple(part.objective(problem, tasks) for part in fold) for fold in folds]
    tolerance = loss.to_choose
    if W is None or loss.restart is None:
        points = [train.start() for train, _ in objectives]
    else:
        tolerance = _NEAR_ENOUGH
        points = [loss.restart(train, W) for train, _ in objectives]
    losses = np.full((len(problem.penalties), tasks.widths.size), np.inf)
    margins = [_no_margins(problem, test, tasks) for _, test in objectives]
    going = np.arange(tasks.widths.size)
    sigmoids = _unit_sigmoids(tasks.widths.size)
    tested = np.concatenate([test.rows for _, test in folds])
    Y = tasks.targets[tested].toarray() if problem.rescales else np.empty((0, 0))
    for k, penalty in enumerate(problem.penalties):
        penalties = np.full(tasks.widths.size, penalty)
        beyond = None
        for f, (train, _) in enumerate(objectives):
            found, _ = loss.minimize(train, points[f], penalties, tolerance, going, beyond)
            if f == 0 and loss.beyond is not None:
                beyond = loss.beyond(train, points[0], found, penalties, going)
            points[f] = found
        losses[k, going], scaled = _held_out_losses(problem, objectives, Y, points, going)
        is_better = losses[k, going] < losses[:k, going].min(axis=0, initial=np.inf)
        better = going[is_better]
        for of_best, new in zip(sigmoids, scaled, strict=True):
            of_best[better] = new[is_better]
        if problem.keeps_margins:
            for kept, point, (_, test) in zip(margins, points, objectives, strict=True):
                columns = tasks.columns(better)
                kept[:, columns] = test.margins(point.W[:, columns])
        least = losses[: k + 1, going].min(axis=0)
        going = going[losses[k, going] <= (1 + _CLEARLY_WORSE) * least]
        if going.size == 0:
            break
    # Of equal losses, argmin takes the first, which has the strongest penalty.
    return np.argmin(losses, axis=0), np.concatenate(margins), sigmoids


def _held_out_losses(
    problem: RegressionProblem,
    objectives: list[tuple[Any, ...]],
    Y: np.ndarray,
    points: list[Any],
    going: np.ndarray,
) -> tuple[np.ndarray, Sigmoids]:
    """Return the loss of each task on the test samples of all folds, and how margins are rescaled.

    `Y` has the targets of the test samples, fold after fold; it is only used to rescale.
    """
    tests = [test for _, test in objectives]
    if not problem.rescales:
        losses = sum(test.loss(point.W, going) for test, point in zip(tests, points, strict=True))
        return losses, _unit_sigmoids(going.size)
    margins = [test.margins(point.W[:, going]) for test, point in zip(tests, points, strict=True)]
    weights = np.concatenate([test.weights for test in tests])
    scaled, losses = rescaled_losses(
        np.concatenate(margins), Y[:, going], weights if weights.size else None
    )
    return losses, scaled


def _no_margins(problem: RegressionProblem, test: Any, tasks: Tasks) -> np.ndarray:
    n_rows = test.design.rows.shape[0] if problem.keeps_margins else 0
    return np.empty((n_rows, tasks.targets.shape[1]))


def _optimum(
    problem: RegressionProblem, design: Design, tasks: Tasks, penalties: np.ndarray
) -> tuple[np.ndarray, int]:
    loss = _LOSSES[problem.loss]
    objective = loss.objective(design, tasks, problem.sample_weight)
    found, n_left = loss.minimize(objective, objective.start(), penalties, problem.tol)
    return found.W, n_left


def _in_parallel(
    problem: RegressionProblem, work: Callable[..., Any], rows: Any, jobs: list[Any]
) -> Iterator[Any]:
    """Call `work` with the problem, the rows of all jobs, and each job; yield in their order."""
    run = Parallel(n_jobs=problem.n_jobs, prefer="threads", return_as="generator")
    # Only the rows are read: X would be sent to the workers of a cluster a second time.
    shared = Shared((problem._replace(X=None, splits=[], report=_no_report), rows))
    results: Iterator[Any] = run(delayed(_on_shared)(work, shared, *job) for job in jobs)
    return results


def _on_shared(work: Callable[..., Any], shared: Shared, *job: Any) -> Any:
    return work(*shared.value, *job)


def _groups(design: Design, tasks: Tasks) -> list[np.ndarray]:
    """Split tasks into an even number of groups that share their products."""
    together = min(_COLUMNS_TOGETHER, 1 + _WEIGHTS_TOGETHER // design.variance.size)
    ends = np.cumsum(tasks.widths)
    n_parts = 2 * -(-ends[-1] // (2 * together))
    part = (ends - 1) * n_parts // ends[-1]
    return np.split(np.arange(ends.size), np.flatnonzero(np.diff(part)) + 1)


def _unit_sigmoids(n_labels: int) -> Sigmoids:
    """Return sigmoids that leave margins as they are."""
    return Sigmoids(np.ones(n_labels), np.zeros(n_labels))


def rescaled_losses(
    margins: np.ndarray, Y: np.ndarray, weights: np.ndarray | None
) -> tuple[Sigmoids, np.ndarray]:
    """Fit a sigmoid to the held-out margins of each label; return it and the mean log-loss.

    A strong penalty shrinks the coefficients of a logistic regression, so that its probabilities
    are too close to each other, and the loss of held-out samples is high even if their order is
    right. A slope and an intercept for each label undo the shrinkage: what is left of the loss is
    due to the direction of the coefficients.

    The slope of a label whose positives do not have the higher margins is 0.
    """
    Y = Y.astype(np.float64)
    share = np.full(len(Y), 1 / len(Y)) if weights is None else weights / weights.sum()
    found = fit_sigmoids(margins, Y, share * len(Y), increasing=True)
    log_odds = found.log_odds(margins)
    losses = share @ (np.logaddexp(0, log_odds) - Y * log_odds)
    return found, losses


def ordered_sigmoids(found: Sigmoids) -> Sigmoids:
    """Replace sigmoids of slope 0, which would make all scores of a label equal.

    A label with one or two positives has no order among held-out samples, as each positive was
    scored by a model that had seen one fewer. It gets the medians of slopes and of intercepts of
    the other labels, whose margins have the same scale; if there are none, margins stay as they
    are.
    """
    has_order = found.slopes > 0
    if not has_order.any():
        return _unit_sigmoids(has_order.size)
    slope, intercept = (float(np.median(values[has_order])) for values in found)
    return Sigmoids(
        np.where(has_order, found.slopes, slope), np.where(has_order, found.intercepts, intercept)
    )
