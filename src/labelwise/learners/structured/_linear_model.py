"""Linear model of the structured learners: choice of the penalty, fit, and scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from labelwise._estimators import learn_features, learn_targets, report_progress
from labelwise._validation import check_beta, check_random_state, check_real, check_whole
from labelwise.learners.regression._penalty_path import check_penalty, penalty_splits
from labelwise.learners.structured._hinge_loss import HingeLossProblem, Solution, decide, solve
from labelwise.learners.structured._min_cut_kernels import PairGains
from labelwise.measures import count, f_measure

# While penalties are compared, the tolerance is this many times larger, and passes are fewer.
_LOOSER = 10.0
_PASSES_TO_CHOOSE = 30


def learn_weights(
    learner: Any, X: Any, y: Any, groups: Any, pairs_in: Callable[[np.ndarray], PairGains]
) -> None:
    """Choose the penalty on folds that keep groups together, and fit the weights at that penalty.

    `pairs_in` gives the gains of pairs for a label matrix; its last call is for all samples. Labels
    with one class are not learned: their weights are 0, and their intercept is -1 or 1.
    """
    penalties = check_penalty(learner.penalty)  # strongest first
    tol = 1e-3 if learner.tol is None else check_real(learner.tol, "tol", least=1e-12, most=1.0)
    max_passes = check_whole(learner.max_iter, "max_iter", least=2)
    scaling = check_real(learner.intercept_scaling, "intercept_scaling", least=1e-3, most=1e3)
    check_beta(learner.beta)
    beta = float(learner.beta)
    random = check_random_state(learner.random_state)
    targets = learn_targets(learner, X, y, groups=groups)
    X = learn_features(learner, X)
    learner.coef_ = np.zeros((targets.constants.size, X.shape[1]))
    learner.intercept_ = np.where(targets.constants == 1, 1.0, -1.0)
    learner.penalty_, learner.cv_values_ = penalties[0], None
    learner.objective_, learner.gap_, learner.n_iter_, learner.n_planes_ = 0.0, 0.0, 0, 0
    if targets.varying.size == 0:
        return
    labels = targets.matrix[:, targets.varying].toarray()
    report = partial(report_progress, learner)
    # To compare penalties, and to start from.
    roughly = partial(solve, tol=tol * _LOOSER, max_passes=min(max_passes, _PASSES_TO_CHOOSE))
    if len(penalties) > 1:
        # "auto" is the default of `MultilabelStratifiedKFold`.
        splits = penalty_splits(learner.cv, X, labels.astype(np.int64), groups, method="auto")
        seeds = random.randint(2**31 - 1, size=len(splits))
        # Kernels release the global interpreter lock, so that threads suffice, and share X.
        found = Parallel(n_jobs=learner.n_jobs, prefer="threads")(
            delayed(_fold_f)(
                HingeLossProblem.of(
                    X[train], labels[train], pairs_in(labels[train]), scaling, beta
                ),
                X[test],
                labels[test],
                penalties,
                partial(roughly, random=np.random.RandomState(seed)),
                lambda text, k=k: report(f"fold {k + 1} of {len(splits)}, {text}"),
            )
            for k, ((train, test), seed) in enumerate(zip(splits, seeds, strict=True))
        )
        values = np.concatenate(found, axis=1).mean(axis=1)
        learner.cv_values_ = dict(zip(penalties, values.tolist(), strict=True))
        # Of equal values, argmax takes the first, which has the strongest penalty.
        penalties = penalties[: np.argmax(values) + 1]
    problem = HingeLossProblem.of(X, labels, pairs_in(labels), scaling, beta)
    start = None
    for penalty in penalties[:-1]:
        start = roughly(problem, penalty, random=random, start=start)
    best = solve(
        problem,
        penalties[-1],
        tol=tol,
        max_passes=max_passes,
        random=random,
        start=start,
        report=report,
    )
    if best.gap > tol:
        warnings.warn(
            f"After {best.n_passes} passes the relative gap is {best.gap:.2g}, above "
            f"tol={tol:g}; a larger max_iter or penalty lets it shrink.",
            ConvergenceWarning,
            stacklevel=3,
        )
    weights, learner.intercept_[targets.varying] = problem.coefficients(best.W)
    learner.coef_[targets.varying] = weights.T
    learner.penalty_, learner.objective_, learner.gap_ = best.penalty, best.objective, best.gap
    learner.n_iter_, learner.n_planes_ = best.n_passes, best.n_planes


def linear_scores(learner: Any, X: Any) -> np.ndarray:
    """Score labels by their linear functions, without the gains of pairs."""
    X = learn_features(learner, X, reset=False)
    scores: np.ndarray = X @ learner.coef_.T + learner.intercept_
    return scores


def _fold_f(
    train: HingeLossProblem,
    X: Any,
    labels: np.ndarray,
    penalties: tuple[float, ...],
    solve: Callable[..., Solution],
    report: Callable[[str], None],
) -> np.ndarray:
    """Return the F of each held-out sample, one row per penalty."""
    values, found = [], None
    for penalty in penalties:
        found = solve(train, penalty, start=found)
        weights, intercepts = train.coefficients(found.W)
        decided = decide(X @ weights + intercepts, train.pairs)
        values.append(f_measure(count(labels, decided, by="sample"), train.beta))
        report(f"penalty {penalty:g}, gap {found.gap:.2g}, F {np.mean(values[-1]):.4f}")
    return np.array(values)
