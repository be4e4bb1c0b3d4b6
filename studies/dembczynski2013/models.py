"""dembczynski2013: the five models of Table 2, and other readings of the paper.

λ of BR, LFP and EFP belongs to the sum of the samples' losses, as in Mallet; that of RML and SML to
their mean, as in the formulas of the paper.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from labelwise.learners import (
    BinaryRelevance,
    ExactFPlugin,
    IndependentFPlugin,
    ReverseMultilabel,
    SubmodularMultilabel,
)
from studies.dembczynski2013.readings import PENALTIES, READINGS, ShrunkIntercept

# One λ for all labels, and an intercept that is penalised.
COMMON = (1.0, 10.0, 100.0)


class OneLabel(ReverseMultilabel):
    """Decide the label of the highest score, and no other."""

    def predict(self, X: Any) -> np.ndarray:
        """Return one label for each sample."""
        scores = self.decision_function(X)
        return np.asarray(np.eye(scores.shape[1], dtype=np.int64)[scores.argmax(axis=1)])


class Trial(BaseEstimator):
    """A model that remembers how long the processor worked for it.

    The λ to choose from belong to the mean loss of the samples, as everywhere in labelwise. With
    `summed`, the name of the parameter that has them, they belong to the sum.
    """

    def __init__(self, model: Any, summed: str | None = None) -> None:
        self.model = model
        self.summed = summed

    def fit(self, X: Any, Y: Any) -> Trial:
        """Fit a clone."""
        start = time.process_time()
        model = clone(self.model)
        if self.summed is not None:
            model.set_params(**{self.summed: tuple(PENALTIES / X.shape[0])})
        with warnings.catch_warnings():
            # Rare labels of Medical and Enron have one class in the training rows.
            warnings.filterwarnings("ignore", message=".*one class")
            self.model_ = model.fit(X, Y)
        self.fit_seconds_ = time.process_time() - start
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Decide."""
        start = time.process_time()
        decided = np.asarray(self.model_.predict(X))
        self.predict_seconds_ = time.process_time() - start
        return decided


def common_penalty(penalty: float) -> BinaryRelevance:
    """Return binary relevance with the same λ for all labels, also on the intercept."""
    return BinaryRelevance(LogisticRegression(solver="liblinear", C=1 / penalty, max_iter=1000))


# Cheap ones first. Those with a comma are other readings of the paper.
MODELS = {
    "BR": Trial(BinaryRelevance(), "penalty"),
    "BR, mean loss": Trial(BinaryRelevance()),
    "LFP": Trial(IndependentFPlugin(BinaryRelevance(), allow_empty=False), "estimator__penalty"),
    "LFP, empty sets": Trial(IndependentFPlugin(BinaryRelevance()), "estimator__penalty"),
    "EFP": Trial(ExactFPlugin(), "penalty"),
    "BR, penalised intercept": Trial(BinaryRelevance(ShrunkIntercept())),
    "LFP, penalised intercept": Trial(
        IndependentFPlugin(BinaryRelevance(ShrunkIntercept()), allow_empty=False)
    ),
    "RML": Trial(ReverseMultilabel(random_state=0)),
    **{f"BR, common λ = {penalty:g}": Trial(common_penalty(penalty)) for penalty in COMMON},
    **{
        f"LFP, common λ = {penalty:g}": Trial(
            IndependentFPlugin(common_penalty(penalty), allow_empty=False)
        )
        for penalty in COMMON
    },
    "RML, one label": Trial(OneLabel()),
    "RML, one label, free intercept": Trial(OneLabel(intercept_scaling=10)),
    **{name: Trial(model) for name, (_, model) in READINGS.items()},
    "SML": Trial(SubmodularMultilabel(random_state=0)),
}
TEXTS = ("Medical", "Enron")
# Readings that were tried on these sets only.
ONLY = {
    "BR, penalised intercept": TEXTS,
    "LFP, penalised intercept": TEXTS,
    **{f"{model}, common λ = {penalty:g}": TEXTS for model in ("BR", "LFP") for penalty in COMMON},
    "RML, one label": ("Scene",),
    "RML, one label, free intercept": ("Scene",),
    **{name: (where,) for name, (where, _) in READINGS.items()},
}
