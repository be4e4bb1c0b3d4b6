"""The estimator `BagPlugin`: labels of bags from a model of instances, with tuned thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    LabelScorer,
    LabelTarget,
    ScoringClassifier,
    all_labels,
    learn_targets,
    report_progress,
    scoring_method,
)
from labelwise._tuning import (
    Request,
    check_thresholds,
    thresholds_of_no_label,
    with_constant_labels,
    with_current_options,
)
from labelwise._validation import check_real, check_whole, is_whole
from labelwise.data import Bags
from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners._register import probability_models
from labelwise.learners.bags._bag_scores import (
    AGGREGATIONS,
    bag_labels,
    bag_sums,
    check_aggregation,
    highest_instances,
    learn_bags,
)
from labelwise.learners.bags._training_rounds import (
    BagTask,
    bag_splits,
    best_round,
    fit_all,
    highest,
)

# Of the default model, for scaled features and for sparse ones, which are not scaled: rare terms
# would outweigh all others.
_PENALTY, _SPARSE_PENALTY = 0.01, 1e-4
_TRAINING = ("rounds", "sums")


class InstanceLabels(NamedTuple):
    """Scores and decisions of a `BagPlugin` for the instances of bags.

    Attributes
    ----------
    scores : ndarray of float64 of shape (n_instances, n_labels)
        Scores of the instances, bag after bag.
    decided : ndarray of int8 of shape (n_instances, n_labels)
        1 where the score reaches the threshold of the label, which is that of bags.
    top_instance : ndarray of shape (n_bags, n_labels)
        Number within the bag of the instance with the highest score, the first of ties.
    starts : ndarray of shape (n_bags + 1,)
        Index of the first instance of each bag, and the number of all instances.
    """

    scores: np.ndarray
    decided: np.ndarray
    top_instance: np.ndarray
    starts: np.ndarray


class BagPlugin(MetaEstimatorMixin, ScoringClassifier):
    """Classify bags by models of instances, with tuned thresholds (MIML-perf).

    A bag has a label if one of its instances has the label. Only the labels of bags are known;
    the labels of instances are hidden and are sampled: at first for a share of the instances of
    each bag with the label, uniformly. Then, in each round, a model is fitted to the sampled
    labels, thresholds are tuned on bags, and labels are sampled again: for as many instances of a
    bag as the model decides, in proportion to their scores. The round with the highest tuned value
    is used.

    With ``training="sums"`` nothing is sampled: a model is fitted to the sums of the instances of
    each bag, with the labels of the bag, and scores instances. If features are counts of the terms
    of sentences, a sum has the counts of the whole text. On texts this was better than rounds, for
    texts as well as for their sentences.

    Parameters
    ----------
    estimator : estimator with predict_proba, list of estimators or "auto", default=None
        Estimates the probability of each label for an instance. Of several estimators, the one
        with the highest tuned value after all its rounds is used. None means `BinaryRelevance`
        with ``penalty=0.01`` on features scaled to variance 1, or with ``penalty=1e-4`` on sparse
        features as they are, which are usually weights of terms: to choose a penalty in each fold
        of each round would take many times as long. "auto" tries this model and, of the default
        candidates of `BestLearner`, neighbours, forests and extremely randomised trees.
    expression_rate : float, default=0.2
        Share κ of the instances of a bag that are given a label of the bag before the first round.
    maximize : str or callable, default="micro-f"
        The measure to maximise: average and measure by name, or a measure of counts, as in
        `labelwise.decisions.best_thresholds`. The micro F of MIML-perf is "micro-f" with
        ``shared=True``.
    average : {"micro", "macro", "sample"}, default=None
        How a measure is averaged that `maximize` gives as a function; None means "micro".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    shared : bool, default=False
        Whether all labels have the same threshold.
    shrink : float or "auto", default="auto"
        Amount of shrinkage towards one threshold for all labels, as in
        `labelwise.decisions.best_thresholds`. "auto" means 0 with options that exclude shrinkage.
    aggregation : {"max", "noisy-or", "mean"}, default="max"
        How the score of a bag is computed from the scores of its instances.
    training : {"rounds", "sums"}, default="rounds"
        What models are fitted to: instances with sampled labels, in rounds, or the sums of bags.
    n_iter : int, default=10
        Maximum number of rounds.
    n_iter_no_change : int, default=2
        Number of rounds without a higher tuned value after which rounds end.
    cv : int, splitter, iterable of (train, test) or None, default=5
        Folds of bags. The scores of a bag's instances, for tuning and for sampling, come from a
        model of the other folds. An int is the number of folds of `MultilabelStratifiedKFold`;
        None uses the scores on the training bags themselves, as MIML-perf does.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Folds are fitted in parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It samples the labels of
        instances, and draws the folds behind ``shrink="auto"``.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    estimator_ : estimator or None
        The estimator fitted to the instances of all bags with the sampled labels of the best
        round, or to the sums of bags, for the labels that have both classes; None if no label has.
    thresholds_ : Thresholds
        Thresholds of all labels, for the scores of bags.
    chosen_ : int
        Index of the estimator that is used, if several were given.
    history_ : ndarray of shape (n_rounds,)
        The tuned value of each round of the estimator that is used.
    best_round_ : int
        Index of the first round with the highest value, -1 if no label has both classes.
    hidden_labels_ : ndarray of int8 of shape (n_instances, n_labels)
        The labels of the training instances that were sampled for the best round; no rows with
        ``training="sums"``.
    constants_, label_names_, classes_, target_classes_
        As in `BinaryRelevance`.

    Notes
    -----
    Samples are a `Dataset` (which has its own Y), a `Bags`, or a list of 2-D arrays; the rows of a
    2-D array are bags of one instance.

    With ``aggregation="max"``, a label is decided for a bag if and only if an instance reaches the
    threshold (Lemma 2 of MIML-perf), so only the N maxima of the bags are candidates for
    thresholds, whatever the number of instances: O(N log N) for each label. The β of MIML-perf, in
    ``TP / (TP + β FP + (1-β) FN)``, is ``1 / (1 + beta²)``.

    A bag is scored by models that were not fitted to it. But after the first round these models
    were fitted to labels sampled by models that were, and the best of several rounds is used, so
    `history_` is higher than the value on new bags: by up to 0.03 of macro F for the study data
    with more than 300 bags, by 0.13 for 171 bags.

    References
    ----------
    MIML-perf (multi-instance multi-label learning for performance measures), 2017, sections on
    thresholds and hidden variables (miml2017).

    Examples
    --------
    >>> from labelwise.data import make_digit_bags
    >>> from labelwise.learners import BagPlugin
    >>> data = make_digit_bags(200, sizes=[1, 2], random_state=0)
    >>> model = BagPlugin(n_iter=2, cv=2, random_state=0).fit(data.take(data.train))
    >>> model.predict(data.take(data.test)).shape
    (67, 10)
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        expression_rate: float = 0.2,
        maximize: str | Callable[..., Any] = "micro-f",
        average: str | None = None,
        beta: float = 1.0,
        shared: bool = False,
        shrink: float | str = "auto",
        aggregation: str = "max",
        training: str = "rounds",
        n_iter: int = 10,
        n_iter_no_change: int = 2,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.expression_rate = expression_rate
        self.maximize = maximize
        self.average = average
        self.beta = beta
        self.shared = shared
        self.shrink = shrink
        self.aggregation = aggregation
        self.training = training
        self.n_iter = n_iter
        self.n_iter_no_change = n_iter_no_change
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> BagPlugin:
        """Fit models of instances to labelled bags, and tune thresholds on bags.

        Parameters
        ----------
        X : Dataset, Bags, list of 2-D arrays or 2-D array
            The bags.
        y : array, sparse matrix, frame or list of sets of shape (n_bags, n_labels), default=None
            Labels of the bags, 0 or 1; or a vector of at most two classes, which is one label. None
            if X is a `Dataset`.
        groups : array of shape (n_bags,), default=None
            Group of each bag; bags of a group stay together.

        Returns
        -------
        BagPlugin
            The fitted estimator itself.

        Raises
        ------
        TypeError, ValueError
            If an option, the bags or the labels are wrong, before any model is fitted.
        """
        request = self._checked()
        labels, names = bag_labels(X, y)
        bags = learn_bags(self, X)
        targets = learn_targets(self, bags, labels, names)
        self.estimator_, self.history_, self.best_round_ = None, np.empty(0), -1
        self.chosen_ = 0
        tuned = thresholds_of_no_label(request)
        hidden = np.empty((bags.rows.shape[0], 0), dtype=np.int8)
        if targets.varying.size:
            runs = [
                (task, *best_round(task, partial(self._report, number)))
                for number, task in enumerate(self._tasks(bags, targets, groups, request))
            ]
            self.chosen_ = highest([thresholds.value for _, _, thresholds, _ in runs])
            task, hidden, tuned, history = runs[self.chosen_]
            self.estimator_ = fit_all(task, hidden).estimator
            self.history_, self.best_round_ = np.array(history), highest(history)
        self.hidden_labels_ = all_labels(hidden, self.constants_)
        matrix = targets.matrix.toarray()
        self.thresholds_ = with_constant_labels(tuned, self.constants_, matrix, targets.names)
        return self

    def predict_instances(self, X: Any) -> InstanceLabels:
        """Predict the labels of the instances of bags.

        Parameters
        ----------
        X : Dataset, Bags, list of 2-D arrays or 2-D array
            The bags.

        Returns
        -------
        InstanceLabels
            Scores and decisions of all instances, and the instance of each bag with the highest
            score.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If the instances do not have the features of the training bags, or are not finite.
        """
        check_is_fitted(self)
        bags = learn_bags(self, X, reset=False)
        scores = self._instance_scores(bags)
        decided = self.thresholds_.decide(scores)
        return InstanceLabels(scores, decided, highest_instances(scores, bags.starts), bags.starts)

    def _checked(self) -> Request:
        """Check the options; return what thresholds are tuned for."""
        check_real(self.expression_rate, "expression_rate", least=0.0, most=1.0)
        check_aggregation(self.aggregation)
        if self.training not in _TRAINING:
            raise ValueError(
                f"training must be one of {', '.join(_TRAINING)}, got {self.training!r}."
            )
        if not self._candidates():
            raise ValueError("estimator must be one or several, got an empty list.")
        for estimator in self._candidates():
            scoring_method(estimator, ("predict_proba",))
        check_whole(self.n_iter, "n_iter")
        check_whole(self.n_iter_no_change, "n_iter_no_change")
        return Request(
            maximize=self.maximize,
            average=self.average,
            beta=self.beta,
            shared=self.shared,
            shrink=self.shrink,
        )

    def _tasks(
        self, bags: Bags, targets: LabelTarget, groups: Any, request: Request
    ) -> Iterator[BagTask]:
        """Yield what the rounds of each estimator need; all start with the same seed."""
        Y = targets.dense()
        for estimator in self._candidates(sparse.issparse(bags.rows)):
            random = check_random_state(self.random_state)
            yield BagTask(
                bags=bags,
                Y=Y.astype(bool),
                sums=bag_sums(bags.rows, bags.starts) if self.training == "sums" else None,
                constants=targets.constants,
                estimator=estimator,
                expression_rate=float(self.expression_rate),
                n_iter=self.n_iter,
                n_iter_no_change=self.n_iter_no_change,
                aggregate=AGGREGATIONS[self.aggregation],
                request=request,
                tuning_seed=int(random.randint(2**31 - 1)),
                splits=bag_splits(self.cv, bags, Y, groups),
                n_jobs=self.n_jobs,
                random=random,
            )

    def _report(self, number: int, text: str) -> None:
        which = f"estimator {number + 1}, " if len(self._candidates()) > 1 else ""
        report_progress(self, which + text)

    def _candidates(self, is_sparse: bool = False) -> list[Any]:
        """List the estimators to choose from, for dense or sparse instances."""
        if isinstance(self.estimator, list | tuple):
            return list(self.estimator)
        is_auto = isinstance(self.estimator, str) and self.estimator == "auto"
        if self.estimator is not None and not is_auto:
            return [self.estimator]
        regressions: Any = BinaryRelevance(penalty=_SPARSE_PENALTY)
        if not is_sparse:
            # The regressions have intercepts of their own, so that features need no centre.
            scaler = StandardScaler(with_mean=False).set_output(transform="default")
            regressions = make_pipeline(scaler, BinaryRelevance(penalty=_PENALTY))
        seed = int(self.random_state) if is_whole(self.random_state) else None
        return [regressions, *(probability_models(seed) if is_auto else ())]

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        check_aggregation(self.aggregation)
        bags = learn_bags(self, X, reset=False)
        return AGGREGATIONS[self.aggregation](self._instance_scores(bags), bags.starts)

    def _decided(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        return np.asarray(self.thresholds_.decide(scores))

    def _instance_scores(self, bags: Bags) -> np.ndarray:
        return LabelScorer(self.estimator_, self.constants_).all_scores(bags.rows, "predict_proba")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_current_options(state))

    def _check_learned(self, n_labels: int) -> None:
        check_thresholds(self.thresholds_, n_labels)

    def _base(self) -> None:
        """Return nothing to take tags from: there may be several estimators, of instances."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_sparse = [get_tags(one).input_tags.sparse for one in self._candidates()]
        tags.input_tags.sparse = all(takes_sparse)
        return tags
