"""Decision rules that candidates are judged by: tuned thresholds, highest expected F, their own."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.special import expit

from labelwise._estimators import scoring_method
from labelwise.decisions import (
    Problem,
    Request,
    Thresholds,
    fit_sigmoids,
    maximize_expected_f_independent,
    tune_and_correct,
)
from labelwise.learners.selection._label_sets import (
    LabelSets,
    decide_of_label_sets,
    label_sets_of,
)
from labelwise.measures import f_measure


class Judgement(NamedTuple):
    """What held-out scores of a candidate are worth."""

    value: float  # by decisions that were tuned on the same scores
    corrected_value: float  # by decisions of other folds; NaN if there are none
    decided: sparse.csc_array | None  # bool, by other folds
    thresholds: Thresholds | None  # of the rule with thresholds
    label_sets: LabelSets | None = None  # of the rule with label sets

    @property
    def compared(self) -> float:
        """The corrected value, or the value if there is no corrected one; -inf if neither is."""
        value = self.value if np.isnan(self.corrected_value) else self.corrected_value
        return -np.inf if np.isnan(value) else value


class DecisionRule(Protocol):
    """How scores become decisions."""

    name: str

    def method(self, estimator: Any) -> str:
        """Return the method of an estimator that gives the scores of this rule."""

    def judge(
        self, problem: Problem, folds: np.ndarray, request: Request, random_state: Any
    ) -> Judgement:
        """Return what the scores of a problem are worth; `folds` numbers the fold of each row."""


class TunedCuts:
    """A label is decided at its tuned threshold, the same for all samples."""

    name = "thresholds"

    def method(self, estimator: Any) -> str:
        """Return the method that gives scores."""
        return scoring_method(estimator)

    def judge(
        self, problem: Problem, folds: np.ndarray, request: Request, random_state: Any
    ) -> Judgement:
        """Tune thresholds, and correct their value by those of other folds."""
        tuned = tune_and_correct(problem, request, random_state, folds=folds)
        value = tuned.thresholds.value
        return Judgement(value, tuned.corrected_value, tuned.decided, tuned.thresholds)


class ExpectedF:
    """The label set of a sample is the one of highest expected F, with labels independent."""

    name = "expected-f"

    def method(self, estimator: Any) -> str:
        """Return the method that gives scores, which sigmoids turn into probabilities."""
        return scoring_method(estimator)

    def judge(
        self,
        problem: Problem,
        folds: np.ndarray,
        request: Request,
        random_state: Any,  # noqa: ARG002
    ) -> Judgement:
        """Decide with sigmoids of all samples, and with those of other folds."""
        scores, Y = dense_problem(problem)
        everyone = problem.everyone.astype(np.float64)
        fitted = fit_sigmoids(scores, Y, everyone, increasing=True)
        seen = self.label_sets(Y, everyone)
        decided = decide_by_expected_f(fitted.log_odds(scores), request, seen)
        value = _value(problem, request, sparse.csc_array(decided, dtype=bool))
        if np.unique(folds).size < 2:
            return Judgement(value, float("nan"), None, None, seen)
        decided = np.zeros(scores.shape, dtype=bool)
        for fold in np.unique(folds):
            here = folds == fold
            # A label without truth in the other folds has weight 0 there: its slope is 0.
            others = scores[~here], _with_truth(Y[~here]), everyone[~here]
            sigmoids = fit_sigmoids(*others, increasing=True)
            log_odds = sigmoids.log_odds(scores[here])
            of_others = self.label_sets(Y[~here], everyone[~here])
            decided[here] = decide_by_expected_f(log_odds, request, of_others)
        unseen = sparse.csc_array(decided)
        return Judgement(value, _value(problem, request, unseen), unseen, None, seen)

    def label_sets(self, Y: np.ndarray, weights: np.ndarray) -> LabelSets | None:  # noqa: ARG002
        """Return None: any label set is possible."""
        return None


class ExpectedFOfLabelSets(ExpectedF):
    """The label set of highest expected F, if only label sets of other samples are possible."""

    name = "label-sets"

    def label_sets(self, Y: np.ndarray, weights: np.ndarray) -> LabelSets | None:
        """Return the label sets of samples; None if each sample has a missing label."""
        seen = label_sets_of(Y, weights)
        return seen if seen.log_weights.size else None


class OwnDecisions:
    """The candidate decides by itself, for the measure that is asked for."""

    name = "own"

    def method(self, estimator: Any) -> str:  # noqa: ARG002
        """Return the method that gives decisions."""
        return "predict"

    def judge(
        self,
        problem: Problem,
        folds: np.ndarray,  # noqa: ARG002
        request: Request,
        random_state: Any,  # noqa: ARG002
    ) -> Judgement:
        """Count the decisions, on which nothing is tuned."""
        decided = sparse.csc_array(problem.scores >= 0.5, dtype=bool)
        value = _value(problem, request, decided)
        return Judgement(value, value, decided, None)


RULES: dict[str, DecisionRule] = {
    rule.name: rule for rule in (TunedCuts(), ExpectedF(), ExpectedFOfLabelSets(), OwnDecisions())
}


def rules_for(estimator: Any, request: Request) -> list[DecisionRule]:
    """Return the rules by which an estimator may decide for the request.

    For the mean F of samples, estimators that know the expected F of their label sets decide by
    themselves, and the scores of all others become probabilities.
    """
    if is_sample_f(request) and hasattr(last_step(estimator), "expected_f"):
        return [RULES["own"]]
    return rules_of_scores(request)


def rules_of_scores(request: Request) -> list[DecisionRule]:
    """Return the rules by which scores of labels may be decided for the request."""
    names = ("expected-f", "label-sets") if is_sample_f(request) else ("thresholds",)
    return [RULES[name] for name in names]


def is_sample_f(request: Request) -> bool:
    """Return whether a request is for the mean F of samples."""
    return request.average == "sample" and request.measure_name == f_measure.__name__


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def decide_by_expected_f(
    log_odds: np.ndarray, request: Request, seen: LabelSets | None
) -> np.ndarray:
    """Return the decisions of highest expected F, 0 or 1 of shape (n_samples, n_labels).

    Labels are independent, unless there are label sets that alone are possible.
    """
    if seen is not None:
        return decide_of_label_sets(log_odds, seen, request.beta)
    decided, _ = maximize_expected_f_independent(expit(log_odds), beta=request.beta)
    return np.asarray(decided)


def dense_problem(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and labels as arrays; labels without truth are NaN and have the score 0."""
    Y = problem.Y.toarray().astype(np.float64)
    scores = problem.scores
    if problem.missing is not None:
        Y[problem.missing.toarray() == 1] = np.nan
        scores = scores.toarray()
    return np.asarray(scores, dtype=np.float64), Y


def _with_truth(Y: np.ndarray) -> np.ndarray:
    """Return labels, with 0 for those that have no truth for any sample."""
    lacking = np.isnan(Y).all(axis=0)
    return np.where(lacking, 0.0, Y) if lacking.any() else Y


def _value(problem: Problem, request: Request, decided: sparse.csc_array) -> float:
    counts = problem.counts_of_decisions(decided, request.counts_by)
    return float(request.value(counts, problem.weights if request.counts_by == "sample" else None))
