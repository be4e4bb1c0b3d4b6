"""dembczynski2013: the five models of Table 2, and other readings of the paper.

The paper learns BR, LFP and EFP with Mallet, whose penalty belongs to the sum of the samples'
losses, and is on the weights and the intercepts of all classes. Two classes have the weights w/2
and -w/2, so that their penalty is half of λ/2 · (‖w‖² + b²). The λ of RML and SML belongs to the
mean of the losses, as in the formulas of the paper.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from labelwise.learners import (
    BinaryRelevance,
    ExactFPlugin,
    IndependentFPlugin,
    ReverseMultilabel,
    SubmodularMultilabel,
)
from labelwise.splitting import MultilabelStratifiedKFold

PENALTIES = 10.0 ** np.arange(-4, 4)
N_FOLDS = 5
# Samples of a first fit, which compiles kernels.
N_FIRST = 60


class OneLabel(ReverseMultilabel):
    """Decide the label of the highest score, and no other."""

    def predict(self, X: Any) -> np.ndarray:
        """Return one label for each sample."""
        scores = self.decision_function(X)
        return np.asarray(np.eye(scores.shape[1], dtype=np.int64)[scores.argmax(axis=1)])


class SomeLabel(ReverseMultilabel):
    """Decide the label of the highest score where no score is above 0."""

    def predict(self, X: Any) -> np.ndarray:
        """Return label sets, none of them empty."""
        scores = self.decision_function(X)
        highest = scores == scores.max(axis=1, keepdims=True)
        nothing = (scores <= 0).all(axis=1, keepdims=True)
        return np.asarray((scores > 0) | (nothing & highest), dtype=np.int64)


class Trial(BaseEstimator):
    """A model that remembers how long the processor worked for it.

    The λ to choose from belong to the mean loss of the samples, as everywhere in labelwise. With a
    `factor`, they belong to the sum, are multiplied by it, and are chosen by folds that
    `random_state` shuffles. `part` is the prefix of the parameters of the regressions.
    """

    def __init__(
        self,
        model: Any,
        part: str | None = "",
        factor: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.part = part
        self.factor = factor
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> Trial:
        """Fit a clone, and one at a single penalty, so that the time of the choice is known."""
        with warnings.catch_warnings():
            # Rare labels of Medical and Enron have one class in the training rows.
            warnings.filterwarnings("ignore", message=".*one class")
            self._given(penalty=1.0).fit(X[:N_FIRST], Y[:N_FIRST]).predict(X[:N_FIRST])
            self.model_, whole = self._timed(X, Y)
            fitted = getattr(self.model_, "estimator_", self.model_)
            chosen = getattr(fitted, "penalties_", getattr(fitted, "penalty_", np.nan))
            typical = float(np.nanmedian(chosen))
            _, self.train_seconds_ = self._timed(X, Y, penalty=typical)
        self.choose_seconds_ = max(0.0, whole - self.train_seconds_)
        return self

    def _given(self, **options: Any) -> Any:
        """Return a clone with parameters of its regressions, if it has any."""
        model = clone(self.model)
        if self.part is None:
            return model
        return model.set_params(**{f"{self.part}{name}": one for name, one in options.items()})

    def _timed(self, X: Any, Y: Any, **options: Any) -> tuple[Any, float]:
        """Fit with some parameters, and with the penalties of the paper if none are given."""
        if self.factor is not None:
            folds = {"shuffle": True, "random_state": self.random_state, "method": "iterative"}
            penalties = tuple(self.factor * PENALTIES / X.shape[0])
            own = {"penalty": penalties, "cv": MultilabelStratifiedKFold(N_FOLDS, **folds)}
            options = own | options
        model = self._given(**options)
        start = time.process_time()
        return model.fit(X, Y), time.process_time() - start

    def predict(self, X: Any) -> np.ndarray:
        """Decide."""
        start = time.process_time()
        decided = np.asarray(self.model_.predict(X))
        self.predict_seconds_ = time.process_time() - start
        return decided


# Other interpretations for cells outside their tolerance, each with the set that it is for.
READINGS: dict[str, tuple[str, Any]] = {
    **{
        f"RML, λ = {penalty:g}": ("Scene", ReverseMultilabel(penalty=penalty, random_state=0))
        for penalty in (0.1, 0.03, 0.01, 0.003)
    },
    "RML, standardised": (
        "Scene",
        make_pipeline(StandardScaler(), ReverseMultilabel(random_state=0)),
    ),
    "RML, unit length": ("Scene", make_pipeline(Normalizer(), ReverseMultilabel(random_state=0))),
    "RML, some label": ("Scene", SomeLabel()),
}
LIKE_MALLET = BinaryRelevance(penalize_intercept=True)
# Cheap ones first. Those with a comma are other readings of the paper.
MODELS = {
    "BR": Trial(LIKE_MALLET, factor=0.5),
    "BR, 1/λ": Trial(LIKE_MALLET, factor=1.0),
    "BR, free intercept": Trial(BinaryRelevance(), factor=1.0),
    "BR, mean loss": Trial(BinaryRelevance()),
    "LFP": Trial(IndependentFPlugin(LIKE_MALLET, allow_empty=False), "estimator__", 0.5),
    "LFP, empty sets": Trial(IndependentFPlugin(LIKE_MALLET), "estimator__", 0.5),
    "LFP, free intercept": Trial(
        IndependentFPlugin(BinaryRelevance(), allow_empty=False), "estimator__", 1.0
    ),
    "EFP": Trial(ExactFPlugin(penalize_intercept=True), factor=1.0),
    "EFP, free intercept": Trial(ExactFPlugin(), factor=1.0),
    "RML": Trial(ReverseMultilabel(random_state=0)),
    "RML, one label": Trial(OneLabel()),
    "RML, one label, free intercept": Trial(OneLabel(intercept_scaling=10)),
    **{name: Trial(model, None) for name, (_, model) in READINGS.items()},
    "SML": Trial(SubmodularMultilabel(random_state=0)),
}
# Readings that were tried on these sets only.
ONLY = {
    "RML, one label": ("Scene",),
    "RML, one label, free intercept": ("Scene",),
    **{name: (where,) for name, (where, _) in READINGS.items()},
}
