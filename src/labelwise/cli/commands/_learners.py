"""`labelwise learners`: the register of learners by short names, for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from labelwise import decisions, learners, measures
from labelwise._validation import check_beta
from labelwise.cli._outputs import Outputs


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier()


def _neighbors() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(10, algorithm="brute")


class Learner(NamedTuple):
    """A learner of the command line."""

    name: str
    class_name: str  # in labelwise.learners
    line: str  # one line for the user
    rule: str  # how the learner decides with --maximize none
    maximizes: str | None = None  # the measure that this rule is for
    estimator: Callable[[], Any] | None = None  # makes the binary classifier of the learner
    takes_counts: bool = False  # of terms, instead of their tf-idf weights
    settings: Mapping[str, Any] = {}  # parameters of the learner that are not its defaults


DEFAULT_MEASURE = "micro-f"
_HALF = "each label at a probability of 0.5"
LEARNERS = (
    Learner(
        "auto",
        "BestLearner",
        "the best of several learners, or the mean of the best few, on held-out rows",
        "as the best learner does",
    ),
    Learner(
        "br",
        "BinaryRelevance",
        "binary relevance: a logistic regression a label",
        _HALF,
        settings={"rescale": True},
    ),
    Learner(
        "br-forest",
        "BinaryRelevance",
        "binary relevance: a random forest a label",
        _HALF,
        estimator=_forest,
    ),
    Learner(
        "br-knn",
        "BinaryRelevance",
        "binary relevance: the 10 nearest neighbours",
        _HALF,
        estimator=_neighbors,
    ),
    Learner(
        "br-svm",
        "BinaryRelevance",
        "binary relevance: a linear support vector machine a label",
        "each label at a score of 0",
        settings={"loss": "squared_hinge"},
    ),
    Learner("forest", "LabelForest", "one random forest of all labels", _HALF),
    Learner(
        "lfp",
        "IndependentFPlugin",
        "highest expected F of each row, labels taken as independent",
        "the label set of highest expected F, row by row",
        "sample-f",
    ),
    Learner(
        "efp",
        "ExactFPlugin",
        "highest expected F of each row, by regressions of label and label count",
        "the label set of highest expected F, row by row",
        "sample-f",
    ),
    Learner(
        "chains",
        "ChainEnsemble",
        "chains of logistic regressions, each label given the features and earlier labels",
        _HALF,
    ),
    Learner(
        "sfp",
        "SampledFPlugin",
        "highest expected F of each row, from label sets drawn by chains",
        "the label set of highest expected F, row by row",
        "sample-f",
    ),
    Learner(
        "clr",
        "CalibratedLabelRanking",
        "calibrated label ranking: votes of a forest for each pair of labels",
        "the labels with more votes than the virtual one",
    ),
    Learner(
        "okapi",
        "OkapiNeighbors",
        "the 100 nearest documents by Okapi weights, for counts of terms",
        "the labels with half of the neighbours' weight",
        takes_counts=True,
    ),
    Learner(
        "bags",
        "BagPlugin",
        "bags of rows: logistic regressions of rows, a bag decided by its highest score",
        "thresholds tuned for macro-f on held-out bags",
        "macro-f",
    ),
    Learner(
        "rml",
        "ReverseMultilabel",
        "structured support vector machine, trained on the F of each row",
        "each label at a score of 0, learned for the F of rows",
        "sample-f",
    ),
    Learner(
        "sml",
        "SubmodularMultilabel",
        "the same with gains for pairs of labels, decided by minimum cuts",
        "the label set of highest score, learned for the F of rows",
        "sample-f",
    ),
)


class ChosenLearner(NamedTuple):
    """An estimator to fit, and its decision rule in words."""

    model: Any
    rule: str
    takes_counts: bool = False
    maximizes: str | None = None  # the measure that the rule is for


def show_learners() -> None:
    """Print a line for each learner."""
    width = max(len(one.name) for one in LEARNERS)
    lines = [f"{one.name:<{width}}  {one.line}" for one in LEARNERS]
    records = [
        {
            "name": one.name,
            "class": f"labelwise.learners.{one.class_name}",
            "description": one.line,
            "decides": one.rule,
            "maximizes": one.maximizes,
        }
        for one in LEARNERS
    ]
    Outputs().show("\n".join(lines), {"learners": records})


def choose_learner(
    name: str,
    maximize: str | None,
    beta: float,
    settings: dict[str, Any],
    *,
    calibrate: bool = False,
) -> ChosenLearner:
    """Return the estimator of a name, deciding for the measure of --maximize.

    None means the measure of the learner's own rule, or micro-f if the rule is for none; "none"
    means the learner's own rule. `settings` has random_state, n_jobs, verbose and budget; an
    estimator gets those that it knows. With `calibrate`, the scores become probabilities.
    """
    by_name = {one.name: one for one in LEARNERS}
    if name not in by_name:
        raise ValueError(f"--learner must be one of {', '.join(by_name)}, got {name!r}.")
    check_beta(beta)
    learner = by_name[name]
    model = _new_estimator(learner, settings)
    if calibrate:
        learner, model = _calibrated(learner, model)
    if maximize is None:
        maximize = learner.maximizes or DEFAULT_MEASURE
    if isinstance(model, learners.BestLearner):
        return _best_of_several(model, maximize, beta)
    if maximize in ("none", learner.maximizes):
        return _with_own_rule(learner, model, beta)
    average, measure = measures.average_and_measure(maximize, "--maximize")
    try:
        model = learners.maximizing(model, measure, average, beta, settings["random_state"])
    except TypeError as error:
        raise ValueError(f"--maximize {maximize} needs scores, and {name} gives none.") from error
    if "verbose" in model.get_params(deep=False):
        model.set_params(verbose=settings["verbose"])
    return ChosenLearner(model, _rule_in_words(model, maximize), learner.takes_counts, maximize)


def _best_of_several(model: Any, maximize: str, beta: float) -> ChosenLearner:
    """Return the learner that tries others, and chooses the best for the measure."""
    if maximize == "none":
        raise ValueError("--learner auto needs a measure to compare learners by, got none.")
    measures.average_and_measure(maximize, "--maximize")
    model.set_params(maximize=maximize, beta=beta, blend=True)
    return ChosenLearner(model, _rule_in_words(model, maximize), maximizes=maximize)


def _calibrated(learner: Learner, model: Any) -> tuple[Learner, Any]:
    """Return the learner with calibrated probabilities instead of scores."""
    if learner.maximizes is not None or learner.class_name == "BestLearner":
        raise ValueError(f"--calibrate is not for {learner.name}, which has its own decision rule.")
    return learner._replace(rule=_HALF), decisions.CalibratedLabels(model, method="sigmoid")


def _rule_in_words(model: Any, maximize: str) -> str:
    is_of_samples = isinstance(model, learners.BestLearner) and maximize == "sample-f"
    if isinstance(model, learners.IndependentFPlugin) or is_of_samples:
        return "the label set of highest expected F, row by row, labels taken as independent"
    if isinstance(model, learners.BagPlugin):
        return f"thresholds tuned for {maximize} on held-out bags"
    # With probabilities, the mean F of samples has a better rule than thresholds.
    has_no_proba = maximize == "sample-f" and not hasattr(model, "predict_proba")
    why = " (without probabilities, which --calibrate gives)" if has_no_proba else ""
    return f"thresholds tuned for {maximize}{why}"


def _new_estimator(learner: Learner, settings: dict[str, Any]) -> Any:
    kind = getattr(learners, learner.class_name)
    model = kind() if learner.estimator is None else kind(learner.estimator())
    model.set_params(**learner.settings)
    known = model.get_params()
    given = {key: value for key, value in settings.items() if key in known}
    seeds = [key for key in known if key.endswith("__random_state")]
    return model.set_params(**given, **dict.fromkeys(seeds, settings["random_state"]))


def _with_own_rule(learner: Learner, model: Any, beta: float) -> ChosenLearner:
    if "beta" in model.get_params():
        model.set_params(beta=beta)
    elif beta != 1:
        raise ValueError(f"--beta {beta:g} is not for {learner.name} with --maximize none.")
    return ChosenLearner(model, learner.rule, learner.takes_counts, learner.maximizes)
