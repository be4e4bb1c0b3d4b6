"""`ExactFPlugin`: decisions of highest expected F, from probabilities of labels and set sizes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._estimators import (
    ExpectedFClassifier,
    check_coefficients,
    learn_features,
    learn_targets,
    report_progress,
    splits_of,
    splits_within,
)
from labelwise._validation import is_whole, relative_weights, take_rows
from labelwise.decisions import make_consistent, maximize_expected_f
from labelwise.learners.regression._log_loss import Tasks, softmaxes
from labelwise.learners.regression._penalty_path import (
    RegressionProblem,
    Splits,
    check_penalize_intercept,
    check_penalty,
    check_tol,
    fit_regressions,
    penalty_splits,
)

# Number of probabilities in memory at a time in `predict`.
_TOGETHER = 2**23


class ExactFPlugin(ExpectedFClassifier):
    """Decide for the highest expected F, with dependent labels (EFP).

    The learnt probabilities are P(y_label = 1, s_y = s | x), where s_y is the number of labels of a
    sample. The best decision depends only on them and on the probability of the empty set. Each
    label has one multinomial logistic regression over the distinct values of [y_label = 1] · s_y,
    and the empty set has one; `maximize_expected_f` decides.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number; it may be changed after fitting.
    penalty : "auto", float or sequence of float, default="auto"
        Weight λ in mean log-loss + λ/2 · ‖w‖², or the values from which the λ of each regression
        is chosen by log-loss on held-out folds; "auto" means 1e-4, 1e-3, ..., 1e3.
    cv : int, splitter or iterable of (train, test), default=5
        The folds on which λ is chosen. A number k means k folds of
        ``MultilabelStratifiedKFold(method="iterative")``, by pairs of a label and a size, the
        same ones every time.
    penalize_intercept : bool, default=False
        Whether intercepts are penalised like weights, as by Mallet: λ/2 · (‖w‖² + b²).
    tol : float, default=None
        A regression stops when the decrease of its objective that the next step predicts is less
        than `tol` times the objective. None means 1e-13, at which probabilities of the training
        samples of yeast and enron are within 2e-6 of those at the optimum.
    consistent : bool, default=False
        Whether `make_consistent` adjusts the probabilities, which come from separate regressions,
        to those of one distribution before decisions. It may be changed after fitting.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Folds and groups of regressions are
        fitted in parallel.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_columns, n_features) and (n_columns,)
        Coefficients of all classes of all regressions; 0 for the first class of each regression.
    column_labels_, column_sizes_ : arrays of shape (n_columns,)
        The class of each column: label and size, 0 if the label is off. The label after the last
        is the empty set, whose size is 1.
    penalties_ : array of shape (n_labels + 1,)
        λ of each regression, that of the empty set last; NaN where there is one class only.
    constants_, label_names_, classes_, target_classes_, n_features_in_, feature_names_in_
        As in `BinaryRelevance`.

    Notes
    -----
    A class that occurs once is learnt like any other. On a fold whose training part lacks a class,
    the class has the margin -30 for all features. The penalty of a multinomial regression is on
    the weights of all classes, which sum to 0, and `coef_` has their differences from the weights
    of the first class. Two classes make a logistic regression, whose penalty is on one vector of
    weights. Both are as in scikit-learn.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization",
    ICML 2013 (dembczynski2013), section 5 (EFP) and section 7 for λ.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import ExactFPlugin
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = ExactFPlugin(penalty=0.01).fit(data.X, data.Y)
    >>> joint, p_empty = model.predict_joint(data.X[:1])
    >>> joint.shape[:2], bool(p_empty[0] < 1)
    ((1, 6), True)
    >>> decided = model.predict(data.X)
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        *,
        beta: float = 1.0,
        penalty: Any = "auto",
        cv: Any = 5,
        penalize_intercept: bool = False,
        tol: float | None = None,
        consistent: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.beta = beta
        self.penalty = penalty
        self.cv = cv
        self.penalize_intercept = penalize_intercept
        self.tol = tol
        self.consistent = consistent
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> ExactFPlugin:
        """Learn the probabilities of each label at every size of label set.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. Samples of weight 0 are left out.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together, also in the
            folds on which penalties are chosen.

        Returns
        -------
        ExactFPlugin
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        penalties, tol = check_penalty(self.penalty), check_tol(self.tol)
        penalizes_intercept = check_penalize_intercept(self.penalize_intercept)
        targets = learn_targets(self, X, y, groups=groups, sample_weight=sample_weight)
        X = learn_features(self, X)
        weights = relative_weights(sample_weight, X.shape[0])
        labels, cv = targets.matrix, self.cv
        if weights is not None:
            # A sample of weight 0 is left out, so that its class need not be learnt.
            counted = np.flatnonzero(weights)
            cv = _splits_of_rows(cv, X, labels, counted)
            X, labels, weights = X[counted], labels[counted], weights[counted]
            groups = None if groups is None else take_rows(groups, counted)
        sizes = size_tasks(labels)
        self.column_labels_, self.column_sizes_ = sizes.labels, sizes.sizes
        self.coef_ = np.zeros((sizes.labels.size, X.shape[1]))
        self.intercept_ = np.zeros(sizes.labels.size)
        self.penalties_ = np.full(sizes.widths.size, np.nan)
        if sizes.is_task.any():
            splits: Splits = []
            if len(penalties) > 1:
                splits = penalty_splits(cv, X, sizes.classes, groups)
            settings = penalties, tol, self.n_jobs, partial(report_progress, self)
            problem = RegressionProblem(
                X, weights, splits, *settings, penalizes_intercept=penalizes_intercept
            )
            found = fit_regressions(problem, sizes.tasks)
            self.coef_[sizes.columns] = found.coefficients.T
            self.intercept_[sizes.columns] = found.intercepts
            self.penalties_[sizes.is_task] = found.penalties
        return self

    def predict_joint(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Estimate the probability of each label together with each set size.

        Sizes range up to the largest size in training.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_labels, n_sizes)
            P(y_label = 1, s_y = s) at [sample, label, s - 1].
        p_empty : ndarray of shape (n_samples,)
            Probability of the empty label set.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        joint, p_empty = map(np.concatenate, zip(*self._joints(X), strict=True))
        return joint, p_empty

    def _proba(self, X: Any) -> np.ndarray:
        proba = np.concatenate([joint.sum(axis=2) for joint, _ in self._joints(X)])
        # Shares of one sum to 1 but for rounding.
        return np.asarray(np.minimum(proba, 1.0))

    def _decisions(self, X: Any) -> tuple[np.ndarray, ...]:
        parts = (maximize_expected_f(*block, beta=self.beta) for block in self._joints(X))
        return tuple(map(np.concatenate, zip(*parts, strict=True)))

    def _joints(self, X: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the probabilities of one block of samples after the other."""
        X = learn_features(self, X, reset=False)
        n_labels = self.constants_.size
        n_sizes = max(1, int(self.column_sizes_[self.column_labels_ < n_labels].max()))
        together = max(1, _TOGETHER // (n_labels * n_sizes))
        for first in range(0, X.shape[0], together):
            joint, p_empty = self._joint(X[first : first + together], n_sizes)
            yield make_consistent(joint, p_empty) if self.consistent else (joint, p_empty)

    def _joint(self, X: Any, n_sizes: int) -> tuple[np.ndarray, np.ndarray]:
        is_first = np.diff(self.column_labels_, prepend=-1) > 0
        starts, others = np.flatnonzero(is_first), np.flatnonzero(~is_first)
        proba = X @ self.coef_.T + self.intercept_
        shares = np.take(proba, others, axis=1)
        shares -= np.take(proba, starts[self.column_labels_[others]], axis=1)
        bounds = np.append(starts - np.arange(starts.size), others.size)
        softmaxes(shares, bounds, np.empty(0), np.zeros(starts.size))
        proba[:, others], proba[:, starts] = shares, 0
        proba[:, starts] = np.maximum(1 - np.add.reduceat(proba, starts, axis=1), 0)
        n_labels = self.constants_.size
        joint = np.zeros((X.shape[0], n_labels, n_sizes))
        is_on = (self.column_labels_ < n_labels) & (self.column_sizes_ > 0)
        joint[:, self.column_labels_[is_on], self.column_sizes_[is_on] - 1] = proba[:, is_on]
        is_empty = (self.column_labels_ == n_labels) & (self.column_sizes_ == 1)
        return joint, proba[:, is_empty].sum(axis=1)

    def _check_learned(self, n_labels: int) -> None:
        labels, sizes = self.column_labels_, self.column_sizes_
        if labels.dtype != np.int64 or sizes.dtype != np.int64 or labels.ndim != 1:
            raise ValueError("column_labels_ and column_sizes_ must be whole numbers")
        # Each label has columns, and the empty set behind them; a label of size 0 is off.
        steps = np.diff(labels, prepend=-1, append=n_labels + 1)
        if not np.isin(steps, (0, 1)).all() or steps[0] != 1 or steps[-1] != 1:
            raise ValueError(f"column_labels_ must be those of {n_labels} labels, in order")
        if sizes.shape != labels.shape or not ((sizes >= 0) & (sizes <= n_labels)).all():
            raise ValueError(f"column_sizes_ must be from 0 to {n_labels}")
        check_coefficients(self, labels.size)


def _splits_of_rows(cv: Any, X: Any, labels: Any, rows: np.ndarray) -> Any:
    """Return given splits of all samples as splits of some rows; other `cv` as they are."""
    if is_whole(cv) or hasattr(cv, "split") or rows.size == X.shape[0]:
        return cv
    return splits_within(splits_of(cv, X, labels), rows, X.shape[0])


class SizeTasks(NamedTuple):
    """A task per label and one for the empty set; a column per class.

    The first class of a task follows from the others, and is not learned; a task with a single
    class is left out.
    """

    labels: np.ndarray  # of each column; n_labels for the columns of the empty set
    sizes: np.ndarray  # of each column; 0 for samples without the label
    widths: np.ndarray  # number of classes of each task
    classes: sparse.csc_array  # bool: the samples of all columns with a size above 0
    columns: np.ndarray  # the columns that are learned
    tasks: Tasks  # the regressions of these columns

    @property
    def is_task(self) -> np.ndarray:
        """Whether each task has at least two classes."""
        return np.asarray(self.widths > 1)


def size_tasks(Y: sparse.csc_array) -> SizeTasks:
    """Make the classes [y_label = 1] · s_y of each label, and [s_y = 0]."""
    values = _values(Y)
    n_samples, n_tasks = values.shape
    entries = values.tocoo()
    n_values = int(values.data.max(initial=0)) + 1
    # A class is coded as task · n_values + value. Zeros are not stored, so that their class is
    # added for every task that has one.
    numbers = entries.coords[1].astype(np.int64) * n_values + entries.data
    has_zeros = np.diff(values.indptr) < n_samples
    found = np.union1d(numbers, np.flatnonzero(has_zeros) * n_values)
    labels, sizes = np.divmod(found, n_values)
    place = np.searchsorted(found, numbers)
    ones = np.ones(place.size, dtype=bool)
    on = sparse.csc_array((ones, (entries.coords[0], place)), shape=(n_samples, found.size))
    widths = np.bincount(labels, minlength=n_tasks)
    is_first = np.diff(labels, prepend=-1) > 0
    columns = np.flatnonzero(~is_first)
    tasks = Tasks(on[:, columns], widths[widths > 1] - 1)
    return SizeTasks(labels, sizes, widths, on[:, np.flatnonzero(sizes > 0)], columns, tasks)


def _values(Y: sparse.csc_array) -> sparse.csc_array:
    """Return [y_label = 1] · s_y of each label, and [s_y = 0] as last column."""
    sizes = np.asarray(Y.sum(axis=1), dtype=np.int64).ravel()
    counted = sparse.csc_array((sizes[Y.indices], Y.indices, Y.indptr), shape=Y.shape)
    empty = sparse.csc_array((sizes == 0).astype(np.int64)[:, None])
    return sparse.csc_array(sparse.hstack([counted, empty]))
