"""Linear scores and gains of pairs of labels, trained for the F of whole label sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from labelwise._estimators import (
    as_multilabel,
    check_constants,
    classes_of_decisions,
    scores_of_classes,
)
from labelwise._validation import check_real
from labelwise.learners._training import check_coefficients
from labelwise.learners.structured._hinge_loss import decide, pairs_of
from labelwise.learners.structured._linear_model import learn_weights, linear_scores
from labelwise.learners.structured._min_cut_kernels import PairGains


class SubmodularMultilabel(ClassifierMixin, BaseEstimator):
    """Learn as `ReverseMultilabel` does, labels that often occur together gaining by it (SML).

    f(y, x) = Σ_j y_j (w_j · x + b_j) + Σ_{k<l} c · C_kl · y_k · y_l, where C_kl is the number of
    samples with both labels over the largest such number, and 0 for all but the strongest pairs.
    The gains are given, only W and b are learned. As no gain is negative, f is supermodular: a
    minimum cut maximises it, and that is what `predict` does, exactly; of several best label sets
    it takes the smallest.

    Parameters
    ----------
    interaction : float
        c, from 0; the loss is 1 at most.
    share_of_pairs : float
        The part of all pairs that may gain, those of the highest counts; at least one pair.
    penalty, cv, tol, max_passes, n_jobs, verbose, random_state
        As in `ReverseMultilabel`; `tol` is for the gap described below.

    Attributes
    ----------
    pairs_ : array of shape (n_pairs, 2)
        The labels of each pair that gains.
    gains_ : array of shape (n_pairs,)
        c · C_kl of each.
    gap_ : float
        The relative gap **against the label sets that were found**. Nobody knows how to find the
        most violating set fast: for every size k the loss is made linear, cuts maximise that, and
        the set of the highest true value is taken. A better one may exist, so the gap may be
        larger; it is exact for `interaction=0`.
    objective_ : float
        What was minimised, with the losses of the sets that were found.
    coef_, intercept_, penalty_, cv_values_, n_passes_, n_planes_, constants_, label_names_,
    classes_, n_features_in_, feature_names_in_
        As in `ReverseMultilabel`.

    Notes
    -----
    At each size k two linear losses are tried. One is the loss as if k labels were decided: as k
    grows only true labels gain, so the flow for k is a start for k + 1, and all sizes together
    cost little more than one cut. The other, from ``k = |y|`` on, is the tangent of the loss where
    all true labels are decided: it also sees that a label decided wrongly makes the loss larger.
    With an empty truth the best set is tried, and if that is empty the label of the highest score.

    References
    ----------
    dembczynski2013, equation 13 and section 8.1 (5 % of the pairs, c fixed beforehand).
    Petterson & Caetano (2011), Submodular multi-label learning.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import SubmodularMultilabel
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = SubmodularMultilabel(penalty=0.01).fit(data.X, data.Y)
    >>> model.pairs_.shape
    (1, 2)
    >>> model.predict(data.X).shape
    (1000, 6)
    """

    def __init__(
        self,
        *,
        interaction: float = 0.1,
        share_of_pairs: float = 0.05,
        penalty: Any = "auto",
        cv: Any = 5,
        tol: float = 1e-3,
        max_passes: int = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = 0,
    ) -> None:
        self.interaction = interaction
        self.share_of_pairs = share_of_pairs
        self.penalty = penalty
        self.cv = cv
        self.tol = tol
        self.max_passes = max_passes
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> SubmodularMultilabel:
        """Count pairs, choose λ, and learn the weights of all labels together."""
        strength = check_real(self.interaction, "interaction", least=0.0, most=np.inf)
        share = check_real(self.share_of_pairs, "share_of_pairs", least=0.0, most=1.0)
        shown: list[tuple[np.ndarray, np.ndarray]] = []

        def pairs_in(labels: np.ndarray) -> PairGains:
            shown.append(strongest_pairs(labels, strength, share))
            return pairs_of(labels.shape[1], *shown[-1])

        learn_weights(self, X, y, pairs_in)
        # The last labels shown are all; none are if no label has both classes.
        nothing = np.empty((0, 2), dtype=np.int64), np.empty(0)
        places, gains = shown[-1] if shown else nothing
        self.pairs_ = np.flatnonzero(np.isnan(self.constants_))[places]
        self.gains_ = gains
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return what each label gains beside those decided, of shape (n_samples, n_labels).

        That is f with the label less f without it, all others being as `predict` says: above 0
        where the label is decided. Labels that had one class in training have -1 or 1.
        """
        scores = linear_scores(self, X)
        n_labels = scores.shape[1]
        gains = sparse.coo_array((self.gains_, self.pairs_.T), shape=(n_labels, n_labels)).tocsr()
        decided = decide(scores, self._pairs()).astype(np.float64)
        gained: np.ndarray = scores + decided @ (gains + gains.T)
        return scores_of_classes(self, gained)

    def predict(self, X: Any) -> np.ndarray:
        """Return the label set of the highest f, int64 of shape (n_samples, n_labels)."""
        decided = decide(linear_scores(self, X), self._pairs()).astype(np.int64)
        return classes_of_decisions(self, decided)

    def _pairs(self) -> PairGains:
        return pairs_of(self.intercept_.size, self.pairs_, self.gains_)

    def _check_loaded(self) -> None:
        """Refuse pairs of labels that are not there, as a file may have them."""
        if not hasattr(self, "pairs_"):
            return
        n_labels = check_constants(self)
        check_coefficients(self, n_labels)
        if self.pairs_.dtype != np.int64 or self.pairs_.shape[1:] != (2,):
            raise ValueError("pairs_ must be two columns of whole numbers")
        first, second = self.pairs_.T
        if not ((first >= 0) & (first < second) & (second < n_labels)).all():
            raise ValueError(f"pairs_ must be those of {n_labels} labels")
        gains = self.gains_
        if gains.dtype != np.float64 or gains.shape != first.shape:
            raise ValueError("gains_ must be one for each pair")
        if not ((gains >= 0) & np.isfinite(gains)).all():
            raise ValueError("gains_ must be finite, and none below 0")

    def __sklearn_tags__(self) -> Any:
        tags = as_multilabel(super().__sklearn_tags__(), takes_vector=True)
        tags.input_tags.sparse = True
        return tags


def strongest_pairs(
    labels: np.ndarray, strength: float, share: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the label pairs seen together most often, and their gains; of equal ones the first.

    Pairs never seen together gain nothing, and are left out.
    """
    counted = labels.astype(np.int64)
    one, other = np.triu_indices(labels.shape[1], k=1)
    together = (counted.T @ counted)[one, other]
    n_kept = max(1, round(share * together.size)) if share > 0 and strength > 0 else 0
    kept = np.argsort(-together, kind="stable")[:n_kept]
    kept = kept[together[kept] > 0]
    gains = strength * together[kept] / max(1, together.max(initial=0))
    return np.column_stack([one[kept], other[kept]]), gains
