"""Labels of bags from models of instances, tuned for the measure that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    LabelScorer,
    as_multilabel,
    check_constants,
    scoring_method,
)
from labelwise._validation import check_real, check_whole
from labelwise.data import Bags
from labelwise.decisions import (
    Request,
    check_request,
    check_thresholds,
    thresholds_of_no_label,
    with_constant_labels,
)
from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners._training import Targets, all_labels, learn_targets, tell
from labelwise.learners.bags._bag_scores import AGGREGATIONS, check_aggregation, highest_instances
from labelwise.learners.bags._input_bags import bag_labels, learn_bags
from labelwise.learners.bags._training_rounds import (
    BagTask,
    Round,
    Stopping,
    bag_splits,
    best_round,
    fit_all,
    highest,
)
from labelwise.measures import f_measure

_PENALTY = 0.01


class InstanceLabels(NamedTuple):
    """What a `BagPlugin` says of the instances of bags, one bag after the other."""

    scores: np.ndarray  # (n_instances, n_labels)
    decided: np.ndarray  # int8, 1 where the score reaches the label's threshold
    speakers: np.ndarray  # (n_bags, n_labels), the instance of the bag with the highest score
    starts: np.ndarray  # (n_bags + 1,), where bags begin among the instances


class _Run(NamedTuple):
    """The rounds of one estimator."""

    task: BagTask
    best: Round
    history: list[float]


class BagPlugin(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Learn which labels a bag has through the instances that speak for them (MIML-perf).

    A bag has a label if one of its instances has. Only the labels of bags are known, so those of
    instances are drawn: at first a share of each bag with the label, uniformly; then, round by
    round, a model is fitted to them, thresholds are tuned on bags, and as many instances as the
    model finds in a bag are drawn anew in proportion to their scores. The best round stays.

    Parameters
    ----------
    estimator : estimator with predict_proba, or a list of them, optional
        Gives the probability of each label for an instance. Of several, each goes its rounds, and
        the one with the highest tuned value stays. By default the logistic regressions of
        `BinaryRelevance` with ``penalty=0.01`` on features of variance 1: to choose a penalty in
        each fold of each round would take many times as long.
    expression_rate : float
        κ, the share of a bag's instances that carry a label of it at first.
    measure, average, beta, shared, shrink
        What thresholds are tuned for, as in `labelwise.decisions.best_thresholds`. The paper's
        micro F has ``average="micro", shared=True``; without `shared`, the thresholds of all
        labels are the best of all.
    aggregation : {"max", "noisy-or", "mean"}
        The score of a bag, from those of its instances.
    n_iter : int
        Most rounds.
    n_iter_no_change : int
        So many rounds without a higher tuned value are the last.
    cv : int, splitter, iterable of (train, test) or None
        Folds of bags. Scores of the instances of a bag, for tuning and for drawing, come from a
        model of the other folds. A number means so many folds of `MultilabelStratifiedKFold`; None
        takes the scores on the training bags themselves, as the paper does.
    n_jobs : int, optional
        Folds at a time.
    random_state : int, RandomState or None
        Draws the labels of instances, and the folds behind ``shrink="auto"``; with None these
        folds are the same every time.
    verbose : int
        1 writes a line for each round to the error stream.

    Attributes
    ----------
    estimator_ : object
        Fitted to the instances of all bags with the drawn labels of the best round, for the labels
        that have both classes; None if none has.
    thresholds_ : Thresholds
        Of all labels, for the scores of bags.
    chosen_ : int
        Which of several estimators it is, from 0.
    history_ : array of shape (n_rounds,)
        The tuned value of each round, of this estimator.
    best_round_ : int
        The first of the highest, -1 if there was nothing to learn.
    hidden_labels_ : int8 array of shape (n_instances, n_labels)
        The labels of the training instances that were drawn for the best round.
    constants_, label_names_, classes_
        As in `BinaryRelevance`.

    Notes
    -----
    Samples are a `Dataset` (which brings its Y), a `Bags`, or a list of 2-D arrays; the rows of a
    2-D array are bags of one instance.

    With the highest score of a bag, a label is decided just where an instance reaches the
    threshold (Lemma 2), so only the N bag maxima are candidates, whatever the number of
    instances: O(N log N) for each label. The paper's β, in TP / (TP + β FP + (1-β) FN), is
    ``1 / (1 + beta²)``.

    A bag is scored by models that did not see it. But after the first round these learned from
    labels drawn by models that did, and the best of several rounds is taken, so `history_` is
    above what new bags will show: by up to 0.03 of macro F for more than 300 bags of our study
    sets, by 0.13 for 171.

    References
    ----------
    miml2017, "Tuning the Thresholds" and "Estimating the Hidden Variables".

    Examples
    --------
    >>> from labelwise.data import make_digit_bags
    >>> from labelwise.learners import BagPlugin
    >>> data = make_digit_bags(200, sizes=[1, 2], random_state=0)
    >>> model = BagPlugin(n_iter=2, cv=2, random_state=0).fit(data.take(data.train))
    >>> model.predict(data.take(data.test)).shape
    (67, 10)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        expression_rate: float = 0.2,
        measure: Callable[..., Any] = f_measure,
        average: str = "macro",
        beta: float = 1.0,
        shared: bool = False,
        shrink: float | str = 0.0,
        aggregation: str = "max",
        n_iter: int = 10,
        n_iter_no_change: int = 2,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.expression_rate = expression_rate
        self.measure = measure
        self.average = average
        self.beta = beta
        self.shared = shared
        self.shrink = shrink
        self.aggregation = aggregation
        self.n_iter = n_iter
        self.n_iter_no_change = n_iter_no_change
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, Y: Any = None) -> BagPlugin:
        """Learn from bags and their labels; Y is left out if X is a `Dataset`."""
        rate, stopping = self._checked()
        Y, names = bag_labels(X, Y)
        bags = learn_bags(self, X)
        targets = learn_targets(self, bags, Y, names)
        self.estimator_, self.history_, self.best_round_ = None, np.empty(0), -1
        self.chosen_ = 0
        request = self._request(targets.matrix.shape[1])
        tuned = thresholds_of_no_label(request)
        hidden = np.empty((bags.rows.shape[0], 0), dtype=np.int8)
        if targets.varying.size:
            runs = [
                self._rounds(bags, targets, request, number, rate, stopping)
                for number in range(len(self._candidates()))
            ]
            self.chosen_ = highest([run.best.thresholds.value for run in runs])
            task, (hidden, tuned), history = runs[self.chosen_]
            self.estimator_ = fit_all(task, hidden).estimator
            self.history_, self.best_round_ = np.array(history), highest(history)
        self.hidden_labels_ = all_labels(hidden, self.constants_)
        matrix = targets.matrix.toarray()
        self.thresholds_ = with_constant_labels(tuned, self.constants_, matrix, targets.names)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 where the score of a bag reaches the label's threshold, as int64."""
        check_is_fitted(self)
        return np.asarray(self.thresholds_.decide(self.decision_function(X)), dtype=np.int64)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each label for each bag: the highest of its instances' scores.

        With another `aggregation`, that one. Labels that had one class in training have 0 or 1.
        """
        check_is_fitted(self)
        check_aggregation(self.aggregation, "aggregation")
        bags = learn_bags(self, X, reset=False)
        return AGGREGATIONS[self.aggregation](self._instance_scores(bags), bags.starts)

    def predict_instances(self, X: Any) -> InstanceLabels:
        """Return which instances speak for which labels.

        Returns
        -------
        InstanceLabels
            ``scores`` and ``decided`` (at the thresholds of the bags) of shape
            (n_instances, n_labels), one bag after the other; ``speakers`` of shape
            (n_bags, n_labels), the number within the bag of the instance with the highest score,
            the first of ties; ``starts``, where bags begin.
        """
        check_is_fitted(self)
        bags = learn_bags(self, X, reset=False)
        scores = self._instance_scores(bags)
        decided = self.thresholds_.decide(scores)
        return InstanceLabels(scores, decided, highest_instances(scores, bags.starts), bags.starts)

    def _checked(self) -> tuple[float, Stopping]:
        rate = check_real(self.expression_rate, "expression_rate", least=0.0, most=1.0)
        check_aggregation(self.aggregation, "aggregation")
        if not self._candidates():
            raise ValueError("estimator must be one or several, got an empty list.")
        for estimator in self._candidates():
            scoring_method(estimator, ("predict_proba",))
        return rate, Stopping(
            check_whole(self.n_iter, "n_iter"),
            check_whole(self.n_iter_no_change, "n_iter_no_change"),
        )

    def _request(self, n_labels: int) -> Request:
        """Check what thresholds are tuned for."""
        names = ("measure", "average", "beta", "shared", "shrink")
        params = {name: getattr(self, name) for name in names}
        return check_request(params, n_labels, shrink_if_possible=True)

    def _rounds(
        self,
        bags: Bags,
        targets: Targets,
        request: Request,
        number: int,
        rate: float,
        stopping: Stopping,
    ) -> _Run:
        """Go the rounds with one of the estimators; the same seed serves all of them."""
        estimators = self._candidates()
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        Y = targets.dense()
        splits = bag_splits(self.cv, bags, Y)
        aggregate = AGGREGATIONS[self.aggregation]
        task = BagTask(
            bags,
            Y.astype(bool),
            targets.constants,
            estimators[number],
            aggregate,
            request,
            0 if self.random_state is None else seed,
            splits,
            self.n_jobs,
            random,
        )
        which = f"estimator {number + 1}, " if len(estimators) > 1 else ""
        best, history = best_round(
            task, rate, stopping, lambda text: tell(self.verbose, self, which + text)
        )
        return _Run(task, best, history)

    def _candidates(self) -> list[Any]:
        if isinstance(self.estimator, list | tuple):
            return list(self.estimator)
        if self.estimator is not None:
            return [self.estimator]
        # The regressions have intercepts of their own, so that features need no centre.
        # They take sparse rows, which the scaler must not turn into a frame.
        scaler = StandardScaler(with_mean=False).set_output(transform="default")
        return [make_pipeline(scaler, BinaryRelevance(penalty=_PENALTY))]

    def _instance_scores(self, bags: Bags) -> np.ndarray:
        scores = LabelScorer(self.estimator_, self.constants_).scores(bags.rows, "predict_proba")
        return all_labels(scores[:, np.isnan(self.constants_)], self.constants_)

    def _check_loaded(self) -> None:
        """Refuse thresholds of other labels, as a file may have them."""
        if hasattr(self, "constants_"):
            check_thresholds(self.thresholds_, check_constants(self))

    def __sklearn_tags__(self) -> Any:
        tags = as_multilabel(super().__sklearn_tags__())
        takes_sparse = [get_tags(one).input_tags.sparse for one in self._candidates()]
        tags.input_tags.sparse = all(takes_sparse)
        return tags
