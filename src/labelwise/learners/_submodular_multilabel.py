"""`SubmodularMultilabel`: linear scores and gains of label pairs, trained for F."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import check_real
from labelwise.learners._reverse_multilabel import ReverseMultilabel
from labelwise.learners.structured._hinge_loss import decide, pairs_of
from labelwise.learners.structured._min_cut_kernels import PairGains


class SubmodularMultilabel(ReverseMultilabel):
    """Learn linear scores for F, with gains for frequent pairs of labels (SML).

    The objective is that of `ReverseMultilabel`, with another score of a label set:

    f(y, x) = Σ_j y_j (w_j · x + b_j) + Σ_{k<l} c · C_kl · y_k · y_l, where C_kl is the number of
    samples with both labels over the largest such number, and 0 for all but the strongest pairs.
    The gains are fixed, only W and b are learned, unless `learn_gains` is set: the gain of a pair
    is then c · C_kl · v_kl with a learned weight v_kl ≥ 0, and λ/2 · Σ v_kl² is added to the
    penalty, as in the model of Petterson and Caetano; fixed gains are those with v_kl = 1. As no
    gain is negative, f is supermodular, and a minimum cut maximises it exactly. `predict` gives
    this maximum; of several best label sets, the smallest. The score of a label is the difference
    of f with the label and f without it, where all other labels are as decided: above 0 for the
    decided labels only. Labels that had one class in training have -1 or 1.

    Parameters
    ----------
    interaction : float, default=0.1
        Weight c, at least 0. For comparison, the loss is at most 1.
    share_of_pairs : float, default=0.05
        Share of all pairs of labels that have a gain: those that occur together most often, at
        least one pair.
    learn_gains : bool, default=False
        Whether each gain has a weight of its own that is learned and not negative.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number.
    penalty : float, sequence of float, or "auto", default="auto"
        Penalty weight λ, as in `ReverseMultilabel`.
    cv : int, splitter or iterable of (train, test), default=5
        Folds on which λ is chosen, as in `ReverseMultilabel`.
    tol : float, default=None
        Relative duality gap at which training stops, see `gap_`; None means 1e-3.
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
    pairs_ : array of shape (n_pairs, 2)
        The two labels of each pair that has a gain.
    gains_ : array of shape (n_pairs,)
        c · C_kl of each pair, times v_kl if it is learned.
    gap_ : float
        The relative duality gap **over the label sets that were found**. No fast algorithm is
        known for the most violating set: for every size k the loss is replaced by a linear one,
        minimum cuts maximise the result, and the set of the highest true value is used. A better
        set may exist, so the true gap may be larger. It is exact for `interaction=0`.
    objective_ : float
        Value of the objective at the fitted weights, over the label sets that were found.
    coef_, intercept_, penalty_, cv_values_, n_iter_, n_planes_, constants_, label_names_,
    classes_, target_classes_, n_features_in_, feature_names_in_
        As in `ReverseMultilabel`.

    Notes
    -----
    At each size k two linear losses are tried. The first is the loss with the number of decided
    labels fixed at k: as k grows only the terms of true labels rise, so the flow for k is a start
    for k + 1, and all sizes together cost little more than one cut. The second, for ``k ≥ |y|``, is
    the tangent of the loss where all true labels are decided; it includes the increase of the loss
    by each false label. For a sample without labels, the best set is tried, and if that set is
    empty, the label of the highest score.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization",
    ICML 2013 (dembczynski2013), equation 13 and section 8.1 (5 % of
    the pairs, c fixed beforehand).

    J. Petterson, T. Caetano, "Submodular Multi-Label Learning", NIPS 2011.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import SubmodularMultilabel
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = SubmodularMultilabel(penalty=0.01, random_state=0).fit(data.X, data.Y)
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
        learn_gains: bool = False,
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
        super().__init__(
            beta=beta,
            penalty=penalty,
            cv=cv,
            tol=tol,
            max_iter=max_iter,
            intercept_scaling=intercept_scaling,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.interaction = interaction
        self.share_of_pairs = share_of_pairs
        self.learn_gains = learn_gains

    @property
    def _learns_gains(self) -> bool:  # type: ignore[override]
        return bool(self.learn_gains)

    def _learn(self, X: Any, y: Any, groups: Any) -> tuple[np.ndarray, np.ndarray]:
        check_real(self.interaction, "interaction", least=0.0, most=np.inf)
        check_real(self.share_of_pairs, "share_of_pairs", least=0.0, most=1.0)
        if not isinstance(self.learn_gains, bool | np.bool_):
            raise TypeError(f"learn_gains must be True or False, got {self.learn_gains!r}.")
        places, self.gains_ = super()._learn(X, y, groups)
        self.pairs_ = np.flatnonzero(np.isnan(self.constants_))[places]
        return places, self.gains_

    def _pairs_in(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return strongest_pairs(labels, float(self.interaction), float(self.share_of_pairs))

    def _scores(self, X: Any) -> np.ndarray:
        scores = super()._scores(X)
        n_labels = scores.shape[1]
        gains = sparse.coo_array((self.gains_, self.pairs_.T), shape=(n_labels, n_labels)).tocsr()
        decided = decide(scores, self._pairs()).astype(np.float64)
        return np.asarray(scores + decided @ (gains + gains.T))

    def _decided(self, X: Any) -> np.ndarray:
        return decide(super()._scores(X), self._pairs())

    def _pairs(self) -> PairGains:
        return pairs_of(self.intercept_.size, self.pairs_, self.gains_)

    def _check_learned(self, n_labels: int) -> None:
        super()._check_learned(n_labels)
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


def strongest_pairs(
    labels: np.ndarray, strength: float, share: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the label pairs that occur together most often, and their gains.

    Of equally frequent pairs the first are used. Pairs that never occur together are left out.
    """
    counted = labels.astype(np.int64)
    one, other = np.triu_indices(labels.shape[1], k=1)
    together = (counted.T @ counted)[one, other]
    n_kept = max(1, round(share * together.size)) if share > 0 and strength > 0 else 0
    kept = np.argsort(-together, kind="stable")[:n_kept]
    kept = kept[together[kept] > 0]
    gains = strength * together[kept] / max(1, together.max(initial=0))
    return np.column_stack([one[kept], other[kept]]), gains
