"""`LabelForest`: one random forest of all labels or one for each, with out-of-bag scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.parallel import Parallel, delayed

from labelwise._estimators import (
    LabelTarget,
    ProbabilityClassifier,
    all_labels,
    draw_seeds,
    learn_features,
    learn_targets,
    report_progress,
    seeded,
)
from labelwise._validation import check_weights
from labelwise.learners.trees._packed_trees import (
    FORESTS,
    Forests,
    PackedLabels,
    joined,
    pack_joint,
    packed,
    samples_seen,
)


class LabelForest(MetaEstimatorMixin, ProbabilityClassifier):
    """Learn all labels by one random forest, or each label by its own.

    The trees are those of scikit-learn, packed into 16 bytes for a node when they are fitted, and
    applied to all labels in one pass. The probability of a label is the mean of its share in the
    leaves; labels with a probability above 1/2 are decided.

    Parameters
    ----------
    estimator : RandomForestClassifier or ExtraTreesClassifier, default=None
        Cloned and fitted. None means ``RandomForestClassifier()``.
    joint : bool, default=True
        Whether one forest has all labels at its leaves, so that a split serves all labels, or each
        label has a forest of its own, which takes the time and memory of as many forests.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Trees, or labels, are fitted in
        parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the seed of each
        forest. None leaves the `random_state` of the estimator unchanged.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    forests_ : packed trees
        Those of all labels that have both classes.
    leaves_ : csr_array of shape (n_leaves, n_varying), or None
        Share of each label in the leaves of a joint forest.
    constants_, label_names_, classes_, target_classes_, n_features_in_, feature_names_in_
        As in `BinaryRelevance`.

    Notes
    -----
    A tree of a forest with ``bootstrap=True`` is fitted to about 63 % of the samples. The trees
    that have not seen a sample score it as a model of other samples would, which costs no further
    fit: ``TunedThresholds(LabelForest(), cv="oob")`` tunes thresholds on these out-of-bag scores.
    They are means of fewer trees than the scores of new samples, and so vary more; thresholds want
    a hundred trees or more.

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning, 2001.

    D. Kocev, C. Vens, J. Struyf, S. Džeroski, "Ensembles of Multi-Objective Decision Trees", ECML
    2007, for joint forests.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.decisions import TunedThresholds
    >>> from labelwise.learners import LabelForest
    >>> data, _ = make_multilabel(300, random_state=0)
    >>> model = TunedThresholds(LabelForest(random_state=0), cv="oob", random_state=0)
    >>> model.fit(data.X, data.Y).predict(data.X).shape
    (300, 6)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        joint: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.joint = joint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LabelForest:
        """Fit the forests.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            With ``joint=False``, NaN, null or a masked cell is a missing label: each label is
            learned from the samples that have it.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. Passed to the forests.

        Returns
        -------
        LabelForest
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If X or y is out of its range, or X and y differ in length.
        TypeError
            If the estimator is not a forest of scikit-learn, or y is of the wrong type.
        """
        self._fit(X, y, sample_weight, scores_bags=False)
        return self

    def fit_scoring_oob(self, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
        """Fit the forests, and score each sample by the trees that have not seen it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. Passed to the forests.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Out-of-bag scores; NaN if every tree has seen the sample.

        Raises
        ------
        ValueError
            If the trees have no bootstrap samples; otherwise as `fit`.
        TypeError
            If the estimator is not a forest of scikit-learn, or y is of the wrong type.
        """
        if not self._base().bootstrap:
            raise ValueError(
                "out-of-bag scores need an estimator with bootstrap=True, got bootstrap=False."
            )
        scores = self._fit(X, y, sample_weight, scores_bags=True)
        return all_labels(scores, self.constants_)

    def _base(self) -> Any:
        return RandomForestClassifier() if self.estimator is None else self.estimator

    def _fit(self, X: Any, y: Any, sample_weight: Any, *, scores_bags: bool) -> np.ndarray:
        """Fit the forests; return the out-of-bag scores of the labels that vary, if asked for."""
        base = self._base()
        if type(base) not in FORESTS:
            raise TypeError(
                "estimator must be a RandomForestClassifier or an ExtraTreesClassifier, "
                f"got {base!r}."
            )
        targets = learn_targets(
            self, X, y, allow_missing=not self.joint, sample_weight=sample_weight
        )
        X = learn_features(self, X, trees=base)
        fit = self._fit_joint if self.joint else self._fit_labels
        if targets.varying.size == 0:
            self.forests_, self.leaves_ = joined([]), None
            return np.empty((X.shape[0], 0))
        trees, scores = fit(X, targets, sample_weight, scores_bags)
        self.forests_, self.leaves_ = trees
        return scores

    def _fit_joint(
        self, X: Any, targets: LabelTarget, weights: Any, scores_bags: bool
    ) -> tuple[PackedLabels, np.ndarray]:
        model = self._seeded(1)[0].set_params(n_jobs=self.n_jobs)
        Y = targets.dense()
        model.fit(X, Y[:, 0] if Y.shape[1] == 1 else Y, sample_weight=weights)
        trees = pack_joint(model)
        report_progress(self, f"{len(model.estimators_)} trees of all labels")
        if not scores_bags:
            return trees, np.empty(0)
        return trees, trees.chances(X, Y.shape[1], samples_seen(model, X.shape[0]))

    def _fit_labels(
        self, X: Any, targets: LabelTarget, weights: Any, scores_bags: bool
    ) -> tuple[PackedLabels, np.ndarray]:
        columns = targets.dense().T
        rows = [targets.rows_with(j) for j in targets.varying]
        jobs = zip(self._seeded(len(columns)), columns, rows, strict=True)
        run = Parallel(n_jobs=self.n_jobs, return_as="generator")
        parts, scores = [], []
        for part, column in run(
            delayed(_fit_label)(model, X, y, some, weights, scores_bags) for model, y, some in jobs
        ):
            parts.append(part)
            scores.append(column)
            report_progress(self, f"label {len(parts)} of {len(columns)}")
        return PackedLabels(joined(parts), None), np.column_stack(scores)

    def _seeded(self, n_models: int) -> list[Any]:
        """Return clones of the forest, each with a seed of its own."""
        seeds = draw_seeds(self.random_state, n_models)
        return [seeded(clone(self._base()), seed) for seed in seeds]

    def _proba(self, X: Any) -> np.ndarray:
        X = learn_features(self, X, reset=False, trees=self._base())
        n_varying = int(np.isnan(self.constants_).sum())
        if n_varying == 0:
            return all_labels(np.empty((X.shape[0], 0)), self.constants_)
        chances = PackedLabels(self.forests_, self.leaves_).chances(X, n_varying)
        return all_labels(chances, self.constants_)

    def _check_learned(self, n_labels: int) -> None:  # noqa: ARG002
        n_varying = int(np.isnan(self.constants_).sum())
        if n_varying:
            PackedLabels(self.forests_, self.leaves_).check(int(self.n_features_in_), n_varying)


def _fit_label(
    model: Any,
    X: Any,
    column: np.ndarray,
    rows: np.ndarray | None,
    weights: Any,
    scores_bags: bool,
) -> tuple[Forests, np.ndarray]:
    """Fit and pack the forest of one label; score its out-of-bag samples if asked for.

    `rows` are the samples that have the label, None for all.
    """
    some = np.arange(X.shape[0]) if rows is None else rows
    of_some = X if rows is None else X[some]
    # The forest checks weights of all samples; those of some are cut, and checked before.
    if rows is not None and weights is not None:
        weights = check_weights(weights, X.shape[0])[rows]
    model.fit(of_some, column[some], sample_weight=weights)
    forests = packed(model)
    if not scores_bags:
        return forests, np.empty(0)
    is_seen = np.zeros((len(model.estimators_), X.shape[0]), dtype=bool)
    is_seen[:, some] = samples_seen(model, some.size)
    return forests, PackedLabels(forests, None).chances(X, 1, is_seen)[:, 0]
