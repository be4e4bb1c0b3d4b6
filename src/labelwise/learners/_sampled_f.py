"""`SampledFPlugin`: decisions of highest expected F, from label sets that a model draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    ExpectedFClassifier,
    copy_feature_attributes,
    fit_scorer,
    groups_for,
    learn_targets,
)
from labelwise._validation import (
    check_beta,
    check_random_state,
    check_readable,
    check_share,
    check_whole,
    dense_targets,
    n_rows,
    take_rows,
)
from labelwise.decisions import joint_from_samples, maximize_expected_f
from labelwise.learners._chain_ensemble import ChainEnsemble

# Draws of labels, and probabilities of labels and sizes, in memory at a time in `predict`.
_TOGETHER = 2**26
# Doubling the number of draws needs no more calls.
_MOST_CALLS = 32
# Draws at first, if their number is chosen.
_FIRST = 64


class SampledFPlugin(MetaEstimatorMixin, ExpectedFClassifier):
    """Decide for the highest expected F by drawn label sets of any model.

    A model that draws label sets need not state their probabilities. The shares of draws that have
    a label and a number of labels estimate what `maximize_expected_f` needs, so that dependence
    between labels counts as far as the model knows it.

    Parameters
    ----------
    estimator : object with fit and sample, default=None
        ``sample(X, n_draws, random_state=...)`` returns booleans of shape (n_draws, n_samples,
        n_labels). None means `ChainEnsemble()`.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number; it may be changed after fitting.
    max_error : float or None, default=0.02
        Standard error of the expected F that suffices. Each sample has 64 draws at first; the
        number is doubled for samples with a larger error. None gives each sample `max_draws`.
    max_draws : int, default=1024
        Largest number of draws of a sample.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. They are those of `ChainEnsemble`.
        Only used without an estimator.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the seed of
        predictions, and without an estimator the chains.

    Attributes
    ----------
    estimator_ : object
        Fitted to the labels that have both classes; None if none has.
    seed_ : int
        Seed of the draws of predictions.
    constants_, label_names_, classes_, target_classes_, n_features_in_, feature_names_in_
        As in `BinaryRelevance`.

    See Also
    --------
    ExactFPlugin : Learn the probabilities of labels and set sizes by regressions.
    IndependentFPlugin : Decide by the probabilities of independent labels.

    Notes
    -----
    The standard error is that of the mean F of the decided set over the draws of a sample. The set
    is decided by the same draws, so that `expected_f` is a little too high with few draws.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization",
    ICML 2013 (dembczynski2013), section 5, which names sampling from classifier chains.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import ChainEnsemble, SampledFPlugin
    >>> data, _ = make_multilabel(300, random_state=0)
    >>> chains = ChainEnsemble(n_chains=4, penalty=0.01, random_state=0)
    >>> model = SampledFPlugin(chains, random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X).shape, bool((model.expected_f_error(data.X) < 0.05).all())
    ((300, 6), True)
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        beta: float = 1.0,
        max_error: float | None = 0.02,
        max_draws: int = 1024,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.beta = beta
        self.max_error = max_error
        self.max_draws = max_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, groups: Any = None, **params: Any) -> SampledFPlugin:
        """Fit the estimator to the labels that have both classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together. They are for the folds of an
            estimator that takes them.
        **params : dict
            Passed to the ``fit`` of the estimator.

        Returns
        -------
        SampledFPlugin
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type, or the estimator cannot draw label sets.
        """
        self._draw_limits()
        base = self._base()
        if not hasattr(base, "sample"):
            raise TypeError(f"estimator must have sample, but {type(base).__name__} has not.")
        targets = learn_targets(self, X, y, groups=groups)
        labels = dense_targets(targets.matrix, targets.missing)
        fit_params = params | groups_for(base, groups)
        self.estimator_ = fit_scorer(base, X, labels, fit_params).estimator
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        copy_feature_attributes(self, self.estimator_)
        return self

    def expected_f_error(self, X: Any) -> np.ndarray:
        """Compute the standard error of the expected F of each predicted label set.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Standard deviation of F over the draws, divided by the root of their number.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        return self._decisions(X).error

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return ChainEnsemble(n_jobs=self.n_jobs, random_state=self.random_state)

    def _draw_limits(self) -> tuple[int, float | None]:
        """Return the largest number of draws, and the standard error that suffices, or None."""
        check_beta(self.beta)
        if self.max_error is None:
            return check_whole(self.max_draws, "max_draws"), None
        max_error = check_share(self.max_error, "max_error")
        return check_whole(self.max_draws, "max_draws", least=2), max_error

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Until 0.3.0, `n_draws` was "auto" or the number of draws of all samples.
        n_draws = state.get("n_draws", "auto")
        if n_draws != "auto":
            state = state | {"max_draws": n_draws, "max_error": None}
        super().__setstate__({key: state[key] for key in state if key != "n_draws"})

    def _proba(self, X: Any) -> np.ndarray:
        return self._decisions(X).proba

    def _decisions(self, X: Any) -> DrawnDecisions:
        check_is_fitted(self)
        check_readable(X, "X")
        n_labels = self.constants_.size
        limits = self._draw_limits()
        step = max(1, _TOGETHER // (n_labels * max(limits[0], 8 * n_labels)))
        parts = [
            self._decide_block(take_rows(X, np.arange(k, min(k + step, n_rows(X)))), *limits)
            for k in range(0, max(1, n_rows(X)), step)
        ]
        return DrawnDecisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _decide_block(self, X: Any, most: int, max_error: float | None) -> DrawnDecisions:
        seeds = np.random.RandomState(self.seed_).randint(np.iinfo(np.int32).max, size=_MOST_CALLS)
        varies = np.isnan(self.constants_)

        def draw(rows: np.ndarray, n_draws: int, call: int) -> np.ndarray:
            drawn = np.tile(self.constants_ == 1, (n_draws, rows.size, 1))
            if varies.any():
                some = X if rows.size == n_rows(X) else take_rows(X, rows)
                sets = self.estimator_.sample(some, n_draws, random_state=int(seeds[call]))
                drawn[:, :, varies] = sets
            return drawn

        return decide_by_draws(draw, n_rows(X), self.beta, most, max_error)

    def _check_learned(self, n_labels: int) -> None:  # noqa: ARG002
        if type(self.seed_) is not int:
            raise ValueError("seed_ must be a whole number")


# Draws label sets of some samples: (their numbers, number of draws, number of the call) to an array
# of bool of shape (n_draws, n_samples, n_labels).
Sampler = Callable[[np.ndarray, int, int], np.ndarray]


class DrawnDecisions(NamedTuple):
    """Decided label sets, their expected F, and other estimates from the draws of a sample."""

    decided: np.ndarray  # (n_samples, n_labels), int8
    value: np.ndarray  # (n_samples,)
    error: np.ndarray  # (n_samples,), standard error of the value
    proba: np.ndarray  # (n_samples, n_labels), share of draws that have the label
    n_draws: np.ndarray  # (n_samples,)


def f_of_draws(drawn: np.ndarray, decided: np.ndarray, beta: float) -> np.ndarray:
    """Return F of the decided set for each draw, of shape (n_draws, n_samples)."""
    hits = (drawn & (decided == 1)).sum(axis=2)
    total = beta**2 * drawn.sum(axis=2) + decided.sum(axis=1)
    # Two empty sets have an F of 1.
    return np.asarray((1 + beta**2) * hits / np.where(total > 0, total, 1) + (total == 0))


def decide_by_draws(
    sampler: Sampler, n_samples: int, beta: float, most: int, max_error: float | None
) -> DrawnDecisions:
    """Decide for the highest expected F of drawn label sets.

    Without `max_error`, all samples have `most` draws. With it they have 64, 128, 256, ..., at most
    `most`: the number is doubled for the samples whose expected F has a larger standard error.
    """
    rows = np.arange(n_samples)
    drawn = sampler(rows, most if max_error is None else min(_FIRST, most), 0)
    found = _decided(drawn, beta)
    if max_error is None:
        return found
    call = 0
    while True:
        unsure = found.error[rows] > max_error
        n_more = min(drawn.shape[0], most - drawn.shape[0])
        rows, drawn, call = rows[unsure], drawn[:, unsure], call + 1
        if rows.size == 0 or n_more == 0:
            return found
        drawn = np.concatenate([drawn, sampler(rows, n_more, call)])
        for array, part in zip(found, _decided(drawn, beta), strict=True):
            array[rows] = part


def _decided(drawn: np.ndarray, beta: float) -> DrawnDecisions:
    n_draws, n_samples, _ = drawn.shape
    decided, value = maximize_expected_f(*joint_from_samples(drawn), beta=beta)
    spread = f_of_draws(drawn, decided, beta).std(axis=0, ddof=min(1, n_draws - 1))
    error, counts = spread / np.sqrt(n_draws), np.full(n_samples, n_draws)
    return DrawnDecisions(decided, value, error, drawn.mean(axis=0), counts)
