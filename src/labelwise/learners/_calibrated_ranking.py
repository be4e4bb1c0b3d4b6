"""`CalibratedLabelRanking`: labels ranked by pairwise votes and cut at a virtual label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    ScoringClassifier,
    copy_feature_attributes,
    draw_seeds,
    learn_features,
    learn_targets,
    report_progress,
    seeded,
)
from labelwise._validation import check_readable, n_rows, take_rows
from labelwise.learners.trees._packed_trees import (
    Forests,
    PackedLabels,
    check_forests,
    is_packable,
    joined,
    packed,
)

# Pairs that a worker learns, or a thread applies, at a time.
_TOGETHER = 32
_SCORES = ("margin", "votes")


class CalibratedLabelRanking(MetaEstimatorMixin, ScoringClassifier):
    """Rank labels by pairwise votes; decide those above a virtual label (CLR).

    For labels j and k, a model learns from the samples that have exactly one of them which one it
    is. For label j and the virtual label, which stands between what a sample has and what it has
    not, a model learns from all samples whether they have j: binary relevance. With m labels
    these are m(m+1)/2 models, and each has one vote::

        margin(x, j) = votes of j - votes of the virtual label

    A label is decided where its margin is above 0, or also at 0 with `decide_ties`.

    Parameters
    ----------
    estimator : classifier, default=None
        Cloned for each pair. None means a random forest of 10 trees.
    score_by : {"margin", "votes"}, default="margin"
        Scores of `decision_function`: the margin, or the share of votes that a label has of all
        votes it could have, votes / n_labels, as in Mulan. Scores of different samples differ in
        the votes of the virtual label, which only the margin takes into account.
    decide_ties : bool, default=False
        Whether a label with as many votes as the virtual label is decided, as in Mulan.
    split_votes : bool, default=True
        Whether a model that is undecided, with a probability of 0.5, gives half a vote to each of
        its two labels. Otherwise its first label has the vote, as in Mulan.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Blocks of pairs are fitted in
        parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws a seed for each
        model. None leaves the `random_state` of the estimator unchanged.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    pairs_ : array of shape (n_pairs, 2)
        The two labels of each pair; the number after the last label is the virtual one.
    fixed_votes_ : array of shape (n_pairs,)
        The vote for the first label of pairs that need no model: 1 or 0 if only one of the two
        ever occurs without the other, 1/2 if neither does; NaN for all others.
    models_ : list, or packed trees
        The models of the pairs that have one. Forests and trees of scikit-learn are packed, into
        16 bytes for a node: with 101 labels they are five thousand forests.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels with one class in training, of which `fit` warns; NaN for all others.
        Every sample has the same vote between such a label and the virtual one.
    label_names_ : tuple of str, or None
        Names of the labels, if Y has any.
    classes_ : array of shape (n_labels,)
        Numbers of the labels; the classes of y if it was a vector.
    target_classes_ : array of shape (n_classes,), or None
        The classes of y if it was a vector, otherwise None.
    n_features_in_, feature_names_in_
        Number and names of the features, if the classifiers have these attributes.

    Notes
    -----
    Votes are whole: a model votes for the first label if it gives it a probability above 0.5 (or
    a score above 0), half for each at exactly 0.5 unless `split_votes` is False.

    A worker takes the samples of a pair from one X that all share, and its trees are packed
    before they come back. Votes are counted block by block, so that applying the models takes no
    more memory than X and a few matrices of rows by labels.

    References
    ----------
    J. Fürnkranz, E. Hüllermeier, E. Loza Mencía, K. Brinker, "Multilabel Classification via
    Calibrated Label Ranking", Machine Learning, 2008.

    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
    2011 (sechidis2011), Table 5, with random forests.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import CalibratedLabelRanking
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = CalibratedLabelRanking(random_state=0).fit(data.X, data.Y)
    >>> scores = model.decision_function(data.X)
    >>> bool(((scores > 0) == model.predict(data.X)).all())
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        score_by: str = "margin",
        decide_ties: bool = False,
        split_votes: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.score_by = score_by
        self.decide_ties = decide_ties
        self.split_votes = split_votes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> CalibratedLabelRanking:
        """Fit a model to each pair of labels, and to each label on its own.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.

        Returns
        -------
        CalibratedLabelRanking
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        self._check_score()
        base = self._base()
        if not hasattr(base, "fit") or not is_classifier(base):
            raise TypeError(f"estimator must be a classifier, got {base!r}.")
        X = self._features(X, is_packable(base), reset=True)
        targets = learn_targets(self, X, y)
        self.pairs_, self.fixed_votes_ = all_pairs(targets.matrix)
        self.models_ = self._fit_pairs(X, targets.matrix)
        if isinstance(self.models_, list) and self.models_:
            copy_feature_attributes(self, self.models_[0])
        return self

    def _scores(self, X: Any) -> np.ndarray:
        self._check_score()
        votes = self._votes(X)
        return votes[:, :-1] / self.constants_.size if self.score_by == "votes" else _margins(votes)

    def _decided(self, X: Any) -> np.ndarray:
        margins = _margins(self._votes(X))
        return margins >= 0 if self.decide_ties else margins > 0

    def _check_score(self) -> None:
        if self.score_by not in _SCORES:
            raise ValueError(f"score_by must be one of {_SCORES}, got {self.score_by!r}.")

    def _votes(self, X: Any) -> np.ndarray:
        """Return the votes of each label, and in the last column those of the virtual label."""
        check_is_fitted(self)
        X = self._features(X, isinstance(self.models_, Forests), reset=False)
        votes = np.tile(self._same_for_all(), (n_rows(X), 1))
        for part in self._counted(X):
            votes += part
        return votes

    def _base(self) -> Any:
        return RandomForestClassifier(n_estimators=10) if self.estimator is None else self.estimator

    def _features(self, X: Any, for_packed: bool, *, reset: bool) -> Any:
        """Return X as float32 for packed trees, and unchanged for other classifiers."""
        if for_packed:
            return learn_features(self, X, reset=reset, trees=self._base())
        check_readable(X, "X")
        return X.tocsr() if sparse.issparse(X) else X

    def _fit_pairs(self, X: Any, Y: sparse.csc_array) -> list[Any] | Forests:
        places = np.flatnonzero(np.isnan(self.fixed_votes_))
        seeds = np.array(draw_seeds(self.random_state, len(self.pairs_)))
        blocks = (places[k : k + _TOGETHER] for k in range(0, places.size, _TOGETHER))
        tasks = (
            delayed(_fit_block)(self._base(), X, Y, self.pairs_[block], seeds[block])
            for block in blocks
        )
        found: list[Any] = []
        for models in Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks):
            found += models
            report_progress(self, f"pair {len(found)} of {places.size}")
        return joined(found) if is_packable(self._base()) else found

    def _same_for_all(self) -> np.ndarray:
        """Return the votes of the pairs that have no model."""
        fixed = np.flatnonzero(~np.isnan(self.fixed_votes_))
        for_first = self.fixed_votes_[fixed]
        labels = self.pairs_[fixed].T.ravel()
        weights = np.concatenate([for_first, 1 - for_first])
        # As numbers with halves, also of no pairs at all.
        return np.bincount(labels, weights, self.constants_.size + 1).astype(np.float64)

    def _counted(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the votes of one block of models after the other, (n_samples, n_labels + 1)."""
        pairs = self.pairs_[np.isnan(self.fixed_votes_)]
        n_labels = self.constants_.size

        def count(first: int) -> np.ndarray:
            end = first + _TOGETHER
            if isinstance(self.models_, Forests):
                some = self.models_._replace(starts=self.models_.starts[first : end + 1])
                margins = PackedLabels(some, None).chances(X, some.starts.size - 1) - 0.5
            else:
                margins = np.column_stack([_margin(one, X) for one in self.models_[first:end]])
            votes = np.zeros((len(margins), n_labels + 1))
            # For the first label, 0 or 1, or 1/2 at a tie.
            of_first = (np.sign(margins.T) + 1) / 2 if self.split_votes else margins.T >= 0
            for vote, (j, k) in zip(of_first, pairs[first:end], strict=True):
                votes[:, j] += vote
                votes[:, k] += 1 - vote
            return votes

        # Threads, since the models would be copied to other processes. All votes are halves, and
        # sums of halves are exact in any order.
        yield from Parallel(n_jobs=self.n_jobs, require="sharedmem", return_as="generator")(
            delayed(count)(first) for first in range(0, len(pairs), _TOGETHER)
        )

    def _check_learned(self, n_labels: int) -> None:
        if self.pairs_.dtype != np.int64 or not np.array_equal(
            self.pairs_, np.column_stack(np.triu_indices(n_labels + 1, k=1))
        ):
            raise ValueError(f"pairs_ must be those of {n_labels} labels.")
        n_models = int(np.isnan(self.fixed_votes_).sum())
        if self.fixed_votes_.shape != (len(self.pairs_),):
            raise ValueError("fixed_votes_ must be those of all pairs.")
        if is_packable(self._base()) != isinstance(self.models_, Forests):
            raise ValueError("models_ must be packed if they are trees.")
        n_held = len(self.models_)
        if isinstance(self.models_, Forests):
            check_forests(self.models_, int(self.n_features_in_))
            n_held = self.models_.starts.size - 1
        if n_held != n_models:
            raise ValueError(f"models_ must be those of {n_models} pairs, got {n_held}.")


def _margins(votes: np.ndarray) -> np.ndarray:
    """Return the votes of each label minus those of the virtual label."""
    return np.asarray(votes[:, :-1] - votes[:, -1:])


def _fit_block(
    base: Any, X: Any, Y: sparse.csc_array, pairs: np.ndarray, seeds: np.ndarray
) -> list[Any]:
    """Return the fitted models of some pairs, packed if they are trees."""
    models = []
    for (j, k), seed in zip(pairs, seeds.tolist(), strict=True):
        rows, target = pair_samples(Y, j, k)
        model = seeded(clone(base), seed)
        model.fit(X if rows is None else take_rows(X, rows), target)
        models.append(packed(model) if is_packable(base) else model)
    return models


def _margin(model: Any, X: Any) -> np.ndarray:
    """Return numbers above 0 where a model prefers the first label, below 0 for the second one."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))[:, 1] - 0.5
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    return np.asarray(model.predict(X)) - 0.5


def all_pairs(Y: sparse.csc_array) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of labels, and the votes for the first of those that need no model.

    Pairs are of shape (n_pairs, 2), the smaller number first; the virtual label has the number
    after the last label. Votes are 0, 1/2 or 1, and NaN for a pair whose samples have two classes.
    """
    n_samples, n_labels = Y.shape
    first, second = np.triu_indices(n_labels + 1, k=1)
    counts = sparse.csc_array(Y, dtype=np.int64)
    support = np.append(counts.sum(axis=0), 0)
    together = np.zeros((n_labels + 1, n_labels + 1), dtype=np.int64)
    together[:-1, :-1] = (counts.T @ counts).toarray()
    both = together[first, second]
    for_first, for_second = support[first] - both, support[second] - both
    is_virtual = second == n_labels
    for_second[is_virtual] = n_samples - support[:-1]
    fixed = np.where(for_first > 0, 1.0, np.where(for_second > 0, 0.0, 0.5))
    fixed[(for_first > 0) & (for_second > 0)] = np.nan
    return np.column_stack([first, second]), fixed


def pair_samples(
    Y: sparse.csc_array, first: int, second: int
) -> tuple[np.ndarray | None, np.ndarray]:
    """Find samples with exactly one of two labels; 1 if it is the first label.

    A sample prefers the virtual label to every label that it does not have, so that a pair with
    the virtual label learns from all samples: the rows are then None.
    """
    n_samples, n_labels = Y.shape
    with_first = _rows_with(Y, first)
    if second == n_labels:
        target = np.zeros(n_samples, dtype=np.int64)
        target[with_first] = 1
        return None, target
    rows = np.setxor1d(with_first, _rows_with(Y, second), assume_unique=True)
    # int64, since scikit-learn 1.9 may permute classes of smaller types.
    return rows, np.isin(rows, with_first, assume_unique=True).astype(np.int64)


def _rows_with(Y: sparse.csc_array, label: int) -> np.ndarray:
    return np.asarray(Y.indices[Y.indptr[label] : Y.indptr[label + 1]])
