"""Thresholds of estimators: held-out scores, the problem on them, and labels with one class.

A label that has one class in training is not tuned: its threshold is -inf (always decided) or inf
(never decided).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import averaged_name, averaged_records
from labelwise._curves import exact_weights
from labelwise._estimators import (
    HeldOutScores,
    LabelScorer,
    LabelTarget,
    Splits,
    all_labels,
    as_label_column,
    check_not_empty,
    check_y_given,
    constant_labels,
    cut_params,
    fit_and_score_folds,
    fit_scorer,
    score_matrix,
    splits_of,
    splits_within,
    warn_of_constants,
)
from labelwise._tuning._evidence import Evidence
from labelwise._tuning._result import Thresholds
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem, in_slices, with_truth
from labelwise._validation import (
    Outcome,
    check_groups,
    is_whole,
    labels_for,
    n_rows,
    take_rows,
    without_cells,
)


class Samples(NamedTuple):
    """Checked samples that an estimator is fitted to, and that decisions are tuned on."""

    X: Any
    Y: np.ndarray  # int64, or float64 with NaN for missing labels
    names: tuple[str, ...] | None
    groups: Any
    fit_params: Mapping[str, Any]
    # Above 0, by `exact_weights`, counted in measures; None if all samples count once.
    weights: np.ndarray | None = None
    slices: np.ndarray | None = None  # the slice of each sample as text

    def part(self, rows: np.ndarray, splits: Splits) -> tuple[Samples, Splits]:
        """Return some of the samples, and splits without all others."""
        pairs = splits_within(splits, rows, len(self.Y))
        samples = self._replace(
            X=take_rows(self.X, rows),
            Y=self.Y[rows],
            groups=None if self.groups is None else take_rows(self.groups, rows),
            fit_params=cut_params(self.fit_params, rows, len(self.Y)),
            weights=None if self.weights is None else self.weights[rows],
            slices=None if self.slices is None else self.slices[rows],
        )
        return samples, [(train, test) for train, test in pairs if train.size and test.size]

    def counted(self, cv: Any) -> tuple[Samples, Any]:
        """Return the samples of weight above 0, and `cv` as splits without all others.

        A `cv` of None or "oob" has no splits.
        """
        if self.weights is None or self.weights.all():
            return self, cv
        rows = np.flatnonzero(self.weights)
        if cv is None or is_oob(cv):
            return self.part(rows, [])[0], cv
        varies = np.isnan(constant_labels(self.Y[rows]))
        samples, splits = self.part(rows, splits_of(cv, self.X, self.Y[:, varies], self.groups))
        if not splits:
            raise ValueError(
                "sample_weight must be above 0 for samples of both parts of a split of cv, got 0."
            )
        return samples, splits

    def weights_of(self, scored: TuningScores) -> np.ndarray | None:
        """Return the weight of each score, of which every sum is exact; None without weights."""
        if self.weights is None:
            return None
        # A sample may have several scores.
        return exact_weights(self.weights[scored.held_out.rows], self.Y.shape[1])


class TuningScores(NamedTuple):
    """Scores of the labels that have both classes in training, and the fitted scorer."""

    held_out: HeldOutScores
    scorer: LabelScorer


def is_oob(cv: Any) -> bool:
    """Return whether samples are scored by the trees that have not seen them, without folds."""
    return isinstance(cv, str) and cv == "oob"


def target_of_fitted(wrapper: Any, fitted: Any, X: Any, y: Any) -> LabelTarget:
    """Check the labels of samples for a fitted estimator, in the order of its columns."""
    from sklearn.utils import check_consistent_length

    check_y_given(wrapper, y)
    known = getattr(fitted, "classes_", None)
    is_of_vector = isinstance(known, np.ndarray) and known.shape == (2,)
    # A vector may lack a class that the estimator knows. One label has the classes 0 and 1.
    column, classes = as_label_column(y, known if is_of_vector else np.arange(2))
    labels = labels_for(fitted, column)
    check_consistent_length(X, labels.matrix)
    check_not_empty(labels.matrix)
    return LabelTarget(labels.matrix, labels.names, classes, labels.missing)


def prefit_scores(estimator: Any, samples: Samples, method: str) -> TuningScores:
    """Score all samples by an estimator that was fitted to other samples."""
    if samples.fit_params:
        given = ", ".join(samples.fit_params)
        raise ValueError(f"a FrozenEstimator is not fitted again, so that it cannot take {given}.")
    n_samples, n_labels = samples.Y.shape
    scores = score_matrix(estimator, samples.X, n_labels, method=method)
    held_out = HeldOutScores.of_one_fold(scores, np.arange(n_samples))
    return TuningScores(held_out, LabelScorer(estimator, np.full(n_labels, np.nan)))


def split_scores(estimator: Any, samples: Samples, method: str, cv: Any) -> TuningScores:
    """Score the test part of a single split by the model of the training part, and keep both."""
    train, test = _only_split(samples, cv)
    warn_of_constants(constant_labels(samples.Y[train]), samples.names)
    params = cut_params(samples.fit_params, train, n_rows(samples.X))
    scorer = fit_scorer(estimator, take_rows(samples.X, train), samples.Y[train], params)
    scores = scorer.scores(take_rows(samples.X, test), method)[:, np.isnan(scorer.constants)]
    return TuningScores(HeldOutScores.of_one_fold(scores, test), scorer)


def oob_scores(estimator: Any, samples: Samples) -> TuningScores:
    """Fit the estimator to all samples; score each by the parts of it that have not seen it.

    Samples without such a part are left out.
    """
    from sklearn.base import clone

    if not hasattr(estimator, "fit_scoring_oob"):
        kind = type(estimator).__name__
        raise TypeError(
            f'cv="oob" needs an estimator with fit_scoring_oob, such as LabelForest, got {kind}.'
        )
    if samples.groups is not None:
        raise ValueError('cv="oob" does not keep groups together: give folds of groups as cv.')
    constants = constant_labels(samples.Y)
    warn_of_constants(constants, samples.names)
    varies = np.isnan(constants)
    if not varies.any():
        rows = np.arange(len(samples.Y))
        held_out = HeldOutScores.of_one_fold(np.empty((rows.size, 0)), rows)
        return TuningScores(held_out, LabelScorer(None, constants))
    model = clone(estimator)
    scores = model.fit_scoring_oob(samples.X, samples.Y[:, varies], **samples.fit_params)
    # Kernels behind take scores as finite.
    rows = np.flatnonzero(np.isfinite(scores).all(axis=1))
    if rows.size == 0:
        raise ValueError('cv="oob" needs more trees: every sample has been seen by all of them.')
    held_out = HeldOutScores.of_one_fold(scores[rows], rows)
    return TuningScores(held_out, LabelScorer(model, constants))


def fold_scores(
    estimator: Any,
    samples: Samples,
    method: str,
    cv: Any,
    n_jobs: int | None,
    report: Callable[[str], None] | None = None,
) -> TuningScores:
    """Score all folds of a cross-validation, and fit the estimator to all samples."""
    warn_of_constants(constant_labels(samples.Y), samples.names)
    return TuningScores(
        *fit_and_score_folds(
            estimator,
            samples.X,
            samples.Y,
            cv,
            method=method,
            groups=samples.groups,
            fit_params=samples.fit_params,
            n_jobs=n_jobs,
            report=report,
        )
    )


def tuning_problem(scored: TuningScores, samples: Samples) -> tuple[Problem, np.ndarray]:
    """Build the problem of the labels that have both classes, and return the fold of each row.

    Samples of which all these labels are missing are left out.
    """
    varies = np.isnan(scored.scorer.constants)
    # Numbers stand for missing names, so that a warning names the right label.
    names = np.array(samples.names or np.arange(varies.size), dtype=str)[varies].tolist()
    scores, rows, folds = scored.held_out
    Y = samples.Y[rows][:, varies]
    groups = _groups(rows, samples.groups)
    weights = samples.weights_of(scored)
    slices = None if samples.slices is None else samples.slices[rows]
    problem = _known(scores, Y, tuple(names), weights, groups, slices)
    return problem, folds[~np.isnan(Y).all(axis=1)]


def _known(
    scores: Any,
    Y: np.ndarray,
    names: tuple[str, ...] | None,
    weights: np.ndarray | None,
    groups: np.ndarray | None,
    slices: np.ndarray | None,
) -> Problem:
    """Build a problem of labels that are 0, 1 or NaN, without samples that have only NaN."""
    truth, gaps = sparse.csc_array(Y == 1), np.isnan(Y)
    if not gaps.any():
        problem = Problem(scores, truth, names, weights, groups=groups)
        return problem if slices is None else in_slices(problem, slices)
    missing = sparse.csc_array(gaps)
    known = Outcome(truth, without_cells(scores, missing), None, names, weights, missing)
    return with_truth(known, groups, slices)


def guarantee_problem(scored: TuningScores, samples: Samples, method: str) -> Problem:
    """Build the problem of all labels, with the scores that constant labels have in `predict`.

    A guarantee counts the decisions and the positives of all labels.
    """
    constants = scored.scorer.constants
    held_out, rows, _ = scored.held_out
    scores = all_labels(held_out, constants, method)
    groups, weights = _groups(rows, samples.groups), samples.weights_of(scored)
    slices = None if samples.slices is None else samples.slices[rows]
    return _known(scores, samples.Y[rows], samples.names, weights, groups, slices)


def _groups(rows: np.ndarray, groups: Any) -> np.ndarray | None:
    """Return the group of each score: the given one, or the row if a row has several scores."""
    if groups is not None:
        return check_groups(take_rows(groups, rows), rows.size)
    distinct, numbers = np.unique(rows, return_inverse=True)
    return numbers if distinct.size < numbers.size else None


def _only_split(samples: Samples, cv: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the training and the test samples of a `cv` that gives a single split."""
    if is_whole(cv):
        raise ValueError(f"refit=False needs a cv that gives one split, got {cv!r}.")
    splits = splits_of(cv, samples.X, samples.Y, samples.groups)
    if len(splits) != 1:
        raise ValueError(f"refit=False needs a cv that gives one split, got {len(splits)}.")
    return splits[0]


def thresholds_of_no_label(request: Request) -> Thresholds:
    """Build the result of a request if no label has both classes, without a value."""
    evidence = Evidence(
        value=float("nan"),
        measure=request.measure_name,
        average=request.average,
        support=np.zeros(0, dtype=np.int64),
        decided=np.zeros(0, dtype=np.int64),
        n_samples=0,
        beta=request.beta,
        shared=request.shared,
    )
    return Thresholds(np.zeros(0), evidence)


def with_constant_labels(
    tuned: Thresholds,
    constants: np.ndarray,
    Y: np.ndarray,
    names: tuple[str, ...] | None,
    weights: np.ndarray | None = None,
) -> Thresholds:
    """Add infinite thresholds of labels with one class to those of the tuned labels.

    `constants` has the class of each label with one class, and NaN for each tuned label; `Y` are
    the labels of the tuning samples, all columns, with NaN for missing labels. Samples are counted
    by weight, if there are weights. In each slice, these labels have the same thresholds.
    """
    everyone = np.ones(len(Y), dtype=np.int64) if weights is None else weights
    is_known = ~np.isnan(Y)
    has_truth = is_known.any(axis=1)
    varies, is_always = np.isnan(constants), constants == 1
    found = tuned._of_labels(
        np.where(varies, np.cumsum(varies) - 1, -1),
        names,
        support=everyone @ (Y == 1),
        n_samples=int(has_truth.sum()),
        n_missing=int((~is_known[has_truth]).sum()),
    )
    found = replace(found, values=np.where(is_always, -np.inf, found.values))
    if found.slices is not None:
        # Their counts by slice stay 0: constant labels are not tuned on.
        found.slices.values[:, is_always] = -np.inf
    known = found.evidence
    decided = np.where(is_always, everyone @ is_known, known.decided)
    hits = known.true_positives
    if hits is not None:
        hits = np.where(is_always, known.support, hits)
    priors = known.priors if known.priors is None else np.where(is_always, 1.0, known.priors)
    evidence = replace(known, decided=decided, true_positives=hits, priors=priors)
    return replace(found, evidence=evidence)


def with_current_options(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an estimator that was saved before 0.3.0 with the options of today.

    Until then `measure`, `fbr_rule`, `across` and `tuning_share` were options of their own.
    """
    if "measure" not in state:
        return state
    state = dict(state)
    measure, average = state.pop("measure"), state.pop("average")
    if state.get("maximize") is None:
        kind = average or "micro"
        is_named = measure is None or measure in averaged_records()
        name = f"{kind}-{measure or 'f'}" if is_named else averaged_name(measure, kind)
        state["maximize"] = measure if name is None else name
        average = average if name is None else None
    state["average"] = average
    if state.pop("fbr_rule", 1) == 0 and state["fbr"] is not None:
        state["fbr"] = (state["fbr"], 0)
    certified = state.pop("across", "each"), state.pop("tuning_share", 0.5)
    if state.get("guarantee") is not None:
        state["guarantee"] = Certify(state["guarantee"], *certified)
    return state
