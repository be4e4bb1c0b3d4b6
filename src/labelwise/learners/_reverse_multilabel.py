"""A linear score for each label, trained for the F of whole label sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from labelwise._estimators import (
    as_multilabel,
    check_constants,
    classes_of_decisions,
    scores_of_classes,
)
from labelwise.learners._training import check_coefficients
from labelwise.learners.structured._hinge_loss import no_pairs
from labelwise.learners.structured._linear_model import learn_weights, linear_scores


class ReverseMultilabel(ClassifierMixin, BaseEstimator):
    """Learn linear scores by the structured hinge loss of F, margins rescaled (RML).

    With f(y, x) = Σ_j y_j (w_j · x + b_j) and the loss ``ℓ(y, y') = 1 - 2|y ∩ y'| / (|y| + |y'|)``
    of two label sets (0 if both are empty), `fit` minimises::

        λ/2 · (‖W‖² + ‖b + W·x̄‖²/κ²) + mean_i max_y' {ℓ(y_i, y') + f(y', x_i) - f(y_i, x_i)}

    where x̄ is the mean of the samples and κ² a tenth of the mean of ``‖x_i - x̄‖²``.
    The maximum over all 2^m sets is exact, and takes a sort and ``O(|y| (m - |y|))`` steps at most.
    A label is decided where its score is above 0, which maximises f.

    Parameters
    ----------
    penalty : float, sequence of float, or "auto"
        λ; of several, the one with the highest F of held-out samples (of equal ones the
        largest). "auto" takes 1e-4, 1e-3, ..., 1e3.
    cv : int, splitter or iterable of (train, test)
        Folds for the choice of λ. A number means so many of `MultilabelStratifiedKFold`.
    tol : float
        The relative duality gap to stop at.
    max_passes : int
        Passes over the samples at most; a warning tells if the gap is then still larger.
    n_jobs : int, optional
        Folds at a time; what comes out does not depend on it.
    verbose : int
        1 writes progress to the error stream.
    random_state : int, RandomState or None
        Draws the order of samples. The default gives the same model every time.

    Attributes
    ----------
    coef_ : array of shape (n_labels, n_features)
        W; 0 for labels with one class.
    intercept_ : array of shape (n_labels,)
        b; -1 or 1 for labels with one class.
    penalty_ : float
        The λ that was used.
    cv_values_ : dict, or None
        Mean F of held-out samples for each λ, if there were several.
    objective_ : float
        What was minimised, at the end.
    gap_ : float
        ``(objective_ - dual value) / objective_``: no weights are better by a larger part.
    n_passes_ : int
        Passes at `penalty_`. Finding the gap of all samples counts as one.
    n_planes_ : int
        Label sets with weight in the dual at the end, of all samples together.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels with one class, which they always get, and of which a warning tells;
        NaN for all others. The loss is that of the others.
    label_names_ : tuple of str, or None
        Names of the labels, if Y has any.
    classes_ : array of shape (n_labels,)
        Numbers of the labels.
    n_features_in_, feature_names_in_
        Of X.

    Notes
    -----
    The paper leaves the penalty's form open; ours is that of the logistic learners, but for the
    intercept. That is not free: the scores of the mean sample are penalised as the weights of a
    constant feature κ. So what is added to a feature changes nothing, and to multiply all
    features by s is to divide λ by s². A penalty of b itself takes more passes the further the
    features are from 0, and so does a larger κ.

    Solved in the dual, block by block: a sample keeps the label sets that carry weight, and a
    visit finds the most violating set, shifts weight between the sample's sets, and drops those
    without any. Samples are visited in proportion to their last gaps, and every fifth pass in
    turn. Memory is O(n_labels) for each set kept, whatever the number of sets ever found. Several
    λ are solved from the largest on, each starting at the sets of the one before; for the choice,
    at ten times `tol` and with 30 passes at most.

    References
    ----------
    dembczynski2013, equations 10 to 12. Petterson & Caetano (2010), Reverse multi-label learning.
    Lacoste-Julien et al. (2013), Block-coordinate Frank-Wolfe optimization for structural SVMs.
    Osokin et al. (2016), Minding the gaps for block Frank-Wolfe optimization of structured SVMs.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import ReverseMultilabel
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = ReverseMultilabel(penalty=0.01).fit(data.X, data.Y)
    >>> model.gap_ <= 1e-3
    True
    >>> model.predict(data.X).shape
    (1000, 6)
    """

    def __init__(
        self,
        *,
        penalty: Any = "auto",
        cv: Any = 5,
        tol: float = 1e-3,
        max_passes: int = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = 0,
    ) -> None:
        self.penalty = penalty
        self.cv = cv
        self.tol = tol
        self.max_passes = max_passes
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ReverseMultilabel:
        """Choose λ, and learn the weights of all labels together."""
        learn_weights(self, X, y, lambda labels: no_pairs(labels.shape[1]))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of the labels, of shape (n_samples, n_labels).

        Labels that had one class in training have the score -1 or 1.
        """
        return scores_of_classes(self, linear_scores(self, X))

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 where the score is above 0, int64 of shape (n_samples, n_labels)."""
        decided = (linear_scores(self, X) > 0).astype(np.int64)
        return classes_of_decisions(self, decided)

    def _check_loaded(self) -> None:
        """Refuse coefficients of other labels, as a file may have them."""
        if hasattr(self, "coef_"):
            check_coefficients(self, check_constants(self))

    def __sklearn_tags__(self) -> Any:
        tags = as_multilabel(super().__sklearn_tags__(), takes_vector=True)
        tags.input_tags.sparse = True
        return tags
