"""`ChainEnsemble`: probabilistic classifier chains, which model the dependence of labels."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    ProbabilityClassifier,
    all_labels,
    learn_features,
    learn_targets,
    report_progress,
)
from labelwise._parallel import for_row_blocks
from labelwise._validation import check_random_state, check_real, check_whole
from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners.regression._log_loss import Tasks
from labelwise.learners.regression._penalty_path import (
    RegressionProblem,
    check_penalty,
    check_tol,
    fit_regressions,
)

# Kinds of sampling, and the default of `label_penalty`. Measured on 60/40 splits: chains of medical
# gain .05 in F of samples by the weak penalty, Gibbs sampling on yeast loses .28.
_LABEL_PENALTIES = {"ancestral": 0.0025, "gibbs": 1.0}
_MOST_SEED = np.iinfo(np.int32).max
# Of a model in a file, the draws of all labels; 25 times the default.
_MOST_SWEEPS = 50_000
# Margin of a label that has one class in the samples of a chain.
_CERTAIN = 30.0


class ChainEnsemble(MetaEstimatorMixin, ProbabilityClassifier):
    """Model the joint distribution of labels by chains of classifiers (PCC).

    A chain learns the labels in a random order, each from the features and from the labels before
    it, so that the product of the probabilities is a distribution of label sets:

        P(y | x) = Π_k P(y_k | x, y_1, ..., y_{k-1}).

    The ensemble is the mean of the distributions of several chains, each with another order and
    another bootstrap sample. `sample` draws label sets from it. Labels with a probability above 1/2
    are decided.

    Parameters
    ----------
    estimator : classifier with predict_proba, default=None
        Cloned for each label of each chain. None means logistic regressions.
    n_chains : int, default=10
        Number of chains.
    sampling : {"ancestral", "gibbs"}, default="ancestral"
        How label sets are drawn. "ancestral" draws each label of a chain once, given the labels
        before it. With "gibbs" a label is learned from all other labels (a dependency network), and
        `n_sweeps` times drawn given these.
    n_sweeps : int, default=20
        Number of times that each label is drawn for a label set. Only for "gibbs".
    bootstrap : bool, default=True
        Whether a chain learns from as many samples drawn with replacement, or from all samples.
    n_draws : int, default=100
        Number of label sets from which `predict_proba` and `predict` compute probabilities. It may
        be changed after fitting.
    penalty : "auto", float or sequence of float, default="auto"
        Penalty weight λ of the regressions, or the values from which each label's λ is chosen; as
        in `BinaryRelevance`, which chooses λ by the features alone, once for all chains. Only used
        without an estimator.
    label_penalty : float, default=None
        Penalty of the coefficients of labels, as a part of λ. None means 0.0025 for "ancestral":
        with a penalty as strong as that of features, labels that exclude each other are drawn
        together. None means 1 for "gibbs", whose sweeps do not leave the label sets at which they
        start if labels depend strongly on each other. Only used without an estimator.
    tol : float, default=None
        Tolerance of the regressions, as in `BinaryRelevance`; None means 1e-8. Only used without an
        estimator.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Chains are fitted in parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws orders, bootstrap
        samples, and the random numbers of predictions.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    orders_ : array of shape (n_chains, n_varying)
        Order of the labels that have both classes, numbered among these.
    coef_, intercept_ : arrays of shape (n_chains, n_varying, n_features) and (n_chains, n_varying)
        Coefficients of the features and intercepts, if there is no estimator.
    label_coef_ : array of shape (n_chains, n_varying, n_varying)
        At [chain, label, other], the coefficient of another label in the regression of a label; 0
        if it does not see that label.
    penalties_ : array of shape (n_varying,)
        The λ of each label, if there is no estimator.
    models_ : list of lists
        The classifiers of each chain, if there is an estimator; a number for a label that has one
        class in the samples of the chain.
    seed_ : int
        Seed of the random numbers of predictions.
    constants_, label_names_, classes_, target_classes_, n_features_in_, feature_names_in_
        As in `BinaryRelevance`.

    See Also
    --------
    SampledFPlugin : Decide for the highest expected F by list of sets that a model draws.

    Notes
    -----
    All samples share the random numbers of a draw. The label sets of a sample are independent draws
    of its distribution, and do not depend on which other samples are there; those of two samples in
    the same draw are not independent. Chains take turns: draw t is made by chain t modulo n_chains.

    `predict_proba` is the mean, over draws, of the probability of each label given the labels it
    sees, which varies less than the share of draws that have the label.

    References
    ----------
    K. Dembczyński, W. Cheng, E. Hüllermeier, "Bayes Optimal Multilabel Classification via
    Probabilistic Classifier Chains", ICML 2010.

    J. Read, B. Pfahringer, G. Holmes, E. Frank, "Classifier Chains for Multi-label Classification",
    Machine Learning, 2011, for ensembles of random orders.

    Y. Guo, S. Gu, "Multi-Label Classification Using Conditional Dependency Networks", IJCAI 2011,
    for Gibbs sampling.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import ChainEnsemble
    >>> data, _ = make_multilabel(300, random_state=0)
    >>> model = ChainEnsemble(n_chains=4, penalty=0.01, random_state=0).fit(data.X, data.Y)
    >>> model.sample(data.X, 10, random_state=0).shape
    (10, 300, 6)
    >>> model.predict_proba(data.X).shape
    (300, 6)
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chains: int = 10,
        sampling: str = "ancestral",
        n_sweeps: int = 20,
        bootstrap: bool = True,
        n_draws: int = 100,
        penalty: Any = "auto",
        label_penalty: float | None = None,
        tol: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.sampling = sampling
        self.n_sweeps = n_sweeps
        self.bootstrap = bootstrap
        self.n_draws = n_draws
        self.penalty = penalty
        self.label_penalty = label_penalty
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> ChainEnsemble:
        """Learn all chains.

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
        ChainEnsemble
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type, or the estimator gives no probabilities.
        """
        self._check_parameters()
        targets = learn_targets(self, X, y, groups=groups)
        X = learn_features(self, X)
        Y = targets.dense()
        random = check_random_state(self.random_state)
        plans = [self._plan(Y, random) for _ in range(self.n_chains)]
        self.orders_ = np.array([plan.order for plan in plans])
        self.seed_ = int(random.randint(_MOST_SEED))
        if self.estimator is None:
            self._fit_linear(X, Y, plans, groups)
        else:
            self.models_ = self._in_parallel(
                _fit_classifiers, [(self.estimator, X, Y, p) for p in plans]
            )
        return self

    def sample(self, X: Any, n_draws: int, random_state: Any = None) -> np.ndarray:
        """Draw label sets of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        n_draws : int
            Number of label sets of each sample.
        random_state : int, RandomState or None, default=None
            Seed of the random numbers; the same int gives the same result.

        Returns
        -------
        ndarray of bool of shape (n_draws, n_samples, n_labels)
            The label sets, as `joint_from_samples` takes them.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        drawn, _ = self._draw(X, check_whole(n_draws, "n_draws"), random_state)
        every = np.tile(self.constants_ == 1, (*drawn.shape[:2], 1))
        every[:, :, np.isnan(self.constants_)] = drawn
        return every

    def _check_parameters(self) -> None:
        for name in ("n_chains", "n_sweeps", "n_draws"):
            check_whole(getattr(self, name), name)
        if self.sampling not in _LABEL_PENALTIES:
            raise ValueError(f'sampling must be "ancestral" or "gibbs", got {self.sampling!r}.')
        if self.estimator is None:
            check_penalty(self.penalty)
            self._of_labels()
            self._tolerance()
        elif not is_classifier(self.estimator) or not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                f"estimator must be a classifier with predict_proba, got {self.estimator!r}."
            )

    def _tolerance(self) -> float:
        # Chains average over draws, and need no exact optimum.
        return 1e-8 if self.tol is None else check_tol(self.tol)

    def _of_labels(self) -> float:
        """Return the penalty of the coefficients of labels, as a part of λ."""
        if self.label_penalty is None:
            return _LABEL_PENALTIES[self.sampling]
        return check_real(self.label_penalty, "label_penalty", least=1e-9, most=1e9)

    def _plan(self, Y: np.ndarray, random: np.random.RandomState) -> ChainPlan:
        n_samples, n_labels = Y.shape
        order = random.permutation(n_labels).astype(np.int64)
        rows = np.arange(n_samples)
        if self.bootstrap:
            rows = np.sort(random.randint(n_samples, size=n_samples))
        return ChainPlan(rows, order, self.sampling == "gibbs")

    def _fit_linear(self, X: Any, Y: np.ndarray, plans: list[ChainPlan], groups: Any) -> None:
        n_labels = Y.shape[1]
        penalties = check_penalty(self.penalty)
        self.penalties_ = np.full(n_labels, penalties[0])
        if len(penalties) > 1 and n_labels:
            relevance = BinaryRelevance(penalty=penalties, tol=1e-5, n_jobs=self.n_jobs)
            self.penalties_ = relevance.fit(X, Y, groups=groups).penalties_
        shared = self.penalties_, self._of_labels(), self._tolerance()
        found = self._in_parallel(_fit_regressions, [(X, Y, plan, *shared) for plan in plans])
        self.coef_ = np.array([chain.coef for chain in found])
        self.label_coef_ = np.array([chain.label_coef for chain in found])
        self.intercept_ = np.array([chain.intercept for chain in found])

    def _in_parallel(self, work: Any, jobs: list[Any]) -> list[Any]:
        found = []
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        for result in run(delayed(work)(*job) for job in jobs):
            found.append(result)
            report_progress(self, f"chain {len(found)} of {len(jobs)}")
        return found

    def _chain(self, number: int) -> LinearChain | ModelChain:
        order = self.orders_[number]
        if self.estimator is not None:
            plan = ChainPlan(np.empty(0), order, self.sampling == "gibbs")
            return ModelChain(self.models_[number], plan)
        arrays = self.coef_[number], self.label_coef_[number], self.intercept_[number]
        return LinearChain(*arrays, order)

    def _draw(self, X: Any, n_draws: int, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
        """Draw sets of the labels that vary, and return the sums of their probabilities."""
        X = learn_features(self, X, reset=False)
        n_chains, n_labels = self.orders_.shape
        random = check_random_state(random_state)
        numbers = random.random_sample((n_draws, self._n_sweeps(), n_labels))
        drawn = np.zeros((n_draws, X.shape[0], n_labels), dtype=bool)
        chances = np.zeros((X.shape[0], n_labels))
        for number in range(min(n_chains, n_draws)):
            own = slice(number, None, n_chains)
            self._chain(number).draw(X, numbers[own], drawn[own], chances)
        return drawn, chances

    def _n_sweeps(self) -> int:
        return check_whole(self.n_sweeps, "n_sweeps") if self.sampling == "gibbs" else 1

    def _proba(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        n_draws = check_whole(self.n_draws, "n_draws")
        _, chances = self._draw(X, n_draws, self.seed_)
        return all_labels(chances / n_draws, self.constants_)

    def _check_learned(self, n_labels: int) -> None:
        n_labels = int(np.isnan(self.constants_).sum())
        orders = self.orders_
        if orders.ndim != 2 or orders.dtype != np.int64 or orders.shape[1] != n_labels:
            raise ValueError(f"orders_ must be orders of {n_labels} labels")
        if not np.array_equal(np.sort(orders), np.tile(np.arange(n_labels), (len(orders), 1))):
            raise ValueError(f"orders_ must be orders of {n_labels} labels")
        if type(self.seed_) is not int:
            raise ValueError("seed_ must be a whole number")
        # They are the size of an array, and the number of predictions of each model.
        n_sweeps = check_whole(self.n_draws, "n_draws") * self._n_sweeps()
        if n_sweeps > _MOST_SWEEPS:
            raise ValueError(
                f"n_draws times n_sweeps must be at most {_MOST_SWEEPS} in a file, got {n_sweeps}"
            )
        if self.estimator is not None:
            if [len(chain) for chain in self.models_] != [n_labels] * len(orders):
                raise ValueError(f"models_ must be those of {n_labels} labels in each chain")
            return
        shapes = {"coef_": (n_labels, self.n_features_in_), "label_coef_": (n_labels, n_labels)}
        for name, shape in (*shapes.items(), ("intercept_", (n_labels,))):
            array = getattr(self, name)
            if array.dtype != np.float64 or array.shape != (len(orders), *shape):
                raise ValueError(f"{name} must be numbers of shape {(len(orders), *shape)}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Missing values do not reach the estimator.
        tags.input_tags.allow_nan = False
        return tags


class ChainPlan(NamedTuple):
    """What a chain learns from, and in which order it draws labels."""

    rows: np.ndarray  # the samples; repeated if they were drawn with replacement
    order: np.ndarray  # (n_labels,)
    sees_all: bool  # whether a label is learned from all others, or from those before it

    def sources(self, label: int) -> np.ndarray:
        """Return the labels that a label is learned from, in ascending order."""
        place = int(np.flatnonzero(self.order == label)[0])
        seen = self.order[:place]
        if self.sees_all:
            seen = np.concatenate([seen, self.order[place + 1 :]])
        return np.sort(seen)


class LinearChain(NamedTuple):
    """Logistic regressions of the labels of a chain."""

    coef: np.ndarray  # (n_labels, n_features)
    label_coef: np.ndarray  # (n_labels, n_labels): row of a label, weights of the labels it sees
    intercept: np.ndarray  # (n_labels,)
    order: np.ndarray  # (n_labels,)

    def draw(self, X: Any, numbers: np.ndarray, drawn: np.ndarray, chances: np.ndarray) -> None:
        """Draw labels of all samples, by the numbers of (n_draws, n_sweeps, n_labels).

        Fills `drawn` of shape (n_draws, n_samples, n_labels), which is False at first, and adds the
        probabilities of all draws to `chances`.
        """
        from labelwise.learners._chain_ensemble_kernels import draw_labels

        margins = np.asarray(X @ self.coef.T + self.intercept)
        of_labels = np.ascontiguousarray(self.label_coef.T)

        def draw(rows: slice) -> None:
            for own, numbers_of_draw in zip(drawn, numbers, strict=True):
                given = of_labels, self.order, numbers_of_draw
                draw_labels(margins[rows].copy(), *given, own[rows], chances[rows])

        for_row_blocks(draw, len(margins), margins.shape[1] * numbers.shape[0] * numbers.shape[1])


class ModelChain(NamedTuple):
    """Classifiers of the labels of a chain; a number for a label with one class."""

    models: list[Any]
    plan: ChainPlan

    def draw(self, X: Any, numbers: np.ndarray, drawn: np.ndarray, chances: np.ndarray) -> None:
        """Draw labels of all samples, as `LinearChain.draw` does."""
        for own, numbers_of_draw in zip(drawn, numbers, strict=True):
            for sweep, thresholds in enumerate(numbers_of_draw):
                for k in self.plan.order:
                    chance = self._chance(X, own, k)
                    own[:, k] = thresholds[k] < chance
                    if sweep == len(numbers_of_draw) - 1:
                        chances[:, k] += chance

    def _chance(self, X: Any, labels: np.ndarray, k: int) -> np.ndarray:
        model = self.models[k]
        if isinstance(model, float):
            return np.full(len(labels), model)
        rows = with_labels(X, labels[:, self.plan.sources(k)])
        return np.asarray(model.predict_proba(rows), dtype=np.float64)[:, 1]


def _fit_regressions(
    X: Any, Y: np.ndarray, plan: ChainPlan, penalties: np.ndarray, of_labels: float, tol: float
) -> LinearChain:
    """Fit the logistic regression of each label, at its penalty.

    `of_labels` is the penalty of the coefficients of labels, as a part of that of features.
    """
    X, Y = X[plan.rows], Y[plan.rows]
    # A column that is larger by a factor has a penalty that is smaller by its square.
    scale = 1 / np.sqrt(of_labels)
    n_labels = Y.shape[1]
    coef, label_coef = np.zeros((n_labels, X.shape[1])), np.zeros((n_labels, n_labels))
    intercept = np.where(Y[0] == 1, _CERTAIN, -_CERTAIN)
    for k in np.flatnonzero(Y.min(axis=0) != Y.max(axis=0)).tolist():
        seen = plan.sources(k)
        rows, penalty = with_labels(X, scale * Y[:, seen]), (float(penalties[k]),)
        problem = RegressionProblem(rows, None, [], penalty, tol)
        target = sparse.csc_array(Y[:, [k]].astype(bool))
        found = fit_regressions(problem, Tasks(target, np.ones(1, dtype=np.intp)))
        coef[k] = found.coefficients[: X.shape[1], 0]
        label_coef[k, seen] = scale * found.coefficients[X.shape[1] :, 0]
        intercept[k] = found.intercepts[0]
    return LinearChain(coef, label_coef, intercept, plan.order)


def _fit_classifiers(base: Any, X: Any, Y: np.ndarray, plan: ChainPlan) -> list[Any]:
    """Fit a clone of a classifier to each label; the value of a label with one class."""
    X, Y = X[plan.rows], Y[plan.rows]
    models: list[Any] = []
    for k, column in enumerate(Y.T):
        if column.min() == column.max():
            models.append(float(column[0]))
        else:
            models.append(clone(base).fit(with_labels(X, Y[:, plan.sources(k)]), column))
    return models


def with_labels(X: Any, labels: np.ndarray) -> Any:
    """Return the features with labels as further columns, dense or CSR as the features are."""
    columns = labels.astype(np.float64)
    if sparse.issparse(X):
        return sparse.csr_array(sparse.hstack([X, sparse.csr_array(columns)]))
    return np.hstack([X, columns])
