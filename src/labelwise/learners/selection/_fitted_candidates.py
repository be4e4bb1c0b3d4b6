"""The chosen candidates, fitted to all samples: their scores, log-odds and label sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from labelwise._estimators import LabelScorer, all_labels, scoring_method
from labelwise._validation import n_rows
from labelwise.decisions import Request, Sigmoids, constant_scores
from labelwise.learners.selection._decision_rules import OwnDecisions, decide_by_expected_f
from labelwise.learners.selection._label_sets import LabelSets


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
        columns = np.tile(constant_scores(self.constants, method), (len(scores), 1))
        columns[:, self.varies] = scores
        return columns

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
            sets = decide_by_expected_f(self.log_odds(X), request, self.seen)
            sets = sets.astype(np.float64)
        return all_labels(sets, self.constants)

    def _member_scores(self, X: Any, method: str | None = None) -> list[np.ndarray]:
        """Return the scores of the labels that have both classes, by each estimator."""
        scored = (
            LabelScorer(one, self.constants).scores(X, method or scoring_method(one))
            for one in self.estimators
        )
        return [scores[:, self.varies] for scores in scored]
