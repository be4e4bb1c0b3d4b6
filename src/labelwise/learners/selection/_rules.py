"""Decision rules of candidates: tuned thresholds, highest expected F, label sets, their own.

A rule judges the held-out scores of a candidate, and says how the chosen candidates, fitted to all
samples, decide. `decide_of_label_sets` computes with the joint distribution of labels that follows
from the scores of each label if only label sets of training samples are possible.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.special import expit, logit, softmax

from labelwise._estimators import METHODS, LabelScorer, all_labels, scoring_method
from labelwise._sigmoids import Sigmoids, fit_sigmoids
from labelwise._tuning import Problem, Request, tune_and_correct
from labelwise._validation import n_rows
from labelwise.decisions import Thresholds, maximize_expected_f, maximize_expected_f_independent
from labelwise.measures import f_measure

# Numbers in memory at a time, for a block of samples.
_TOGETHER = 2**22


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
    methods: tuple[str, ...]  # of estimators, the first that one has gives the scores

    def judge(
        self, problem: Problem, folds: np.ndarray, request: Request, random_state: Any
    ) -> Judgement:
        """Return what the scores of a problem are worth; `folds` numbers the fold of each row."""


class TunedCuts:
    """A label is decided at its tuned threshold, the same for all samples."""

    name = "thresholds"
    methods: tuple[str, ...] = METHODS

    def judge(
        self, problem: Problem, folds: np.ndarray, request: Request, random_state: Any
    ) -> Judgement:
        """Tune thresholds, and correct their value by those of other folds."""
        tuned, decided = tune_and_correct(problem, request, random_state, folds=folds)
        return Judgement(tuned.value, tuned.evidence.corrected_value, decided, tuned)


class ExpectedF:
    """The label set of a sample is the one of highest expected F, with labels independent."""

    name = "expected-f"
    methods: tuple[str, ...] = METHODS

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
        decided = _decide_by_expected_f(fitted.log_odds(scores), request, seen)
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
            decided[here] = _decide_by_expected_f(log_odds, request, of_others)
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
    methods: tuple[str, ...] = ("predict",)

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
    if _is_sample_f(request) and hasattr(last_step(estimator), "expected_f"):
        return [RULES["own"]]
    return rules_of_scores(request)


def rules_of_scores(request: Request) -> list[DecisionRule]:
    """Return the rules by which scores of labels may be decided for the request."""
    names = ("expected-f", "label-sets") if _is_sample_f(request) else ("thresholds",)
    return [RULES[name] for name in names]


def _is_sample_f(request: Request) -> bool:
    """Return whether a request is for the mean F of samples."""
    return request.average == "sample" and request.measure_name == f_measure.__name__


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def _decide_by_expected_f(
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


class LabelSets(NamedTuple):
    """Different label sets of training samples, and how probable each is without any score."""

    members: sparse.csr_array  # bool of shape (n_sets, n_labels)
    log_weights: np.ndarray  # (n_sets,)


def label_sets_of(Y: np.ndarray, weights: np.ndarray) -> LabelSets:
    """Return the different label sets of samples whose labels are all known.

    The log-weight of a label set is the logarithm of its share of the samples minus the log-odds of
    its labels among the samples.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_labels)
        Labels, 0 or 1, or NaN where a label is missing.
    weights : ndarray of shape (n_samples,)
        Weight of each sample; those of weight 0 are left out.

    Returns
    -------
    LabelSets
        Without any set if each sample has a missing label or no weight.
    """
    counted = ~np.isnan(Y).any(axis=1) & (weights > 0)
    known, weights = Y[counted] == 1, weights[counted]
    _, first, numbers = np.unique(
        np.packbits(known, axis=1), axis=0, return_index=True, return_inverse=True
    )
    totals = np.bincount(numbers.ravel(), weights, first.size)
    members = sparse.csr_array(known[first])
    # Half a sample more of each class, because a label may have one class among these samples.
    log_odds = logit((weights @ known + 0.5) / (weights.sum() + 1))
    log_weights = np.log(totals / totals.sum()) - members.astype(np.float64) @ log_odds
    return LabelSets(members, log_weights)


def check_label_sets(members: Any, log_weights: Any, n_labels: int) -> None:
    """Refuse label sets of a model file that do not match each other or the labels."""
    if not isinstance(members, sparse.csr_array) or members.shape[1] != n_labels:
        raise ValueError(f"label_sets_ must be a csr_array with {n_labels} columns")
    shape = (members.shape[0],)
    is_array = isinstance(log_weights, np.ndarray) and log_weights.shape == shape
    if not is_array or not members.shape[0] or not np.isfinite(log_weights).all():
        raise ValueError("set_log_weights_ must have a finite number for each label set")


def decide_of_label_sets(log_odds: np.ndarray, seen: LabelSets, beta: float) -> np.ndarray:
    """Return the decisions of highest expected F if only seen label sets are possible.

    The probability of a label set is proportional to its share of the training samples, times the
    ratio of the odds of each of its labels for the sample to those in training::

        P(y | x) ∝ P(y) Π_{j in y} odds_j(x) / odds_j

    That is right if the likelihood ratio of a label set is the product of those of its labels.

    Parameters
    ----------
    log_odds : ndarray of shape (n_samples, n_labels)
        Log-odds of each label.
    seen : LabelSets
        At least one label set.
    beta : float
        Weight of recall in the F-measure: recall counts beta² as much as precision.

    Returns
    -------
    ndarray of int8 of shape (n_samples, n_labels)
        1 for decided labels, 0 for others. The decided labels need not be a seen label set.
    """
    n_samples, n_labels = log_odds.shape
    sizes = np.diff(seen.members.indptr)
    n_sizes = max(1, int(sizes.max()))
    members = seen.members.astype(np.float64)
    of_size = [np.flatnonzero(sizes == size) for size in range(n_sizes + 1)]
    decided = np.empty((n_samples, n_labels), dtype=np.int8)
    n_together = max(1, _TOGETHER // max(sizes.size, n_labels * n_sizes))
    for start in range(0, n_samples, n_together):
        rows = slice(start, start + n_together)
        chance = softmax((members @ log_odds[rows].T).T + seen.log_weights, axis=1)
        joint = np.zeros((len(chance), n_labels, n_sizes))
        for size, sets in enumerate(of_size[1:]):
            joint[:, :, size] = chance[:, sets] @ members[sets]
        p_empty = chance[:, of_size[0]].sum(axis=1)
        # Sums of probabilities may exceed 1 by rounding.
        parts = np.minimum(joint, 1.0), np.minimum(p_empty, 1.0)
        decided[rows] = maximize_expected_f(*parts, beta=beta)[0]
    return decided


class FittedCandidates(NamedTuple):
    """The chosen candidate, or those that are blended, with the sigmoids of their scores."""

    estimators: list[Any]  # fitted to the labels that have both classes; none if no label has
    sigmoids: list[Sigmoids]  # of each estimator
    constants: np.ndarray  # 0 or 1 for labels with one class, NaN for others
    rule: str  # name of the decision rule
    seen: LabelSets | None = None  # of the rule with label sets

    @property
    def varies(self) -> np.ndarray:
        """Whether each label has both classes."""
        return np.asarray(np.isnan(self.constants))

    def scores(self, X: Any) -> np.ndarray:
        """Score all labels: by the candidate, or the mean log-odds of a blend."""
        method = "decision_function"
        if len(self.estimators) == 1:
            method = scoring_method(self.estimators[0])
            scores = self._member_scores(X, method)[0]
        else:
            scores = self.log_odds(X)
        return all_labels(scores, self.constants, method)

    def log_odds(self, X: Any) -> np.ndarray:
        """Return the mean calibrated log-odds of the labels that have both classes."""
        if not self.estimators:
            return np.empty((n_rows(X), 0))
        if self.rule == OwnDecisions.name:
            return np.asarray(logit(self._member_scores(X, "predict_proba")[0]))
        parts = zip(self.sigmoids, self._member_scores(X), strict=True)
        return np.asarray(np.mean([one.log_odds(scores) for one, scores in parts], axis=0))

    def label_sets(self, X: Any, request: Request) -> np.ndarray:
        """Decide all labels by a rule without thresholds, 0 or 1."""
        if self.rule == OwnDecisions.name:
            sets = self._member_scores(X, "predict")[0]
        else:
            sets = _decide_by_expected_f(self.log_odds(X), request, self.seen)
            sets = sets.astype(np.float64)
        return all_labels(sets, self.constants)

    def _member_scores(self, X: Any, method: str | None = None) -> list[np.ndarray]:
        """Return the scores of the labels that have both classes, by each estimator."""
        scored = (
            LabelScorer(one, self.constants).scores(X, method or scoring_method(one))
            for one in self.estimators
        )
        return [scores[:, self.varies] for scores in scored]
