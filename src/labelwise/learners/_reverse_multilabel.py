"""`ReverseMultilabel`: linear scores trained by the structured hinge loss of F."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from labelwise._estimators import (
    ScoringClassifier,
    check_coefficients,
    learn_features,
    learn_targets,
    report_progress,
)
from labelwise._validation import check_beta, check_random_state, check_real, check_whole
from labelwise.learners.regression._penalty_path import check_penalty, penalty_splits
from labelwise.learners.structured._hinge_loss import (
    HingeLossProblem,
    Solution,
    decide,
    pairs_of,
    solve,
)
from labelwise.measures import count, f_measure

# While penalties are compared, the tolerance is this many times larger, and passes are fewer.
_LOOSER = 10.0
_PASSES_TO_CHOOSE = 30
_NO_PAIRS = np.empty((0, 2), dtype=np.int64), np.empty(0)


class ReverseMultilabel(ScoringClassifier):
    """Learn linear scores by the structured hinge loss of F (RML).

    The margin of each wrong label set is rescaled by its loss.
    With f(y, x) = Σ_j y_j (w_j · x + b_j) and the loss
    ``ℓ(y, y') = 1 - (1 + β²)|y ∩ y'| / (β²|y| + |y'|)`` of two label sets (0 if both are empty),
    `fit` minimises::

        λ/2 · (‖W‖² + ‖b + W·x̄‖²/κ²) + mean_i max_y' {ℓ(y_i, y') + f(y', x_i) - f(y_i, x_i)}

    where x̄ is the mean of the samples and κ² a tenth of the mean of ``‖x_i - x̄‖²``.
    The maximum over all 2^m sets is exact, and takes a sort and ``O(|y| (m - |y|))`` steps at most.
    A label is decided where its score w_j · x + b_j is above 0, which maximises f. Labels that had
    one class in training have the score -1 or 1.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number.
    penalty : float, sequence of float, or "auto", default="auto"
        Penalty weight λ. Of several values, the one with the highest F on held-out samples is used
        (the largest of equally good values). "auto" means 1e-4, 1e-3, ..., 1e3.
    cv : int, splitter or iterable of (train, test), default=5
        Folds on which λ is chosen. A number k means k folds of `MultilabelStratifiedKFold`.
    tol : float, default=None
        Relative duality gap at which training stops; None means 1e-3.
    max_iter : int, default=1000
        Maximum number of passes over the samples; `fit` warns if the gap then exceeds `tol`.
    intercept_scaling : float, default=1.0
        How much less intercepts are penalised, as in ``sklearn.svm.LinearSVC``: with 10, a
        hundredth of the penalty applies to the scores of the mean sample.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Folds are fitted in parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the order of
        samples.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    coef_ : array of shape (n_labels, n_features)
        W; 0 for labels with one class.
    intercept_ : array of shape (n_labels,)
        b; -1 or 1 for labels with one class.
    penalty_ : float
        The λ of the fitted weights.
    cv_values_ : dict, or None
        Mean F of held-out samples for each λ, if there were several.
    objective_ : float
        Value of the objective at the fitted weights.
    gap_ : float
        ``(objective_ - dual value) / objective_``, an upper bound of the relative distance from
        `objective_` to its minimum.
    n_iter_ : int
        Passes over the samples at `penalty_`. Computing the gap of all samples counts as one.
    n_planes_ : int
        Number of label sets with positive dual weight at the end, over all samples.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels that have one class in training: `predict` always gives this value, and
        `fit` warns of such labels. NaN for all other labels, which alone count in the loss.
    label_names_ : tuple of str, or None
        Names of the labels, if Y has any.
    classes_ : array of shape (n_labels,)
        Numbers of the labels; the classes of y if it was a vector.
    target_classes_ : array of shape (n_classes,), or None
        The classes of y if it was a vector, otherwise None.
    n_features_in_, feature_names_in_
        Number of features of X, and their names if X is a frame.

    Notes
    -----
    The paper does not specify the form of the penalty; this one is that of `BinaryRelevance`
    except for the intercept. The scores of the mean sample are penalised like the weights of a
    constant feature of value κ. So a constant added to a feature changes nothing, and features
    multiplied by s have the effect of λ divided by s². A penalty of b itself would need more
    passes the further the features are from 0, and so would a larger κ.

    The dual is solved by block-coordinate ascent with a block for each sample. A sample stores the
    label sets with positive dual weight. A step finds the most violating set, shifts weight
    between the sample's sets, and drops sets of weight 0. Samples are drawn in proportion to their
    last gaps, and visited in order in every fifth pass. Memory is O(n_labels) for each stored set.
    Several λ are solved from the largest to the smallest, each starting at the previous solution;
    while λ is being chosen, at ten times `tol` and with at most 30 passes.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization",
    ICML 2013 (dembczynski2013), equations 10 to 12.

    J. Petterson, T. Caetano, "Reverse Multi-Label Learning", NIPS 2010.

    S. Lacoste-Julien, M. Jaggi, M. Schmidt, P. Pletscher, "Block-Coordinate Frank-Wolfe
    Optimization for Structural SVMs", ICML 2013.

    A. Osokin, J.-B. Alayrac, I. Lukasewitz, P. Dokania, S. Lacoste-Julien, "Minding the Gaps for
    Block Frank-Wolfe Optimization of Structured SVMs", ICML 2016.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import ReverseMultilabel
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = ReverseMultilabel(penalty=0.01, random_state=0).fit(data.X, data.Y)
    >>> model.gap_ <= 1e-3
    True
    >>> model.predict(data.X).shape
    (1000, 6)
    """

    _RENAMED: ClassVar = {"max_passes": "max_iter", "n_passes_": "n_iter_"}

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        *,
        beta: float = 1.0,
        penalty: Any = "auto",
        cv: Any = 5,
        tol: float | None = None,
        max_iter: int = 1000,
        intercept_scaling: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.beta = beta
        self.penalty = penalty
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.intercept_scaling = intercept_scaling
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Choose λ, and learn the weights of all labels together.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together, also in the
            folds on which penalties are chosen.

        Returns
        -------
        Self
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        self._learn(X, y, groups)
        return self

    def _learn(self, X: Any, y: Any, groups: Any) -> tuple[np.ndarray, np.ndarray]:
        """Choose the penalty, and fit the weights; return the pairs of labels and their gains.

        Labels with one class are not learned: their weights are 0, and their intercept is -1 or 1.
        """
        penalties = check_penalty(self.penalty)  # strongest first
        tol = 1e-3 if self.tol is None else check_real(self.tol, "tol", least=1e-12, most=1.0)
        max_passes = check_whole(self.max_iter, "max_iter", least=2)
        check_real(self.intercept_scaling, "intercept_scaling", least=1e-3, most=1e3)
        check_beta(self.beta)
        random = check_random_state(self.random_state)
        targets = learn_targets(self, X, y, groups=groups)
        X = learn_features(self, X)
        self.coef_ = np.zeros((targets.constants.size, X.shape[1]))
        self.intercept_ = np.where(targets.constants == 1, 1.0, -1.0)
        self.penalty_, self.cv_values_ = penalties[0], None
        self.objective_, self.gap_, self.n_iter_, self.n_planes_ = 0.0, 0.0, 0, 0
        if targets.varying.size == 0:
            return _NO_PAIRS
        labels = targets.matrix[:, targets.varying].toarray()
        # To compare penalties, and to start from.
        roughly = partial(solve, tol=tol * _LOOSER, max_passes=min(max_passes, _PASSES_TO_CHOOSE))
        if len(penalties) > 1:
            # "auto" is the default of `MultilabelStratifiedKFold`.
            splits = penalty_splits(self.cv, X, labels.astype(np.int64), groups, method="auto")
            values = self._held_out_f(X, labels, splits, penalties, roughly, random)
            self.cv_values_ = dict(zip(penalties, values.tolist(), strict=True))
            # Of equal values, argmax takes the first, which has the strongest penalty.
            penalties = penalties[: np.argmax(values) + 1]
        pairs = self._pairs_in(labels)
        problem = self._problem(X, labels, pairs)
        best = None
        for penalty in penalties[:-1]:
            best = roughly(problem, penalty, random=random, start=best)
        best = solve(
            problem,
            penalties[-1],
            tol=tol,
            max_passes=max_passes,
            random=random,
            start=best,
            report=partial(report_progress, self),
        )
        if best.gap > tol:
            warnings.warn(
                f"After {best.n_passes} passes the relative gap is {best.gap:.2g}, above "
                f"tol={tol:g}; a larger max_iter or penalty lets it shrink.",
                ConvergenceWarning,
                stacklevel=3,
            )
        weights, self.intercept_[targets.varying] = problem.coefficients(best.W)
        self.coef_[targets.varying] = weights.T
        self.penalty_, self.objective_, self.gap_ = best.penalty, best.objective, best.gap
        self.n_iter_, self.n_planes_ = best.n_passes, best.n_planes
        if problem.learned is not None:
            return pairs[0], pairs[1] * np.maximum(best.free, 0.0)
        return pairs

    def _held_out_f(
        self,
        X: Any,
        labels: np.ndarray,
        splits: list[tuple[np.ndarray, np.ndarray]],
        penalties: tuple[float, ...],
        solve: Callable[..., Solution],
        random: np.random.RandomState,
    ) -> np.ndarray:
        """Return the mean F of held-out samples at each penalty."""
        seeds = random.randint(2**31 - 1, size=len(splits))

        def report(k: int, text: str) -> None:
            report_progress(self, f"fold {k + 1} of {len(splits)}, {text}")

        # Kernels release the global interpreter lock, so that threads suffice, and share X.
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_fold_f)(
                self._problem(X[train], labels[train], self._pairs_in(labels[train])),
                X[test],
                labels[test],
                penalties,
                partial(solve, random=np.random.RandomState(seed)),
                partial(report, k),
            )
            for k, ((train, test), seed) in enumerate(zip(splits, seeds, strict=True))
        )
        return np.asarray(np.concatenate(found, axis=1).mean(axis=1))

    def _problem(
        self, X: Any, labels: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
    ) -> HingeLossProblem:
        gains = pairs_of(labels.shape[1], *pairs)
        scaling, beta = float(self.intercept_scaling), float(self.beta)
        learned = pairs if self._learns_gains else None
        return HingeLossProblem.of(X, labels, gains, scaling, beta, learned)

    # Whether gains of pairs have weights that are learned.
    _learns_gains = False

    def _pairs_in(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002
        """Return pairs of labels and their gains, by the labels of training samples."""
        return _NO_PAIRS

    def _scores(self, X: Any) -> np.ndarray:
        X = learn_features(self, X, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def _check_learned(self, n_labels: int) -> None:
        check_coefficients(self, n_labels)


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
        decided = decide(X @ weights + intercepts, train.pairs_at(found.free))
        values.append(f_measure(count(labels, decided, by="sample"), train.beta))
        report(f"penalty {penalty:g}, gap {found.gap:.2g}, F {np.mean(values[-1]):.4f}")
    return np.array(values)
