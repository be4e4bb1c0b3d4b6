"""`BestLearner`: the best of several learners, chosen by their values on held-out samples."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import MetaEstimatorMixin
from sklearn.pipeline import make_pipeline
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    ProbabilityClassifier,
    ScoringClassifier,
    all_labels,
    check_target,
    constant_labels,
    copy_feature_attributes,
    fit_scorer,
    learn_features,
    report_progress,
    splits_of,
    store_target,
    warn_of_constants,
)
from labelwise._sigmoids import Sigmoids
from labelwise._tuning import (
    Request,
    Samples,
    check_sample_weights,
    check_thresholds,
    thresholds_of_no_label,
    with_constant_labels,
)
from labelwise._validation import (
    check_readable,
    check_real,
    dense_targets,
    is_whole,
    refuse_other_index,
)
from labelwise.decisions import Thresholds
from labelwise.learners._register import LEARNERS, learner_named
from labelwise.learners.selection._candidates import (
    Candidate,
    default_candidates,
    given_candidates,
    given_estimators,
    size_of,
    sizes_of_parts,
)
from labelwise.learners.selection._leaderboard import leaderboard_of
from labelwise.learners.selection._race import Clock, Finish, run_race
from labelwise.learners.selection._representations import (
    Representation,
    candidates_on,
    check_representations,
)
from labelwise.learners.selection._rules import RULES, FittedCandidates, LabelSets, check_label_sets
from labelwise.learners.selection._trials import (
    Arena,
    Trial,
    best_blend,
    best_with_blend,
    fit_params,
    with_beta_of,
)

# At most this share of the budget is kept for blends.
_FOR_BLENDS = 0.1
# With more labels, thresholds for micro averages of texts are tuned on the highest scores, so many
# a sample on average. On texts with 1,198 labels, this takes a fourth of the time.
_MANY_LABELS = 200
_MOST_SCORES = 50


class BestLearner(MetaEstimatorMixin, ScoringClassifier, ProbabilityClassifier):
    """Fit several learners, and choose the best by its value on held-out samples.

    All candidates score the same folds. The decisions of each are tuned on its held-out scores, and
    candidates are compared by their corrected values: each fold is decided by thresholds that were
    tuned on the other folds, as in `TunedThresholds`. Of the candidates whose value is lower than
    the highest by at most one standard error of the difference, the cheapest is chosen, and fitted
    to all samples; linear models of different representations of the samples cost the same, so that
    the highest value decides between them.

    Parameters
    ----------
    candidates : mapping of str to estimator, or sequence, default=None
        Estimators with `decision_function` or `predict_proba`; in a sequence also pairs (name,
        estimator) and names of default candidates. The first one is taken as the cheapest. None
        means the default candidates, see Notes.
    maximize : str, default="micro-f"
        The measure to maximise: average and measure by name, as in `best_thresholds`, such as
        "macro-f" or "micro-accuracy" (1 minus the Hamming loss).
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    representations : mapping of str to transformer, default=None
        Transformers of X to features, such as those of `labelwise.features.text_representations`.
        Each is fitted once to all samples. Quick linear learners are tried on each, the first one
        on the first and then the quickest, and the other default candidates on the first. None
        means that X are features. Only for default candidates.
    cv : int, splitter or iterable of (train, test), default=5
        An int is the number of folds of `MultilabelStratifiedKFold`, the same in every call.
    budget : float, default=None
        Seconds for the choice of a candidate. None means no limit. See Notes.
    blend : bool, default=False
        Whether the mean log-odds of the two to five best candidates are used if their corrected
        value is higher than that of the best candidate.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Folds are fitted in parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It is that of the default
        candidates and of the tuning of thresholds.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Candidates with value, corrected value, standard error and seconds, and those that were not
        tried, with the reason.
    best_names_ : tuple of str
        Name of the chosen candidate; several names for a blend.
    estimators_ : list of estimators
        The chosen candidate, or those of the blend, fitted to all samples and to the labels that
        have both classes.
    rule_ : {"thresholds", "expected-f", "label-sets", "own"}
        How labels are decided: at `thresholds_`; by the highest expected F of a sample's label
        set, for "sample-f", with independent labels or with `label_sets_`; or by the candidate
        itself, if it is a plug-in for "sample-f".
    thresholds_ : Thresholds or None
        Thresholds of all labels on the scores of `decision_function`; None for other rules.
    label_sets_ : csr_array of bool of shape (n_sets, n_varying_labels), or None
        Label sets of the training samples, of the rule "label-sets"; None for other rules.
    set_log_weights_ : array of shape (n_sets,), or None
        Logarithm of the share of each label set minus the log-odds of its labels in training.
    value_ : float
        Value on the held-out scores that the decisions were tuned on; NaN if no label has both
        classes.
    corrected_value_ : float
        Value of decisions that were tuned on other folds. It is the highest of several, and so a
        little higher than the value on new samples.
    slopes_, intercepts_ : arrays of shape (n_estimators, n_varying_labels)
        Sigmoids, fitted to held-out scores, that turn the scores of `decision_function` into
        the probabilities of `predict_proba`. The scores of a blend are mean log-odds.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels with one class in training, of which `fit` warns; NaN for all others.
    label_names_ : tuple of str, or None
        Names of the labels, if Y has any.
    classes_ : array of shape (n_labels,)
        Numbers of the labels; the classes of y if it was a vector.
    target_classes_ : array of shape (n_classes,), or None
        The classes of y if it was a vector, otherwise None.
    n_features_in_, feature_names_in_
        Number and names of the features, if the candidates have these attributes.

    See Also
    --------
    labelwise.decisions.TunedThresholds : Tune the thresholds of one learner.

    Notes
    -----
    The default candidates are logistic regressions, or on sparse features linear machines with one
    penalty for all labels ("br") and the same with naive Bayes weights ("br-nb"), linear and kernel
    support vector machines ("br-svm", "br-kernel-svm"), forests for all labels and for each label
    ("forest", "br-forest"), extremely randomised trees ("extra-trees"), nearest neighbours ("knn"),
    `CalibratedLabelRanking` ("clr"), `ExactFPlugin` ("efp"), `SampledFPlugin` ("sfp"), and
    `OkapiNeighbors` ("okapi") for counts of terms. Features that are not sparse are divided by
    their standard deviation: for kernels and neighbours inside each fold, for linear models once,
    because these score all folds while they are fitted. A cost model of each candidate, of the
    numbers of samples, features and labels, decides what is tried. Boosted trees are tried if they
    are named in `candidates`: "br-boosting" (scikit-learn), and "lightgbm", "xgboost" and
    "catboost" if they are installed. `labelwise.save` does not write models of the last three.

    For "sample-f", scores become probabilities by sigmoids, and the label set of highest expected F
    is decided: with independent labels ("expected-f"), or with the label sets of training samples
    as the only possible ones ("label-sets"), by the higher corrected value. In the latter case ::

        P(y | x) ∝ P(y) Π_{j in y} odds_j(x) / odds_j,

    where P(y) is the share of the label set y in training, and odds_j are the odds of label j
    there.

    The budget is divided by the cost models. If it is too short for all candidates on all samples,
    candidates are first tried on fewer samples: the better half goes on to twice the samples
    (successive halving). The first candidate is always tried, in all rounds: for sparse features,
    usually terms of texts, "br", on the first of the representations, else the cheapest candidate.
    If it has no time for all samples, candidates are tried on as many samples as it has time for.
    The best of them is then tried and fitted on as many samples as the rest of the time is
    predicted to suffice for, and its decisions are tuned there; `leaderboard_` says so. Candidates
    that no such plan has time for are tried one after the other as long as the clock leaves time
    for them, by predicted seconds times the pace of the trials before. If fits take longer than
    predicted, a trial is stopped when the time is over, between two folds or two parts of the
    labels, and the best so far is chosen. Only the first trial runs to its end in any case.
    Estimators that are given as `candidates` have no cost model; only the clock limits them.

    With representations, candidates are not tried on fewer samples, but one after the other: all
    linear learners, and then the others until three in a row were worse than the best by more than
    a standard error. With more than 200 labels, thresholds that maximise a micro average are tuned
    on the highest scores, 50 a sample on average, and are not below the lowest of these.

    A candidate that raises an error is left out; if all do, the first error is raised.

    Forests are judged on the folds as all candidates are, and not by their out-of-bag scores,
    which would take one fit instead of six. An out-of-bag score is the mean of about a third of the
    trees, each of which has seen 63 % of the samples; a model of four folds out of five has seen
    80 %. By out-of-bag scores, corrected micro F of the same forest is lower on scene (by 0.008),
    yeast (0.005), emotions and enron, and higher on medical (0.003), while values on new samples
    agree within 0.002. Differences between candidates are often smaller than that.

    References
    ----------
    K. Jamieson, A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter
    Optimization", AISTATS 2016, for successive halving.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import BestLearner
    >>> data, _ = make_multilabel(200, random_state=0)
    >>> model = BestLearner(["br", "knn", "br-svm"], random_state=0).fit(data.X, data.Y)
    >>> len(model.leaderboard_), model.predict(data.X).shape
    (3, (200, 6))
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        candidates: Any = None,
        *,
        maximize: str = "micro-f",
        beta: float = 1.0,
        representations: Any = None,
        cv: Any = 5,
        budget: float | None = None,
        blend: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.candidates = candidates
        self.maximize = maximize
        self.beta = beta
        self.representations = representations
        self.cv = cv
        self.budget = budget
        self.blend = blend
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> BestLearner:
        """Try the candidates on held-out folds, and fit the best one to all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples; in any form that the candidates take, if they are given.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            NaN, null or a masked cell is a missing label; candidates that need all labels of a
            sample are then left out.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. A sample of weight 2 counts as two in
            the values of candidates and in the tuning of their decisions, one of weight 0 is left
            out. Candidates whose ``fit`` takes `sample_weight` are fitted with it, in a pipeline
            its last step; the others are fitted without it.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together. They are in the same fold of the
            splitter, of the choice of thresholds, and of the candidates that take groups for folds
            of their own.

        Returns
        -------
        BestLearner
            The fitted estimator itself.

        Raises
        ------
        TypeError, ValueError
            If an option or the labels are wrong, before any model is fitted; or the error of the
            first candidate, if all candidates fail.
        """
        if self.budget is not None:
            check_real(self.budget, "budget", least=0.0, most=np.inf)
        clock = Clock(self.budget)
        refuse_other_index(X=X, y=y, groups=groups, sample_weight=sample_weight)
        target = check_target(self, X, y, allow_missing=True)
        request = Request(maximize=self.maximize, beta=self.beta, shrink="auto")
        represented = self._represented(X, target.matrix, target.missing)
        if represented:
            X = np.arange(target.matrix.shape[0])
        elif self.candidates is None:
            X = learn_features(self, X)
        weights = check_sample_weights(sample_weight, target.matrix)
        Y = dense_targets(target.matrix, target.missing)
        samples = Samples(X, Y, target.names, groups, {}, weights)
        self.constants_ = constant_labels(Y if weights is None else Y[weights > 0])
        warn_of_constants(self.constants_, target.names)
        store_target(self, target)
        if not np.isnan(self.constants_).any():
            return self._fit_nothing(request, samples)
        self._fit_best(request, samples, represented, clock)
        if represented or self.candidates is not None:
            copy_feature_attributes(self, self.estimators_[0])
        return self

    def _fit_nothing(self, request: Request, samples: Samples) -> BestLearner:
        """Set the attributes of a learner of labels that all have one class."""
        none = thresholds_of_no_label(request)
        self.thresholds_: Thresholds | None = with_constant_labels(
            none, self.constants_, samples.Y, samples.names, samples.weights
        )
        self.estimators_: list[Any] = []
        self.best_names_: tuple[str, ...] = ()
        self.rule_ = "thresholds"
        self.label_sets_: sparse.csr_array | None = None
        self.set_log_weights_: np.ndarray | None = None
        self.slopes_ = self.intercepts_ = np.empty((0, 0))
        self.value_ = self.corrected_value_ = float("nan")
        self.leaderboard_ = leaderboard_of(self.maximize, None, [], [])
        return self

    def _represented(self, X: Any, Y: Any, missing: Any) -> list[Representation]:
        """Return the representations of the samples; none if X are features."""
        if self.representations is None:
            return []
        if self.candidates is not None:
            raise ValueError("representations must be None with given candidates, got both.")
        given = check_representations(self.representations)
        labels = dense_targets(Y, missing)
        return [Representation(name, one, X, labels) for name, one in given.items()]

    def _fit_best(
        self,
        request: Request,
        samples: Samples,
        represented: list[Representation],
        clock: Clock,
    ) -> None:
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        splits = splits_of(
            self.cv, samples.X, samples.Y[:, np.isnan(self.constants_)], samples.groups
        )
        # A number means the folds of `TunedThresholds` behind shrinkage; all candidates share them.
        tuning_seed = self.random_state if is_whole(self.random_state) else seed
        is_long = represented and request.average == "micro" and samples.Y.shape[1] > _MANY_LABELS
        most_scores = _MOST_SCORES if is_long else None
        arena = Arena(samples, splits, request, tuning_seed, self.n_jobs, most_scores)
        if samples.weights is not None and not samples.weights.all():
            arena = arena.part(np.flatnonzero(samples.weights))
            samples = arena.samples
        candidates, left_out = self._candidates(samples, seed, represented)
        if self.blend and self.budget is not None:
            clock.for_blends = min(_FOR_BLENDS * self.budget, 3 * arena.judging(len(samples.Y)))
        finish = run_race(candidates, arena, clock, partial(report_progress, self))
        blend, clock.for_blends = None, 0.0
        if self.blend:
            blend = best_blend(finish.last, finish.arena, clock.left())
        chosen, trials = best_with_blend(finish.last, blend)
        by_name = {one.name: one for one in candidates}
        report_progress(self, f"{chosen.name} is chosen, and fitted to all samples")
        of_names = {trial.name: trial for trial in trials}
        members = [of_names[name] for name in chosen.names]
        self._store(chosen, members, finish, by_name, samples)
        self.leaderboard_ = leaderboard_of(
            self.maximize,
            chosen,
            [*trials, *finish.earlier],
            [*left_out, *finish.left_out],
            finish.notes,
        )

    def _candidates(
        self, samples: Samples, seed: int, represented: list[Representation]
    ) -> tuple[list[Candidate], list[tuple[str, str]]]:
        """Return the candidates, and those that are not for these samples."""
        if represented:
            return candidates_on(represented, LEARNERS, seed)
        n_labels = int(np.isnan(self.constants_).sum())
        if self.candidates is None:
            parts = sizes_of_parts(samples.X, samples.Y[:, np.isnan(self.constants_)])
            return default_candidates(LEARNERS, size_of(samples.X, n_labels), seed, parts)

        def build(name: str) -> Any:
            known = learner_named(name, "candidates must be estimators or")
            return known.build(sparse.issparse(samples.X), seed)

        return given_candidates(self.candidates, build), []

    def _store(
        self,
        chosen: Trial,
        members: list[Trial],
        finish: Finish,
        by_name: dict[str, Candidate],
        samples: Samples,
    ) -> None:
        """Fit the chosen candidates to all samples, and store how they decide."""
        # A race that was stopped on some rows may have seen one class of more labels.
        self.constants_ = finish.arena.constants
        Y = np.where(np.isnan(self.constants_), samples.Y, self.constants_)
        self.best_names_, self.rule_ = chosen.names, chosen.rule.name
        self.estimators_ = []
        tried, whole = finish.arena.samples, samples._replace(Y=Y)
        for trial in members:
            fitted, candidate = trial.scorer, by_name[trial.name]
            representation = candidate.representation
            if fitted is None or not (tried is samples or finish.is_settled):
                wanted = tried if finish.is_settled else whole
                wanted = finish.arena._replace(samples=wanted).represented(representation).samples
                estimator = with_beta_of(candidate.estimator, finish.arena.request)
                params = fit_params(estimator, wanted)
                fitted = fit_scorer(estimator, wanted.X, wanted.Y, params)
            model = fitted.estimator
            if representation is not None:
                model = make_pipeline(representation.transformer, model)
            self.estimators_.append(model)
        sigmoids = [trial.sigmoids() for trial in members]
        self.slopes_ = np.array([one.slopes for one in sigmoids])
        self.intercepts_ = np.array([one.intercepts for one in sigmoids])
        self.value_ = float(chosen.judgement.value)
        self.corrected_value_ = float(chosen.judgement.corrected_value)
        self.label_sets_, self.set_log_weights_ = chosen.judgement.label_sets or (None, None)
        tuned = chosen.judgement.thresholds
        self.thresholds_ = None
        if tuned is not None:
            self.thresholds_ = with_constant_labels(
                tuned, self.constants_, Y, samples.names, samples.weights
            )

    def _decided(self, X: Any) -> np.ndarray:
        X = self._checked(X)
        if self.thresholds_ is not None:
            return np.asarray(self.thresholds_.decide(self._fitted().scores(X)))
        request = Request(maximize=self.maximize, beta=self.beta)
        return self._fitted().label_sets(X, request)

    def _scores(self, X: Any) -> np.ndarray:
        X = self._checked(X)
        return self._fitted().scores(X)

    def _proba(self, X: Any) -> np.ndarray:
        X = self._checked(X)
        return all_labels(expit(self._fitted().log_odds(X)), self.constants_)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        if self.candidates is None and self.representations is None:
            return learn_features(self, X, reset=False)
        check_readable(X, "X")
        return X

    def _fitted(self) -> FittedCandidates:
        sigmoids = [Sigmoids(*one) for one in zip(self.slopes_, self.intercepts_, strict=True)]
        seen = None
        if self.label_sets_ is not None and self.set_log_weights_ is not None:
            seen = LabelSets(self.label_sets_, self.set_log_weights_)
        return FittedCandidates(self.estimators_, sigmoids, self.constants_, self.rule_, seen)

    def _check_learned(self, n_labels: int) -> None:
        n_varying = int(np.isnan(self.constants_).sum())
        if self.rule_ not in RULES:
            raise ValueError(f"rule_ must be one of {', '.join(RULES)}, got {self.rule_!r:.50}")
        if (self.rule_ == "thresholds") != (self.thresholds_ is not None):
            raise ValueError("thresholds_ must be those of the rule with thresholds")
        if self.thresholds_ is not None:
            check_thresholds(self.thresholds_, n_labels)
        if (self.rule_ == "label-sets") != (self.label_sets_ is not None):
            raise ValueError("label_sets_ must be those of the rule with label sets")
        if self.label_sets_ is not None:
            check_label_sets(self.label_sets_, self.set_log_weights_, n_varying)
        shape = (len(self.estimators_), n_varying if self.estimators_ else 0)
        arrays: list[Any] = [self.slopes_, self.intercepts_]
        for array in arrays:
            if not isinstance(array, np.ndarray) or array.shape != shape:
                raise ValueError(f"slopes_ and intercepts_ must have the shape {shape}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.representations if self.candidates is None else self.candidates
        estimators = [] if given is None else given_estimators(given)
        accepted = [get_tags(one).input_tags for one in estimators]
        # Candidates that refuse NaN are left out, but sparse rows must suit the one that is chosen.
        tags.input_tags.sparse = all(one.sparse for one in accepted)
        tags.input_tags.allow_nan = any(one.allow_nan for one in accepted)
        tags.input_tags.string = any(one.string for one in accepted)
        return tags
