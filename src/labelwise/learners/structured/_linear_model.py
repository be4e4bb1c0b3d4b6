"""Linear model of the structured learners: choice of the penalty, fit, and scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import learn_features, learn_targets, report_progress
from labelwise._validation import check_real, check_whole
from labelwise.learners.regression._penalty_path import Splits, check_penalty, penalty_splits
from labelwise.learners.structured._hinge_loss import HingeLossProblem, Solution, decide, solve
from labelwise.learners.structured._min_cut_kernels import PairGains
from labelwise.measures import count, f_measure

# While penalties are compared, the tolerance is this many times larger, and passes are fewer.
_LOOSER = 10.0
_PASSES_TO_CHOOSE = 30


class SolverOptions(NamedTuple):
    """Checked parameters of a structured learner."""

    penalties: tuple[float, ...]  # strongest first
    cv: Any
    tol: float
    max_passes: int
    intercept_scaling: float
    n_jobs: int | None
    random: np.random.RandomState
    report: Callable[[str], None]


def _check_solver_options(learner: Any) -> SolverOptions:
    """Check the parameters that the structured learners share."""
    return SolverOptions(
        check_penalty(learner.penalty),
        learner.cv,
        check_real(learner.tol, "tol", least=1e-12, most=1.0),
        check_whole(learner.max_passes, "max_passes", least=2),
        check_real(learner.intercept_scaling, "intercept_scaling", least=1e-3, most=1e3),
        learner.n_jobs,
        check_random_state(learner.random_state),
        partial(report_progress, learner),
    )


class FittedWeights(NamedTuple):
    """Weights of all labels, and how they were found; learners store all fields, ending in _."""

    coef: np.ndarray
    intercept: np.ndarray
    penalty: float
    cv_values: dict[float, float] | None = None
    objective: float = 0.0
    gap: float = 0.0
    n_passes: int = 0
    n_planes: int = 0


def learn_weights(
    learner: Any, X: Any, Y: Any, groups: Any, pairs_in: Callable[[np.ndarray], PairGains]
) -> FittedWeights:
    """Choose the penalty on folds that keep groups together, and fit the weights at that penalty.

    `pairs_in` gives the gains of pairs for a label matrix. Labels with one class are not learned:
    their weights are 0, and their intercept is -1 or 1.
    """
    options = _check_solver_options(learner)
    targets = learn_targets(learner, X, Y, groups=groups)
    X = learn_features(learner, X)
    coef = np.zeros((targets.constants.size, X.shape[1]))
    intercept = np.where(targets.constants == 1, 1.0, -1.0)
    if targets.varying.size == 0:
        return FittedWeights(coef, intercept, options.penalties[0])
    labels = targets.matrix[:, targets.varying].toarray()
    cv_values = None
    if len(options.penalties) > 1:
        # "auto" is the default of `MultilabelStratifiedKFold`.
        splits = penalty_splits(options.cv, X, labels.astype(np.int64), groups, method="auto")
        values = _held_out_f(X, labels, pairs_in, options, splits)
        cv_values = dict(zip(options.penalties, values.tolist(), strict=True))
        # Of equal values, argmax takes the first, which has the strongest penalty.
        options = options._replace(penalties=options.penalties[: np.argmax(values) + 1])
    problem = HingeLossProblem.of(X, labels, pairs_in(labels), options.intercept_scaling)
    found = _fit(problem, options)
    weights, intercept[targets.varying] = problem.coefficients(found.W)
    coef[targets.varying] = weights.T
    solved = (found.objective, found.gap, found.n_passes, found.n_planes)
    return FittedWeights(coef, intercept, found.penalty, cv_values, *solved)


def linear_scores(learner: Any, X: Any) -> np.ndarray:
    """Score labels by their linear functions, without the gains of pairs."""
    check_is_fitted(learner)
    X = learn_features(learner, X, reset=False)
    scores: np.ndarray = X @ learner.coef_.T + learner.intercept_
    return scores


def _roughly(
    problem: HingeLossProblem, penalty: float, options: SolverOptions, start: Solution | None
) -> Solution:
    """Solve with a larger tolerance, to compare penalties or to start from."""
    return solve(
        problem,
        penalty,
        tol=options.tol * _LOOSER,
        max_passes=min(options.max_passes, _PASSES_TO_CHOOSE),
        random=options.random,
        start=start,
    )


def _fit(problem: HingeLossProblem, options: SolverOptions) -> Solution:
    """Solve for the last penalty, with the stronger ones as warm starts."""
    start = None
    for penalty in options.penalties[:-1]:
        start = _roughly(problem, penalty, options, start)
    found = solve(
        problem,
        options.penalties[-1],
        tol=options.tol,
        max_passes=options.max_passes,
        random=options.random,
        start=start,
        report=options.report,
    )
    if found.gap > options.tol:
        warnings.warn(
            f"After {found.n_passes} passes the relative gap is {found.gap:.2g}, above "
            f"tol={options.tol:g}; a larger max_passes or penalty lets it shrink.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return found


def _held_out_f(
    X: Any,
    labels: np.ndarray,
    pairs_in: Callable[[np.ndarray], PairGains],
    options: SolverOptions,
    splits: Splits,
) -> np.ndarray:
    """Return the mean F of held-out samples for each penalty."""
    seeds = options.random.randint(2**31 - 1, size=len(splits))
    # Kernels release the global interpreter lock, so that threads suffice, and share X.
    found = Parallel(n_jobs=options.n_jobs, prefer="threads")(
        delayed(_fold_f)(
            HingeLossProblem.of(
                X[train], labels[train], pairs_in(labels[train]), options.intercept_scaling
            ),
            X[test],
            labels[test],
            options._replace(random=np.random.RandomState(seed)),
            f"fold {k + 1} of {len(splits)}, ",
        )
        for k, ((train, test), seed) in enumerate(zip(splits, seeds, strict=True))
    )
    values: np.ndarray = np.concatenate(found, axis=1).mean(axis=1)
    return values


def _fold_f(
    train: HingeLossProblem, X: Any, labels: np.ndarray, options: SolverOptions, name: str
) -> np.ndarray:
    """Return the F of each held-out sample, one row per penalty."""
    values, found = [], None
    for penalty in options.penalties:
        found = _roughly(train, penalty, options, found)
        weights, intercepts = train.coefficients(found.W)
        decided = decide(X @ weights + intercepts, train.pairs)
        values.append(f_measure(count(labels, decided, by="sample")))
        options.report(
            f"{name}penalty {penalty:g}, gap {found.gap:.2g}, F {np.mean(values[-1]):.4f}"
        )
    return np.array(values)
